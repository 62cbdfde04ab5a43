/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Running instructions: tile by tile, and in each tile instruction by instruction.
 *
 * Every tile is computed and folded before anything is copied into a result. An instruction writes
 * into a result itself only where no later instruction reads an operand (first_writer in make.c).
 * So a result may be in place of any operand. */
#include <string.h>

#include "runtime/precompiled/precompiled.h"

/* A tile, and how its leaves lie: bit k of a set says that leaf k varies along rows or columns. */
typedef struct tile {
    const precompiled_part *part;
    const int64_t *strides;
    char *scratch;
    int64_t slot_bytes; /* from one slot to the next */
    int64_t rows, cols;
    uint64_t row_set, col_set;
    void *pointers[TOSAJIT_MAX_TENSORS];
    fold_state *states; /* one for each fold of the part */
} tile;

/* A value in memory. */
typedef struct lines {
    char *start;
    int64_t row, col; /* strides */
} lines;

static inline lines tensor_lines(const tile *t, uint32_t tensor) {
    return (lines){t->pointers[tensor], t->strides[2 * tensor], t->strides[2 * tensor + 1]};
}

/* True if a value has an element of its own for each of the tile's. */
static inline bool fills(const tile *t, uint64_t leaves) {
    return (t->rows == 1 || leaves & t->row_set) && (t->cols == 1 || leaves & t->col_set);
}

static inline lines find(const tile *t, const precompiled_value *v) {
    if (v->place <= PLACE_TABLE) return tensor_lines(t, v->index);
    if (v->place == PLACE_CONSTANT) return (lines){(char *)(uintptr_t)v->constant, 0, 0};
    if (v->result >= 0 && fills(t, v->leaves))
        return tensor_lines(t, (uint32_t)(t->part->leaf_count + v->result));
    lines l = {t->scratch + v->index * t->slot_bytes, 0, 0};
    if (v->leaves & t->col_set) l.col = v->size;
    if (v->leaves & t->row_set) l.row = l.col ? t->cols * v->size : v->size;
    return l;
}

/* True if every tensor of an instruction goes on from one row to the next as along columns; if it
 * has one column, as columns would. Then its rows are one. */
static bool is_one_row(const precompiled_instruction *s, const int64_t *strides, int64_t cols) {
    for (int k = 0; k <= s->operand_count; k++) {
        const precompiled_value *v = k < s->operand_count ? &s->operands[k] : &s->to;
        const int64_t row = strides[2 * k], col = strides[2 * k + 1];
        if (v->place == PLACE_TABLE) continue;
        const bool follows = cols > 1 ? row == cols * col : row == v->size || row == 0;
        if (!follows) return false;
    }
    return true;
}

static void make_one_row(const precompiled_instruction *s, int64_t *strides, int64_t *rows,
                         int64_t *cols) {
    for (int k = 0; k <= s->operand_count; k++) {
        const bool table = k < s->operand_count && s->operands[k].place == PLACE_TABLE;
        if (*cols == 1 && !table) strides[2 * k + 1] = strides[2 * k];
        strides[2 * k] = 0;
    }
    *cols *= *rows;
    *rows = 1;
}

/* An instruction whose operand 0 repeats along columns, which its code does not expect: row by row,
 * from a buffer. */
static void run_repeated(const precompiled_instruction *s, void *const *pointers, int64_t *strides,
                         int64_t rows, int64_t cols) {
    enum { COLUMNS = 256, WIDEST = 8 };
    _Alignas(64) char buffer[COLUMNS * WIDEST];
    const int64_t width = cols < COLUMNS ? cols : COLUMNS;
    strides[1] = s->operands[0].size;
    for (int64_t row = 0; row < rows; row++) {
        fold_repeat(buffer, (char *)pointers[0] + row * strides[0], s->operands[0].size, width);
        for (int64_t col = 0; col < cols; col += width) {
            void *moved[TOSAJIT_MAX_OPERANDS + 1] = {buffer};
            for (int k = 1; k <= s->operand_count; k++)
                moved[k] = (char *)pointers[k] + row * strides[2 * k] + col * strides[2 * k + 1];
            s->code(NULL, moved, strides, 1, 1, cols - col < width ? cols - col : width);
        }
    }
}

static void run_instruction(const tile *t, const precompiled_instruction *s) {
    enum { MOST = TOSAJIT_MAX_OPERANDS + 1 };
    void *pointers[MOST];
    int64_t strides[3 * MOST];
    strides[1] = 0; /* a compiler cannot know that there is an operand */
    int64_t rows = s->to.leaves & t->row_set ? t->rows : 1;
    int64_t cols = s->to.leaves & t->col_set ? t->cols : 1;
    for (int k = 0; k <= s->operand_count; k++) {
        const lines l = find(t, k < s->operand_count ? &s->operands[k] : &s->to);
        pointers[k] = l.start;
        strides[2 * k] = l.row;
        strides[2 * k + 1] = l.col;
    }
    if (s->whole && cols > 1 && strides[1] == 0) {
        run_repeated(s, pointers, strides, rows, cols);
        return;
    }
    if (rows > 1 && is_one_row(s, strides, cols)) make_one_row(s, strides, &rows, &cols);
    s->code(NULL, pointers, strides, 1, rows, cols);
}

