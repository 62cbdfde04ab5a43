/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Simplification: an op whose constants allow something cheaper, with the same bits, is replaced.
 * The rules leave to LLVM what LLVM finds out by itself: x * 1, x - 0, casts there and back, ops on
 * constants alone. tests/numbers/simplified_test.c proves each rule on operands of all kinds.
 *
 * A rule per function. A rule looks at one op, whose operands are in the program already. It
 * changes the op, or appends others and makes the op the last of them. */

#include <math.h>
#include <string.h>

#include "runtime/base/types.h"
#include "runtime/expr/convert.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/passes.h"
#include "runtime/expr/reduce.h"

static bool are_equal(const tosajit_tensor_type *a, const tosajit_tensor_type *b) {
    return a->element == b->element && a->rank == b->rank && a->rank >= 0 &&
           memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

/* True if a constant is one number that broadcasting repeats. Were it larger, it would give the
 * result its size, or demand that size of the other operand. */
static bool is_number(const expr_node *constant, double *number) {
    if (constant->kind != NODE_CONSTANT || !constant->splat) return false;
    const tosajit_type element = constant->type.element;
    for (int32_t d = 0; d < constant->type.rank; d++)
        if (constant->type.dims[d] != 1) return false;
    *number = convert_decode(element, convert_load(element, constant->data)).f;
    return true;
}

static void become(expr_node *node, tosajit_op op, tosajit_value a, tosajit_value b) {
    node->op = op;
    node->operand_count = b < 0 ? 1 : 2;
    node->operands[0] = a;
    node->operands[1] = b < 0 ? 0 : b;
    node->attributes = (tosajit_attributes){0};
}

/* Append a value of the node's shape. */
static tosajit_status put(tosajit_expr *program, const expr_node *node, tosajit_op op,
                          tosajit_type element, tosajit_value a, tosajit_value b,
                          tosajit_value *value) {
    expr_node step = *node;
    become(&step, op, a, b);
    step.type.element = element;
    return expr_append(program, &step, value);
}

/* x^3 = (x * x) * x and x^4 = (x * x) * (x * x) in a type that has the square exactly. The product
 * is rounded there, and again to x's type. That is one rounding too many, but no power of any
 * operand lies where it shows. */
static tosajit_status raise_wider(tosajit_expr *program, expr_node *node, bool fourth) {
    const tosajit_value x = node->operands[0];
    const tosajit_type wider = node->type.element == TOSAJIT_F32 ? TOSAJIT_F64 : TOSAJIT_F32;
    tosajit_value wide, square, power;
    tosajit_status status = put(program, node, TOSAJIT_OP_cast, wider, x, -1, &wide);
    if (!status) status = put(program, node, TOSAJIT_OP_mul, wider, wide, wide, &square);
    if (!status)
        status = put(program, node, TOSAJIT_OP_mul, wider, square, fourth ? square : wide, &power);
    if (!status) become(node, TOSAJIT_OP_cast, power, -1);
    return status;
}

/* Powers whose exponent is a number. Half of a power has no op: rsqrt(x) is another value than
 * x^-0.5 for -0 and -inf. Code for it knows better (power_as_root in jit/math/pow.c). */
static tosajit_status simplify_power(tosajit_expr *program, expr_node *node, bool *changed) {
    const tosajit_value x = node->operands[0];
    double exponent;
    if (!are_equal(&program->nodes[x].type, &node->type) ||
        !is_number(&program->nodes[node->operands[1]], &exponent))
        return TOSAJIT_OK;
    *changed = true;
    if (exponent == 2) /* both are the square, rounded once */
        become(node, TOSAJIT_OP_mul, x, x);
    else if (exponent == 1)
        become(node, TOSAJIT_OP_identity, x, -1);
    else if (exponent == -1) /* -1 is odd: of -0 and -inf too both have the sign of x */
        become(node, TOSAJIT_OP_reciprocal, x, -1);
    else if (exponent == 0) { /* 1, also of NaN, which IGNORE makes the lower bound */
        become(node, TOSAJIT_OP_clamp, x, -1);
        node->attributes.min_val.f = node->attributes.max_val.f = 1;
        node->attributes.nan_mode = TOSAJIT_NAN_IGNORE;
    } else if ((exponent == 3 || exponent == 4) && node->type.element != TOSAJIT_F64 &&
               !(program->strict && node->type.element == TOSAJIT_F32)) /* which has no f64 */
        return raise_wider(program, node, exponent == 4);
    else
        *changed = false;
    return TOSAJIT_OK;
}

/* True if a < b in the order of the op, in which -0 is smaller than +0. */
static bool is_less(tosajit_type element, tosajit_scalar a, tosajit_scalar b) {
    if (!type_is_float(element)) return type_is_less(element, a.i, b.i);
    return a.f < b.f || (a.f == b.f && signbit(a.f) && !signbit(b.f));
}

static tosajit_scalar clamped(const expr_node *node, tosajit_scalar bound) {
    const tosajit_attributes *a = &node->attributes;
    if (is_less(node->type.element, bound, a->min_val)) return a->min_val;
    return is_less(node->type.element, a->max_val, bound) ? a->max_val : bound;
}

/* A clamp of a clamp, such as a relu6 behind a relu: its bounds are those of the inner one, clamped
 * by the outer. NaN: IGNORE makes it the inner lower bound, which the outer clamps like any value.
 * An inner PROPAGATE keeps it for the outer, so then both must be alike. */
static void simplify_clamp(const tosajit_expr *program, expr_node *node, bool *changed) {
    const expr_node *inner = &program->nodes[node->operands[0]];
    if (inner->kind != NODE_OP || inner->op != TOSAJIT_OP_clamp ||
        !are_equal(&inner->type, &program->nodes[inner->operands[0]].type))
        return;
    if (type_is_float(node->type.element) && inner->attributes.nan_mode != TOSAJIT_NAN_IGNORE &&
        node->attributes.nan_mode == TOSAJIT_NAN_IGNORE)
        return;
    const tosajit_scalar lowest = clamped(node, inner->attributes.min_val),
                         highest = clamped(node, inner->attributes.max_val);
    node->attributes = inner->attributes;
    node->attributes.min_val = lowest;
    node->attributes.max_val = highest;
    node->operands[0] = inner->operands[0];
    *changed = true;
}

/* The operand of an op on floats that a cast to integers makes superfluous, or -1. The cast
 * saturates and makes 0 of NaN, so it repeats bounds that are no tighter than the type's; and it
 * rounds to nearest even itself. */
static tosajit_value without_bound(const tosajit_expr *program, const expr_node *node,
                                   tosajit_type to) {
    const double least = type_number(to, type_least(to)),
                 greatest = type_number(to, type_greatest(to));
    const tosajit_attributes *a = &node->attributes;
    double number;
    if (node->kind != NODE_OP || !type_is_float(node->type.element) ||
        a->nan_mode == TOSAJIT_NAN_IGNORE)
        return -1;
    if (node->op == TOSAJIT_OP_roundeven) return node->operands[0];
    if (node->op == TOSAJIT_OP_clamp)
        return a->min_val.f <= least && a->max_val.f >= greatest ? node->operands[0] : -1;
    if (node->op != TOSAJIT_OP_maximum && node->op != TOSAJIT_OP_minimum) return -1;
    for (int o = 0; o < 2; o++)
        if (is_number(&program->nodes[node->operands[o]], &number) &&
            (node->op == TOSAJIT_OP_maximum ? number <= least : number >= greatest))
            return node->operands[1 - o];
    return -1;
}

/* u8(clip(x, 0, 255)) is u8(x), and so is that of x rounded to integers. */
static void simplify_cast(const tosajit_expr *program, expr_node *node, bool *changed) {
    const tosajit_type to = node->type.element;
    if (to == TOSAJIT_I1 || type_is_float(to)) return;
    for (;;) {
        const expr_node *inner = &program->nodes[node->operands[0]];
        const tosajit_value value = without_bound(program, inner, to);
        if (value < 0 || !are_equal(&inner->type, &program->nodes[value].type)) return;
        node->operands[0] = value;
        *changed = true;
    }
}

/* True if a reduction's type says no more than its operand's does. */
static bool is_inferred(const tosajit_expr *program, const expr_node *node) {
    const tosajit_tensor_type *from = &program->nodes[node->operands[0]].type;
    bool same = from->rank == node->type.rank && from->rank >= 0;
    for (int32_t d = 0; same && d < from->rank; d++)
        same = node->type.dims[d] == (reduce_has_axis(node, d) ? 1 : from->dims[d]);
    return same;
}

/* True if something may repeat along some of these dimensions alone. Only of a value without ops is
 * it known that nothing does. */
static bool repeats_within(const tosajit_expr *program, tosajit_value value, int64_t first,
                           int64_t last) {
    const expr_node *node = &program->nodes[value];
    bool any = node->kind == NODE_OP;
    for (int64_t d = first; d <= last && !any; d++) any = node->type.dims[d] == 1;
    return any;
}

/* Maxima of maxima, or sums of sums of integers, along neighbours: one reduction of both at once,
 * as any order gives the same bits. */
static void simplify_reduction(const tosajit_expr *program, expr_node *node, bool *changed) {
    const expr_node *inner = &program->nodes[node->operands[0]];
    const int32_t first = (int32_t)node->attributes.axis;
    if (inner->kind != NODE_OP || inner->op != node->op || !reduce_is_unordered(node) ||
        node->op == TOSAJIT_OP_reduce_count || reduce_is_position(node) ||
        !is_inferred(program, inner) || inner->attributes.nan_mode != node->attributes.nan_mode)
        return;
    const int64_t begin = inner->attributes.axis < first ? inner->attributes.axis : first,
                  more = node->attributes.joined + inner->attributes.joined + 1;
    if (reduce_last(inner) + 1 != first && inner->attributes.axis != reduce_last(node) + 1) return;
    if (repeats_within(program, inner->operands[0], begin, begin + more)) return;
    node->attributes.axis = begin;
    node->attributes.joined = (int32_t)more;
    node->operands[0] = inner->operands[0];
    *changed = true;
}

static tosajit_status simplify_node(void *context, tosajit_expr *program, expr_node *node,
                                    tosajit_value k, bool *changed) {
    (void)context, (void)k;
    if (node->op == TOSAJIT_OP_pow) return simplify_power(program, node, changed);
    if (node->op == TOSAJIT_OP_clamp) simplify_clamp(program, node, changed);
    if (node->op == TOSAJIT_OP_cast) simplify_cast(program, node, changed);
    if (op_reduces(node->op)) simplify_reduction(program, node, changed);
    return TOSAJIT_OK;
}

tosajit_status simplify(program_made *made, bool *changed) {
    enum { MOST_NODES_OF_AN_OP = 4 };
    tosajit_expr *program = made->program;
    if (program->count > TOSAJIT_MAX_NODES / MOST_NODES_OF_AN_OP) return TOSAJIT_OK;
    tosajit_status status = expr_sweep(program, simplify_node, NULL, changed);
    if (!status && *changed)
        status = expr_sweep(program, NULL, NULL, NULL); /* what nobody needs now */
    return status;
}
