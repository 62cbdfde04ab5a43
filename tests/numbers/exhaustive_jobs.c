/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The jobs of the exhaustive proof: which op on which element types, with which attributes, and
 * over which operands. In: the table of legal types, by tosajit_op_accepts. Out: the list of jobs,
 * and the operands of any of their points. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/numbers/exhaustive.h"
#include "tests/support/support.h"
#include "tosajit/inspect.h"

enum { MAX_JOBS = 512, STRUCTURED = 1024 };
#define MIXED_POINTS (UINT64_C(1) << 24)
#define SIXTEEN_BITS UINT64_C(65536)

static job jobs[MAX_JOBS];
static size_t job_count;

static void choose_source(job *j, uint64_t pairs) {
    size_t bits = 0;
    for (int k = 0; k < j->arity; k++) bits += 8 * j->sizes[k];
    j->source = SOURCE_MIXED, j->total = MIXED_POINTS;
    if (j->op == TOSAJIT_OP_pow && j->result == TOSAJIT_F32)
        j->source = SOURCE_POWERS, j->total = pairs;
    else if (j->arity == 2 && j->operands[0] == TOSAJIT_I16)
        j->source = SOURCE_STRUCTURED, j->total = 2 * SIXTEEN_BITS * STRUCTURED;
    else if (bits <= 32)
        j->source = j->arity == 1 ? SOURCE_ALL : SOURCE_PAIRS, j->total = UINT64_C(1) << bits;
}

static void add_job(tosajit_op op, tosajit_type from, tosajit_type to,
                    const tosajit_attributes *attributes, const char *variant, uint64_t pairs) {
    if (job_count == MAX_JOBS) return;
    job *j = &jobs[job_count++];
    *j = (job){.op = op,
               .arity = tosajit_op_arity(op),
               .result = to,
               .function = exhaustive_is_function(op)};
    if (attributes) j->attributes = *attributes;
    for (int k = 0; k < j->arity; k++) {
        j->operands[k] = op == TOSAJIT_OP_select && k == 0 ? TOSAJIT_I1 : from;
        j->sizes[k] = tosajit_type_size(j->operands[k]);
    }
    j->result_size = tosajit_type_size(to);
    choose_source(j, pairs);
    int length =
        snprintf(j->name, sizeof j->name, "%s %s", tosajit_op_name(op), tosajit_type_name(from));
    if (from != to)
        length += snprintf(j->name + length, sizeof j->name - (size_t)length, " -> %s",
                           tosajit_type_name(to));
    if (variant) snprintf(j->name + length, sizeof j->name - (size_t)length, ", %s", variant);
    char *id = j->id;
    for (const char *c = j->name; *c; c++)
        if (isalnum((unsigned char)*c) || *c == '_')
            *id++ = *c;
        else if (id > j->id && id[-1] != '-')
            *id++ = '-';
    *id = 0;
}

/* A job for each setting of the attributes that changes what is computed. */
static void add_variants(tosajit_op op, tosajit_type from, tosajit_type to, uint64_t pairs) {
    tosajit_attributes a = {0};
    bool real = test_is_float(from);
    if (op == TOSAJIT_OP_clamp && real)
        a.min_val.f = -1.5, a.max_val.f = 64;
    else if (op == TOSAJIT_OP_clamp)
        a.min_val.i = -7, a.max_val.i = 100;
    add_job(op, from, to, &a, NULL, pairs);
    if (real && (op == TOSAJIT_OP_clamp || op == TOSAJIT_OP_maximum || op == TOSAJIT_OP_minimum))
        a.nan_mode = TOSAJIT_NAN_IGNORE, add_job(op, from, to, &a, "ignore NaN", pairs);
    if (op == TOSAJIT_OP_arithmetic_right_shift)
        a.round = 1, add_job(op, from, to, &a, "round", pairs);
    if (op == TOSAJIT_OP_cast && !real && from != TOSAJIT_I1)
        a.input_unsigned = 1, add_job(op, from, to, &a, "unsigned", pairs);
    if (op == TOSAJIT_OP_negate && from == TOSAJIT_I8)
        a.input_zp = -100, a.output_zp = 77,
        add_job(op, from, to, &a, "zero points -100 and 77", pairs);
    static const int32_t shifts[] = {1, 2, 15, 31, 32, 33, 62, 63};
    for (size_t k = 0;
         op == TOSAJIT_OP_mul && from == TOSAJIT_I32 && k < sizeof shifts / sizeof *shifts; k++) {
        char text[24];
        snprintf(text, sizeof text, "shift %d", (int)shifts[k]);
        a.shift = shifts[k], add_job(op, from, to, &a, text, pairs);
    }
}

