/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/tile/segments.h"

#include "runtime/base/fpenv.h"
#include "runtime/base/types.h"
#include "runtime/expr/reduce.h"
#include "runtime/interpret/interpret_reduce.h"
#include "runtime/tile/parallel.h"
#include "runtime/tile/reduce_tile.h"

/* The code's rows are the segments: a row's stride is what a segment has of a tensor. */
typedef struct sharing {
    const plan_part *part;
    const code_part *code;
    int64_t elements, segments, tasks;
    int64_t strides[3 * TOSAJIT_MAX_TENSORS];
    char *pointers[TOSAJIT_MAX_TENSORS];
} sharing;

static bool is_reduction(const plan_part *part, int32_t t) {
    return t >= part->leaf_count && part->reductions >> (t - part->leaf_count) & 1;
}

static const expr_node *reduction_node(const tosajit_expr *program, const plan_part *part,
                                       int32_t t) {
    return &program->nodes[part->values[t - part->leaf_count]];
}

static int64_t segment_count(int64_t elements) {
    return elements / REDUCE_SEGMENT + (elements % REDUCE_SEGMENT != 0);
}

/* Where values of segments are kept: as the result's type, so that must be the accumulator's. A
 * position counts from where the row begins. */
static int64_t kept_bytes(const tosajit_expr *program, const plan_part *part, int32_t t,
                          int64_t segments) {
    const expr_node *node = reduction_node(program, part, t);
    const tosajit_type type = node->type.element;
    if (reduce_accumulator(type) != type || reduce_is_position(node)) return 0;
    return (segments * (int64_t)tosajit_type_size(type) + 63) / 64 * 64;
}

int64_t segments_bytes(const tosajit_parallel *parallel, const tosajit_expr *program,
                       const plan_part *part, const walk *w) {
    int64_t packed, bytes = 0;
    if (!plan_reduces_columns(part) ||
        !parallel_pays(parallel, part, reduce_tile_elements(part, w)))
        return 0;
    for (int32_t d = 0; d < w->rank; d++)
        if (!plan_reduces(part, d) && w->sizes[d] != 1) return 0;
    if (!reduce_tile_bytes(part, w, &packed) || packed > 0) return 0;
    for (int32_t t = part->leaf_count; t < w->tensors; t++) {
        if (!is_reduction(part, t)) continue;
        const int64_t own =
            kept_bytes(program, part, t, segment_count(reduce_tile_elements(part, w)));
        if (own == 0) return 0;
        bytes += own;
    }
    return bytes;
}

int64_t segments_tasks(const tosajit_parallel *parallel, int64_t elements) {
    const int64_t most = parallel_pieces(parallel), segments = segment_count(elements);
    return segments < most ? segments : most;
}

/* Segments `first` to before `end`; the last one of all may be shorter. */
static void run_some(const sharing *s, int64_t first, int64_t end, int64_t cols) {
    void *pointers[TOSAJIT_MAX_TENSORS];
    const int32_t tensors = s->part->leaf_count + s->part->result_count;
    if (first == end) return;
    for (int32_t t = 0; t < tensors; t++) pointers[t] = s->pointers[t] + first * s->strides[2 * t];
    s->code->entry(s->code->context, pointers, s->strides, 1, end - first, cols);
}

static void run_task(void *argument, size_t index) {
    const sharing *s = argument;
    const int64_t first = s->segments * (int64_t)index / s->tasks,
                  end = s->segments * ((int64_t)index + 1) / s->tasks,
                  rest = end == s->segments ? s->elements % REDUCE_SEGMENT : 0;
    const uint64_t environment = fpenv_enter(); /* of this thread */
    run_some(s, first, end - (rest > 0), REDUCE_SEGMENT);
    run_some(s, end - (rest > 0), end, rest);
    fpenv_leave(environment);
}

/* One segment after the other, as a row's code would. */
static void combine(const tosajit_expr *program, const expr_node *node, const char *values,
                    int64_t segments, void *result) {
    const tosajit_type type = node->type.element;
    const size_t size = tosajit_type_size(type);
    interpret_reduction r;
    interpret_reduce_begin(&r, program, node);
    for (int64_t k = 0; k < segments; k++)
        interpret_reduce_segment(&r, convert_load(type, values + k * (int64_t)size));
    convert_store(type, result, r.total);
}

void segments_run(const tosajit_parallel *parallel, const tosajit_expr *program,
                  const plan_part *part, const code_part *code, const walk *whole,
                  const tile_tensors *tensors, char *memory) {
    const int64_t elements = reduce_tile_elements(part, whole), segments = segment_count(elements);
    sharing s; /* not cleared, like the next one: see walk.h */
    walk w;
    tile_choice choice;
    s.part = part, s.code = code, s.elements = elements, s.segments = segments;
    s.tasks = segments_tasks(parallel, elements);
    walk_copy(&w, whole);
    reduce_tile_choose(part, &w, &choice);
    const int64_t *steps = walk_strides(&w, w.rank - 1); /* the row is all that is left */
    tile_strides(part, &choice, &w, tensors, s.strides);
    for (int32_t t = 0; t < whole->tensors; t++) {
        const bool own = is_reduction(part, t);
        s.pointers[t] = own ? memory : tensors->pointers[t];
        s.strides[2 * t] = own ? part->element_sizes[t] : steps[t] * REDUCE_SEGMENT;
        if (own) memory += kept_bytes(program, part, t, segments);
    }
    parallel->parallel_for(parallel->context, (size_t)s.tasks, run_task, &s);
    for (int32_t t = part->leaf_count; t < whole->tensors; t++)
        if (is_reduction(part, t))
            combine(program, reduction_node(program, part, t), s.pointers[t], segments,
                    tensors->pointers[t]);
}
