/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A reference for integer ops, quantisation and casts. */
#include "tests/numbers/integer_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A signed number of 128 bits. */
typedef struct wide {
    uint64_t high, low;
} wide;

static wide wide_of(int64_t value) { return (wide){value < 0 ? UINT64_MAX : 0, (uint64_t)value}; }

static wide wide_add(wide a, wide b) {
    wide sum = {a.high + b.high, a.low + b.low};
    sum.high += sum.low < a.low;
    return sum;
}

static wide wide_negate(wide a) { return wide_add((wide){~a.high, ~a.low}, (wide){0, 1}); }
static bool wide_negative(wide a) { return a.high >> 63; }

/* Bit by bit, as on paper; the product of two 64-bit numbers fits. */
static wide wide_multiply(int64_t a, int64_t b) {
    wide sum = {0, 0}, term = wide_of(a);
    uint64_t bits = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    for (; bits; bits >>= 1, term = wide_add(term, term))
        if (bits & 1) sum = wide_add(sum, term);
    return b < 0 ? wide_negate(sum) : sum;
}

/* floor(a / 2^count) */
static wide wide_shift(wide a, int count) {
    for (; count > 0; count--)
        a = (wide){a.high >> 1 | (a.high & UINT64_C(1) << 63), a.low >> 1 | a.high << 63};
    return a;
}

static wide power_of_two(int exponent) {
    wide one = {0, 1};
    for (; exponent > 0; exponent--) one = wide_add(one, one);
    return one;
}

