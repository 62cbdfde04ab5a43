/* What every op computes, one element at a time, written from the TOSA definitions for clarity, not speed. Corner results that
 * TOSA leaves open are listed in docs/semantics.md. */
#include <math.h>
#include <string.h>

#include "runtime/interpret.h"
#include "runtime/types.h"

interpret_function *const interpret_table[TOSAJIT_OP_COUNT] = {
#define TOSAJIT_OP(name, arity, signature, elements, attributes, formula) interpret_##name,
#include "tosajit/ops.def"
#undef TOSAJIT_OP
};

static cell from_int(int64_t value) { return (cell){.i = value}; }
static cell from_float(float value) { return (cell){.f = value}; }
static bool is_float(const interpret_op *op) { return op->operand == TOSAJIT_F32; }

/* The low bits of a value as a signed integer of the type's width. */
static cell wrap(tosajit_type type, uint64_t value) {
    unsigned unused = 64 - (unsigned)type_width(type);
    return from_int((int64_t)(value << unused) >> unused);
}

/* The unsigned W-bit pattern of a value. */
static uint64_t pattern(tosajit_type type, int64_t value) {
    unsigned unused = 64 - (unsigned)type_width(type);
    return (uint64_t)value << unused >> unused;
}

static int64_t clip(int64_t value, int64_t low, int64_t high) { return value < low ? low : value > high ? high : value; }

/* Unary, integer and logical. */

cell interpret_abs(const interpret_op *op, const cell *x) {
    if (is_float(op)) return from_float(fabsf(x[0].f));
    return x[0].i < 0 ? wrap(op->operand, 0 - (uint64_t)x[0].i) : x[0];
}
cell interpret_bitwise_not(const interpret_op *op, const cell *x) { return (void)op, from_int(~x[0].i); }
cell interpret_logical_not(const interpret_op *op, const cell *x) { return (void)op, from_int(!x[0].i); }
cell interpret_identity(const interpret_op *op, const cell *x) { return (void)op, x[0]; }

cell interpret_clz(const interpret_op *op, const cell *x) {
    int width = type_width(op->operand), zeros = 0;
    uint64_t bits = pattern(op->operand, x[0].i);
    while (zeros < width && !(bits >> (width - 1 - zeros) & 1)) zeros++;
    return from_int(zeros);
}

cell interpret_negate(const interpret_op *op, const cell *x) {
    if (is_float(op)) return from_float(-x[0].f);
    int64_t negated = op->attributes->output_zp - (x[0].i - op->attributes->input_zp);
    int width = type_width(op->operand);
    return from_int(clip(negated, type_min(width), type_max(width)));
}

cell interpret_clamp(const interpret_op *op, const cell *x) {
    const tosajit_attributes *a = op->attributes;
    if (!is_float(op)) return from_int(clip(x[0].i, a->min_val.i, a->max_val.i));
    cell low = from_float((float)a->min_val.f), high = from_float((float)a->max_val.f);
    cell bounded = interpret_maximum(op, (cell[]){x[0], low});
    return interpret_minimum(op, (cell[]){bounded, high});
}

/* Unary, floating point: evaluated in double and rounded once. */

cell interpret_ceil(const interpret_op *op, const cell *x) { return (void)op, from_float(ceilf(x[0].f)); }
cell interpret_floor(const interpret_op *op, const cell *x) { return (void)op, from_float(floorf(x[0].f)); }
cell interpret_cos(const interpret_op *op, const cell *x) { return (void)op, from_float((float)cos((double)x[0].f)); }
cell interpret_sin(const interpret_op *op, const cell *x) { return (void)op, from_float((float)sin((double)x[0].f)); }
cell interpret_erf(const interpret_op *op, const cell *x) { return (void)op, from_float((float)erf((double)x[0].f)); }
cell interpret_exp(const interpret_op *op, const cell *x) { return (void)op, from_float((float)exp((double)x[0].f)); }
cell interpret_log(const interpret_op *op, const cell *x) { return (void)op, from_float((float)log((double)x[0].f)); }
cell interpret_tanh(const interpret_op *op, const cell *x) { return (void)op, from_float((float)tanh((double)x[0].f)); }
cell interpret_reciprocal(const interpret_op *op, const cell *x) { return (void)op, from_float(1.0f / x[0].f); }
cell interpret_rsqrt(const interpret_op *op, const cell *x) { return (void)op, from_float((float)(1.0 / sqrt((double)x[0].f))); }
cell interpret_sigmoid(const interpret_op *op, const cell *x) {
    /* 1/(1+e^-x) cancels nothing: the sum is at least 1. Written through e^x where that is small, to keep its tail. */
    double v = (double)x[0].f;
    double result = v < 0 ? exp(v) / (1.0 + exp(v)) : 1.0 / (1.0 + exp(-v));
    return (void)op, from_float((float)result);
}

/* Binary. */

cell interpret_add(const interpret_op *op, const cell *x) {
    return is_float(op) ? from_float(x[0].f + x[1].f) : wrap(op->operand, (uint64_t)x[0].i + (uint64_t)x[1].i);
}
cell interpret_sub(const interpret_op *op, const cell *x) {
    return is_float(op) ? from_float(x[0].f - x[1].f) : wrap(op->operand, (uint64_t)x[0].i - (uint64_t)x[1].i);
}

