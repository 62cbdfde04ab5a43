/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges of floating point: a rule per op, of f32 and f64. An op without one, and every other type,
 * may be anything. Bounds are computed in f64, and made wider than any rounding of what they bound.
 */
#include "jit/facts/real_range.h"

#include <float.h>
#include <math.h>

#include "runtime/base/types.h"
#include "runtime/expr/convert.h"
#include "runtime/expr/ops.h"

static bool is_real(tosajit_type type) { return type == TOSAJIT_F32 || type == TOSAJIT_F64; }

static real_range join(real_range a, real_range b) {
    return (real_range){fmin(a.low, b.low), fmax(a.high, b.high), a.may_be_nan || b.may_be_nan};
}

/* By several units of the last place, and beyond the largest number to infinity. */
static real_range widened(real_range r, tosajit_type type) {
    const bool single = type == TOSAJIT_F32;
    const double relative = single ? 0x1p-21 : 0x1p-50, absolute = single ? 0x1p-148 : 0x1p-1072,
                 largest = single ? (double)FLT_MAX : DBL_MAX;
    r.low -= fabs(r.low) * relative + absolute;
    r.high += fabs(r.high) * relative + absolute;
    if (!(r.low >= -largest)) r.low = -(double)INFINITY;
    if (!(r.high <= largest)) r.high = (double)INFINITY;
    return r;
}

static bool is_finite(real_range r) { return isfinite(r.low) && isfinite(r.high); }
static bool has_zero(real_range r) { return r.low <= 0 && r.high >= 0; }
static bool may_be_nan(real_range a, real_range b) { return a.may_be_nan || b.may_be_nan; }

/* Of finite operands. Infinities make NaN of sums, of differences, and of products with 0. */
static real_range of_sum(real_range a, real_range b) {
    if (!is_finite(a) || !is_finite(b)) return any_real;
    return (real_range){a.low + b.low, a.high + b.high, may_be_nan(a, b)};
}

static real_range negated(real_range a) { return (real_range){-a.high, -a.low, a.may_be_nan}; }