static void copy_out(const tile *t, const precompiled_copy *c) {
    const lines to = tensor_lines(t, (uint32_t)(t->part->leaf_count + c->result));
    const lines from = find(t, &c->from);
    if (from.start == to.start) return; /* it was written there */
    for (int64_t row = 0; row < t->rows; row++) {
        char *target = to.start + row * to.row;
        const char *source = from.start + row * from.row;
        if (from.col)
            memcpy(target, source, (size_t)(t->cols * c->from.size));
        else
            fold_repeat(target, source, c->from.size, t->cols);
    }
}

static void compute_tile(const tile *t) {
    const precompiled_part *m = t->part;
    for (size_t k = 0; k < m->instruction_count; k++) run_instruction(t, &m->instructions[k]);
}

static void copy_tile(const tile *t) {
    const precompiled_part *m = t->part;
    for (size_t k = 0; k < m->copy_count; k++) copy_out(t, &m->copies[k]);
}

/* Elements of a tile. One instruction that writes the result itself needs no slot, and so no tiles:
 * clamp with its limits, or an op and a constant. */
static int64_t tile_size(tile *t, int64_t rows, int64_t cols) {
    const precompiled_part *m = t->part;
    t->rows = rows;
    t->cols = cols;
    const bool whole = m->instruction_count == 1 && m->copy_count == 1 &&
                       m->instructions[0].to.result >= 0 && fills(t, m->instructions[0].to.leaves);
    return whole ? INT64_MAX : m->tile;
}

/* ---------------------------------------------------------------------------------------------
 * Reductions */

static void place_tile(tile *t, void *const *base, int64_t row, int64_t col) {
    for (int32_t k = 0; k < t->part->leaf_count + t->part->result_count; k++) {
        const int64_t step = t->part->tables >> k & 1 ? 0 : t->strides[2 * k + 1];
        t->pointers[k] = (char *)base[k] + row * t->strides[2 * k] + col * step;
    }
}

static fold_lines fold_source(const tile *t, const precompiled_fold *f) {
    const lines l = find(t, &f->from);
    return (fold_lines){l.start, l.row, l.col};
}

