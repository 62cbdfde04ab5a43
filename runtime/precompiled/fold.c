/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/precompiled/fold.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"
#include "runtime/tile/transpose.h"

/* The op that combines two. */
static tosajit_op combining(tosajit_op op) {
    switch (op) {
    case TOSAJIT_OP_reduce_all: return TOSAJIT_OP_logical_and;
    case TOSAJIT_OP_reduce_any: return TOSAJIT_OP_logical_or;
    case TOSAJIT_OP_reduce_max: return TOSAJIT_OP_maximum;
    case TOSAJIT_OP_reduce_min: return TOSAJIT_OP_minimum;
    case TOSAJIT_OP_reduce_product: return TOSAJIT_OP_mul;
    default: return TOSAJIT_OP_add;
    }
}

tosajit_status fold_make(const expr_node *node, tosajit_type type, bool inner,
                         const rows_library *library, int level, fold *f) {
    rows_code code = {.position = ROWS_SINGLE};
    code.first = (rows_use){.op = combining(node->op), .operand = type, .result = type};
    code.first.attributes.nan_mode = node->attributes.nan_mode;
    *f = (fold){.node = node, .size = (int64_t)tosajit_type_size(type), .inner = inner};
    convert_store(type, &f->neutral, convert_encode(type, reduce_neutral(node, type)));
    if (reduce_is_position(node)) f->position = position_kind_of(node, type);
    if (f->position.take) return TOSAJIT_OK;
    if (node->op == TOSAJIT_OP_reduce_count) return TOSAJIT_OK; /* what counts combines nothing */
    f->combine = rows_find(library, level, rows_key(&code));
    if (f->combine) return TOSAJIT_OK;
    return diag_error(TOSAJIT_NOT_EXECUTABLE, "there is no precompiled code for tosa.%s",
                      op_table[node->op].name);
}

/* to = to combined with from, for rows and columns; each row of `to` may be the same. */
static void combine(const fold *f, fold_lines to, fold_lines from, int64_t rows, int64_t cols) {
    void *pointers[] = {to.start, from.start, to.start};
    const int64_t strides[9] = {to.row, f->size, from.row, from.col, to.row, f->size};
    if (rows > 0 && cols > 0) f->combine(NULL, pointers, strides, 1, rows, cols);
}

void fold_repeat(char *to, const char *from, size_t size, int64_t count) {
    const size_t all = size * (size_t)count;
    memmove(to, from, size);
    for (size_t done = size; done < all; done *= 2)
        memcpy(to + done, to, done < all - done ? done : all - done);
}

static void fill(const fold *f, char *to, int64_t count) {
    fold_repeat(to, (const char *)&f->neutral, (size_t)f->size, count);
}

/* The neutral element combined with each of `count` elements. */
static void begin(const fold *f, char *to, const char *from, int64_t count) {
    void *pointers[] = {(void *)(uintptr_t)&f->neutral, (void *)(uintptr_t)from, to};
    const int64_t strides[9] = {0, 0, 0, f->size, 0, f->size};
    f->combine(NULL, pointers, strides, 1, 1, count);
}