static real_range of_product(real_range a, real_range b) {
    if (!is_finite(a) || !is_finite(b)) return any_real;
    const double ends[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    return (real_range){fmin(fmin(ends[0], ends[1]), fmin(ends[2], ends[3])),
                        fmax(fmax(ends[0], ends[1]), fmax(ends[2], ends[3])), may_be_nan(a, b)};
}

static real_range of_quotient(real_range a, real_range b) {
    if (!is_finite(a) || !is_finite(b) || has_zero(b)) return any_real;
    return of_product(a, (real_range){1 / b.high, 1 / b.low, b.may_be_nan});
}

/* The number of the two that is larger, or smaller; where numbers win, also of one NaN. */
static real_range of_extreme(const expr_node *node, real_range a, real_range b) {
    const bool numbers_win = node->attributes.nan_mode == TOSAJIT_NAN_IGNORE;
    const bool larger = node->op == TOSAJIT_OP_maximum;
    real_range r = {larger ? fmax(a.low, b.low) : fmin(a.low, b.low),
                    larger ? fmax(a.high, b.high) : fmin(a.high, b.high), may_be_nan(a, b)};
    if (numbers_win && r.may_be_nan) r = join(a, b);
    if (numbers_win) r.may_be_nan = a.may_be_nan && b.may_be_nan;
    return r;
}

/* Where numbers win, NaN becomes a bound, which may be beyond the operand's range. */
static real_range of_clamp(const expr_node *node, real_range a) {
    const double low = node->attributes.min_val.f, high = node->attributes.max_val.f;
    if (node->operand_count > 1 || !(low <= high)) return any_real;
    const bool ignores = node->attributes.nan_mode == TOSAJIT_NAN_IGNORE;
    if (ignores && a.may_be_nan) return (real_range){low, high, false};
    return (real_range){fmin(fmax(a.low, low), high), fmax(fmin(a.high, high), low), a.may_be_nan};
}

static real_range of_abs(real_range a) {
    const double most = fmax(fabs(a.low), fabs(a.high));
    return (real_range){has_zero(a) ? 0 : fmin(fabs(a.low), fabs(a.high)), most, a.may_be_nan};
}

static real_range find_real_range(const expr_node *node, const real_range *x) {
    switch (node->op) {
    case TOSAJIT_OP_identity: return x[0];
    case TOSAJIT_OP_cast: return x[0];
    case TOSAJIT_OP_add: return of_sum(x[0], x[1]);
    case TOSAJIT_OP_sub: return of_sum(x[0], negated(x[1]));
    case TOSAJIT_OP_mul: return of_product(x[0], x[1]);
    case TOSAJIT_OP_divide: return of_quotient(x[0], x[1]);
    case TOSAJIT_OP_maximum:
    case TOSAJIT_OP_minimum: return of_extreme(node, x[0], x[1]);
    case TOSAJIT_OP_clamp: return of_clamp(node, x[0]);
    case TOSAJIT_OP_negate: return negated(x[0]);
    case TOSAJIT_OP_abs: return of_abs(x[0]);
    case TOSAJIT_OP_floor:
    case TOSAJIT_OP_ceil:
    case TOSAJIT_OP_roundeven:
        return (real_range){floor(x[0].low), ceil(x[0].high), x[0].may_be_nan};
    case TOSAJIT_OP_select: return join(x[1], x[2]);
    case TOSAJIT_OP_sigmoid: return (real_range){0, 1, x[0].may_be_nan};
    case TOSAJIT_OP_tanh: return (real_range){-1, 1, x[0].may_be_nan};
    default: return any_real;
    }
}

static real_range of_constant(const expr_node *node) {
    const size_t size = tosajit_type_size(node->type.element);
    real_range r = {(double)INFINITY, -(double)INFINITY, false};
    for (size_t at = 0; at + size <= node->data_size; at += size) {
        const double number =
            convert_decode(node->type.element,
                           convert_load(node->type.element, (const char *)node->data + at))
                .f;
        if (isnan(number)) return any_real;
        r = join(r, (real_range){number, number, false});
    }
    return r.low > r.high ? any_real : r;
}

/* Of integers: what they are read as by the cast. */
static real_range of_integers(const tosajit_expr *program, const expr_node *node,
                              const range *ranges) {
    const tosajit_type from = program->nodes[node->operands[0]].type.element;
    if (from == TOSAJIT_U64 || (from != TOSAJIT_I1 && node->attributes.input_unsigned))
        return (real_range){0, 0x1p64, false};
    const range r = ranges[node->operands[0]];
    return (real_range){(double)r.low, (double)r.high, false};
}

static real_range of_op(const tosajit_expr *program, const expr_node *node, const range *ranges,
                        const real_range *reals) {
    real_range x[TOSAJIT_MAX_OPERANDS];
    for (int o = 0; o < node->operand_count; o++) {
        const tosajit_type type = program->nodes[node->operands[o]].type.element;
        x[o] = is_real(type) ? reals[node->operands[o]] : any_real;
    }
    const tosajit_type first = program->nodes[node->operands[0]].type.element;
    if (node->op == TOSAJIT_OP_cast && !type_is_float(first))
        return of_integers(program, node, ranges);
    return find_real_range(node, x);
}

void find_real_ranges(const tosajit_expr *program, const range *ranges, real_range *reals) {
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        reals[k] = any_real;
        if (!is_real(node->type.element)) continue;
        if (node->kind == NODE_CONSTANT) reals[k] = of_constant(node);
        if (node->kind == NODE_OP)
            reals[k] = widened(of_op(program, node, ranges, reals), node->type.element);
    }
}

/* True if a constant is one integer, and so small that adding it in 16 bits loses nothing of 8. */
static bool is_small_integer(const expr_node *node, int *number) {
    const double most = 1 << 14;
    if (node->kind != NODE_CONSTANT || !node->splat) return false;
    const double value =
        convert_decode(node->type.element, convert_load(node->type.element, node->data)).f;
    if (!(fabs(value) <= most) || value != floor(value)) return false;
    *number = (int)value;
    return true;
}

quantised_cast find_quantised_cast(const tosajit_expr *program, const expr_node *node) {
    const quantised_cast none = {-1, 0};
    const tosajit_type to = node->type.element;
    quantised_cast found;
    if (node->kind != NODE_OP || node->op != TOSAJIT_OP_cast ||
        (to != TOSAJIT_I8 && to != TOSAJIT_U8))
        return none;
    const expr_node *sum = &program->nodes[node->operands[0]];
    if (sum->kind != NODE_OP || sum->op != TOSAJIT_OP_add || sum->type.element != TOSAJIT_F32)
        return none;
    for (int o = 0; o < 2; o++) {
        const expr_node *rounded = &program->nodes[sum->operands[o]];
        if (rounded->kind != NODE_OP || rounded->op != TOSAJIT_OP_roundeven ||
            !is_small_integer(&program->nodes[sum->operands[1 - o]], &found.addend))
            continue;
        found.value = rounded->operands[0];
        return found;
    }
    return none;
}