static bool wide_less(wide a, wide b) {
    if (wide_negative(a) != wide_negative(b)) return wide_negative(a);
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

int reference_width(tosajit_type type) {
    static const int widths[TOSAJIT_TYPE_COUNT] = {1,  8, 16, 32, 48, 64, 16, 16,
                                                   32, 8, 8,  64, 8,  16, 32, 64};
    return widths[type];
}
static wide largest(int width) { return wide_add(power_of_two(width - 1), wide_of(-1)); }
static wide smallest(int width) { return wide_negate(power_of_two(width - 1)); }

/* The number that the low `width` bits mean. */
static int64_t low_bits(wide a, int width) {
    uint64_t value = 0;
    for (int k = 0; k < width; k++) value += (a.low >> k & 1) << k;
    bool negative = width < 64 && a.low >> (width - 1) & 1;
    for (int k = width; negative && k < 64; k++) value += UINT64_C(1) << k;
    int64_t number;
    memcpy(&number, &value, sizeof number);
    return number;
}

static bool is_unsigned(tosajit_type type) { return type >= TOSAJIT_U8 && type <= TOSAJIT_U64; }

/* The number of a type that the low bits mean; beyond the width of an unsigned one is a 0. */
static int64_t in_type(wide a, tosajit_type type) {
    const int width = reference_width(type);
    if (is_unsigned(type)) a.low &= ~UINT64_C(0) >> (64 - width);
    return low_bits(a, width < 64 ? width + is_unsigned(type) : 64);
}

static int64_t saturate(wide a, wide low, wide high) {
    if (wide_less(a, low)) a = low;
    if (wide_less(high, a)) a = high;
    return low_bits(a, 64);
}

int64_t reference_unsigned(int64_t value, int width) {
    return value < 0 && width < 64 ? low_bits(wide_add(wide_of(value), power_of_two(width)), 64)
                                   : value;
}

int64_t reference_signed(uint64_t bits, int width) { return low_bits((wide){0, bits}, width); }
int64_t reference_number(tosajit_type type, uint64_t bits) {
    return in_type((wide){0, bits}, type);
}
int64_t reference_greatest(tosajit_type type) {
    return low_bits(largest(reference_width(type) + is_unsigned(type)), 64);
}
int64_t reference_least(tosajit_type type) {
    return is_unsigned(type) ? 0 : low_bits(smallest(reference_width(type)), 64);
}

/* Integers. */

/* The number that a value of the operand type is: one of u64 is its bits. */
static wide number_of(const question *q, int64_t value) {
    return q->operand == TOSAJIT_U64 ? (wide){0, (uint64_t)value} : wide_of(value);
}
static wide wide_a(const question *q) { return number_of(q, q->a); }
static wide wide_b(const question *q) { return number_of(q, q->b); }
static bool a_negative(const question *q) { return wide_negative(wide_a(q)); }

static bool in_width(const question *q) { return q->b >= 0 && q->b < q->w; }

static int64_t expect_add(const question *q) {
    return in_type(wide_add(wide_a(q), wide_b(q)), q->result);
}
static int64_t expect_sub(const question *q) {
    return in_type(wide_add(wide_a(q), wide_negate(wide_b(q))), q->result);
}
static int64_t expect_maximum(const question *q) {
    return wide_less(wide_a(q), wide_b(q)) ? q->b : q->a;
}
static int64_t expect_minimum(const question *q) {
    return wide_less(wide_a(q), wide_b(q)) ? q->a : q->b;
}
static int64_t expect_equal(const question *q) { return q->a == q->b; }
static int64_t expect_greater(const question *q) { return wide_less(wide_b(q), wide_a(q)); }
static int64_t expect_greater_equal(const question *q) { return !wide_less(wide_a(q), wide_b(q)); }

static int64_t by_bits(const question *q, unsigned truth) {
    wide result = {0, 0};
    for (int k = 0; k < q->w; k++) {
        unsigned at = (unsigned)((uint64_t)q->a >> k & 1) * 2 + (unsigned)((uint64_t)q->b >> k & 1);
        result.low += (uint64_t)(truth >> at & 1) << k;
    }
    return in_type(result, q->result);
}
static int64_t expect_and(const question *q) { return by_bits(q, 8); }
static int64_t expect_or(const question *q) { return by_bits(q, 14); }
static int64_t expect_xor(const question *q) { return by_bits(q, 6); }

static int64_t expect_left_shift(const question *q) {
    wide result = wide_a(q);
    if (!in_width(q)) return 0;
    for (int64_t k = 0; k < q->b; k++) result = wide_add(result, result);
    return in_type(result, q->result);
}

static int64_t expect_right_shift(const question *q) {
    wide pattern = wide_a(q);
    if (a_negative(q)) pattern = wide_add(pattern, power_of_two(q->w));
    return in_width(q) ? in_type(wide_shift(pattern, (int)q->b), q->result) : 0;
}

static int64_t expect_arithmetic_shift(const question *q) {
    bool round = q->attributes->round;
    if (!in_width(q)) return round || !a_negative(q) ? 0 : -1;
    wide sum = round && q->b > 0 ? wide_add(wide_a(q), power_of_two((int)q->b - 1)) : wide_a(q);
    return in_type(wide_shift(sum, (int)q->b), q->result);
}

static int64_t expect_intdiv(const question *q) {
    if (q->b == 0) return 0;
    const bool below = a_negative(q), by_negative = wide_negative(wide_b(q));
    uint64_t a = below ? 0 - (uint64_t)q->a : (uint64_t)q->a,
             b = by_negative ? 0 - (uint64_t)q->b : (uint64_t)q->b;
    wide quotient = {0, a / b};
    return in_type(below != by_negative ? wide_negate(quotient) : quotient, q->result);
}

/* Remainders of quotients toward zero and down. */
static int64_t expect_fmod(const question *q) {
    if (q->b == 0) return 0;
    const int64_t multiple = low_bits(wide_multiply(expect_intdiv(q), q->b), 64);
    return in_type(wide_add(wide_a(q), wide_negate(wide_of(multiple))), q->result);
}
/* True if what is left has another sign than the divisor. */
static bool is_across(const question *q, int64_t left) {
    return left && wide_negative(number_of(q, left)) != wide_negative(wide_b(q));
}
static int64_t expect_remainder(const question *q) {
    const int64_t left = expect_fmod(q);
    return is_across(q, left) ? left + q->b : left;
}
static int64_t expect_floor_divide(const question *q) {
    return expect_intdiv(q) - is_across(q, expect_fmod(q));
}

static int64_t expect_mul(const question *q) {
    wide product = wide_multiply(q->a, q->b);
    int shift = q->attributes->shift;
    if (shift > 0) product = wide_shift(wide_add(product, power_of_two(shift - 1)), shift);
    return in_type(product, q->result);
}

static int64_t expect_abs(const question *q) {
    return in_type(a_negative(q) ? wide_negate(wide_a(q)) : wide_a(q), q->result);
}
static int64_t expect_not(const question *q) {
    return in_type(wide_add(wide_negate(wide_a(q)), wide_of(-1)), q->result);
}
static int64_t expect_identity(const question *q) { return q->a; }

static int64_t expect_clz(const question *q) {
    int count = 0;
    while (count < q->w && !((uint64_t)q->a >> (q->w - 1 - count) & 1)) count++;
    return count;
}

static int64_t expect_negate(const question *q) {
    if (is_unsigned(q->result)) return in_type(wide_negate(wide_a(q)), q->result);
    wide centred = wide_add(wide_a(q), wide_of(-q->attributes->input_zp));
    return saturate(wide_add(wide_of(q->attributes->output_zp), wide_negate(centred)),
                    smallest(q->w), largest(q->w));
}

static int64_t expect_clamp(const question *q) {
    return saturate(wide_a(q), number_of(q, q->attributes->min_val.i),
                    number_of(q, q->attributes->max_val.i));
}

static int64_t expect_cast(const question *q) {
    int64_t value = q->attributes->input_unsigned ? reference_unsigned(q->a, q->w) : q->a;
    if (q->result == TOSAJIT_I1) return value != 0;
    return in_type(number_of(q, value), q->result);
}

static const struct {
    tosajit_op op;
    reference expect;
} references[] = {
    {TOSAJIT_OP_add, expect_add},
    {TOSAJIT_OP_sub, expect_sub},
    {TOSAJIT_OP_mul, expect_mul},
    {TOSAJIT_OP_intdiv, expect_intdiv},
    {TOSAJIT_OP_fmod, expect_fmod},
    {TOSAJIT_OP_remainder, expect_remainder},
    {TOSAJIT_OP_floor_divide, expect_floor_divide},
    {TOSAJIT_OP_maximum, expect_maximum},
    {TOSAJIT_OP_minimum, expect_minimum},
    {TOSAJIT_OP_equal, expect_equal},
    {TOSAJIT_OP_greater, expect_greater},
    {TOSAJIT_OP_greater_equal, expect_greater_equal},
    {TOSAJIT_OP_bitwise_and, expect_and},
    {TOSAJIT_OP_bitwise_or, expect_or},
    {TOSAJIT_OP_bitwise_xor, expect_xor},
    {TOSAJIT_OP_logical_left_shift, expect_left_shift},
    {TOSAJIT_OP_logical_right_shift, expect_right_shift},
    {TOSAJIT_OP_arithmetic_right_shift, expect_arithmetic_shift},
    {TOSAJIT_OP_abs, expect_abs},
    {TOSAJIT_OP_bitwise_not, expect_not},
    {TOSAJIT_OP_clz, expect_clz},
    {TOSAJIT_OP_clamp, expect_clamp},
    {TOSAJIT_OP_negate, expect_negate},
    {TOSAJIT_OP_identity, expect_identity},
    {TOSAJIT_OP_cast, expect_cast},
};

reference reference_of(tosajit_op op) {
    for (size_t k = 0; k < sizeof references / sizeof *references; k++)
        if (references[k].op == op) return references[k].expect;
    return NULL;
}

/* Quantisation. */

/* apply_scale_32 and apply_scale_16 by their meaning: the exact product, rounded to a multiple of
 * 2^shift. DOUBLE_ROUND adds 2^30 away from zero for shifts above 31. What TOSA leaves open is as
 * docs/semantics.md says: the sum wraps at 64 bits, and what is scaled saturates at 32. */
int64_t reference_rescale(const question *q, const int64_t *p) {
    const tosajit_attributes *a = q->attributes;
    const int width = reference_width(q->result), shift = (int)p[1];
    int64_t value = q->a;
    if (a->input_unsigned) value = reference_unsigned(value, q->w);
    value -= p[2];
    wide sum = wide_multiply(value, p[0]);
    if (shift > 0) sum = wide_add(sum, power_of_two(shift - 1));
    if (a->rounding_mode == TOSAJIT_DOUBLE_ROUND && shift > 31)
        sum = wide_add(sum, wide_of(value >= 0 ? 1 << 30 : -(1 << 30)));
    wide scaled =
        wide_of(saturate(wide_shift(wide_of(low_bits(sum, 64)), shift), smallest(32), largest(32)));
    wide low = a->output_unsigned ? wide_of(0) : smallest(width);
    wide high = a->output_unsigned ? wide_add(power_of_two(width), wide_of(-1)) : largest(width);
    return low_bits(wide_of(saturate(wide_add(scaled, wide_of(p[3])), low, high)), width);
}

/* Floating point. */

/* A format's non-negative finite values, and beyond them one more step: what is nearer to that than
 * to the largest overflows. */
typedef struct format {
    int exponent, fraction;
    bool finite_only;
    size_t count;
    double *numbers; /* by their bits; count + 1 */
} format;

static format formats[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_F16] = {5, 10, false, 0, NULL},
    [TOSAJIT_BF16] = {8, 7, false, 0, NULL},
    [TOSAJIT_F8E4M3FN] = {4, 3, true, 0, NULL},
    [TOSAJIT_F8E5M2] = {5, 2, false, 0, NULL},
};

