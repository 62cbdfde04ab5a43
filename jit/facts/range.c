/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges of integers: a rule per op. An op without one has the range of its type. Of u64 a range is
 * one of its bits as i64, and always all of them: no rule says more. */
#include "jit/facts/range.h"

#include <string.h>

#include "runtime/base/types.h"
#include "runtime/expr/ops.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static range all_of(tosajit_type type) {
    if (type == TOSAJIT_I1) return (range){0, 1};
    if (type == TOSAJIT_U64) return (range){INT64_MIN, INT64_MAX};
    return (range){type_least(type), type_greatest(type)};
}

static range join(range a, range b) { return (range){least(a.low, b.low), most(a.high, b.high)}; }

/* The result of an op that wraps. */
static range wrapped(range r, tosajit_type type) {
    const range all = all_of(type);
    return range_within(r, all.low, all.high) ? r : all;
}

static range limited(range r, range limits) {
    return (range){least(most(r.low, limits.low), limits.high),
                   most(least(r.high, limits.high), limits.low)};
}

/* Read as unsigned numbers of as many bits. Those of 64 bits have no range here: they are any. */
static range unsigned_of(range r, tosajit_type type) {
    const range all = all_of(type);
    if (r.low >= 0 || type == TOSAJIT_I64) return r.low >= 0 ? r : all;
    return (range){0, all.high - all.low};
}

static bool is_integer(tosajit_type type) { return !type_is_float(type); }

static range of_constant(const expr_node *node) {
    const size_t size = tosajit_type_size(node->type.element);
    range r = {INT64_MAX, INT64_MIN};
    if (node->type.element == TOSAJIT_U64) return all_of(TOSAJIT_U64);
    for (size_t at = 0; at + size <= node->data_size; at += size) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)node->data + at, size); /* little-endian: the low bytes */
        const int64_t number = type_wrap(node->type.element, bits);
        r = join(r, (range){number, number});
    }
    return node->type.element == TOSAJIT_I1 || r.low > r.high ? all_of(node->type.element) : r;
}

/* Of factors of at most 32 bits. */
static range product(range a, range b) {
    const range low = {least(a.low * b.low, a.low * b.high), most(a.low * b.low, a.low * b.high)},
                high = {least(a.high * b.low, a.high * b.high),
                        most(a.high * b.low, a.high * b.high)};
    return join(low, high);
}

/* Products after the shift, rounded; one rounds up by 2^30 besides where the value is not negative,
 * else down. Between the two shifts results lie between theirs. */
static range shifted(range products, range value, range shift, bool is_double) {
    enum { LAST_SINGLE = 31, MORE = 1 << 30 };
    range r = {INT64_MAX, INT64_MIN};
    for (int64_t s = shift.low; s <= shift.high; s++) {
        const int64_t half = s ? INT64_C(1) << (s - 1) : 0,
                      more = is_double && s > LAST_SINGLE ? MORE : 0;
        r = join(r, (range){(products.low + half + (value.low < 0 ? -more : more)) >> s,
                            (products.high + half + (value.high < 0 ? -more : more)) >> s});
    }
    return r;
}

rescale_ranges find_rescale_ranges(tosajit_type operand, tosajit_type result,
                                   const tosajit_attributes *a, const range *x) {
    enum { LAST_SHIFT = 62 }; /* a shift that is open may be any byte */
    const range all = {INT64_MIN, INT64_MAX};
    range input_zp = x[1 + PARAMETER_INPUT_ZP];
    rescale_ranges r = {x[0], x[1 + PARAMETER_MULTIPLIER], x[1 + PARAMETER_SHIFT],
                        x[1 + PARAMETER_OUTPUT_ZP], all};
    if (a->input_unsigned)
        r.value = unsigned_of(x[0], operand), input_zp = unsigned_of(input_zp, operand);
    if (a->output_unsigned) r.output_zp = unsigned_of(r.output_zp, result);
    if (operand == TOSAJIT_I8 || a->input_unsigned)
        r.value = (range){r.value.low - input_zp.high, r.value.high - input_zp.low};
    if (r.shift.low < 0 || r.shift.high > LAST_SHIFT) r.shift = (range){0, UINT8_MAX};
    if (operand != TOSAJIT_I48 && r.shift.high <= LAST_SHIFT)
        r.scaled = shifted(product(r.value, r.multiplier), r.value, r.shift,
                           a->rounding_mode == TOSAJIT_DOUBLE_ROUND);
    return r;
}

