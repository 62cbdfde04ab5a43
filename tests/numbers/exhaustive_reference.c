/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expected results of the ops, from their definitions and without the library's own conversions.
 * In: operands in memory form. Out: results in memory form. Functions are evaluated in f64 by libm
 * and rounded where an error of 2^-48, eight times what libm makes, changes nothing; MPFR decides
 * the others. */
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "tests/numbers/exhaustive.h"

/* Floating-point formats: bits = sign, exponent, fraction. f8E4M3FN has numbers where others have
 * infinity and NaN, except the last. */
typedef struct format {
    unsigned fraction_bits;
    int emin, emax; /* of normal numbers 1.f * 2^e */
    uint64_t sign, largest, infinity, nan;
} format;

static const format formats[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_F64] = {52, -1022, 1023, UINT64_C(1) << 63, INT64_MAX - (UINT64_C(1) << 52),
                     UINT64_C(2047) << 52, UINT64_C(4095) << 51},
    [TOSAJIT_F16] = {10, -14, 15, 0x8000, 0x7bff, 0x7c00, 0x7e00},
    [TOSAJIT_BF16] = {7, -126, 127, 0x8000, 0x7f7f, 0x7f80, 0x7fc0},
    [TOSAJIT_F32] = {23, -126, 127, 0x80000000, 0x7f7fffff, 0x7f800000, 0x7fc00000},
    [TOSAJIT_F8E4M3FN] = {3, -6, 8, 0x80, 0x7e, 0x7f, 0x7f},
    [TOSAJIT_F8E5M2] = {2, -14, 15, 0x80, 0x7b, 0x7c, 0x7e},
};

static bool is_float(tosajit_type type) { return formats[type].sign != 0; }

/* Of integers. */
static const int widths[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_I1] = 1,   [TOSAJIT_I8] = 8,   [TOSAJIT_I16] = 16, [TOSAJIT_I32] = 32,
    [TOSAJIT_I48] = 48, [TOSAJIT_I64] = 64, [TOSAJIT_U8] = 8,   [TOSAJIT_U16] = 16,
    [TOSAJIT_U32] = 32, [TOSAJIT_U64] = 64,
};

static int width_of(tosajit_type type) { return widths[type]; }

size_t exhaustive_size(tosajit_type type) {
    static const size_t sizes[TOSAJIT_TYPE_COUNT] = {1, 1, 2, 4, 8, 8, 2, 2,
                                                     4, 1, 1, 8, 1, 2, 4, 8};
    return sizes[type];
}

static bool has_sign(tosajit_type type) { return type < TOSAJIT_U8 || type > TOSAJIT_U64; }
static int64_t lowest(tosajit_type type) {
    return has_sign(type) ? (int64_t)(~UINT64_C(0) << (width_of(type) - 1)) : 0;
}
static int64_t highest(tosajit_type type) {
    return has_sign(type) ? ~lowest(type) : (int64_t)(~UINT64_C(0) >> (64 - width_of(type)));
}
/* Numbers of u64 are their bits. */
static bool is_less(tosajit_type type, int64_t x, int64_t y) {
    return type == TOSAJIT_U64 ? (uint64_t)x < (uint64_t)y : x < y;
}