static bool list_format(format *f) {
    size_t one = (size_t)1 << f->fraction, exponents = (size_t)1 << f->exponent;
    f->count = f->finite_only ? exponents * one - 1 : (exponents - 1) * one;
    f->numbers = calloc(f->count + 1, sizeof *f->numbers);
    if (!f->numbers) return false;
    for (size_t bits = 0; bits <= f->count; bits++) {
        int exponent = (int)(bits / one),
            scale = (exponent ? exponent : 1) - (int)exponents / 2 + 1 - f->fraction;
        f->numbers[bits] = ldexp((double)(bits % one + (exponent ? one : 0)), scale);
    }
    return true;
}

bool reference_open(void) {
    for (int t = 0; t < TOSAJIT_TYPE_COUNT; t++)
        if (formats[t].exponent && !list_format(&formats[t])) return false;
    return true;
}

void reference_close(void) {
    for (int t = 0; t < TOSAJIT_TYPE_COUNT; t++) {
        free(formats[t].numbers);
        formats[t].numbers = NULL;
    }
}

double reference_decode(tosajit_type type, uint64_t bits) {
    const format *f = &formats[type];
    float single;
    double number;
    uint32_t low = (uint32_t)bits;
    if (type == TOSAJIT_F64) return memcpy(&number, &bits, sizeof number), number;
    if (type == TOSAJIT_F32) return memcpy(&single, &low, sizeof single), (double)single;
    uint64_t sign = UINT64_C(1) << (f->exponent + f->fraction), magnitude = bits % sign;
    if (magnitude < f->count)
        number = f->numbers[magnitude];
    else
        number = !f->finite_only && magnitude == f->count ? (double)INFINITY : (double)NAN;
    return bits & sign ? -number : number;
}

