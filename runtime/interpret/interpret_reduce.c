/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/interpret/interpret_reduce.h"

#include "runtime/base/types.h"
#include "runtime/expr/ops.h"
#include "runtime/interpret/interpret.h"

static uint64_t neutral(const interpret_reduction *r) {
    return convert_encode(reduce_accumulator(r->element), reduce_neutral(r->node, r->element));
}

static uint64_t combine(const expr_node *node, uint64_t a, uint64_t b) {
    const tosajit_type type = reduce_accumulator(node->type.element);
    const cell operands[] = {convert_decode(type, a), convert_decode(type, b)};
    const interpret_op op = {&node->attributes, type, type, 2, NULL};
    return convert_encode(type, interpret_functions[node->op](&op, operands));
}

static void begin_segment(interpret_reduction *r) {
    for (int k = 0; k < REDUCE_PARTIALS; k++) r->partials[k] = neutral(r);
}

static void end_segment(interpret_reduction *r) {
    for (int half = reduce_is_inner(r->node) ? REDUCE_PARTIALS / 2 : 0; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            r->partials[k] = combine(r->node, r->partials[k], r->partials[k + half]);
    r->total = combine(r->node, r->total, r->partials[0]);
    begin_segment(r);
}

void interpret_reduce_begin(interpret_reduction *r, const tosajit_expr *program,
                            const expr_node *node) {
    r->node = node;
    r->element = reduce_element(program, node);
    r->total = neutral(r);
    r->position = 0;
    begin_segment(r);
}

/* True if x is better than y: a NaN where NaN propagates, else any number than it. */
static bool is_better(const interpret_reduction *r, cell x, cell y) {
    const bool greatest = r->node->op == TOSAJIT_OP_argmax;
    if (!type_is_float(r->element))
        return greatest ? type_is_less(r->element, y.i, x.i) : type_is_less(r->element, x.i, y.i);
    if (x.f == x.f && y.f == y.f) return greatest ? x.f > y.f : x.f < y.f;
    return r->node->attributes.nan_mode == TOSAJIT_NAN_IGNORE ? x.f == x.f && y.f != y.f
                                                              : x.f != x.f && y.f == y.f;
}

/* Elements come in their order, so the first of equals stays. */
static void add_position(interpret_reduction *r, int64_t i, uint64_t bits) {
    const tosajit_type own = reduce_accumulator(r->element);
    const cell value = convert_decode(r->element, bits);
    if (!is_better(r, value, convert_decode(own, r->total))) return;
    r->total = convert_encode(own, value);
    r->position = i;
}

void interpret_reduce_add(interpret_reduction *r, int64_t i, uint64_t bits) {
    const tosajit_type type = r->node->type.element, wide = reduce_accumulator(type);
    const bool inner = reduce_is_inner(r->node), counts = r->node->op == TOSAJIT_OP_reduce_count;
    const cell one = type_is_float(type) ? (cell){.f = 1} : (cell){.i = 1};
    uint64_t *partial = &r->partials[inner ? i % REDUCE_PARTIALS : 0];
    if (reduce_is_position(r->node)) {
        add_position(r, i, bits);
        return;
    }
    if (i > 0 && i % (inner ? REDUCE_SEGMENT : REDUCE_RUN) == 0) end_segment(r);
    *partial =
        combine(r->node, *partial, convert_encode(wide, counts ? one : convert_decode(type, bits)));
}

void interpret_reduce_segment(interpret_reduction *r, uint64_t value) {
    r->total = combine(r->node, r->total, value);
}

uint64_t interpret_reduce_end(interpret_reduction *r, int64_t count) {
    const tosajit_type type = r->node->type.element;
    if (count == 0) return convert_encode(type, reduce_empty(r->node));
    if (reduce_is_position(r->node)) return convert_encode(type, (cell){.i = r->position});
    end_segment(r);
    return convert_encode(type, convert_decode(reduce_accumulator(type), r->total));
}