static range of_rescale(const expr_node *node, tosajit_type operand, const range *x) {
    const tosajit_type result = node->type.element;
    const range i32 = all_of(TOSAJIT_I32);
    rescale_ranges r = find_rescale_ranges(operand, result, &node->attributes, x);
    if (node->attributes.output_unsigned) return all_of(result);
    r.scaled = limited(r.scaled, i32);
    if (result == TOSAJIT_I8)
        r.scaled = (range){r.scaled.low + r.output_zp.low, r.scaled.high + r.output_zp.high};
    return limited(r.scaled, all_of(result));
}

static range of_cast(const expr_node *node, tosajit_type operand, range x) {
    if (!is_integer(operand) || operand == TOSAJIT_U64) return all_of(node->type.element);
    if (operand != TOSAJIT_I1 && node->attributes.input_unsigned) x = unsigned_of(x, operand);
    return wrapped(x, node->type.element);
}

static bool fits_32(range r) { return range_within(r, INT32_MIN, INT32_MAX); }

range find_range(const expr_node *node, tosajit_type operand, const range *x) {
    const tosajit_type type = node->type.element;
    const range all = all_of(type);
    const tosajit_attributes *a = &node->attributes;
    if (type == TOSAJIT_U64) return all;
    switch (node->op) {
    case TOSAJIT_OP_identity: return x[0];
    case TOSAJIT_OP_argmax:
    case TOSAJIT_OP_argmin:
    case TOSAJIT_OP_index: return (range){0, all.high};
    case TOSAJIT_OP_add:
        if (!fits_32(x[0]) || !fits_32(x[1])) return all;
        return wrapped((range){x[0].low + x[1].low, x[0].high + x[1].high}, type);
    case TOSAJIT_OP_sub:
        if (!fits_32(x[0]) || !fits_32(x[1])) return all;
        return wrapped((range){x[0].low - x[1].high, x[0].high - x[1].low}, type);
    case TOSAJIT_OP_mul:
        if (node->operand_count > 2 || a->shift || !fits_32(x[0]) || !fits_32(x[1])) return all;
        return wrapped(product(x[0], x[1]), type);
    case TOSAJIT_OP_maximum: return (range){most(x[0].low, x[1].low), most(x[0].high, x[1].high)};
    case TOSAJIT_OP_minimum: return (range){least(x[0].low, x[1].low), least(x[0].high, x[1].high)};
    case TOSAJIT_OP_clamp:
        if (node->operand_count > 1) return all;
        return limited(x[0], (range){a->min_val.i, a->max_val.i});
    case TOSAJIT_OP_select: return join(x[1], x[2]);
    case TOSAJIT_OP_cast: return of_cast(node, operand, x[0]);
    case TOSAJIT_OP_rescale: return of_rescale(node, operand, x);
    default: return all;
    }
}

void find_ranges(const tosajit_expr *program, range *ranges) {
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        range x[TOSAJIT_MAX_OPERANDS];
        ranges[k] = (range){INT64_MIN, INT64_MAX};
        if (!is_integer(node->type.element)) continue;
        for (int o = 0; node->kind == NODE_OP && o < node->operand_count; o++)
            x[o] = ranges[node->operands[o]];
        ranges[k] = node->kind == NODE_CONSTANT ? of_constant(node)
                    : node->kind == NODE_INPUT
                        ? all_of(node->type.element)
                        : find_range(node, program->nodes[node->operands[0]].type.element, x);
    }
}
