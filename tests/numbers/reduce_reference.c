/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/numbers/reduce_reference.h"

#include <math.h>

#include "tests/numbers/exhaustive.h"
#include "tests/numbers/integer_reference.h"

/* ---------------------------------------------------------------------------------------------
 * Elements. f16 and bf16 are combined in f32, all others in their own type. */

static value load(tosajit_type type, const unsigned char *at) {
    const uint64_t bits = exhaustive_load(at, 0, exhaustive_size(type));
    if (exhaustive_is_float(type)) return (value){.f = exhaustive_decode(type, bits)};
    return (value){.i = type == TOSAJIT_I1 ? bits != 0 : reference_number(type, bits)};
}

static void store(tosajit_type type, unsigned char *at, value v) {
    exhaustive_store(at, 0, exhaustive_size(type),
                     exhaustive_is_float(type) ? exhaustive_encode(type, v.f) : (uint64_t)v.i);
}

static value real(tosajit_type type, double exact) {
    return (value){.f = type == TOSAJIT_F64 ? exact : (double)(float)exact};
}

/* ---------------------------------------------------------------------------------------------
 * Two values. Sums and products of two f32 that f64 rounds first round to the same f32. */

typedef value combination(const reduce_question *q, value a, value b);

static value both(const reduce_question *q, value a, value b) {
    return (void)q, (value){.i = a.i && b.i};
}
static value either(const reduce_question *q, value a, value b) {
    return (void)q, (value){.i = a.i || b.i};
}

static double larger(bool ignore, double a, double b) {
    if (isnan(a)) return ignore ? b : a;
    if (isnan(b)) return ignore ? a : b;
    if (a == b) return signbit(a) ? b : a;
    return a > b ? a : b;
}

/* True if integer a is less than b. */
static bool is_less(const reduce_question *q, value a, value b) {
    return q->element == TOSAJIT_U64 ? (uint64_t)a.i < (uint64_t)b.i : a.i < b.i;
}

static value maximum(const reduce_question *q, value a, value b) {
    if (!exhaustive_is_float(q->element)) return is_less(q, b, a) ? a : b;
    return (value){.f = larger(q->nan_mode == TOSAJIT_NAN_IGNORE, a.f, b.f)};
}
static value minimum(const reduce_question *q, value a, value b) {
    if (!exhaustive_is_float(q->element)) return is_less(q, a, b) ? a : b;
    return (value){.f = -larger(q->nan_mode == TOSAJIT_NAN_IGNORE, -a.f, -b.f)};
}
static value product(const reduce_question *q, value a, value b) {
    if (exhaustive_is_float(q->element)) return real(q->element, a.f * b.f);
    return (value){.i = reference_number(q->element, (uint64_t)a.i * (uint64_t)b.i)};
}
static value sum(const reduce_question *q, value a, value b) {
    if (exhaustive_is_float(q->element)) return real(q->element, a.f + b.f);
    return (value){.i = reference_number(q->element, (uint64_t)a.i + (uint64_t)b.i)};
}

/* By op: how two values are combined, and what changes nothing, of integers and of numbers. */
typedef struct rule {
    combination *combine;
    int64_t whole;
    double number;
    bool extreme; /* with the least or greatest value of the type, or NaN where those are ignored */
} rule;

static const rule rules[TOSAJIT_OP_COUNT] = {
    [TOSAJIT_OP_reduce_all] = {both, 1, 0, false},
    [TOSAJIT_OP_reduce_any] = {either, 0, 0, false},
    [TOSAJIT_OP_reduce_max] = {maximum, INT64_MIN, -(double)INFINITY, true},
    [TOSAJIT_OP_reduce_min] = {minimum, INT64_MAX, (double)INFINITY, true},
    [TOSAJIT_OP_reduce_product] = {product, 1, 1, false},
    [TOSAJIT_OP_reduce_sum] = {sum, 0, -0.0, false},
    [TOSAJIT_OP_reduce_count] = {sum, 0, 0, false},
    [TOSAJIT_OP_cumsum] = {sum, 0, -0.0, false},
    [TOSAJIT_OP_cumprod] = {product, 1, 1, false},
    [TOSAJIT_OP_cummax] = {maximum, INT64_MIN, -(double)INFINITY, true},
    [TOSAJIT_OP_cummin] = {minimum, INT64_MAX, (double)INFINITY, true},
    [TOSAJIT_OP_scatter_add] = {sum, 0, -0.0, false},
    [TOSAJIT_OP_scatter_max] = {maximum, INT64_MIN, -(double)INFINITY, true},
    [TOSAJIT_OP_scatter_min] = {minimum, INT64_MAX, (double)INFINITY, true},
};

