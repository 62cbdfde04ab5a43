/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prepared: a call of which everything is settled but where its tensors lie: one tile for the code,
 * or a few of equal strides. A kernel remembers some (quick.c), a bound call has its own (bound.c).
 * Running one takes a few nanoseconds, so what is below does nothing but compare and call. */
#ifndef TOSAJIT_RUNTIME_RUN_PREPARED_H
#define TOSAJIT_RUNTIME_RUN_PREPARED_H

#include "runtime/base/fpenv.h"
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
    int64_t outer, planes, rows, cols; /* tiles, and what the entry is told of each */
    int64_t in_place; /* bit k: a result may be computed in place of operand k, if it has as many
                         bytes */
    int64_t phases;   /* in place: of rows (choose.h) */
    int64_t bytes[PREPARED_TENSORS]; /* from the first to the last, of operands, then results */
    int64_t strides[4 * PREPARED_TENSORS]; /* of leaves, then results: for the entry; then from tile
                                              to tile */
} prepared;

/* The tiles of a walk in the way that choose.c chooses, but for in_place, phases and bytes; false
 * if they are others. */
bool prepared_make(const plan_part *part, const walk *w, const tile_tensors *tensors, prepared *p);

/* Set in_place to those of these operands, which a result may lie on, that such tiles compute in
 * place; and phases. */
void prepared_in_place(const plan_part *part, const walk *w, const uint8_t *element_sizes,
                       uint64_t operands, prepared *p);

/* Whether memory that tensors share is shared exactly in place. */
bool prepared_shares(prepared_counts n, void *const *pointers, const int64_t *bytes,
                     uint64_t in_place);

/* Whether the code of a program depends on the floating-point environment. */
bool prepared_floats(const tosajit_expr *program);

/* One tile, in phases. */
void prepared_phases(const prepared *p, tosajit_entry entry, void *const *pointers,
                     int32_t tensors);

/* Tile after tile; pointers move. */
void prepared_walk(const prepared *p, tosajit_entry entry, void **pointers, int32_t tensors);

/* Whether two ranges of bytes have one in common. */
static inline bool prepared_meet(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    const uint64_t distance = (uintptr_t)b - (uintptr_t)a;
    return (distance < (uint64_t)a_bytes) | (-distance < (uint64_t)b_bytes);
}

/* Whether no result shares memory with an operand or another result. */
SPECIALISED bool prepared_are_apart(prepared_counts n, void *const *pointers,
                                    const int64_t *bytes) {
    bool meet = false;
    for (int32_t r = 0; r < n.results; r++) {
        const void *const own = pointers[n.leaves + r];
        const int64_t own_bytes = bytes[n.operands + r];
        for (int32_t k = 0; k < n.operands; k++)
            meet |= prepared_meet(pointers[k], bytes[k], own, own_bytes);
        for (int32_t other = 0; other < r; other++)
            meet |= prepared_meet(pointers[n.leaves + other], bytes[n.operands + other], own,
                                  own_bytes);
    }
    return !meet;
}

/* `shared`: a result is in place. */
SPECIALISED void prepared_call(const prepared *p, tosajit_entry entry, void **pointers,
                               int32_t tensors, bool shared) {
    if (shared && p->phases > 1)
        prepared_phases(p, entry, pointers, tensors);
    else if (p->outer == 1)
        entry(pointers, p->strides, p->planes, p->rows, p->cols);
    else
        prepared_walk(p, entry, pointers, tensors);
}

/* Compute on these leaves and results; `floating` is what prepared_floats says. False if they share
 * memory as these tiles do not: nothing was done. */
SPECIALISED bool prepared_run(const prepared *p, tosajit_entry entry, bool floating,
                              prepared_counts n, void **pointers) {
    const bool shared = !prepared_are_apart(n, pointers, p->bytes);
    if (shared && !prepared_shares(n, pointers, p->bytes, (uint64_t)p->in_place)) return false;
    const uint64_t environment = floating ? fpenv_enter() : 0;
    prepared_call(p, entry, pointers, n.leaves + n.results, shared);
    if (floating) fpenv_leave(environment);
    return true;
}

#endif
