/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launch plan: a call of which everything is settled but where its tensors lie: its walk, and the
 * strategy that choose.c chooses. A kernel remembers some (call_cache.c), a bound call has its own
 * (bound.c). Running one takes a few nanoseconds, so what is below does nothing but compare and
 * call. */
#ifndef TOSAJIT_RUNTIME_RUN_LAUNCH_H
#define TOSAJIT_RUNTIME_RUN_LAUNCH_H

#include "runtime/base/fpenv.h"
#include "runtime/run/kernel.h"
#include "runtime/run/tile.h"

/* What is worth its few nanoseconds only with constant counts of tensors; and functions of their
 * own, so that a short way does not save the registers of a long one. */
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define SPECIALISED static inline __attribute__((always_inline))
/* Aligned, so that their speed does not depend on what lies before them. */
#define APART static __attribute__((noinline, aligned(64)))
#else
#define SPECIALISED static inline
#define APART static
#endif

enum { LAUNCH_TENSORS = 8 /* operands, constants and results, at most */ };

typedef struct launch {
    bool divided;       /* among threads; else by `choice` */
    bool single;        /* one call of the code */
    uint64_t in_place;  /* bit r * LAUNCH_TENSORS + k: result r may lie on operand k, exactly */
    tile_choice choice; /* its last members are what the code is told */
    int64_t bytes[LAUNCH_TENSORS];       /* from the first to the last, of operands, then results */
    int64_t strides[3 * LAUNCH_TENSORS]; /* of leaves, then results, for the code */
    walk w;                              /* last: no more of it is kept than is used */
} launch;

/* Find out what is the same in all calls of a kernel: its `counts` and `floats`. */
void launch_analyse(tosajit_kernel *kernel);

/* Words of 64 bits that count of a launch plan whose walk has so many dimensions and tensors. */
static inline size_t launch_words(int32_t rank, int32_t tensors) {
    return offsetof(launch, w.strides) / sizeof(int64_t) + (size_t)((rank ? rank : 1) * tensors);
}

/* Which of three functions serves best: 1 and 2 for that many operands and a result, 0 for all. */
static inline int32_t launch_arity(kernel_counts n) {
    return n.results == 1 && n.leaves == n.operands && n.operands <= 2 ? n.operands : 0;
}

/* Plan the launch of a call that has passed every check, of a kernel that has `counts`. `shared`: a
 * result lies where an operand does. False if it can't be: a tensor has no elements, or runs
 * backwards. */
bool launch_make(const tosajit_kernel *kernel, const code_part *code, const view *operands,
                 const view *results, bool shared, launch *p);

/* More than one call of the code; pointers move. */
void launch_walk(const launch *p, const tosajit_kernel *kernel, const code_part *code,
                 void **pointers);

/* Below, `data` is where the tensors of a call begin: operands, then results. */

/* Whether a result lies where an operand does. */
SPECIALISED bool launch_is_shared(kernel_counts n, void *const *data) {
    bool shared = false;
    for (int32_t r = 0; r < n.results; r++)
        for (int32_t k = 0; k < n.operands; k++) shared |= data[k] == data[n.operands + r];
    return shared;
}

/* Whether tensors a and b have a byte in common. */
static inline bool launch_meet(const launch *p, void *const *data, int32_t a, int32_t b) {
    const uint64_t distance = (uintptr_t)data[b] - (uintptr_t)data[a];
    return (distance < (uint64_t)p->bytes[a]) | (-distance < (uint64_t)p->bytes[b]);
}

/* Whether results share no memory with each other, and with operands exactly in place at most. */
SPECIALISED bool launch_fits(const launch *p, kernel_counts n, void *const *data) {
    for (int32_t r = 0; r < n.results; r++) {
        const int32_t own = n.operands + r;
        for (int32_t k = 0; k < n.operands; k++)
            if (launch_meet(p, data, k, own) &&
                !(data[k] == data[own] && p->in_place >> (r * LAUNCH_TENSORS + k) & 1))
                return false;
        for (int32_t other = n.operands; other < own; other++)
            if (launch_meet(p, data, other, own)) return false;
    }
    return true;
}

/* The call. */
SPECIALISED void launch_call(const launch *p, const tosajit_kernel *kernel, const code_part *code,
                             kernel_counts n, void *const *data) {
    const plan_part *part = &kernel->plan.parts[0];
    void *pointers[LAUNCH_TENSORS];
    for (int32_t k = 0; k < n.operands; k++) pointers[k] = data[k];
    for (int32_t k = n.operands; k < n.leaves; k++)
        pointers[k] = (void *)(uintptr_t)part->constants[k - n.operands];
    for (int32_t r = 0; r < n.results; r++) pointers[n.leaves + r] = data[n.operands + r];
    const uint64_t environment = kernel->floats ? fpenv_enter() : 0;
    if (p->single)
        code->entry(code->context, pointers, p->strides, p->choice.planes, p->choice.rows,
                    p->choice.cols);
    else
        launch_walk(p, kernel, code, pointers);
    if (kernel->floats) fpenv_leave(environment);
}

/* The call, if it fits; false, and nothing done, if not. */
SPECIALISED bool launch_run(const launch *p, const tosajit_kernel *kernel, const code_part *code,
                            kernel_counts n, void *const *data) {
    const bool fits = launch_fits(p, n, data);
    if (fits) launch_call(p, kernel, code, n, data);
    return fits;
}

#endif