static int64_t power_of_two(int64_t most) {
    int64_t power = 1;
    while (2 * power <= most) power *= 2;
    return power;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Store what the tile was reduced to, of so many elements each. */
static void store_folds(const tile *t, const fold_state *states, int64_t elements) {
    const precompiled_part *m = t->part;
    for (size_t k = 0; k < m->fold_count; k++) {
        const int32_t tensor = m->leaf_count + m->folds[k].result;
        const bool inner = m->folds[k].how.inner;
        fold_store(&m->folds[k].how, &states[k], inner ? t->rows : t->cols, elements,
                   t->pointers[tensor], t->strides[2 * tensor + !inner]);
    }
}

/* Rows whose columns are reduced, some at once; a long one in tiles that divide a segment. */
static void reduce_columns(tile *t, void *const *base, int64_t row, fold_state *states,
                           int64_t cols) {
    const precompiled_part *m = t->part;
    const int64_t rows = t->rows, most = least(power_of_two(m->tile / rows), REDUCE_SEGMENT);
    for (size_t k = 0; k < m->fold_count; k++) fold_begin_rows(&m->folds[k].how, &states[k], rows);
    for (int64_t col = 0; col < cols; col += most) {
        t->cols = least(most, cols - col);
        place_tile(t, base, row, col);
        compute_tile(t);
        for (size_t k = 0; k < m->fold_count; k++)
            fold_columns(&m->folds[k].how, &states[k], fold_source(t, &m->folds[k]), rows, col,
                         t->cols);
        copy_tile(t);
    }
    place_tile(t, base, row, 0);
    for (size_t k = 0; k < m->fold_count; k++) fold_end_rows(&m->folds[k].how, &states[k], rows);
    store_folds(t, states, cols);
}

/* Many rows of a few columns. */
static void reduce_short(tile *t, void *const *base, int64_t row, fold_state *states,
                         int64_t cols) {
    const precompiled_part *m = t->part;
    t->cols = cols;
    place_tile(t, base, row, 0);
    compute_tile(t);
    for (size_t k = 0; k < m->fold_count; k++)
        fold_short_rows(&m->folds[k].how, &states[k], fold_source(t, &m->folds[k]), t->rows, cols);
    copy_tile(t);
    store_folds(t, states, cols);
}

/* Columns whose rows are reduced. */
static void reduce_rows(tile *t, void *const *base, int64_t col, fold_state *states, int64_t rows) {
    const precompiled_part *m = t->part;
    const int64_t cols = t->cols, most = least(power_of_two(m->tile / cols), REDUCE_RUN);
    for (size_t k = 0; k < m->fold_count; k++)
        fold_begin_columns(&m->folds[k].how, &states[k], cols);
    for (int64_t row = 0; row < rows; row += most) {
        t->rows = least(most, rows - row);
        place_tile(t, base, row, col);
        compute_tile(t);
        for (size_t k = 0; k < m->fold_count; k++)
            fold_rows(&m->folds[k].how, &states[k], fold_source(t, &m->folds[k]), row, t->rows,
                      cols);
        copy_tile(t);
    }
    place_tile(t, base, 0, col);
    for (size_t k = 0; k < m->fold_count; k++) fold_end_columns(&m->folds[k].how, &states[k], cols);
    store_folds(t, states, rows);
}

typedef void reduce_tile(tile *t, void *const *base, int64_t at, fold_state *states, int64_t size);

/* All tiles of a plane that is reduced. */
static void reduce_plane(tile *t, void *const *base, int64_t rows, int64_t cols) {
    const precompiled_part *m = t->part;
    const bool inner = m->folds[0].how.inner,
               is_short = inner && cols <= least(REDUCE_PARTIALS, m->tile);
    reduce_tile *const reduce = is_short ? reduce_short : inner ? reduce_columns : reduce_rows;
    const int64_t step = is_short ? least(FOLD_SHORT, m->tile) / cols
                         : inner  ? least(FOLD_ROWS, cols < m->tile ? m->tile / cols : 1)
                                  : least(FOLD_COLUMNS, power_of_two(m->tile));
    for (int64_t at = 0; at < (inner ? rows : cols); at += step) {
        t->rows = inner ? least(step, rows - at) : 1;
        t->cols = inner ? 1 : least(step, cols - at);
        reduce(t, base, at, t->states, inner ? cols : rows);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Planes */

/* All tiles of a plane that begins at base: of whole rows, or of a piece of one. */
static void run_plane(tile *t, void *const *base, int64_t rows, int64_t cols) {
    const int64_t tile = tile_size(t, rows, cols);
    const int64_t width = cols < tile ? cols : tile;
    const int64_t height = tile / width;
    for (int64_t row = 0; row < rows; row += height)
        for (int64_t col = 0; col < cols; col += width) {
            t->rows = rows - row < height ? rows - row : height;
            t->cols = cols - col < width ? cols - col : width;
            place_tile(t, base, row, col);
            compute_tile(t);
            copy_tile(t);
        }
}

typedef void run_plane_function(tile *t, void *const *base, int64_t rows, int64_t cols);

static void run_planes(tile *t, void *const *pointers, int64_t planes, int64_t rows, int64_t cols,
                       run_plane_function *run) {
    void *base[TOSAJIT_MAX_TENSORS];
    const int32_t tensors = t->part->leaf_count + t->part->result_count;
    for (int32_t k = 0; k < tensors; k++) base[k] = pointers[k];
    for (int64_t left = planes; left > 0; left--) {
        run(t, base, rows, cols);
        for (int32_t k = 0; left > 1 && k < tensors; k++)
            base[k] = (char *)base[k] + rows * t->strides[2 * k] + t->strides[2 * tensors + k];
    }
}

/* Of a slot: for the elements of a tile, or for all where these are fewer, in whole lines. */
static int64_t slot_bytes(const precompiled_part *m, int64_t rows, int64_t cols) {
    enum { LINE = 64 };
    const int64_t most = m->tile * m->widest, bytes = least(m->tile, rows * cols) * m->widest;
    return least(most, (bytes + LINE - 1) / LINE * LINE);
}

static void begin(tile *t, const void *context, const int64_t *strides) {
    t->part = context;
    t->strides = strides;
    t->row_set = t->col_set = 0;
    for (int32_t k = 0; k < t->part->leaf_count; k++) {
        t->row_set |= (uint64_t)(strides[2 * k] != 0) << k;
        t->col_set |= (uint64_t)(strides[2 * k + 1] != 0) << k;
    }
}

TOSAJIT_CODE void precompiled_run(const void *context, void *const *pointers,
                                  const int64_t *strides, int64_t planes, int64_t rows,
                                  int64_t cols) {
    const precompiled_part *part = context;
    const int64_t slot = slot_bytes(part, rows, cols);
    _Alignas(64) char scratch[slot * part->slots];
    tile t; /* not cleared: see walk.h */
    begin(&t, context, strides);
    t.scratch = scratch;
    t.slot_bytes = slot;
    run_planes(&t, pointers, planes, rows, cols, run_plane);
}

TOSAJIT_CODE void precompiled_reduce(const void *context, void *const *pointers,
                                     const int64_t *strides, int64_t planes, int64_t rows,
                                     int64_t cols) {
    const precompiled_part *part = context;
    const int64_t slot = slot_bytes(part, rows, cols);
    _Alignas(64) char scratch[slot * part->slots];
    fold_state states[part->fold_count]; /* not cleared, like the next one: see walk.h */
    tile t;
    begin(&t, context, strides);
    t.scratch = scratch;
    t.slot_bytes = slot;
    t.states = states;
    run_planes(&t, pointers, planes, rows, cols, reduce_plane);
}
