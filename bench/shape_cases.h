/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shape cases: broadcasts that models are made of, views of larger or transposed matrices, and more
 * memory than any cache holds; on f32. In: nothing. Out: a table, and how each case lies in memory.
 */
#ifndef TOSAJIT_BENCH_SHAPE_CASES_H
#define TOSAJIT_BENCH_SHAPE_CASES_H

#include <stdbool.h>

#include "bench/buffers.h"
#include "bench/peers.h"
#include "bench/sweep.h"

enum { SHAPE_RANK = SWEEP_RANK };

/* How operand 0 lies in memory: dense; the transpose of a dense one; every second column, or the
 * left half, of one that is twice as wide. */
typedef enum view { VIEW_DENSE, VIEW_TRANSPOSED, VIEW_SECOND, VIEW_WIDE } view;

typedef struct shape_case {
    const char *family, *name;
    tosajit_op op; /* add, mul, or abs of operand 0 alone */
    int64_t dims[2][SHAPE_RANK];
    view seen; /* operand 0 */
    bool in_place;
    peer *loop, *blocked,
        *copy; /* loop null: a nest of four loops. blocked: of views. copy: moves as many bytes */
} shape_case;

extern const shape_case shape_cases[];
extern const int shape_case_count;

/* The sizes of the result and strides of the operands, which are 0 where they repeat. */
typedef struct shape_layout {
    int operand_count;
    int64_t count, sizes[SHAPE_RANK], strides[2][SHAPE_RANK]; /* in bytes */
    int64_t bytes;                                            /* that a pass reads and writes */
    sweep_nest nest;
} shape_layout;

shape_layout shape_layout_of(const shape_case *s);

/* Operand 0 or 1, or 2 for the result, of a case of `count` elements. Null: out of memory. */
void *shape_memory(int64_t count, int index);

/* True if a result with those strides in bytes is what the op gives, element by element. */
bool shape_agrees(const shape_case *s, const shape_layout *layout, void *const *operands,
                  const void *result, const int64_t *strides);

#endif
