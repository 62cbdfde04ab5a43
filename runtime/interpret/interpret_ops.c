/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The computation of every op, one element at a time, written from the TOSA definitions for
 * clarity, not speed. Corner results that TOSA leaves open are listed in docs/semantics.md. */
#include <math.h>
#include <string.h>

#include "runtime/functions/functions.h"
#include "runtime/functions/fused.h"
#include "runtime/interpret/interpret.h"
#include "runtime/interpret/quadrant.h"
#include "runtime/expr/ops.h"
#include "runtime/base/types.h"

interpret_function *const interpret_functions[TOSAJIT_OP_COUNT] = {
#define TOSAJIT_OP(name, ...) [TOSAJIT_OP_##name] = interpret_##name,
#include "tosajit/ops.def"
#undef TOSAJIT_OP
};

static cell from_int(int64_t value) { return (cell){.i = value}; }
static cell from_float(double value) { return (cell){.f = value}; }
static bool is_float(const interpret_op *op) { return type_is_float(op->operand); }
static bool is_f64(const interpret_op *op) { return op->operand == TOSAJIT_F64; }

/* The low bits of a value as an integer of the type. */
static cell wrap(tosajit_type type, uint64_t value) { return from_int(type_wrap(type, value)); }

/* The unsigned W-bit pattern of a value. */
static uint64_t pattern(tosajit_type type, int64_t value) {
    unsigned unused = 64 - (unsigned)type_width(type);
    return (uint64_t)value << unused >> unused;
}