/* The nearest value of the format, of two the even one. */
uint64_t reference_encode(tosajit_type type, double number) {
    const format *f = &formats[type];
    uint64_t sign = signbit(number) ? UINT64_C(1) << (f->exponent + f->fraction) : 0;
    double magnitude = fabs(number);
    size_t low = 0, high = f->count; /* numbers[low] <= magnitude < numbers[high], or both ends */
    if (isnan(number)) return sign | (f->finite_only ? f->count : f->count + 1);
    /* Infinity, or the NaN of a format without. */
    if (magnitude >= f->numbers[high]) return sign | high;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(f->numbers[middle] <= magnitude ? &low : &high) = middle;
    }
    double below = magnitude - f->numbers[low], above = f->numbers[high] - magnitude;
    bool up = above < below || (above == below && low % 2 == 1);
    return sign | (up ? high : low);
}

int64_t reference_round(double number, tosajit_type type) {
    if (isnan(number)) return 0;
    double below = floor(number), part = number - below;
    if (part > 0.5 || (part == 0.5 && fmod(below, 2) != 0)) below += 1;
    const int width = reference_width(type) + is_unsigned(type);
    if (below >= ldexp(1, width - 1)) return reference_greatest(type);
    if (below <= (is_unsigned(type) ? 0 : -ldexp(1, width - 1))) return reference_least(type);
    return is_unsigned(type) ? (int64_t)(uint64_t)below : (int64_t)below;
}

double reference_double(tosajit_type type, int64_t integer) {
    const question q = {.operand = type};
    wide upper = wide_shift(number_of(&q, integer), 32); /* two exact summands: rounded once */
    return (double)low_bits(upper, 64) * 0x1p32 +
           (double)(uint32_t)((uint64_t)integer & UINT32_MAX);
}

double reference_to_odd(tosajit_type type, int64_t integer) {
    const bool negative = integer < 0 && type != TOSAJIT_U64;
    uint64_t size = negative ? 0 - (uint64_t)integer : (uint64_t)integer;
    int lost = 0;
    for (; size >> lost >> 53; lost++) {
    }
    const uint64_t left = size >> lost << lost == size ? 0 : 1;
    const double odd = ldexp((double)(size >> lost | left), lost);
    return negative ? -odd : odd;
}