static value neutral(const reduce_question *q) {
    const rule *r = &rules[q->op];
    if (exhaustive_is_float(q->element))
        return (value){.f = r->extreme && q->nan_mode == TOSAJIT_NAN_IGNORE ? (double)NAN
                                                                            : r->number};
    if (!r->extreme) return (value){.i = r->whole};
    return (value){.i = (r->whole < 0 ? reference_least : reference_greatest)(q->element)};
}

void combine_reference(const reduce_question *q, unsigned char *into, const unsigned char *with) {
    store(q->element, into,
          rules[q->op].combine(q, load(q->element, into), load(q->element, with)));
}

/* ---------------------------------------------------------------------------------------------
 * Elements along the axis */

static value element(const reduce_question *q, const unsigned char *at) {
    if (q->op != TOSAJIT_OP_reduce_count) return load(q->element, at);
    return exhaustive_is_float(q->element) ? (value){.f = 1} : (value){.i = 1};
}

static value block(const reduce_question *q, const unsigned char *at, int64_t step, int64_t count,
                   int partial_count) {
    combination *combine = rules[q->op].combine;
    value partial[REFERENCE_PARTIALS];
    for (int k = 0; k < partial_count; k++) partial[k] = neutral(q);
    for (int64_t i = 0; i < count; i++) {
        value *own = &partial[i % partial_count];
        *own = combine(q, *own, element(q, at + i * step));
    }
    for (int half = partial_count / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) partial[k] = combine(q, partial[k], partial[k + half]);
    return partial[0];
}

static value line(const reduce_question *q, const unsigned char *at, int64_t step, int64_t count) {
    const bool last = q->axis + q->joined == q->rank - 1;
    const int64_t most = last ? REFERENCE_INNER : REFERENCE_OUTER;
    value total = neutral(q);
    if (count == 0 && q->op == TOSAJIT_OP_reduce_sum && exhaustive_is_float(q->element))
        total.f = 0;
    for (int64_t begin = 0; begin < count; begin += most)
        total = rules[q->op].combine(q, total,
                                     block(q, at + begin * step, step,
                                           count - begin < most ? count - begin : most,
                                           last ? REFERENCE_PARTIALS : 1));
    return total;
}

void reduce_reference(const reduce_question *q, const unsigned char *operand,
                      unsigned char *result) {
    const int64_t size = (int64_t)exhaustive_size(q->element);
    int64_t outer = 1, count = 1, inner = 1;
    for (int32_t d = 0; d < q->rank; d++)
        *(d < q->axis ? &outer : d <= q->axis + q->joined ? &count : &inner) *= q->dims[d];
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++)
            store(q->element, result + (o * inner + i) * size,
                  line(q, operand + (o * count * inner + i) * size, inner * size, count));
}

/* ---------------------------------------------------------------------------------------------
 * Positions */

/* True if a is to be taken where b was. */
static bool is_better(const reduce_question *q, value a, value b) {
    const bool greatest = q->op == TOSAJIT_OP_argmax;
    if (!exhaustive_is_float(q->element)) return greatest ? is_less(q, b, a) : is_less(q, a, b);
    if (isnan(b.f)) return q->nan_mode == TOSAJIT_NAN_IGNORE && !isnan(a.f);
    if (isnan(a.f)) return q->nan_mode == TOSAJIT_NAN_PROPAGATE;
    return greatest ? a.f > b.f : a.f < b.f;
}

static int64_t best_of(const reduce_question *q, const unsigned char *at, int64_t step,
                       int64_t count) {
    int64_t best = 0;
    for (int64_t i = 1; i < count; i++)
        if (is_better(q, load(q->element, at + i * step), load(q->element, at + best * step)))
            best = i;
    return count == 0 ? INT32_MAX : best;
}

