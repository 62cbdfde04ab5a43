/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prepared: a call of which everything is settled but where its tensors lie: its walk, and the way
 * that choose.c chooses. A kernel remembers some (quick.c), a bound call has its own (bound.c).
 * Running one takes a few nanoseconds, so what is below does nothing but compare and call. */
#ifndef TOSAJIT_RUNTIME_RUN_PREPARED_H
#define TOSAJIT_RUNTIME_RUN_PREPARED_H

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

enum { PREPARED_TENSORS = 8 /* operands, constants and results, at most */ };

/* Of tensors; leaves are the operands, then constants. */
typedef struct prepared_counts {
    int32_t operands, leaves, results;
} prepared_counts;

typedef struct prepared {
    bool divided; /* among threads; else by `choice` */
    bool single;  /* one call of the code */
    uint8_t element_sizes[PREPARED_TENSORS];
    uint64_t in_place;  /* bit k: a result of as many bytes may lie on operand k, exactly */
    tile_choice choice; /* its last members are what the code is told */
    int64_t bytes[PREPARED_TENSORS]; /* from the first to the last, of operands, then results */
    int64_t strides[3 * PREPARED_TENSORS]; /* of leaves, then results, for the code */
    walk w;                                /* last: no more of it is kept than is used */
} prepared;

/* Whether the calls of a kernel can be prepared; how many tensors they have. */
bool prepared_serves(const tosajit_kernel *kernel, prepared_counts *n);

/* Words of 64 bits that count of a prepared call whose walk has so many dimensions and tensors. */
static inline size_t prepared_words(int32_t rank, int32_t tensors) {
    return offsetof(prepared, w.strides) / sizeof(int64_t) + (size_t)((rank ? rank : 1) * tensors);
}

/* Which of three functions serves best: 1 and 2 for that many operands and a result, 0 for all. */
static inline int32_t prepared_special(prepared_counts n) {
    return n.results == 1 && n.leaves == n.operands && n.operands <= 2 ? n.operands : 0;
}

/* Prepare a call that has passed every check, of a kernel that prepared_serves. `shared`: a result
 * lies where an operand does. False if it can't be: a tensor has no elements, or runs backwards. */
bool prepared_make(const tosajit_kernel *kernel, const view *operands, const view *results,
                   bool shared, prepared *p);

/* Whether the code of a program depends on the floating-point environment. */
bool prepared_floats(const tosajit_expr *program);

/* Whether memory that tensors share is shared exactly in place. */
bool prepared_shares(const prepared *p, prepared_counts n, void *const *pointers);

/* More than one call of the code; pointers are those that tile_pointers gives, and move. */
void prepared_walk(const prepared *p, const tosajit_kernel *kernel, tosajit_entry entry,
                   void **pointers);

/* Whether two ranges of bytes have one in common. */
static inline bool prepared_meet(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    const uint64_t distance = (uintptr_t)b - (uintptr_t)a;
    return (distance < (uint64_t)a_bytes) | (-distance < (uint64_t)b_bytes);
}

/* Whether no result shares memory with an operand or another result. */
SPECIALISED bool prepared_are_apart(const prepared *p, prepared_counts n, void *const *pointers) {
    bool meet = false;
    for (int32_t r = 0; r < n.results; r++) {
        const void *const own = pointers[n.leaves + r];
        const int64_t own_bytes = p->bytes[n.operands + r];
        for (int32_t k = 0; k < n.operands; k++)
            meet |= prepared_meet(pointers[k], p->bytes[k], own, own_bytes);
        for (int32_t other = 0; other < r; other++)
            meet |= prepared_meet(pointers[n.leaves + other], p->bytes[n.operands + other], own,
                                  own_bytes);
    }
    return !meet;
}

/* Whether memory is shared as `shared` says, which prepared_make was told. */
SPECIALISED bool prepared_fits(const prepared *p, bool shared, prepared_counts n,
                               void *const *pointers) {
    return shared ? prepared_shares(p, n, pointers) : prepared_are_apart(p, n, pointers);
}

/* The call; `floating` is what prepared_floats says. Pointers move. */
SPECIALISED void prepared_call(const prepared *p, const tosajit_kernel *kernel, tosajit_entry entry,
                               bool floating, void **pointers) {
    const uint64_t environment = floating ? fpenv_enter() : 0;
    if (p->single)
        entry(pointers, p->strides, p->choice.planes, p->choice.rows, p->choice.cols);
    else
        prepared_walk(p, kernel, entry, pointers);
    if (floating) fpenv_leave(environment);
}

/* The call, if it fits; false, and nothing done, if not. */
SPECIALISED bool prepared_run(const prepared *p, const tosajit_kernel *kernel, tosajit_entry entry,
                              bool floating, bool shared, prepared_counts n, void **pointers) {
    const bool fits = prepared_fits(p, shared, n, pointers);
    if (fits) prepared_call(p, kernel, entry, floating, pointers);
    return fits;
}

#endif
