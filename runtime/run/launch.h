/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launch: a call of which everything is settled but where its tensors lie. It is a list of steps,
 * one for each part of the kernel: a call of the part's code, on pointers that are counted from
 * where the caller's tensors begin.
 *
 *     softmax of x, 8x64        base, at                          the code is told
 *     step 0  m = max(x)        x 0, scratch 0                    8 rows, 64 columns, strides
 *     step 1  e = exp(x - m)    x 0, scratch 0, y 0, scratch 64
 *     step 2  y = e / s         y 0, scratch 64, y 0
 *
 * Views are in base and at: of x[1:] it is x and one row. A kernel remembers some launches
 * (call_cache.c), a bound call has its own (bound.c). Running one takes a few nanoseconds, so what
 * is below does nothing but compare and call. */
#ifndef TOSAJIT_RUNTIME_RUN_LAUNCH_H
#define TOSAJIT_RUNTIME_RUN_LAUNCH_H

#include "runtime/base/fpenv.h"
#include "runtime/run/kernel.h"
#include "runtime/tile/tile.h"
#include "runtime/check/viewed.h"

enum {
    LAUNCH_TENSORS = 8, /* of the caller, and of a step: operands, constants and results, at most */
    LAUNCH_STEPS = 6,
    LAUNCH_SCRATCH_BYTES = 16 * 1024, /* on the stack, at most */
    /* Bases that a pointer is counted from, beside the caller's tensors. */
    LAUNCH_SCRATCH = LAUNCH_TENSORS,
    LAUNCH_CONSTANT, /* nothing: it is an address */
    LAUNCH_BASES,
};

/* A part's code, and what it is told. */
typedef struct launch_step {
    int64_t planes, rows, cols;
    int64_t strides[3 * LAUNCH_TENSORS]; /* as tile_strides makes them */
    int64_t at[LAUNCH_TENSORS];          /* bytes from the base */
    uint8_t base[LAUNCH_TENSORS];        /* of the part's leaves, then results */
    int32_t tensors;
} launch_step;

/* A single step may be more than one call of its code: then it has a walk. */
typedef struct launch {
    uint64_t in_place;             /* bit r * LAUNCH_TENSORS + k: result r may lie on operand k,
                                      exactly */
    int64_t bytes[LAUNCH_TENSORS]; /* from the first to the last, of operands, then results */
    int64_t scratch_bytes;         /* on the stack */
    int32_t step_count;
    bool walked, divided; /* by the walk, which threads share */
    bool direct;          /* the code takes the caller's tensors as they are */
    bool is_short;        /* no number of threads would divide it */
    launch_step step;     /* the first. No more of what follows is kept than is used */
    union {
        launch_step later[LAUNCH_STEPS - 1];
        struct {
            tile_choice choice;
            walk w;
        } whole;
    };
} launch;

static inline const launch_step *launch_step_at(const launch *p, int32_t k) {
    return k ? &p->later[k - 1] : &p->step;
}

/* Find out what is the same in all calls of a kernel: its `counts` and `floats`. */
void launch_analyse(tosajit_kernel *kernel);

/* Words of 64 bits that count of a launch; and the most that one of a kernel has. */
size_t launch_words(const launch *p);
size_t launch_most_words(const tosajit_kernel *kernel);

/* Which of three functions serves best: 1 and 2 for that many operands and a result, 0 for all. */
static inline int32_t launch_arity(const tosajit_kernel *kernel) {
    const kernel_counts n = kernel->counts;
    return n.results == 1 && n.operands <= 2 ? n.operands : 0;
}

/* Plan the launch of a call that has passed every check. The kernel has `counts`. `tensors` are its
 * program's, and v says how they are seen; null where there are no views. `code` is its parts'
 * code; null: unknown yet. `shared`: a result lies where an operand does. False if there is no
 * launch: a tensor has no elements, runs backwards, or must be packed first, or there are several
 * blocks. */
bool launch_make(const tosajit_kernel *kernel, const code_part *code, view *tensors,
                 const viewed *v, bool shared, launch *p);

/* A part's code; where it is unknown yet, the code that can do least, so that any other takes the
 * same step.
 */
static inline const code_part *launch_code(const code_part *code, int32_t part) {
    static const code_part unknown = {.single = true};
    return code ? &code[part] : &unknown;
}

/* Make a step of a part's code and a walk; its tensors are still to be placed. False if the walk
 * takes more than one call of the code. */
static inline bool launch_tell(const plan_part *part, const tile_choice *choice, const walk *w,
                               const tile_tensors *tensors, launch_step *step) {
    tile_strides(part, choice, w, tensors, step->strides);
    step->tensors = w->tensors;
    step->planes = choice->planes, step->rows = choice->rows, step->cols = choice->cols;
    return choice->strategy == TILE_DIRECT && !choice->packed && choice->interleave == 1 &&
           !choice->outer;
}

/* All steps, or the walk. */
void launch_steps(const launch *p, const tosajit_kernel *kernel, const code_part *code,
                  void **bases);

/* Run the launch, of two, that fits a call's memory: no result lies on an operand, or some result
 * does. False, and nothing done, if memory is missing, or shared in another way. */
typedef bool launch_function(const launch *const *either, const tosajit_kernel *kernel,
                             const code_part *code, void *const *data);
launch_function *launch_function_of(const tosajit_kernel *kernel);

/* Below, `data` is where the tensors of a call begin: operands, then results. */

/* True if a result lies where an operand does. */
SPECIALISED bool launch_is_shared(kernel_counts n, void *const *data) {
    bool shared = false;
    for (int32_t r = 0; r < n.results; r++)
        for (int32_t k = 0; k < n.operands; k++) shared |= data[k] == data[n.operands + r];
    return shared;
}

/* True if tensors a and b have a byte in common. */
static inline bool launch_meet(const launch *p, void *const *data, int32_t a, int32_t b) {
    const uint64_t distance = (uintptr_t)data[b] - (uintptr_t)data[a];
    return (distance < (uint64_t)p->bytes[a]) | (-distance < (uint64_t)p->bytes[b]);
}

/* True if results share no memory with each other, and with operands exactly in place at most. */
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
                             void **data) {
    if (!p->direct) {
        launch_steps(p, kernel, code, data);
        return;
    }
    const uint64_t environment = kernel->floats ? fpenv_enter() : 0;
    code->entry(code->context, data, p->step.strides, p->step.planes, p->step.rows, p->step.cols);
    if (kernel->floats) fpenv_leave(environment);
}

/* The call, if it fits; false, and nothing done, if not. */
SPECIALISED bool launch_run(const launch *p, const tosajit_kernel *kernel, const code_part *code,
                            kernel_counts n, void **data) {
    const bool fits = launch_fits(p, n, data);
    if (fits) launch_call(p, kernel, code, data);
    return fits;
}

#endif
