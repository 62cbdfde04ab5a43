/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Folds: reductions of what the instructions of a tile have computed, in the order of
 * runtime/expr/reduce.h. What combines is the library's code of an op of two operands, add for a
 * sum: an element of rows or columns with the partial results, which stay where they are.
 *
 *     columns of   partial results                           then
 *     long rows    32 of each of 16 rows                     turned, as those of short rows
 *     short rows   the elements, a line of rows for each     line 0 with 16, 1 with 17, ...; then
 *                  column: many rows in a call               0 with 8, ...: lines that there are
 *     rows         one of each column                        -
 *
 * A count is known, and nothing is combined for it. Positions are taken in the order of elements,
 * by the library itself. */
#ifndef TOSAJIT_RUNTIME_PRECOMPILED_FOLD_H
#define TOSAJIT_RUNTIME_PRECOMPILED_FOLD_H

#include "runtime/expr/reduce.h"
#include "runtime/precompiled/positions.h"
#include "runtime/precompiled/rows.h"
#include "tosajit/inspect.h"

enum {
    FOLD_ROWS = 16,                            /* of a tile whose columns are reduced, at most */
    FOLD_COLUMNS = 512,                        /* of a tile whose rows are, at most */
    FOLD_SHORT = FOLD_ROWS * REDUCE_PARTIALS,  /* elements of a tile of short rows, at most */
    FOLD_TOTALS = FOLD_ROWS * sizeof(int64_t), /* bytes of rows' totals; behind them is room for
                                                  their partial results, turned */
};

/* Elements in memory: where the first is, bytes to the next row and column; 0: it repeats. */
typedef struct fold_lines {
    char *start;
    int64_t row, col;
} fold_lines;

/* A reduction of a part. */
typedef struct fold {
    const expr_node *node;
    tosajit_entry combine;
    position_kind position;
    int64_t size;     /* of an element of the accumulator, in bytes */
    uint64_t neutral; /* one element */
    bool inner;       /* columns are reduced */
} fold;

/* The reduction so far: of a row FOLD partial results, of columns one for each. */
typedef struct fold_state {
    _Alignas(64) char partials[FOLD_ROWS * REDUCE_PARTIALS * sizeof(int64_t)];
    _Alignas(64) char totals[FOLD_TOTALS + FOLD_COLUMNS * sizeof(int64_t)];
} fold_state;

/* Of columns, which are `inner`, or of rows; of elements of this type, the accumulator's.
 * NOT_EXECUTABLE if the library has no code for it. */
tosajit_status fold_make(const expr_node *node, tosajit_type type, bool inner,
                         const rows_library *library, int level, fold *f);

/* `count` times the element at `from`. */
void fold_repeat(char *to, const char *from, size_t size, int64_t count);

/* Columns: begin so many rows, take columns first .. first + cols of them, and end. */
void fold_begin_rows(const fold *f, fold_state *s, int64_t rows);
void fold_columns(const fold *f, fold_state *s, fold_lines from, int64_t rows, int64_t first,
                  int64_t cols);
void fold_end_rows(const fold *f, fold_state *s, int64_t rows);

/* All of that, of rows of at most REDUCE_PARTIALS columns, FOLD_SHORT elements at most. */
void fold_short_rows(const fold *f, fold_state *s, fold_lines from, int64_t rows, int64_t cols);

/* Rows: the same of so many columns. */
void fold_begin_columns(const fold *f, fold_state *s, int64_t cols);
void fold_rows(const fold *f, fold_state *s, fold_lines from, int64_t first, int64_t rows,
               int64_t cols);
void fold_end_columns(const fold *f, fold_state *s, int64_t cols);

/* Store what rows or columns were reduced to, of so many elements each. */
void fold_store(const fold *f, const fold_state *s, int64_t count, int64_t elements, char *to,
                int64_t stride);

#endif