/* Order of running: the functions of f32, those of narrower types, what else takes one operand,
 * several operands, and last all pairs of 16-bit floating point. */
static int turn_of(tosajit_op op, tosajit_type from) {
    bool half = from == TOSAJIT_F16 || from == TOSAJIT_BF16;
    if (exhaustive_is_function(op) && tosajit_op_arity(op) == 1) return half ? 1 : 0;
    if (tosajit_op_arity(op) == 1) return 2;
    return tosajit_op_arity(op) == 2 && half ? 4 : 3;
}

/* True unless it is left out here: f64 and unsigned integers, which are this library's own and in
 * integer_test; the functions that are evaluated in it, which functions_test compares with MPFR,
 * and what is listed behind them, also reductions, whose results depend on more than an element of
 * each operand; table and rescale, whose parameters are operands too. */
static bool is_covered(tosajit_op op, tosajit_type from, tosajit_type to) {
    if (from >= TOSAJIT_F64 || to >= TOSAJIT_F64 || op == TOSAJIT_OP_table ||
        op == TOSAJIT_OP_rescale || op >= TOSAJIT_OP_exp2)
        return false;
    tosajit_type operands[TOSAJIT_MAX_ARITY] = {from, from, from};
    if (op == TOSAJIT_OP_select) operands[0] = TOSAJIT_I1;
    return tosajit_op_accepts(op, operands, to);
}

const job *exhaustive_jobs(size_t *count, uint64_t pairs) {
    job_count = 0;
    for (int turn = 0; turn < 5; turn++)
        for (int op = 0; op < TOSAJIT_OP_COUNT; op++)
            for (int from = 0; from < TOSAJIT_TYPE_COUNT; from++)
                for (int to = 0; to < TOSAJIT_TYPE_COUNT; to++)
                    if (turn_of((tosajit_op)op, (tosajit_type)from) == turn &&
                        is_covered((tosajit_op)op, (tosajit_type)from, (tosajit_type)to))
                        add_variants((tosajit_op)op, (tosajit_type)from, (tosajit_type)to, pairs);
    *count = job_count;
    return jobs;
}

/* Operands. */

/* 16-bit integers where something happens: small ones, powers of two with their neighbours, the
 * ends, and a lattice. */
static uint64_t structured(uint64_t n) {
    if (n < 256) return (n - 128) & 0xffff;
    if (n < 512) return ((UINT64_C(1) << (n - 256) / 16) + (n & 15) - 8) & 0xffff;
    if (n < 768) return (0x8000 + n - 640) & 0xffff;
    return (n - 768) * 257 & 0xffff;
}

static void structured_pair(uint64_t point, void *const *operands, size_t k) {
    bool swapped = point / (SIXTEEN_BITS * STRUCTURED) != 0;
    exhaustive_store(operands[swapped], k, 2, point / STRUCTURED & 0xffff);
    exhaustive_store(operands[!swapped], k, 2, structured(point % STRUCTURED));
}

static void split_point(const job *j, uint64_t point, void *const *operands, size_t k) {
    for (int o = j->arity; o-- > 0;) {
        exhaustive_store(operands[o], k, j->sizes[o], point);
        point >>= 8 * j->sizes[o];
    }
}

static void mixed_point(const job *j, uint64_t point, void *const *operands, size_t k) {
    test_random random = test_random_start(point);
    for (int o = 0; o < j->arity; o++)
        test_random_element(&random, j->operands[o], (uint8_t *)operands[o] + k * j->sizes[o]);
}

/* pow. Eight kinds of pairs in turn: everyday ones (2); special, ordinary and arbitrary ones;
 * frequent exponents; frequent bases; powers that are exact or midpoints of two f32; powers next to
 * 1; negative bases with integer exponents. */

