/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/interpret/interpret_scan.h"

#include <math.h>

#include "runtime/functions/functions.h"
#include "runtime/interpret/interpret.h"

static tosajit_type accumulator(const expr_node *node) {
    return reduce_accumulator(node->type.element);
}

static cell combine(const expr_node *node, cell a, cell b) {
    static const tosajit_op ops[] = {TOSAJIT_OP_add, TOSAJIT_OP_mul, TOSAJIT_OP_maximum,
                                     TOSAJIT_OP_minimum};
    const tosajit_type type = accumulator(node);
    const interpret_op op = {&node->attributes, type, type, 2, NULL};
    interpret_function *const function = interpret_functions[ops[node->op - TOSAJIT_OP_cumsum]];
    return convert_decode(type, convert_encode(type, function(&op, (cell[]){a, b})));
}

void interpret_scan_begin(interpret_scan *s, const expr_node *node) {
    s->node = node;
    s->count = 0;
    s->sum = 0;
    s->base = s->carry = reduce_neutral(node, accumulator(node));
    s->total = node->op == TOSAJIT_OP_logcumsumexp ? (cell){.f = -INFINITY} : reduce_empty(node);
}

/* An element combined with those before it. */
static cell prefix(interpret_scan *s, cell value) {
    const int k = (int)(s->count % SCAN_BLOCK);
    if (k == 0 && s->count > 0) s->carry = combine(s->node, s->carry, s->before[0][0]);
    if (s->count > 0 && s->count % SCAN_SEGMENT == 0) {
        s->base = combine(s->node, s->base, s->carry);
        s->carry = reduce_neutral(s->node, accumulator(s->node));
    }
    for (int step = 0; step < SCAN_STEPS; step++) {
        const int half = 1 << step;
        s->before[step][k] = value;
        if (k & half)
            value = combine(s->node, s->before[step][(k & ~(2 * half - 1)) + half - 1], value);
    }
    if (k == SCAN_BLOCK - 1) s->before[0][0] = value; /* which nobody reads any more */
    return combine(s->node, s->base, combine(s->node, s->carry, value));
}

/* e^x times the sum so far, less the greatest element, which x may be. */
static void add_exponential(interpret_scan *s, double x, double *greatest) {
    const bool grows = x > *greatest;
    const double less = grows ? *greatest - x : x - *greatest;
    if (x == *greatest) {
        s->sum++;
    } else {
        const double factor = f64_exp(&less);
        s->sum = grows ? s->sum * factor + 1 : s->sum + factor;
    }
    if (grows || x != x) *greatest = x;
}

static cell log_sum(interpret_scan *s, cell value) {
    if (s->count == 0) s->base.f = -INFINITY;
    add_exponential(s, value.f, &s->base.f);
    return (cell){.f = s->base.f + f64_log(&s->sum)};
}

uint64_t interpret_scan_add(interpret_scan *s, uint64_t bits) {
    const tosajit_type type = s->node->type.element;
    const cell before = s->total, value = convert_decode(type, bits);
    s->total = s->node->op == TOSAJIT_OP_logcumsumexp ? log_sum(s, value) : prefix(s, value);
    s->count++;
    return convert_encode(type, s->node->attributes.exclusive ? before : s->total);
}