cell interpret_mul(const interpret_op *op, const cell *x) {
    if (is_float(op)) return from_float(x[0].f * x[1].f);
    int64_t product = x[0].i * x[1].i; /* at most 62 bits */
    int shift = op->attributes->shift;
    if (shift > 0) product = (product >> shift) + (product >> (shift - 1) & 1);
    return wrap(op->result, (uint64_t)product);
}

cell interpret_intdiv(const interpret_op *op, const cell *x) {
    return x[1].i == 0 ? from_int(0) : wrap(op->operand, (uint64_t)(x[0].i / x[1].i));
}

cell interpret_pow(const interpret_op *op, const cell *x) { return (void)op, from_float((float)pow((double)x[0].f, (double)x[1].f)); }

/* IEEE 754 maximum: -0 < +0. Ignoring NaN it is maximumNumber. */
cell interpret_maximum(const interpret_op *op, const cell *x) {
    if (!is_float(op)) return x[0].i > x[1].i ? x[0] : x[1];
    bool ignore = op->attributes->nan_mode == TOSAJIT_NAN_IGNORE;
    if (isnan(x[0].f) || isnan(x[1].f)) return (isnan(x[0].f) == ignore) ? x[1] : x[0];
    if (x[0].f == x[1].f) return signbit(x[0].f) ? x[1] : x[0];
    return x[0].f > x[1].f ? x[0] : x[1];
}

cell interpret_minimum(const interpret_op *op, const cell *x) {
    if (!is_float(op)) return x[0].i < x[1].i ? x[0] : x[1];
    bool ignore = op->attributes->nan_mode == TOSAJIT_NAN_IGNORE;
    if (isnan(x[0].f) || isnan(x[1].f)) return (isnan(x[0].f) == ignore) ? x[1] : x[0];
    if (x[0].f == x[1].f) return signbit(x[0].f) ? x[0] : x[1];
    return x[0].f < x[1].f ? x[0] : x[1];
}

cell interpret_equal(const interpret_op *op, const cell *x) { return from_int(is_float(op) ? x[0].f == x[1].f : x[0].i == x[1].i); }
cell interpret_greater(const interpret_op *op, const cell *x) { return from_int(is_float(op) ? x[0].f > x[1].f : x[0].i > x[1].i); }
cell interpret_greater_equal(const interpret_op *op, const cell *x) {
    return from_int(is_float(op) ? x[0].f >= x[1].f : x[0].i >= x[1].i);
}

cell interpret_bitwise_and(const interpret_op *op, const cell *x) { return (void)op, from_int(x[0].i & x[1].i); }
cell interpret_bitwise_or(const interpret_op *op, const cell *x) { return (void)op, from_int(x[0].i | x[1].i); }
cell interpret_bitwise_xor(const interpret_op *op, const cell *x) { return (void)op, from_int(x[0].i ^ x[1].i); }
cell interpret_logical_and(const interpret_op *op, const cell *x) { return (void)op, from_int(x[0].i && x[1].i); }
cell interpret_logical_or(const interpret_op *op, const cell *x) { return (void)op, from_int(x[0].i || x[1].i); }
cell interpret_logical_xor(const interpret_op *op, const cell *x) { return (void)op, from_int(x[0].i != x[1].i); }

/* Shifts read the amount as unsigned, so that a negative one is beyond the width. */

cell interpret_logical_left_shift(const interpret_op *op, const cell *x) {
    uint64_t amount = pattern(op->operand, x[1].i);
    return amount < (uint64_t)type_width(op->operand) ? wrap(op->operand, (uint64_t)x[0].i << amount) : from_int(0);
}
cell interpret_logical_right_shift(const interpret_op *op, const cell *x) {
    uint64_t amount = pattern(op->operand, x[1].i);
    return amount < (uint64_t)type_width(op->operand) ? wrap(op->operand, pattern(op->operand, x[0].i) >> amount) : from_int(0);
}
cell interpret_arithmetic_right_shift(const interpret_op *op, const cell *x) {
    uint64_t amount = pattern(op->operand, x[1].i);
    bool round = op->attributes->round;
    if (amount >= (uint64_t)type_width(op->operand)) return from_int(round || x[0].i >= 0 ? 0 : -1);
    int64_t carry = round && amount > 0 ? x[0].i >> (amount - 1) & 1 : 0;
    return from_int((x[0].i >> amount) + carry);
}

cell interpret_select(const interpret_op *op, const cell *x) { return (void)op, x[0].i ? x[1] : x[2]; }

/* TOSA 1.1, CAST. */

static int64_t round_saturate(float value, int64_t low, int64_t high) {
    if (isnan(value)) return 0;
    double rounded = nearbyint((double)value);
    return rounded <= (double)low ? low : rounded >= (double)high ? high : (int64_t)rounded;
}

cell interpret_cast(const interpret_op *op, const cell *x) {
    if (op->operand == TOSAJIT_F32) {
        if (op->result == TOSAJIT_I1) return from_int(x[0].f != 0.0f);
        int width = type_width(op->result);
        return from_int(round_saturate(x[0].f, type_min(width), type_max(width)));
    }
    int64_t value = op->attributes->input_unsigned ? (int64_t)pattern(op->operand, x[0].i) : x[0].i;
    if (op->result == TOSAJIT_F32) return from_float((float)value);
    if (op->result == TOSAJIT_I1) return from_int(value != 0);
    return wrap(op->result, (uint64_t)value);
}