static const float exponents[] = {2,    3,    4,     5,        -1,    -2,    0.5f, -0.5f,
                                  1.5f, 2.5f, 0.25f, 1.0f / 3, 0.75f, -1.5f, 7,    10};
static const float bases[] = {2,    10, 2.7182817f, 0.5f, 3,    0.1f, 1.0000001f, 0.99999994f,
                              1.5f, -2, -3,         0.9f, 1.1f, 5,    7,          -0.5f};

static float any_float(test_random *random) {
    uint32_t bits = (uint32_t)(test_random_next(random) >> 32);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* m^(2^i) 2^(e 2^i) and n / 2^i: the power is m^n 2^(e n). */
static void exact_power(test_random *random, float *x, float *y) {
    int i = (int)test_random_range(random, 0, 3), root = 1 << i;
    int64_t most = i == 0 ? 4095 : i == 1 ? 4095 : i == 2 ? 63 : 7;
    double m = (double)(test_random_range(random, 0, most / 2) * 2 + 1),
           e = (double)test_random_range(random, -12, 12);
    *x = (float)(pow(m, root) * exp2(e * root));
    *y = (float)test_random_range(random, -8, 24) / (float)root;
}

static void power_near_1(test_random *random, float *x, float *y) {
    *x = fabsf(any_float(random));
    *y = (float)(ldexp((double)test_random_range(random, -4194304, 4194304),
                       (int)test_random_range(random, -47, -42)) /
                 log((double)*x));
}

static void powers_of(uint64_t point, void *const *operands, size_t k) {
    test_random random = test_random_start(point);
    float x = 1.0f + (float)test_random_range(&random, -800000, 4000000) * 0x1p-20f,
          y = (float)test_random_range(&random, -1000000, 1000000) * 0x1p-15f;
    switch (point % 8) {
    case 0:
        test_random_element(&random, TOSAJIT_F32, &x);
        test_random_element(&random, TOSAJIT_F32, &y);
        break;
    case 1: x = any_float(&random), y = exponents[test_random_next(&random) >> 60]; break;
    case 2:
        x = bases[test_random_next(&random) >> 60],
        y = (float)test_random_range(&random, -(1 << 24), 1 << 24) * 0x1p-18f;
        break;
    case 3: exact_power(&random, &x, &y); break;
    case 4: power_near_1(&random, &x, &y); break;
    case 5: x = -x, y = floorf(y); break;
    default: break;
    }
    memcpy((uint8_t *)operands[0] + 4 * k, &x, 4);
    memcpy((uint8_t *)operands[1] + 4 * k, &y, 4);
}

static void all_bits(const job *j, uint64_t first, uint64_t step, size_t count, void *memory) {
    if (j->sizes[0] != 4) {
        for (size_t k = 0; k < count; k++)
            exhaustive_store(memory, k, j->sizes[0], first + k * step);
        return;
    }
    uint32_t *bits = memory;
    for (size_t k = 0; k < count; k++) {
        uint64_t point = first + k * step;
        /* The lowest bit is the sign: see the functions in exhaustive_reference.c. */
        bits[k] = (uint32_t)(point >> 1 | point << 31);
    }
}

static void all_pairs_of_16_bits(uint64_t first, uint64_t step, size_t count, uint16_t *a,
                                 uint16_t *b) {
    for (size_t k = 0; k < count; k++) {
        uint32_t point = (uint32_t)(first + k * step);
        a[k] = (uint16_t)(point >> 16), b[k] = (uint16_t)point;
    }
}

void exhaustive_operands(const job *j, uint64_t first, uint64_t step, size_t count,
                         void *const *operands) {
    if (j->source == SOURCE_ALL) {
        all_bits(j, first, step, count, operands[0]);
        return;
    }
    if (j->source == SOURCE_PAIRS && j->arity == 2 && j->sizes[0] == 2 && j->sizes[1] == 2) {
        all_pairs_of_16_bits(first, step, count, operands[0], operands[1]);
        return;
    }
    for (size_t k = 0; k < count; k++, first += step)
        if (j->source == SOURCE_PAIRS)
            split_point(j, first, operands, k);
        else if (j->source == SOURCE_STRUCTURED)
            structured_pair(first, operands, k);
        else if (j->source == SOURCE_MIXED)
            mixed_point(j, first, operands, k);
        else
            powers_of(first, operands, k);
}