/* Rounded to the result's type. */
static void store(const fold *f, const char *from, int64_t count, char *to, int64_t stride) {
    const tosajit_type type = f->node->type.element, own = reduce_accumulator(type);
    if (type == own && stride == f->size) {
        memcpy(to, from, (size_t)(count * f->size));
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits = convert_load(own, from + k * f->size);
        if (type != own) bits = convert_encode(type, convert_decode(own, bits));
        convert_store(type, to + k * stride, bits);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Positions: the best elements are where partial results are, and their places where totals are */

static int32_t *places_of(fold_state *s) { return (int32_t *)(void *)s->totals; }

static bool begin_positions(const fold *f, fold_state *s, int64_t count) {
    if (!f->position.take) return false;
    fill(f, s->partials, count);
    memset(s->totals, 0, (size_t)count * sizeof(int32_t));
    return true;
}

static bool take_rows(const fold *f, fold_state *s, fold_lines from, int64_t rows, int64_t first,
                      int64_t cols) {
    for (int64_t row = 0; f->position.take && row < rows; row++) {
        const position_line to = {s->partials + row * f->size, places_of(s) + row, true};
        f->position.take(&f->position, to, from.start + row * from.row, from.col, cols, first);
    }
    return f->position.take;
}

static bool take_columns(const fold *f, fold_state *s, fold_lines from, int64_t first, int64_t rows,
                         int64_t cols) {
    const position_line to = {s->partials, places_of(s), false};
    for (int64_t row = 0; f->position.take && row < rows; row++)
        f->position.take(&f->position, to, from.start + row * from.row, from.col, cols,
                         first + row);
    return f->position.take;
}

static void store_positions(const fold_state *s, int64_t count, char *to, int64_t stride) {
    for (int64_t k = 0; k < count; k++)
        memcpy(to + k * stride, s->totals + k * (int64_t)sizeof(int32_t), sizeof(int32_t));
}

void fold_store(const fold *f, const fold_state *s, int64_t count, int64_t elements, char *to,
                int64_t stride) {
    if (f->position.take) {
        store_positions(s, count, to, stride);
        return;
    }
    const tosajit_type own = reduce_accumulator(f->node->type.element);
    const cell number = type_is_float(own) ? (cell){.f = (double)elements} : (cell){.i = elements};
    char all[FOLD_COLUMNS * sizeof(int64_t)];
    if (!f->combine) {
        convert_store(own, all, convert_encode(own, number));
        fold_repeat(all, all, (size_t)f->size, count);
    }
    store(f, f->combine ? s->totals : all, count, to, stride);
}

/* ---------------------------------------------------------------------------------------------
 * Columns */

static int64_t row_bytes(const fold *f) { return REDUCE_PARTIALS * f->size; }

void fold_begin_rows(const fold *f, fold_state *s, int64_t rows) {
    if (begin_positions(f, s, rows)) return;
    fill(f, s->partials, rows * REDUCE_PARTIALS);
    fill(f, s->totals, rows);
}

/* Partial results, of each a line of all rows, become one line, the first. */
static void fold_halves(const fold *f, char *lines, int64_t count, int64_t rows) {
    for (int64_t half = REDUCE_PARTIALS / 2; half > 0; half /= 2) {
        combine(f, (fold_lines){lines, 0, f->size},
                (fold_lines){lines + half * rows * f->size, 0, f->size}, 1, (count - half) * rows);
        if (count > half) count = half;
    }
}

/* Columns become lines. */
static void turn(const fold *f, fold_lines from, int64_t rows, int64_t cols, char *lines) {
    const transpose_side to = {lines, f->size, rows * f->size},
                         side = {from.start, from.row, from.col};
    transpose_copy(&to, &side, rows, cols, (uint8_t)f->size);
}

/* The partial results of each row become one, and the row's total is combined with it. */
static void end_segment(const fold *f, fold_state *s, int64_t rows) {
    char *const lines = rows > 1 ? s->totals + FOLD_TOTALS : s->partials;
    if (rows > 1)
        turn(f, (fold_lines){s->partials, row_bytes(f), f->size}, rows, REDUCE_PARTIALS, lines);
    fold_halves(f, lines, REDUCE_PARTIALS, rows);
    combine(f, (fold_lines){s->totals, 0, f->size}, (fold_lines){lines, 0, f->size}, 1, rows);
}

void fold_columns(const fold *f, fold_state *s, fold_lines from, int64_t rows, int64_t first,
                  int64_t cols) {
    const int64_t whole = cols / REDUCE_PARTIALS, chunk = REDUCE_PARTIALS * from.col;
    if (take_rows(f, s, from, rows, first, cols) || !f->combine) return;
    if (first > 0 && first % REDUCE_SEGMENT == 0) {
        end_segment(f, s, rows);
        fill(f, s->partials, rows * REDUCE_PARTIALS);
    }
    if (rows == 1)
        combine(f, (fold_lines){s->partials, 0, f->size}, (fold_lines){from.start, chunk, from.col},
                whole, REDUCE_PARTIALS);
    for (int64_t k = 0; rows > 1 && k < whole; k++)
        combine(f, (fold_lines){s->partials, row_bytes(f), f->size},
                (fold_lines){from.start + k * chunk, from.row, from.col}, rows, REDUCE_PARTIALS);
    combine(f, (fold_lines){s->partials, row_bytes(f), f->size},
            (fold_lines){from.start + whole * chunk, from.row, from.col}, rows,
            cols - whole * REDUCE_PARTIALS);
}

void fold_end_rows(const fold *f, fold_state *s, int64_t rows) {
    if (f->combine) end_segment(f, s, rows);
}

/* Each element is a partial result, which begins with the neutral element, as the total does. */
void fold_short_rows(const fold *f, fold_state *s, fold_lines from, int64_t rows, int64_t cols) {
    if (begin_positions(f, s, rows)) take_rows(f, s, from, rows, 0, cols);
    if (!f->combine) return;
    turn(f, from, rows, cols, s->partials);
    begin(f, s->partials, s->partials, cols * rows);
    fold_halves(f, s->partials, cols, rows);
    begin(f, s->totals, s->partials, rows);
}

/* ---------------------------------------------------------------------------------------------
 * Rows */

void fold_begin_columns(const fold *f, fold_state *s, int64_t cols) {
    if (begin_positions(f, s, cols)) return;
    fill(f, s->partials, cols);
    fill(f, s->totals, cols);
}

static void end_run(const fold *f, fold_state *s, int64_t cols) {
    combine(f, (fold_lines){s->totals, 0, f->size}, (fold_lines){s->partials, 0, f->size}, 1, cols);
    fill(f, s->partials, cols);
}

void fold_rows(const fold *f, fold_state *s, fold_lines from, int64_t first, int64_t rows,
               int64_t cols) {
    if (take_columns(f, s, from, first, rows, cols) || !f->combine) return;
    if (first > 0 && first % REDUCE_RUN == 0) end_run(f, s, cols);
    combine(f, (fold_lines){s->partials, 0, f->size}, from, rows, cols);
}

void fold_end_columns(const fold *f, fold_state *s, int64_t cols) {
    if (f->combine) end_run(f, s, cols);
}