static uint64_t bits_of_double(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^e in the normal range of f64. */
static double power_of_two(int e) { return double_of_bits((uint64_t)(e + 1023) << 52); }

/* The exponent of the last place that the format has around a finite value. */
static int last_place(const format *f, double x) {
    int e = (int)(bits_of_double(x) >> 52 & 0x7ff) - 1023;
    return (e < f->emin ? f->emin : e) - (int)f->fraction_bits;
}

static double decode(const format *f, uint64_t bits) {
    if (f == &formats[TOSAJIT_F64]) return double_of_bits(bits);
    uint64_t magnitude = bits & (f->sign - 1), one = UINT64_C(1) << f->fraction_bits,
             exponent = magnitude >> f->fraction_bits;
    uint64_t significand = (magnitude & (one - 1)) + (exponent ? one : 0);
    double size = (double)significand * power_of_two((exponent ? (int)exponent - 1 : 0) + f->emin -
                                                     (int)f->fraction_bits);
    if (magnitude > f->largest)
        size = magnitude == f->infinity && f->infinity != f->nan ? (double)INFINITY : (double)NAN;
    return bits & f->sign ? -size : size;
}

/* Nearest multiple of the last place, ties to even: adding 2^52 rounds to an integer. Carries run
 * into the exponent by themselves. */
static uint64_t encode(const format *f, double x) {
    if (f == &formats[TOSAJIT_F64]) return bits_of_double(x);
    uint64_t sign = bits_of_double(x) >> 63 ? f->sign : 0;
    double size = fabs(x);
    if (!(size < power_of_two(f->emax + 1))) return sign | (size == size ? f->infinity : f->nan);
    int place = last_place(f, size);
    double multiple = size * power_of_two(-place) + 0x1p52 - 0x1p52;
    uint64_t magnitude = ((uint64_t)(place + (int)f->fraction_bits - f->emin) << f->fraction_bits) +
                         (uint64_t)(int64_t)multiple;
    return sign | (magnitude > f->largest ? f->infinity : magnitude);
}

bool exhaustive_is_float(tosajit_type type) { return is_float(type); }
double exhaustive_decode(tosajit_type type, uint64_t bits) { return decode(&formats[type], bits); }
uint64_t exhaustive_encode(tosajit_type type, double number) {
    return encode(&formats[type], number);
}

/* Memory to values, by type. */

#define LOAD(name, type, field)                                                                    \
    static void name(value *v, const void *memory, size_t count) {                                 \
        const type *m = memory;                                                                    \
        for (size_t k = 0; k < count; k++) v[k].field = m[k];                                      \
    }
LOAD(load_i16, int16_t, i)
LOAD(load_i32, int32_t, i)
LOAD(load_i64, int64_t, i)
LOAD(load_u8, uint8_t, i)
LOAD(load_u16, uint16_t, i)
LOAD(load_u32, uint32_t, i)
LOAD(load_f32, float, f)
LOAD(load_f64, double, f)
static void load_i8(value *v, const void *memory, size_t count) {
    const uint8_t *m = memory;
    for (size_t k = 0; k < count; k++) v[k].i = (m[k] ^ 0x80) - 0x80;
}
static void load_i1(value *v, const void *memory, size_t count) {
    const uint8_t *m = memory;
    for (size_t k = 0; k < count; k++) v[k].i = m[k] != 0;
}
static void load_small(const format *f, size_t size, value *v, const void *memory, size_t count) {
    const uint8_t *bytes = memory;
    if (size == 1)
        for (size_t k = 0; k < count; k++) v[k].f = decode(f, bytes[k]);
    else
        for (size_t k = 0; k < count; k++) v[k].f = decode(f, exhaustive_load(memory, k, 2));
}

static void load_values(tosajit_type type, value *v, const void *memory, size_t count) {
    switch (type) {
    case TOSAJIT_I1: load_i1(v, memory, count); break;
    case TOSAJIT_I8: load_i8(v, memory, count); break;
    case TOSAJIT_I16: load_i16(v, memory, count); break;
    case TOSAJIT_I32: load_i32(v, memory, count); break;
    case TOSAJIT_I48:
    case TOSAJIT_U64:
    case TOSAJIT_I64: load_i64(v, memory, count); break;
    case TOSAJIT_U8: load_u8(v, memory, count); break;
    case TOSAJIT_U16: load_u16(v, memory, count); break;
    case TOSAJIT_U32: load_u32(v, memory, count); break;
    case TOSAJIT_F32: load_f32(v, memory, count); break;
    case TOSAJIT_F64: load_f64(v, memory, count); break;
    default: load_small(&formats[type], exhaustive_size(type), v, memory, count);
    }
}

/* Values to memory. */

/* NOLINTBEGIN(bugprone-macro-parentheses): a type and a member */
#define STORE(name, type, field)                                                                   \
    static void name(void *memory, const value *v, size_t count) {                                 \
        type *m = memory;                                                                          \
        for (size_t k = 0; k < count; k++) m[k] = (type)v[k].field;                                \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
STORE(store_i8, uint8_t, i)
STORE(store_i16, uint16_t, i)
STORE(store_i32, uint32_t, i)
STORE(store_i64, int64_t, i)
STORE(store_f32, float, f)
STORE(store_f64, double, f)
static void store_small(const format *f, size_t size, void *memory, const value *v, size_t count) {
    uint8_t *bytes = memory;
    if (size == 1)
        for (size_t k = 0; k < count; k++) bytes[k] = (uint8_t)encode(f, v[k].f);
    else
        for (size_t k = 0; k < count; k++) exhaustive_store(memory, k, 2, encode(f, v[k].f));
}

static void store_values(tosajit_type type, void *memory, const value *v, size_t count) {
    switch (type) {
    case TOSAJIT_I1:
    case TOSAJIT_U8:
    case TOSAJIT_I8: store_i8(memory, v, count); break;
    case TOSAJIT_U16:
    case TOSAJIT_I16: store_i16(memory, v, count); break;
    case TOSAJIT_U32:
    case TOSAJIT_I32: store_i32(memory, v, count); break;
    case TOSAJIT_I48:
    case TOSAJIT_U64:
    case TOSAJIT_I64: store_i64(memory, v, count); break;
    case TOSAJIT_F32: store_f32(memory, v, count); break;
    case TOSAJIT_F64: store_f64(memory, v, count); break;
    default: store_small(&formats[type], exhaustive_size(type), memory, v, count);
    }
}

/* Ops, one loop each over the values a, b, c of the operands. */

typedef void definition(const job *j, const value *a, const value *b, const value *c, value *r,
                        size_t count);

#define DEFINE(name, field, expression)                                                            \
    static void name(const job *j, const value *a, const value *b, const value *c, value *r,       \
                     size_t count) {                                                               \
        (void)j, (void)b, (void)c;                                                                 \
        for (size_t k = 0; k < count; k++) r[k].field = expression;                                \
    }
#define A a[k]
#define B b[k]
#define C c[k]

static int64_t wrapped(tosajit_type type, uint64_t bits) {
    int unused = 64 - width_of(type);
    uint64_t low = bits << unused >> unused, sign = UINT64_C(1) << (width_of(type) - 1);
    return (int64_t)((low ^ sign) - sign);
}

static uint64_t unsigned_of(tosajit_type type, int64_t i) {
    return (uint64_t)i & ~UINT64_C(0) >> (64 - width_of(type));
}

static int64_t saturated(tosajit_type type, int64_t x, int64_t low, int64_t high) {
    return is_less(type, x, low) ? low : is_less(type, high, x) ? high : x;
}

static int64_t negated(const job *j, int64_t x) {
    if (!has_sign(j->operands[0])) return (int64_t)(0 - (uint64_t)x);
    if (x == INT64_MIN) return INT64_MAX;
    return saturated(j->operands[0], j->attributes.output_zp - (x - j->attributes.input_zp),
                     lowest(j->operands[0]), highest(j->operands[0]));
}

static int64_t leading_zeros(tosajit_type type, int64_t x) {
    int zeros = width_of(type);
    for (uint64_t bits = unsigned_of(type, x); bits; bits >>= 1) zeros--;
    return zeros;
}

/* floor(a / 2^s), and 1 more if the first bit that is dropped is 1: that is nearest, halves upward.
 */
static int64_t shifted_right(int64_t x, int64_t amount, bool round) {
    int64_t half = amount > 0 ? amount - 1 : 0, floor_half = x >= 0 ? x >> half : ~(~x >> half);
    if (amount == 0) return x;
    int64_t result = floor_half >= 0 ? floor_half / 2 : ~(~floor_half / 2);
    return result + (round && (floor_half & 1));
}

static int64_t arithmetic_shift(const job *j, int64_t x, int64_t amount) {
    const bool below = x < 0 && has_sign(j->operands[0]);
    if (amount < 0 || amount >= width_of(j->operands[0]))
        return j->attributes.round || !below ? 0 : -1;
    if (below || amount == 0) return shifted_right(x, amount, j->attributes.round);
    const uint64_t bits = (uint64_t)x >> (amount - 1); /* and one more that is dropped */
    return (int64_t)(bits / 2 + (j->attributes.round && bits % 2));
}

static int64_t shift(const job *j, int64_t x, int64_t amount, bool left) {
    if (amount < 0 || amount >= width_of(j->operands[0])) return 0;
    return (int64_t)(left ? (uint64_t)x << amount : unsigned_of(j->operands[0], x) >> amount);
}

static int64_t quotient(tosajit_type type, int64_t x, int64_t y) {
    if (y == 0) return 0;
    if (!has_sign(type)) return (int64_t)((uint64_t)x / (uint64_t)y);
    return y == -1 ? wrapped(type, 0 - (uint64_t)x) : x / y;
}

static int64_t product(const job *j, int64_t x, int64_t y) {
    if (j->operands[0] != TOSAJIT_I32) return (int64_t)((uint64_t)x * (uint64_t)y);
    return shifted_right(x * y, j->attributes.shift, true);
}

static double larger(const job *j, double x, double y) {
    bool ignore = j->attributes.nan_mode == TOSAJIT_NAN_IGNORE;
    if (x != x) return ignore ? y : x;
    if (y != y) return ignore ? x : y;
    if (x == y) return signbit(x) ? y : x;
    return x > y ? x : y;
}
static double smaller(const job *j, double x, double y) { return -larger(j, -x, -y); }

/* Numbers beyond f64 are rounded to odd, so that rounding once more gives what rounding once would
 * have. */
static double rounded_to_odd(int64_t i) {
    if (i > -(INT64_C(1) << 53) && i < INT64_C(1) << 53) return (double)i;
    return (double)(i / 2048 * 2048 +
                    (i % 2048 != 0) * (i < 0 ? -2048 : 2048) * (i / 2048 % 2 == 0));
}
static double unsigned_to_odd(uint64_t i) {
    if (i < UINT64_C(1) << 53) return (double)i;
    return (double)((i >> 11 | ((i & 2047) != 0)) << 11);
}

static double nearest_even(double x) {
    if (!(fabs(x) < 0x1p52)) return x;
    return copysign(fabs(x) + 0x1p52 - 0x1p52, x);
}

static int64_t nearest_integer(tosajit_type type, double x) {
    if (x != x) return 0;
    if (x <= (double)lowest(type)) return lowest(type);
    if (type == TOSAJIT_U64)
        return x >= 0x1p64 ? highest(type) : (int64_t)(uint64_t)nearest_even(x);
    return x >= (double)highest(type) ? highest(type) : (int64_t)nearest_even(x);
}

DEFINE(int_abs, i,
       A.i < 0 && has_sign(j->operands[0]) ? wrapped(j->operands[0], 0 - (uint64_t)A.i) : A.i)
DEFINE(float_abs, f, fabs(A.f))
DEFINE(bitwise_not, i, ~A.i)
DEFINE(logical_not, i, !A.i)
DEFINE(copy, i, A.i)
DEFINE(flip_sign, i, A.i ^ (int64_t)formats[j->result].sign)
DEFINE(int_negate, i, negated(j, A.i))
DEFINE(clz, i, leading_zeros(j->operands[0], A.i))
DEFINE(float_ceil, f, ceil(A.f))
DEFINE(float_roundeven, f, nearest_even(A.f))
DEFINE(float_floor, f, floor(A.f))
DEFINE(int_clamp, i,
       saturated(j->operands[0], A.i, j->attributes.min_val.i, j->attributes.max_val.i))
DEFINE(float_clamp, f, smaller(j, larger(j, A.f, j->attributes.min_val.f), j->attributes.max_val.f))
DEFINE(int_add, i, (int64_t)((uint64_t)A.i + (uint64_t)B.i))
DEFINE(int_sub, i, (int64_t)((uint64_t)A.i - (uint64_t)B.i))
DEFINE(int_mul, i, product(j, A.i, B.i))
DEFINE(intdiv, i, quotient(j->operands[0], A.i, B.i))
/* A sum or product of two values of at most 24 bits, rounded to 53 bits first, rounds to the same
 * 24 (53 >= 2 * 24 + 2). */
DEFINE(float_add, f, A.f + B.f)
DEFINE(float_sub, f, A.f - B.f)
DEFINE(float_mul, f, A.f *B.f)
/* So is a quotient, whose distance from a midpoint is some 2^-49 of it at least. */
DEFINE(float_divide, f, A.f / B.f)
/* libm's rounds once. */
DEFINE(float_fma, f,
       j->result == TOSAJIT_F64 ? fma(A.f, B.f, C.f)
                                : (double)fmaf((float)A.f, (float)B.f, (float)C.f))
DEFINE(bitwise_and, i, A.i &B.i)
DEFINE(bitwise_or, i, A.i | B.i)
DEFINE(bitwise_xor, i, A.i ^ B.i)
DEFINE(logical_and, i, A.i &&B.i)
DEFINE(logical_or, i, A.i || B.i)
DEFINE(logical_xor, i, A.i != B.i)
DEFINE(left_shift, i, shift(j, A.i, B.i, true))
DEFINE(right_shift, i, shift(j, A.i, B.i, false))
DEFINE(arithmetic_right_shift, i, arithmetic_shift(j, A.i, B.i))
DEFINE(int_equal, i, A.i == B.i)
DEFINE(int_greater, i, is_less(j->operands[0], B.i, A.i))
DEFINE(int_greater_equal, i, !is_less(j->operands[0], A.i, B.i))
DEFINE(float_equal, i, A.f == B.f)
DEFINE(float_greater, i, A.f > B.f)
DEFINE(float_greater_equal, i, A.f >= B.f)
DEFINE(int_maximum, i, is_less(j->operands[0], B.i, A.i) ? A.i : B.i)
DEFINE(int_minimum, i, is_less(j->operands[0], A.i, B.i) ? A.i : B.i)
DEFINE(float_maximum, f, larger(j, A.f, B.f))
DEFINE(float_minimum, f, smaller(j, A.f, B.f))
DEFINE(choose, i, A.i ? B.i : C.i)
DEFINE(int_to_int, i, A.i)
DEFINE(int_to_bool, i, A.i != 0)
DEFINE(int_to_float, f, rounded_to_odd(A.i))
DEFINE(unsigned_to_int, i, (int64_t)unsigned_of(j->operands[0], A.i))
DEFINE(unsigned_to_float, f, unsigned_to_odd(unsigned_of(j->operands[0], A.i)))
DEFINE(unsigned_to_double, f, (double)unsigned_of(j->operands[0], A.i))
DEFINE(float_to_float, f, A.f)
DEFINE(float_to_int, i, nearest_integer(j->result, A.f))
DEFINE(float_to_bool, i, !(A.f == 0))
DEFINE(int_to_double, f, (double)A.i)
/* Functions. Points that differ in sign only come one after the other, and libm keeps the symmetry
 * of even and odd functions. 1 / (1 + e^-x) cancels nothing; overflow to infinity gives 0, which is
 * right for every type here. */
#define MIRRORED (k > 0 && A.f == -a[k - 1].f && A.f != 0)
DEFINE(real_cos, f, MIRRORED ? r[k - 1].f : cos(A.f))
DEFINE(real_erf, f, MIRRORED ? -r[k - 1].f : erf(A.f))
DEFINE(real_exp, f, exp(A.f))
DEFINE(real_log, f, log(A.f))
DEFINE(real_pow, f, pow(A.f, B.f))
DEFINE(real_reciprocal, f, 1 / A.f)
DEFINE(real_rsqrt, f, 1 / sqrt(A.f))
DEFINE(real_sigmoid, f, 1 / (1 + exp(-A.f)))
DEFINE(real_sin, f, MIRRORED ? -r[k - 1].f : sin(A.f))
DEFINE(real_sqrt, f, sqrt(A.f))
DEFINE(real_tanh, f, MIRRORED ? -r[k - 1].f : tanh(A.f))

typedef int precise(mpfr_t, const mpfr_t, mpfr_rnd_t);

static int precise_reciprocal(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
    return mpfr_ui_div(r, 1, x, mode);
}
static int precise_sigmoid(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
    mpfr_neg(r, x, mode);
    mpfr_exp(r, r, mode);
    mpfr_add_ui(r, r, 1, mode);
    return mpfr_ui_div(r, 1, r, mode);
}

/* By kind of the first operand; `bits`: what the op moves are bits, not numbers. pow has two
 * operands and is known by its name. */
typedef struct op_definition {
    definition *integer, *real;
    bool bits;
    precise *precise;
} op_definition;

static const op_definition definitions[TOSAJIT_OP_COUNT] = {
    [TOSAJIT_OP_abs] = {int_abs, float_abs, false, NULL},
    [TOSAJIT_OP_bitwise_not] = {bitwise_not, NULL, false, NULL},
    [TOSAJIT_OP_ceil] = {NULL, float_ceil, false, NULL},
    [TOSAJIT_OP_clamp] = {int_clamp, float_clamp, false, NULL},
    [TOSAJIT_OP_clz] = {clz, NULL, false, NULL},
    [TOSAJIT_OP_cos] = {NULL, real_cos, false, mpfr_cos},
    [TOSAJIT_OP_erf] = {NULL, real_erf, false, mpfr_erf},
    [TOSAJIT_OP_exp] = {NULL, real_exp, false, mpfr_exp},
    [TOSAJIT_OP_floor] = {NULL, float_floor, false, NULL},
    [TOSAJIT_OP_identity] = {copy, copy, true, NULL},
    [TOSAJIT_OP_log] = {NULL, real_log, false, mpfr_log},
    [TOSAJIT_OP_logical_not] = {logical_not, NULL, false, NULL},
    [TOSAJIT_OP_negate] = {int_negate, flip_sign, true, NULL},
    [TOSAJIT_OP_reciprocal] = {NULL, real_reciprocal, false, precise_reciprocal},
    [TOSAJIT_OP_rsqrt] = {NULL, real_rsqrt, false, mpfr_rec_sqrt},
    [TOSAJIT_OP_sigmoid] = {NULL, real_sigmoid, false, precise_sigmoid},
    [TOSAJIT_OP_sin] = {NULL, real_sin, false, mpfr_sin},
    [TOSAJIT_OP_tanh] = {NULL, real_tanh, false, mpfr_tanh},
    [TOSAJIT_OP_add] = {int_add, float_add, false, NULL},
    [TOSAJIT_OP_arithmetic_right_shift] = {arithmetic_right_shift, NULL, false, NULL},
    [TOSAJIT_OP_bitwise_and] = {bitwise_and, NULL, false, NULL},
    [TOSAJIT_OP_bitwise_or] = {bitwise_or, NULL, false, NULL},
    [TOSAJIT_OP_bitwise_xor] = {bitwise_xor, NULL, false, NULL},
    [TOSAJIT_OP_intdiv] = {intdiv, NULL, false, NULL},
    [TOSAJIT_OP_equal] = {int_equal, float_equal, false, NULL},
    [TOSAJIT_OP_greater] = {int_greater, float_greater, false, NULL},
    [TOSAJIT_OP_greater_equal] = {int_greater_equal, float_greater_equal, false, NULL},
    [TOSAJIT_OP_logical_and] = {logical_and, NULL, false, NULL},
    [TOSAJIT_OP_logical_or] = {logical_or, NULL, false, NULL},
    [TOSAJIT_OP_logical_xor] = {logical_xor, NULL, false, NULL},
    [TOSAJIT_OP_logical_left_shift] = {left_shift, NULL, false, NULL},
    [TOSAJIT_OP_logical_right_shift] = {right_shift, NULL, false, NULL},
    [TOSAJIT_OP_maximum] = {int_maximum, float_maximum, false, NULL},
    [TOSAJIT_OP_minimum] = {int_minimum, float_minimum, false, NULL},
    [TOSAJIT_OP_mul] = {int_mul, float_mul, false, NULL},
    [TOSAJIT_OP_pow] = {NULL, real_pow, false, NULL},
    [TOSAJIT_OP_sqrt] = {NULL, real_sqrt, false, mpfr_sqrt},
    [TOSAJIT_OP_divide] = {NULL, float_divide, false, NULL},
    [TOSAJIT_OP_roundeven] = {NULL, float_roundeven, false, NULL},
    [TOSAJIT_OP_sub] = {int_sub, float_sub, false, NULL},
    [TOSAJIT_OP_select] = {choose, choose, true, NULL},
    [TOSAJIT_OP_fma] = {NULL, float_fma, false, NULL},
};

bool exhaustive_is_function(tosajit_op op) {
    return definitions[op].precise || op == TOSAJIT_OP_pow;
}

static definition *cast_definition(const job *j) {
    tosajit_type from = j->operands[0], to = j->result;
    if (is_float(from))
        return is_float(to) ? float_to_float : to == TOSAJIT_I1 ? float_to_bool : float_to_int;
    if (to == TOSAJIT_I1) return int_to_bool;
    if (j->operands[0] == TOSAJIT_U64 && to == TOSAJIT_F64) return unsigned_to_double;
    if (j->attributes.input_unsigned || j->operands[0] == TOSAJIT_U64)
        return is_float(to) ? unsigned_to_float : unsigned_to_int;
    if (to == TOSAJIT_F64) return int_to_double;
    return is_float(to) ? int_to_float : int_to_int;
}

static bool moves_bits(const job *j) { return definitions[j->op].bits && is_float(j->result); }

/* The type whose memory form an operand or result is taken as. */
static tosajit_type form_of(const job *j, tosajit_type type) {
    static const tosajit_type integers[] = {
        [1] = TOSAJIT_I8, [2] = TOSAJIT_I16, [4] = TOSAJIT_I32, [8] = TOSAJIT_I64};
    return moves_bits(j) && type != TOSAJIT_I1 ? integers[exhaustive_size(type)] : type;
}

bool exhaustive_same(const job *j, uint64_t actual, uint64_t expected) {
    if (actual == expected) return true;
    const format *f = &formats[j->result];
    if (!f->sign || moves_bits(j)) return false;
    double a = decode(f, actual), e = decode(f, expected);
    return a != a && e != e;
}

/* Distances. */

static double distance_of(const format *f, double exact, double rounded) {
    if (rounded - exact == 0) return 0;
    double limit = power_of_two(f->emax + 1);
    if (isinf(rounded)) {
        if (isinf(exact)) return exact == rounded ? 0 : (double)INFINITY;
        rounded = copysign(limit, rounded);
        if (fabs(exact) >= limit && signbit(exact) == signbit(rounded)) return 0;
    }
    double distance = fabs(rounded - exact) * power_of_two(-last_place(f, exact));
    return distance == distance ? distance : (double)INFINITY;
}

/* Precision for deciding: among 2^64 pairs of operands the one nearest to a midpoint, but for exact
 * ones, is some 2^-90 from it. */
enum { PRECISION = 256 };

static void evaluate_precisely(const job *j, void *const *operands, size_t k, mpfr_t result) {
    mpfr_t x[2];
    mpfr_inits2(53, x[0], x[1], (mpfr_ptr)NULL);
    for (int o = 0; o < j->arity; o++) {
        mpfr_set_d(x[o],
                   decode(&formats[j->operands[o]], exhaustive_load(operands[o], k, j->sizes[o])),
                   MPFR_RNDN);
    }
    if (j->op == TOSAJIT_OP_pow)
        mpfr_pow(result, x[0], x[1], MPFR_RNDN);
    else
        definitions[j->op].precise(result, x[0], MPFR_RNDN);
    mpfr_clears(x[0], x[1], (mpfr_ptr)NULL);
}

/* Rounded once to the format: to the nearest multiple of its last place. */
static uint64_t encode_precise(const format *f, const mpfr_t exact) {
    mpfr_t scaled;
    mpfr_init2(scaled, PRECISION);
    double about = mpfr_get_d(exact, MPFR_RNDZ); /* toward zero: of the right binade */
    int place = last_place(f, about);
    mpfr_mul_2si(scaled, exact, -place, MPFR_RNDN);
    mpfr_rint(scaled, scaled, MPFR_RNDN);
    double rounded = mpfr_get_d(scaled, MPFR_RNDN);
    mpfr_clear(scaled);
    return encode(f,
                  isfinite(about) && fabs(about) < 0x1p200 ? rounded * power_of_two(place) : about);
}

static double distance_precise(const format *f, const mpfr_t exact, double rounded) {
    if (!isfinite(rounded)) return distance_of(f, mpfr_get_d(exact, MPFR_RNDN), rounded);
    mpfr_t difference;
    mpfr_init2(difference, PRECISION);
    mpfr_sub_d(difference, exact, rounded, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, -last_place(f, mpfr_get_d(exact, MPFR_RNDZ)), MPFR_RNDN);
    double distance = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return distance;
}

/* MPFR's word on operand k. Only finite values other than 0 come here: libm's special values stand.
 */
static void decide(const job *j, void *const *operands, size_t k, expectation *e) {
    const format *f = &formats[j->result];
    mpfr_t exact;
    mpfr_init2(exact, PRECISION);
    evaluate_precisely(j, operands, k, exact);
    uint64_t bits = encode_precise(f, exact);
    exhaustive_store(e->bits, k, j->result_size, bits);
    e->distance[k] = distance_precise(f, exact, decode(f, bits));
    mpfr_clear(exact);
    e->hard[e->hard_count++] = (uint32_t)k;
}

double exhaustive_distance(const job *j, void *const *operands, const expectation *e, size_t k,
                           uint64_t actual) {
    const format *f = &formats[j->result];
    uint64_t expected = exhaustive_load(e->bits, k, j->result_size);
    if (exhaustive_same(j, actual, expected)) return e->distance[k];
    double rounded = decode(f, actual), real = e->real[k];
    if (rounded != rounded || real != real || isinf(real)) return (double)INFINITY;
    if (rounded == 0 && (actual ^ expected) & f->sign) return (double)INFINITY;
    for (size_t h = 0; h < e->hard_count; h++) {
        if (e->hard[h] != k) continue;
        mpfr_t exact;
        mpfr_init2(exact, PRECISION);
        evaluate_precisely(j, operands, k, exact);
        double distance = distance_precise(f, exact, rounded);
        mpfr_clear(exact);
        return distance;
    }
    return distance_of(f, real, rounded);
}

static double round_through(tosajit_type type, double x) {
    return type == TOSAJIT_F32 ? (double)(float)x
                               : decode(&formats[type], encode(&formats[type], x));
}

/* Functions: rounded from below and from above the possible error. */
static void expect_function(const job *j, void *const *operands, const value *reals, size_t count,
                            expectation *e) {
    static const double below = 1 - 0x1p-48, above = 1 + 0x1p-48;
    const format *f = &formats[j->result];
    e->hard_count = 0;
    for (size_t k = 0; k < count; k++) {
        double real = reals[k].f;
        e->real[k] = real;
        double low = round_through(j->result, real * below),
               high = round_through(j->result, real * above);
        e->distance[k] = real == real ? distance_of(f, real, low) : 0;
        if (low != high && real == real) decide(j, operands, k, e);
    }
    e->widest = 0, e->widest_at = 0;
    for (size_t k = 0; k < count; k++)
        if (e->distance[k] > e->widest) e->widest = e->distance[k], e->widest_at = k;
}

void exhaustive_expect(const job *j, void *const *operands, size_t count, expectation *e) {
    value(*values)[CHUNK] = e->values;
    const op_definition *d = &definitions[j->op];
    bool real = is_float(j->operands[j->arity - 1]);
    definition *define = j->op == TOSAJIT_OP_cast ? cast_definition(j)
                         : real                   ? d->real
                                                  : d->integer;
    for (int o = 0; o < j->arity; o++)
        load_values(form_of(j, j->operands[o]), values[o], operands[o], count);
    define(j, values[0], values[1], values[2], values[3], count);
    store_values(form_of(j, j->result), e->bits, values[3], count);
    if (j->function) expect_function(j, operands, values[3], count, e);
}