void position_reference(const reduce_question *q, const unsigned char *operand,
                        unsigned char *result) {
    const int64_t size = (int64_t)exhaustive_size(q->element), own = 4;
    int64_t outer = 1, count = 1, inner = 1;
    for (int32_t d = 0; d < q->rank; d++)
        *(d < q->axis ? &outer : d <= q->axis + q->joined ? &count : &inner) *= q->dims[d];
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            const unsigned char *at = operand + (o * count * inner + i) * size;
            const bool each = q->op == TOSAJIT_OP_index;
            for (int64_t k = 0; k < (each ? count : 1); k++)
                exhaustive_store(result + ((o * (each ? count : 1) + k) * inner + i) * own, 0,
                                 (size_t)own,
                                 (uint64_t)(each ? k : best_of(q, at, inner * size, count)));
        }
}

/* ---------------------------------------------------------------------------------------------
 * Scans */

enum { SCAN_BLOCK = 8, SCAN_SEGMENT = 1024 };

/* So many elements of a block, a power of two, halves with halves. */
static value whole(const reduce_question *q, const value *x, int count) {
    if (count == 1) return *x;
    return rules[q->op].combine(q, whole(q, x, count / 2), whole(q, x + count / 2, count / 2));
}

/* Element k of a block and those before it: the last ones first, one, two or four by their
 * number's bits. */
static value up_to(const reduce_question *q, const value *x, int k) {
    value own = x[k];
    for (int half = 1; half < SCAN_BLOCK; half *= 2)
        if (k & half) own = rules[q->op].combine(q, whole(q, x + (k & ~(2 * half - 1)), half), own);
    return own;
}

static value of_nothing(const reduce_question *q) {
    if (q->op == TOSAJIT_OP_logcumsumexp) return (value){.f = -(double)INFINITY};
    return q->op == TOSAJIT_OP_cumsum && exhaustive_is_float(q->element) ? (value){.f = 0}
                                                                         : neutral(q);
}

static value exponentials(const reduce_question *q, const unsigned char *at, int64_t step,
                          int64_t count) {
    double greatest = -(double)INFINITY;
    long double total = 0;
    for (int64_t k = 0; k < count; k++)
        greatest = larger(false, greatest, load(q->element, at + k * step).f);
    if (isinf(greatest) || isnan(greatest)) return (value){.f = greatest};
    for (int64_t k = 0; k < count; k++)
        total += expl((long double)load(q->element, at + k * step).f - greatest);
    return (value){.f = (double)(greatest + logl(total))};
}

/* One line; `step` is below 0 where it is reversed. */
static void scan(const reduce_question *q, const unsigned char *at, int64_t step, int64_t count,
                 unsigned char *to) {
    combination *combine = rules[q->op].combine;
    value base = neutral(q), carry = base, x[SCAN_BLOCK], last = of_nothing(q);
    for (int64_t k = 0; k < count; k++) {
        const int own = (int)(k % SCAN_BLOCK);
        if (combine && own == 0 && k > 0) carry = combine(q, carry, whole(q, x, SCAN_BLOCK));
        if (combine && k % SCAN_SEGMENT == 0 && k > 0) {
            base = combine(q, base, carry);
            carry = neutral(q);
        }
        x[own] = load(q->element, at + k * step);
        const value now = combine ? combine(q, base, combine(q, carry, up_to(q, x, own)))
                                  : exponentials(q, at, step, k + 1);
        store(q->element, to + k * step, q->exclusive ? last : now);
        last = now;
    }
}

void scan_reference(const reduce_question *q, const unsigned char *operand, unsigned char *result) {
    const int64_t size = (int64_t)exhaustive_size(q->element);
    int64_t outer = 1, count = 1, inner = 1;
    for (int32_t d = 0; d < q->rank; d++)
        *(d < q->axis ? &outer : d == q->axis ? &count : &inner) *= q->dims[d];
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            const int64_t first = q->reverse ? count - 1 : 0,
                          at = ((o * count + first) * inner + i) * size;
            scan(q, operand + at, q->reverse ? -inner * size : inner * size, count, result + at);
        }
}