static int64_t clip(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

/* True if operand a is less than operand b, both integers. */
static bool is_less(const interpret_op *op, cell a, cell b) {
    return type_is_less(op->operand, a.i, b.i);
}

static bool is_unsigned(const interpret_op *op) { return type_is_unsigned(op->operand); }

/* Unary, integer and logical. */

cell interpret_abs(const interpret_op *op, const cell *x) {
    if (is_float(op)) return from_float(fabs(x[0].f));
    return x[0].i < 0 && !is_unsigned(op) ? wrap(op->operand, 0 - (uint64_t)x[0].i) : x[0];
}
cell interpret_bitwise_not(const interpret_op *op, const cell *x) {
    return (void)op, from_int(~x[0].i);
}
cell interpret_logical_not(const interpret_op *op, const cell *x) {
    return (void)op, from_int(!x[0].i);
}
cell interpret_identity(const interpret_op *op, const cell *x) { return (void)op, x[0]; }

cell interpret_clz(const interpret_op *op, const cell *x) {
    int width = type_width(op->operand), zeros = 0;
    uint64_t bits = pattern(op->operand, x[0].i);
    while (zeros < width && !(bits >> (width - 1 - zeros) & 1)) zeros++;
    return from_int(zeros);
}

cell interpret_negate(const interpret_op *op, const cell *x) {
    if (is_float(op)) return from_float(-x[0].f);
    if (is_unsigned(op)) return wrap(op->operand, 0 - (uint64_t)x[0].i);
    int64_t input_zp = op->attributes->input_zp, output_zp = op->attributes->output_zp;
    if (op->operand == TOSAJIT_I8 && op->operand_count == 3) input_zp = x[1].i, output_zp = x[2].i;
    if (x[0].i == INT64_MIN) return from_int(INT64_MAX);
    return from_int(
        clip(output_zp - (x[0].i - input_zp), type_least(op->operand), type_greatest(op->operand)));
}

cell interpret_clamp(const interpret_op *op, const cell *x) {
    const tosajit_attributes *a = op->attributes;
    cell bounded = interpret_maximum(op, (cell[]){x[0], a->min_val});
    return interpret_minimum(op, (cell[]){bounded, a->max_val});
}

/* Unary, floating point. */

cell interpret_ceil(const interpret_op *op, const cell *x) {
    return (void)op, from_float(ceil(x[0].f));
}
cell interpret_floor(const interpret_op *op, const cell *x) {
    return (void)op, from_float(floor(x[0].f));
}

/* Functions of f64 have steps of their own, which kernels share. Others are evaluated in long
 * double, and then rounded to the result's type: rounded twice. A
 * value exactly between two results could be one that the first rounding has put there. So the
 * first is to odd: an inexact value has its lowest bit set, and is never in the middle. Long double
 * is exact enough to tell on which side of the middle every result of f32 lies. */
static cell from_long(long double value) {
    double nearest = (double)value;
    if (isnan(value) || (long double)nearest == value) return from_float(nearest);
    uint64_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    if (fabsl((long double)nearest) > fabsl(value)) bits--;
    bits |= 1;
    memcpy(&nearest, &bits, sizeof nearest);
    return from_float(nearest);
}

#if defined(_WIN32)
static long double cos_of(double x) { return quadrant_sine(x, 1); }
static long double sin_of(double x) { return quadrant_sine(x, 0); }
#else
static long double cos_of(double x) { return cosl((long double)x); }
static long double sin_of(double x) { return sinl((long double)x); }
#endif

cell interpret_cos(const interpret_op *op, const cell *x) {
    return is_f64(op) ? from_float(f64_cos(&x[0].f)) : from_long(cos_of(x[0].f));
}
cell interpret_sin(const interpret_op *op, const cell *x) {
    return is_f64(op) ? from_float(f64_sin(&x[0].f)) : from_long(sin_of(x[0].f));
}
cell interpret_erf(const interpret_op *op, const cell *x) {
    return is_f64(op) ? from_float(f64_erf(&x[0].f)) : from_long(erfl((long double)x[0].f));
}
cell interpret_exp(const interpret_op *op, const cell *x) {
    return is_f64(op) ? from_float(f64_exp(&x[0].f)) : from_long(expl((long double)x[0].f));
}
cell interpret_log(const interpret_op *op, const cell *x) {
    return is_f64(op) ? from_float(f64_log(&x[0].f)) : from_long(logl((long double)x[0].f));
}
cell interpret_tanh(const interpret_op *op, const cell *x) {
    return is_f64(op) ? from_float(f64_tanh(&x[0].f)) : from_long(tanhl((long double)x[0].f));
}
cell interpret_reciprocal(const interpret_op *op, const cell *x) {
    return (void)op, from_float(1.0 / x[0].f);
}
cell interpret_rsqrt(const interpret_op *op, const cell *x) {
    if (is_f64(op)) return from_float(f64_rsqrt(&x[0].f));
    return from_long(1.0L / sqrtl((long double)x[0].f));
}

/* 1/(1+e^-x) cancels nothing: the sum is at least 1. Written through e^x where that is small, to
 * keep its tail. Near 0 it is 1/2 + x/4 - x^3/48, whose last term is beyond any precision but
 * decides between neighbours. */
cell interpret_sigmoid(const interpret_op *op, const cell *x) {
    long double v = (long double)x[0].f;
    if (is_f64(op)) return from_float(f64_sigmoid(&x[0].f));
    if (v != 0 && fabsl(v) < 0x1p-11L) return from_long(nextafterl(0.5L + v / 4, 0.5L));
    return from_long(v < 0 ? expl(v) / (1.0L + expl(v)) : 1.0L / (1.0L + expl(-v)));
}

/* Binary. Sums and products of f32 and narrower types are so much shorter than a double that
 * rounding twice does no harm. */

cell interpret_add(const interpret_op *op, const cell *x) {
    return is_float(op) ? from_float(x[0].f + x[1].f)
                        : wrap(op->operand, (uint64_t)x[0].i + (uint64_t)x[1].i);
}
cell interpret_sub(const interpret_op *op, const cell *x) {
    return is_float(op) ? from_float(x[0].f - x[1].f)
                        : wrap(op->operand, (uint64_t)x[0].i - (uint64_t)x[1].i);
}

cell interpret_mul(const interpret_op *op, const cell *x) {
    if (is_float(op)) return from_float(x[0].f * x[1].f);
    if (op->operand != TOSAJIT_I32) return wrap(op->result, (uint64_t)x[0].i * (uint64_t)x[1].i);
    int64_t product = x[0].i * x[1].i; /* at most 62 bits */
    uint64_t shift =
        op->operand_count == 3 ? pattern(TOSAJIT_I8, x[2].i) : (uint64_t)op->attributes->shift;
    if (shift > 63) shift = 63;
    if (shift > 0) product = (product >> shift) + (product >> (shift - 1) & 1);
    return wrap(op->result, (uint64_t)product);
}

cell interpret_intdiv(const interpret_op *op, const cell *x) {
    if (x[1].i == 0) return from_int(0);
    if (is_unsigned(op)) return from_int((int64_t)((uint64_t)x[0].i / (uint64_t)x[1].i));
    return x[1].i == -1 ? wrap(op->operand, 0 - (uint64_t)x[0].i) : from_int(x[0].i / x[1].i);
}

/* Powers that are exact, or midpoints of two f32, have at most 26 bits; powl may miss them by its
 * last place. */
cell interpret_pow(const interpret_op *op, const cell *x) {
    if (is_f64(op)) return from_float(f64_pow((double[]){x[0].f, x[1].f}));
    long double power = powl((long double)x[0].f, (long double)x[1].f);
    /* musl's forgets the sign where the power is too small. */
    if (signbit(x[0].f) && fabs(fmod(x[1].f, 2)) == 1) power = copysignl(power, -1);
    int exponent;
    if (!isfinite(power) || power == 0) return from_float((double)power);
    long double fraction = frexpl(power, &exponent), exact = nearbyintl(ldexpl(fraction, 26));
    if (fabsl(ldexpl(fraction, 26) - exact) < 0x1p-34L) power = ldexpl(exact, exponent - 26);
    return from_long(power);
}

/* IEEE 754 maximum: -0 < +0. Ignoring NaN it is maximumNumber. */
cell interpret_maximum(const interpret_op *op, const cell *x) {
    if (!is_float(op)) return is_less(op, x[1], x[0]) ? x[0] : x[1];
    bool ignore = op->attributes->nan_mode == TOSAJIT_NAN_IGNORE;
    if (isnan(x[0].f) || isnan(x[1].f)) return (isnan(x[0].f) != 0) == ignore ? x[1] : x[0];
    if (x[0].f == x[1].f) return signbit(x[0].f) ? x[1] : x[0];
    return x[0].f > x[1].f ? x[0] : x[1];
}

cell interpret_minimum(const interpret_op *op, const cell *x) {
    if (!is_float(op)) return is_less(op, x[0], x[1]) ? x[0] : x[1];
    bool ignore = op->attributes->nan_mode == TOSAJIT_NAN_IGNORE;
    if (isnan(x[0].f) || isnan(x[1].f)) return (isnan(x[0].f) != 0) == ignore ? x[1] : x[0];
    if (x[0].f == x[1].f) return signbit(x[0].f) ? x[0] : x[1];
    return x[0].f < x[1].f ? x[0] : x[1];
}

cell interpret_equal(const interpret_op *op, const cell *x) {
    return from_int(is_float(op) ? x[0].f == x[1].f : x[0].i == x[1].i);
}
cell interpret_greater(const interpret_op *op, const cell *x) {
    return from_int(is_float(op) ? x[0].f > x[1].f : is_less(op, x[1], x[0]));
}
cell interpret_greater_equal(const interpret_op *op, const cell *x) {
    return from_int(is_float(op) ? x[0].f >= x[1].f : !is_less(op, x[0], x[1]));
}

cell interpret_bitwise_and(const interpret_op *op, const cell *x) {
    return (void)op, from_int(x[0].i & x[1].i);
}
cell interpret_bitwise_or(const interpret_op *op, const cell *x) {
    return (void)op, from_int(x[0].i | x[1].i);
}
cell interpret_bitwise_xor(const interpret_op *op, const cell *x) {
    return (void)op, from_int(x[0].i ^ x[1].i);
}
cell interpret_logical_and(const interpret_op *op, const cell *x) {
    return (void)op, from_int(x[0].i && x[1].i);
}
cell interpret_logical_or(const interpret_op *op, const cell *x) {
    return (void)op, from_int(x[0].i || x[1].i);
}
cell interpret_logical_xor(const interpret_op *op, const cell *x) {
    return (void)op, from_int(x[0].i != x[1].i);
}

/* Shifts read the amount as unsigned, so that a negative one is beyond the width. */

cell interpret_logical_left_shift(const interpret_op *op, const cell *x) {
    uint64_t amount = pattern(op->operand, x[1].i);
    return amount < (uint64_t)type_width(op->operand)
               ? wrap(op->operand, (uint64_t)x[0].i << amount)
               : from_int(0);
}
cell interpret_logical_right_shift(const interpret_op *op, const cell *x) {
    uint64_t amount = pattern(op->operand, x[1].i);
    return amount < (uint64_t)type_width(op->operand)
               ? wrap(op->operand, pattern(op->operand, x[0].i) >> amount)
               : from_int(0);
}
cell interpret_arithmetic_right_shift(const interpret_op *op, const cell *x) {
    uint64_t amount = pattern(op->operand, x[1].i);
    bool round = op->attributes->round;
    if (amount >= (uint64_t)type_width(op->operand))
        return from_int(round || is_unsigned(op) || x[0].i >= 0 ? 0 : -1);
    int64_t carry = round && amount > 0 ? x[0].i >> (amount - 1) & 1 : 0;
    if (is_unsigned(op)) return from_int((int64_t)((uint64_t)x[0].i >> amount) + carry);
    return from_int((x[0].i >> amount) + carry);
}

cell interpret_select(const interpret_op *op, const cell *x) {
    return (void)op, x[0].i ? x[1] : x[2];
}

/* TOSA 1.1, CAST. */

static int64_t round_saturate(double value, tosajit_type type) {
    const int64_t low = type_least(type), high = type_greatest(type);
    if (isnan(value)) return 0;
    double rounded = nearbyint(value);
    if (rounded <= type_number(type, low)) return low;
    if (rounded >= type_number(type, high)) return high;
    return type_is_unsigned(type) ? (int64_t)(uint64_t)rounded : (int64_t)rounded;
}

cell interpret_cast(const interpret_op *op, const cell *x) {
    if (is_float(op)) {
        if (type_is_float(op->result)) return x[0];
        if (op->result == TOSAJIT_I1) return from_int(x[0].f != 0);
        return from_int(round_saturate(x[0].f, op->result));
    }
    const bool as_unsigned = op->attributes->input_unsigned || is_unsigned(op);
    if (type_is_float(op->result)) {
        long double exact =
            as_unsigned ? (long double)pattern(op->operand, x[0].i) : (long double)x[0].i;
        return op->result == TOSAJIT_F64 ? from_float((double)exact) : from_long(exact);
    }
    if (op->result == TOSAJIT_I1) return from_int(x[0].i != 0);
    return wrap(op->result, as_unsigned ? pattern(op->operand, x[0].i) : (uint64_t)x[0].i);
}

/* TOSA 1.1, TABLE. */

static int64_t entry(const interpret_op *op, int64_t index) {
    const tosajit_tensor *table = op->table;
    return convert_decode(
               table->element,
               convert_load(table->element, (const char *)table->data + index * table->strides[0]))
        .i;
}

cell interpret_table(const interpret_op *op, const cell *x) {
    if (op_maps_bytes(TOSAJIT_OP_table, op->operand, op->result)) {
        const int8_t index = (int8_t)convert_encode(op->operand, x[0]);
        return convert_decode(op->result, (uint64_t)entry(op, index + 128));
    }
    int64_t index = (x[0].i + 32768) >> 7, fraction = x[0].i & 127;
    int64_t base = entry(op, index), slope = entry(op, index + 1) - base;
    return from_int(128 * base + slope * fraction);
}

/* TOSA 1.1, RESCALE, in 64 bits throughout; parameters that are open may hold any value, so sums
 * and products wrap. */
cell interpret_rescale(const interpret_op *op, const cell *x) {
    const tosajit_attributes *a = op->attributes;
    const cell *parameters = x + 1;
    bool input_zp = op->operand == TOSAJIT_I8 || a->input_unsigned,
         output_zp = op->result == TOSAJIT_I8 || a->output_unsigned;
    int64_t value = a->input_unsigned ? (int64_t)pattern(op->operand, x[0].i) : x[0].i;
    int64_t in_zp = parameters[PARAMETER_INPUT_ZP].i, out_zp = parameters[PARAMETER_OUTPUT_ZP].i;
    if (a->input_unsigned) in_zp = (int64_t)pattern(op->operand, in_zp);
    if (a->output_unsigned) out_zp = (int64_t)pattern(op->result, out_zp);
    if (input_zp) value -= in_zp;
    uint64_t shift = pattern(TOSAJIT_I8, parameters[PARAMETER_SHIFT].i), round = 0;
    if (shift > 63) shift = 63;
    if (shift > 0) round = UINT64_C(1) << (shift - 1);
    if (a->rounding_mode == TOSAJIT_DOUBLE_ROUND && shift > 31)
        round += value >= 0 ? UINT64_C(1) << 30 : 0 - (UINT64_C(1) << 30);
    uint64_t product = (uint64_t)value * (uint64_t)parameters[PARAMETER_MULTIPLIER].i;
    int64_t scaled = (int64_t)(product + round) >> shift;
    int width = type_width(op->result);
    int64_t low = a->output_unsigned ? 0 : type_min(width),
            high = a->output_unsigned ? (INT64_C(1) << width) - 1 : type_max(width);
    if (!output_zp) return from_int(clip(scaled, low, high));
    return from_int(clip(clip(scaled, INT32_MIN, INT32_MAX) + out_zp, low, high));
}

/* The extension. Quotients and roots of f32 and narrower types, too, are so much shorter than a
 * double that rounding twice does no harm. */

cell interpret_sqrt(const interpret_op *op, const cell *x) {
    return (void)op, from_float(sqrt(x[0].f));
}
cell interpret_divide(const interpret_op *op, const cell *x) {
    return (void)op, from_float(x[0].f / x[1].f);
}
cell interpret_roundeven(const interpret_op *op, const cell *x) {
    return (void)op, from_float(nearbyint(x[0].f));
}
cell interpret_trunc(const interpret_op *op, const cell *x) {
    return (void)op, from_float(trunc(x[0].f));
}
cell interpret_copysign(const interpret_op *op, const cell *x) {
    return (void)op, from_float(copysign(x[0].f, x[1].f));
}

/* The bits of sizes are in the order of the sizes; zero steps to the least number. */
cell interpret_nextafter(const interpret_op *op, const cell *x) {
    const double a = x[0].f, b = x[1].f;
    if (isnan(a) || isnan(b)) return from_float((double)NAN);
    if (a == b) return x[1];
    if (a == 0) return from_float(copysign(convert_decode(op->operand, 1).f, b));
    const bool away = (a < b) == (a > 0);
    const uint64_t size = convert_encode(op->operand, from_float(fabs(a)));
    return from_float(copysign(convert_decode(op->operand, away ? size + 1 : size - 1).f, a));
}

/* The C library's fmod is exact. Integers have no remainder where C has none. */
cell interpret_fmod(const interpret_op *op, const cell *x) {
    if (is_float(op)) return from_float(fmod(x[0].f, x[1].f));
    if (is_unsigned(op))
        return from_int(x[1].i ? (int64_t)((uint64_t)x[0].i % (uint64_t)x[1].i) : 0);
    return from_int(x[1].i == 0 || x[1].i == -1 ? 0 : x[0].i % x[1].i);
}
/* Zero has the sign of the divisor. */
cell interpret_remainder(const interpret_op *op, const cell *x) {
    const cell left = interpret_fmod(op, x);
    if (is_unsigned(op)) return left;
    if (!is_float(op))
        return left.i && (left.i < 0) != (x[1].i < 0) ? from_int(left.i + x[1].i) : left;
    const double rest = left.f;
    if (rest == 0) return from_float(copysign(0.0, x[1].f));
    return from_float((rest < 0) == (x[1].f < 0) ? rest : rest + x[1].f);
}

/* The quotient of what is a multiple of the divisor, but for rounding, is next to an integer. As in
 * Python it has the sign of a / b where it is 0. */
cell interpret_floor_divide(const interpret_op *op, const cell *x) {
    if (is_unsigned(op)) return interpret_intdiv(op, x);
    const cell left = interpret_fmod(op, x);
    if (!is_float(op)) {
        const bool down = left.i && (left.i < 0) != (x[1].i < 0);
        return from_int(interpret_intdiv(op, x).i - down);
    }
    const double a = x[0].f, b = x[1].f, rest = left.f;
    if (b == 0) return from_float(a / b);
    double quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
    const double whole = floor(quotient);
    if (quotient == 0) return from_float(copysign(0.0, a / b));
    return from_float(quotient - whole > 0.5 ? whole + 1 : whole);
}

/* The functions that are evaluated in f64 for all types. */
#define F64_FUNCTION(name)
#define F64_EXTENSION(name)                                                                        \
    cell interpret_##name(const interpret_op *op, const cell *x) {                                 \
        return from_float(f64_##name((double[]){x[0].f, x[op->operand_count - 1].f}));             \
    }
#include "runtime/functions/list.h"
#undef F64_FUNCTION

/* Reductions: what was reduced so far with the next element. */

cell interpret_reduce_all(const interpret_op *op, const cell *x) {
    return interpret_logical_and(op, x);
}
cell interpret_reduce_any(const interpret_op *op, const cell *x) {
    return interpret_logical_or(op, x);
}
cell interpret_reduce_max(const interpret_op *op, const cell *x) {
    return interpret_maximum(op, x);
}
cell interpret_reduce_min(const interpret_op *op, const cell *x) {
    return interpret_minimum(op, x);
}
cell interpret_reduce_product(const interpret_op *op, const cell *x) {
    return interpret_mul(op, x);
}
cell interpret_reduce_sum(const interpret_op *op, const cell *x) { return interpret_add(op, x); }
/* Parts of a count are combined, too; elements count as 1 before. */
cell interpret_reduce_count(const interpret_op *op, const cell *x) { return interpret_add(op, x); }

/* Not libm's: on Windows that rounds twice. */
cell interpret_fma(const interpret_op *op, const cell *x) {
    if (is_f64(op)) return from_float(fused_multiply_add(x[0].f, x[1].f, x[2].f));
    return from_float((double)fused_multiply_addf((float)x[0].f, (float)x[1].f, (float)x[2].f));
}
