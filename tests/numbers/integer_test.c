/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Integer ops, quantisation and casts against the reference of integer_reference.h: every pair of
 * i8, every value of i16, f16, bf16 and the 8-bit formats, and structured and random values of the
 * wider types. A day has each of them on a sixth of the engines, drawn by TOSAJIT_SEED, which sets
 * the random values, too; TOSAJIT_THIN=1 has every engine. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/numbers/integer_reference.h"
#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tosajit/inspect.h"

static test_engine engines[TEST_MAX_ENGINES];
static size_t engine_count;
static test_random randoms;
static uint64_t checked;

/* Running. */

/* An op with its operands as constants or 1-D data, and what must come out. */
typedef struct subject {
    tosajit_op op;
    tosajit_type operand, result;
    tosajit_attributes attributes;
    int parameter_count;
    tosajit_tensor_type parameter_types[4];
    const void *parameters[4]; /* dense */
    size_t count;
    uint8_t *data[2], *expected;
} subject;

static void store_integer(tosajit_type type, uint8_t *at, int64_t value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (size_t k = 0; k < tosajit_type_size(type); k++) at[k] = (uint8_t)(bits >> 8 * k);
}

static int64_t load_integer(tosajit_type type, const uint8_t *at) {
    return type == TOSAJIT_I1 ? test_bits(type, at) != 0
                              : reference_number(type, test_bits(type, at));
}

static void *room(size_t bytes) {
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory) fail_msg("out of memory");
    return memory;
}

static void describe(const subject *s, const char *engine, char *text, size_t capacity) {
    const tosajit_attributes *a = &s->attributes;
    snprintf(text, capacity,
             "%s of %s to %s on %s (shift %d, zero points %d %d, round %d, unsigned %d %d, scale32 "
             "%d, mode %d)",
             tosajit_op_name(s->op), tosajit_type_name(s->operand), tosajit_type_name(s->result),
             engine, (int)a->shift, (int)a->input_zp, (int)a->output_zp, a->round,
             a->input_unsigned, a->output_unsigned, a->scale32, (int)a->rounding_mode);
}

static tosajit_kernel *compile(const subject *s, const test_engine *engine) {
    tosajit_expr *expr = NULL;
    tosajit_kernel *kernel = NULL;
    tosajit_value values[TOSAJIT_MAX_OPERANDS], value;
    int arity = tosajit_op_arity(s->op);
    tosajit_tensor_type type = {s->operand, 1, {TOSAJIT_DYNAMIC}},
                        result = {s->result, 1, {TOSAJIT_DYNAMIC}};
    tosajit_status status = tosajit_expr_create(NULL, &expr);
    for (int k = 0; !status && k < arity; k++) status = tosajit_expr_input(expr, &type, &values[k]);
    for (int k = 0; !status && k < s->parameter_count; k++)
        status = tosajit_expr_constant(expr, &s->parameter_types[k], s->parameters[k],
                                       &values[arity + k]);
    if (!status)
        status = tosajit_expr_op(expr, s->op, values, (size_t)(arity + s->parameter_count),
                                 &s->attributes, &result, &value);
    if (!status) status = tosajit_expr_result(expr, value);
    if (!status) status = tosajit_compile_expr(engine->engine, expr, &kernel);
    tosajit_expr_destroy(expr);
    char text[300];
    describe(s, engine->name, text, sizeof text);
    if (status) fail_msg("%s: %s", text, tosajit_last_error());
    return kernel;
}

static void compare(const subject *s, const test_engine *engine, const uint8_t *got) {
    size_t from = tosajit_type_size(s->operand), to = tosajit_type_size(s->result);
    char text[300];
    for (size_t k = 0; k < s->count; k++) {
        uint64_t is = test_bits(s->result, got + k * to),
                 should = test_bits(s->result, s->expected + k * to);
        if (test_same(s->result, is, should, 0)) continue;
        describe(s, engine->name, text, sizeof text);
        fail_msg("%s: element %zu of 0x%" PRIx64 ", 0x%" PRIx64 " is 0x%" PRIx64
                 ", expected 0x%" PRIx64,
                 text, k, test_bits(s->operand, s->data[0] + k * from),
                 s->data[1] ? test_bits(s->operand, s->data[1] + k * from) : 0, is, should);
    }
    checked += s->count;
}

/* The subject on the engines that are drawn for it. */
static void check(const subject *s) {
    enum { STANDARD_THINNING = 6 };
    static uint64_t subjects;
    int64_t dims[1] = {(int64_t)s->count};
    uint8_t *got = room(s->count * 8);
    for (size_t e = 0; e < engine_count; e++) {
        if (!test_is_drawn(subjects + e, STANDARD_THINNING)) continue;
        tosajit_tensor operands[2] = {tosajit_dense(s->operand, s->data[0], 1, dims),
                                      tosajit_dense(s->operand, s->data[1], 1, dims)};
        tosajit_tensor result = tosajit_dense(s->result, got, 1, dims);
        tosajit_kernel *kernel = compile(s, &engines[e]);
        if (tosajit_run(kernel, operands, tosajit_kernel_operand_count(kernel), &result, 1))
            fail_msg("%s", tosajit_last_error());
        compare(s, &engines[e], got);
        tosajit_kernel_release(kernel);
    }
    subjects++;
    free(got);
}

/* Values of integers. */

typedef struct values {
    tosajit_type type;
    size_t count, capacity;
    uint8_t *data;
} values;

static void add_value(values *v, int64_t value) {
    if (v->count == v->capacity) {
        v->capacity = v->capacity ? 2 * v->capacity : 1024;
        v->data = realloc(v->data, v->capacity * 8);
        if (!v->data) fail_msg("out of memory");
    }
    store_integer(v->type, v->data + v->count++ * tosajit_type_size(v->type), value);
}

/* All of a type up to 16 bits. */
static values all_values(tosajit_type type) {
    values v = {.type = type};
    const bool truth = type == TOSAJIT_I1;
    for (int64_t k = truth ? 0 : reference_least(type); k <= (truth ? 1 : reference_greatest(type));
         k++)
        add_value(&v, k);
    return v;
}

/* Powers of two and their neighbours, with both signs, which include every shift amount, the
 * extremes, and a few random ones. */
static values structured_values(tosajit_type type, int step, int more) {
    values v = {.type = type};
    int width = reference_width(type);
    for (int64_t k = -3; k <= width + 3; k++) add_value(&v, k);
    for (int exponent = 2; exponent < width; exponent += step)
        for (int64_t near = -1; near <= 1; near++) {
            uint64_t power = (UINT64_C(1) << exponent) + (uint64_t)near;
            add_value(&v, reference_signed(power, width));
            add_value(&v, reference_signed(0 - power, width));
        }
    const uint64_t smallest = UINT64_C(1) << (width - 1);
    for (uint64_t near = 0; near < 3; near++) {
        add_value(&v, reference_signed(smallest + near, width));
        add_value(&v, reference_signed(smallest - 1 - near, width));
    }
    for (int k = 0; k < more; k++)
        add_value(&v, reference_signed(test_random_next(&randoms), width));
    return v;
}

static void append_pair(subject *s, const uint8_t *a, const uint8_t *b) {
    size_t size = tosajit_type_size(s->operand);
    memcpy(s->data[0] + s->count * size, a, size);
    memcpy(s->data[1] + s->count * size, b, size);
    s->count++;
}

/* All pairs of structured values (of i8: of all values), and random pairs. */
static void fill_pairs(subject *s) {
    enum { RANDOM_PAIRS = 20000 };
    values v = reference_width(s->operand) == 8
                   ? all_values(s->operand)
                   : structured_values(s->operand, reference_width(s->operand) == 64 ? 3 : 2, 40);
    size_t size = tosajit_type_size(s->operand), capacity = v.count * v.count + RANDOM_PAIRS;
    for (int k = 0; k < 2; k++) s->data[k] = room(capacity * size);
    s->expected = room(capacity * 8);
    for (size_t a = 0; a < v.count; a++)
        for (size_t b = 0; b < v.count; b++) append_pair(s, v.data + a * size, v.data + b * size);
    for (int k = 0; k < RANDOM_PAIRS; k++) {
        uint64_t a = test_random_next(&randoms),
                 b = test_random_next(&randoms) >> test_random_range(&randoms, 0, 63);
        append_pair(s, (uint8_t *)&a, (uint8_t *)&b); /* little-endian: the low bytes */
    }
    free(v.data);
}

static void fill_values(subject *s) {
    values v = reference_width(s->operand) <= 16 ? all_values(s->operand)
                                                 : structured_values(s->operand, 1, 30000);
    s->data[0] = v.data;
    s->count = v.count;
    s->expected = room(v.count * 8);
}

static void release(subject *s) {
    free(s->data[0]);
    free(s->data[1]);
    free(s->expected);
}

static void ask(subject *s, reference expect) {
    size_t from = tosajit_type_size(s->operand), to = tosajit_type_size(s->result);
    for (size_t k = 0; k < s->count; k++) {
        question q = {load_integer(s->operand, s->data[0] + k * from),
                      0,
                      reference_width(s->operand),
                      s->result,
                      &s->attributes,
                      s->operand};
        if (s->data[1]) q.b = load_integer(s->operand, s->data[1] + k * from);
        store_integer(s->result, s->expected + k * to, expect(&q));
    }
    check(s);
}

/* Every setting of the attributes that matters. */
static void ask_with_attributes(subject *s, reference expect) {
    static const int32_t shifts[] = {1, 8, 30, 31, 32, 33, 47, 62, 63};
    tosajit_attributes *a = &s->attributes;
    if (s->op == TOSAJIT_OP_clamp) {
        for (int k = 0; k < 4; k++) {
            const int64_t low = test_is_unsigned(s->operand) ? 0 : -128;
            a->min_val.i = (int64_t[]){low, low / 16 + 1, 0, 127}[k];
            a->max_val.i = (int64_t[]){low + 255, 100, 0, 127}[k];
            ask(s, expect);
        }
        a->min_val.i = 127, a->max_val.i = reference_greatest(s->operand), ask(s, expect);
        a->min_val.i = a->max_val.i - 1, ask(s, expect);
        return;
    }
    ask(s, expect);
    if (s->op == TOSAJIT_OP_mul && s->operand == TOSAJIT_I32)
        for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k++)
            a->shift = shifts[k], ask(s, expect);
    if (s->op == TOSAJIT_OP_arithmetic_right_shift) a->round = 1, ask(s, expect);
    if (s->op == TOSAJIT_OP_cast && s->operand != TOSAJIT_I1 && !test_is_unsigned(s->operand))
        a->input_unsigned = 1, ask(s, expect);
    if (s->op == TOSAJIT_OP_negate && s->operand == TOSAJIT_I8)
        for (a->input_zp = -128; a->input_zp <= 127; a->input_zp += 85)
            for (a->output_zp = -128; a->output_zp <= 127; a->output_zp += 85) ask(s, expect);
}

static bool is_integer(tosajit_type type) { return !test_is_float(type); }

static void integer_ops_are_their_definitions(void **state) {
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        const reference expect = reference_of((tosajit_op)op);
        tosajit_type from[TOSAJIT_MAX_ARITY], to;
        for (unsigned next = 0; expect && test_next_signature((tosajit_op)op, &next, from, &to);) {
            if (!is_integer(from[0]) || !is_integer(to)) continue;
            subject s = {.op = (tosajit_op)op, .operand = from[0], .result = to};
            if (tosajit_op_arity(s.op) == 2)
                fill_pairs(&s);
            else
                fill_values(&s);
            ask_with_attributes(&s, expect);
            release(&s);
        }
    }
}

/* Every op that has an integer row has a reference, or a test below, or takes i1 only; reductions
 * have reduce_test, and gather has gather_test. */
static void every_integer_op_has_a_reference(void **state) {
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        tosajit_type from[TOSAJIT_MAX_ARITY], to;
        bool known = op == TOSAJIT_OP_table || op == TOSAJIT_OP_rescale ||
                     op == TOSAJIT_OP_select || op == TOSAJIT_OP_gather ||
                     test_reduces((tosajit_op)op) || reference_of((tosajit_op)op);
        bool wanted = false;
        for (unsigned next = 0; test_next_signature((tosajit_op)op, &next, from, &to);)
            wanted |= from[0] != TOSAJIT_I1 && is_integer(from[0]);
        if (wanted && !known) fail_msg("no reference for %s", tosajit_op_name((tosajit_op)op));
    }
}

/* Quantisation. */

/* Random legal parameters: the multiplier and the shift so that results of every size occur. */
static void check_rescale(subject *s, const uint8_t *all, size_t count) {
    size_t from = tosajit_type_size(s->operand), to = tosajit_type_size(s->result);
    int64_t numbers[4];
    uint8_t bytes[4][8];
    for (int k = 0; k < 4; k++) {
        test_parameter p = test_parameter_of(s->op, k, s->operand, s->result, &s->attributes);
        /* A shift that leaves results in range. */
        bool near = k == 1 && test_random_chance(&randoms, 60);
        memset(bytes[k], 0, sizeof bytes[k]);
        test_parameter_element(&randoms, &p, bytes[k]);
        if (near)
            bytes[k][0] = (uint8_t)test_random_range(&randoms, s->attributes.scale32 ? 26 : 10,
                                                     s->attributes.scale32 ? 40 : 24);
        numbers[k] = load_integer(p.element, bytes[k]);
        if ((k == 2 && s->attributes.input_unsigned) || (k == 3 && s->attributes.output_unsigned))
            numbers[k] = reference_unsigned(numbers[k], reference_width(p.element));
        s->parameter_types[k] = (tosajit_tensor_type){p.element, 1, {1}};
        s->parameters[k] = bytes[k];
    }
    s->parameter_count = 4;
    memcpy(s->data[0], all, count * from);
    for (size_t k = 0; k < count; k++) {
        const question q = {load_integer(s->operand, s->data[0] + k * from),
                            0,
                            reference_width(s->operand),
                            s->result,
                            &s->attributes,
                            s->operand};
        store_integer(s->result, s->expected + k * to, reference_rescale(&q, numbers));
    }
    check(s);
}

static void rescale_is_its_definition(void **state) {
    tosajit_type from[TOSAJIT_MAX_ARITY], to;
    for (unsigned next = 0; test_next_signature(TOSAJIT_OP_rescale, &next, from, &to);) {
        values v = reference_width(from[0]) <= 8 ? all_values(from[0])
                                                 : structured_values(from[0], 1, 2000);
        subject s = {.op = TOSAJIT_OP_rescale, .operand = from[0], .result = to, .count = v.count};
        s.data[0] = room(v.count * 8);
        s.expected = room(v.count * 8);
        for (int k = 0; k < 6; k++) {
            s.attributes = test_random_scaling(&randoms, from[0], to);
            s.attributes.per_channel = 0;
            check_rescale(&s, v.data, v.count);
        }
        free(v.data);
        release(&s);
    }
}

/* The code of rescale depends on what is known of its parameters: on where shifts begin and end, on
 * how large multipliers are. So: bounds of both, around all at which another way begins. */
typedef struct scale_bounds {
    int64_t first_shift, last_shift, first_multiplier, last_multiplier;
} scale_bounds;

enum { LEAST_SHIFT = 2, MOST_SHIFT = 62, LARGE = 1 << 30 };
static const scale_bounds bounds[] = {
    {2, 16, 0, INT32_MAX},      {2, 8, 0, 70000},           {10, 16, LARGE, INT32_MAX},
    {14, 30, 0, INT16_MAX},     {14, 30, 0, INT32_MAX},     {17, 31, 0, INT32_MAX},
    {17, 46, 0, INT32_MAX},     {32, 46, 0, INT32_MAX},     {31, 47, LARGE, INT32_MAX},
    {31, 41, LARGE, INT32_MAX}, {30, 40, LARGE, INT32_MAX}, {29, 50, LARGE >> 8, INT32_MAX},
    {32, 44, LARGE, INT32_MAX}, {33, 62, 0, INT32_MAX},     {33, 45, LARGE, INT32_MAX},
    {40, 62, 0, INT32_MAX},     {2, 62, 0, INT32_MAX},
};

static int64_t edge_between(int64_t low, int64_t high) {
    const int64_t some = test_random_range(&randoms, low, high);
    const int kind = (int)test_random_range(&randoms, 0, 9);
    if (kind == 0) return low;
    if (kind == 1) return high;
    if (kind > 3) return some;
    /* a power of two, or a neighbour */
    int64_t power = (INT64_C(1) << test_random_range(&randoms, 0, 31)) + kind - 3;
    return power < low ? low : power > high ? high : power;
}

/* A multiplier and a shift for each element, or the first ones for all. */
static void check_channels(subject *s, const scale_bounds *b, const uint8_t *all, bool each) {
    size_t from = tosajit_type_size(s->operand), to = tosajit_type_size(s->result);
    const int32_t most = s->attributes.scale32 ? INT32_MAX : INT16_MAX;
    const size_t width = s->attributes.scale32 ? 4 : 2, parameters = each ? s->count : 1;
    uint8_t *multipliers = room(parameters * width), *shifts = room(parameters), zero_points[2][8];
    int64_t numbers[4];
    const tosajit_type types[] = {s->attributes.scale32 ? TOSAJIT_I32 : TOSAJIT_I16, TOSAJIT_I8};
    for (int k = 0; k < 2; k++) {
        test_parameter p = test_parameter_of(s->op, 2 + k, s->operand, s->result, &s->attributes);
        memset(zero_points[k], 0, sizeof zero_points[k]);
        test_parameter_element(&randoms, &p, zero_points[k]);
        numbers[2 + k] = load_integer(p.element, zero_points[k]);
        if (k ? s->attributes.output_unsigned : s->attributes.input_unsigned)
            numbers[2 + k] = reference_unsigned(numbers[2 + k], reference_width(p.element));
        s->parameter_types[2 + k] = (tosajit_tensor_type){p.element, 1, {1}};
        s->parameters[2 + k] = zero_points[k];
        s->parameter_types[k] = (tosajit_tensor_type){types[k], 1, {(int64_t)parameters}};
        s->parameters[k] = k ? shifts : multipliers;
    }
    s->parameter_count = 4;
    s->attributes.per_channel = each;
    memcpy(s->data[0], all, s->count * from);
    for (size_t k = 0; k < s->count; k++) {
        if (k < parameters) {
            numbers[0] = edge_between(b->first_multiplier < most ? b->first_multiplier : most,
                                      b->last_multiplier < most ? b->last_multiplier : most);
            numbers[1] = edge_between(b->first_shift, b->last_shift);
            store_integer(types[0], multipliers + k * width, numbers[0]);
            shifts[k] = (uint8_t)numbers[1];
        }
        const question q = {load_integer(s->operand, all + k * from),
                            0,
                            reference_width(s->operand),
                            s->result,
                            &s->attributes,
                            s->operand};
        store_integer(s->result, s->expected + k * to, reference_rescale(&q, numbers));
    }
    check(s);
    free(multipliers);
    free(shifts);
}

/* Each of the bounds for channels; and every shift, with some multiplier, for all elements. They
 * are several thousand kernels, of which a day has its part. */
static void rescale_is_its_definition_by_every_way(void **state) {
    enum { STANDARD_THINNING = 8 };
    uint64_t drawn = 0;
    tosajit_type from[TOSAJIT_MAX_ARITY], to;
    for (unsigned next = 0; test_next_signature(TOSAJIT_OP_rescale, &next, from, &to);) {
        values v = reference_width(from[0]) <= 8 ? all_values(from[0])
                                                 : structured_values(from[0], 1, 700);
        subject s = {.op = TOSAJIT_OP_rescale, .operand = from[0], .result = to, .count = v.count};
        s.data[0] = room(v.count * 8);
        s.expected = room(v.count * 8);
        for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
            if (!test_is_drawn(drawn++, STANDARD_THINNING)) continue;
            s.attributes = test_random_scaling(&randoms, from[0], to);
            check_channels(&s, &bounds[k], v.data, true);
        }
        for (int64_t shift = LEAST_SHIFT; shift <= MOST_SHIFT; shift++) {
            if (!test_is_drawn(drawn++, STANDARD_THINNING)) continue;
            /* Normalised ones, as models have them, and any. */
            const scale_bounds all = {shift, shift, shift % 2 ? LARGE : 0, INT32_MAX};
            s.attributes = test_random_scaling(&randoms, from[0], to);
            check_channels(&s, &all, v.data, false);
        }
        free(v.data);
        release(&s);
    }
}

/* Entries of every kind that code tells apart: any; affine, up or down, limited or not, with one
 * entry beside it or none; rows of 16 that repeat; one value. */
static int8_t kind_of_entry(int kind, int index, int8_t some) {
    const int rows[] = {3, 3, -7, -7, -7, 0, 0, 9, 9, 9, 9, 1, -1, -1, -1, -1};
    const int64_t line = (int64_t)index * (kind % 2 ? -1173 : 911) / 1024 + kind - 5;
    const int64_t limit = kind < 5 ? 127 : 40;
    switch (kind) {
    case 0: return some;
    case 1: return (int8_t)rows[index / 16 + 8 - (index < 0 && index % 16 != 0)];
    case 2: return -5;
    default:
        if (kind == 8 && index == 77) return -100;
        return (int8_t)(line < -limit ? -limit : line > limit ? limit : line);
    }
}

/* Every i8 and every i16. i16, TOSA 1.1, TABLE: the upper 9 bits choose a segment, the lower 7 are
 * how far into it. */
static void table_is_its_definition(void **state) {
    enum { WIDE = 2, KINDS = 9 };
    for (int k = 0; k < WIDE + KINDS; k++) {
        bool small = k >= WIDE;
        subject s = {.op = TOSAJIT_OP_table,
                     .operand = small ? TOSAJIT_I8 : TOSAJIT_I16,
                     .result = small ? TOSAJIT_I8 : TOSAJIT_I32};
        int16_t wide_table[513];
        int8_t narrow_table[256];
        for (size_t n = 0; n < 513; n++) test_random_element(&randoms, TOSAJIT_I16, &wide_table[n]);
        for (int n = 0; n < 256; n++) {
            int8_t some;
            test_random_element(&randoms, TOSAJIT_I8, &some);
            narrow_table[n] = kind_of_entry(k - WIDE, n - 128, some);
        }
        s.parameter_types[0] = (tosajit_tensor_type){s.operand, 1, {small ? 256 : 513}};
        s.parameters[0] = small ? (const void *)narrow_table : wide_table;
        s.parameter_count = 1;
        fill_values(&s);
        /* Values in order: n is the value above the smallest. */
        for (size_t n = 0; n < s.count; n++) {
            int64_t left = wide_table[small ? 0 : n / 128],
                    right = wide_table[small ? 0 : n / 128 + 1], part = (int64_t)(n % 128);
            store_integer(s.result, s.expected + n * tosajit_type_size(s.result),
                          small ? narrow_table[n] : left * (128 - part) + right * part);
        }
        check(&s);
        release(&s);
    }
}

/* table, and a cast behind it that decides how many entries are looked up at once. */
static tosajit_kernel *table_and_cast(tosajit_engine *engine, tosajit_type to) {
    tosajit_expr *expr;
    tosajit_kernel *kernel = NULL;
    tosajit_value x[2], y;
    tosajit_tensor_type operand = test_type(TOSAJIT_I8, "?x?"),
                        entries = test_type(TOSAJIT_I8, "256"), result = test_type(to, "*");
    tosajit_status status = tosajit_expr_create(NULL, &expr);
    if (!status) status = tosajit_expr_input(expr, &operand, &x[0]);
    if (!status) status = tosajit_expr_input(expr, &entries, &x[1]);
    if (!status) status = tosajit_expr_op(expr, TOSAJIT_OP_table, x, 2, NULL, NULL, &y);
    if (!status && to != TOSAJIT_I8)
        status = tosajit_expr_op(expr, TOSAJIT_OP_cast, &y, 1, NULL, &result, &y);
    if (!status) status = tosajit_expr_result(expr, y);
    if (!status) status = tosajit_compile_expr(engine, expr, &kernel);
    if (status) fail_msg("table and cast to %s: %s", tosajit_type_name(to), tosajit_last_error());
    tosajit_expr_destroy(expr);
    return kernel;
}

static int64_t number_of(tosajit_type type, const uint8_t *element) {
    float f;
    double d;
    memcpy(&f, element, sizeof f);
    memcpy(&d, element, sizeof d);
    return type == TOSAJIT_F32   ? (int64_t)f
           : type == TOSAJIT_F64 ? (int64_t)d
                                 : load_integer(type, element);
}

/* Rows of this length, of all i8 in turn, and a table whose entries lie that far apart. */
static void check_table_view(const test_engine *e, const tosajit_kernel *kernel, tosajit_type to,
                             int64_t columns, int64_t stride) {
    static int8_t memory[3 * 256], operands[256 + 16];
    static uint8_t results[8 * (256 + 16) + 8];
    const int64_t count = sizeof operands, dims[2] = {count / columns, columns}, entries[1] = {256};
    int8_t *first = stride < 0 ? memory + 255 : memory;
    for (size_t k = 0; k < sizeof memory; k++)
        test_random_element(&randoms, TOSAJIT_I8, &memory[k]);
    for (int64_t k = 0; k < count; k++) operands[k] = (int8_t)(uint8_t)k;
    tosajit_tensor in[2] = {tosajit_dense(TOSAJIT_I8, operands, 2, dims),
                            tosajit_dense(TOSAJIT_I8, first, 1, entries)};
    in[1].strides = &stride;
    tosajit_tensor out = tosajit_dense(to, results, 2, dims);
    if (tosajit_run(kernel, in, 2, &out, 1)) fail_msg("%s: %s", e->name, tosajit_last_error());
    for (int64_t k = 0; k < dims[0] * columns; k++) {
        int64_t found = number_of(to, results + (size_t)k * tosajit_type_size(to)),
                expected = first[(operands[k] + 128) * stride];
        if (found != expected)
            fail_msg("%s: table to %s, %" PRId64 " columns, stride %" PRId64
                     ": of %d it is %" PRId64 ", should be %" PRId64,
                     e->name, tosajit_type_name(to), columns, stride, operands[k], found, expected);
    }
    checked += (uint64_t)(dims[0] * columns);
}

static void tables_may_lie_anywhere(void **state) {
    static const tosajit_type results[] = {TOSAJIT_I8, TOSAJIT_I16, TOSAJIT_I32, TOSAJIT_F32,
                                           TOSAJIT_F64};
    static const int64_t columns[] = {272, 37, 16, 7, 1}, strides[] = {1, 3, -1, 0};
    for (size_t e = 0; e < engine_count; e++)
        for (size_t r = 0; r < sizeof results / sizeof *results; r++) {
            tosajit_kernel *kernel = table_and_cast(engines[e].engine, results[r]);
            for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
                for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
                    check_table_view(&engines[e], kernel, results[r], columns[c], strides[s]);
            tosajit_kernel_release(kernel);
        }
}

/* Casts from and to floating point. */

static void store_number(tosajit_type type, uint8_t *at, double number) {
    float single = (float)number; /* the compiler's conversion: to nearest, overflow to infinity */
    if (type == TOSAJIT_F64)
        memcpy(at, &number, sizeof number);
    else if (type == TOSAJIT_F32)
        memcpy(at, &single, sizeof single);
    else if (test_is_float(type))
        store_integer(type, at, (int64_t)reference_encode(type, number));
    else
        store_integer(type, at, type == TOSAJIT_I1 ? number != 0 : reference_round(number, type));
}

static void cast_all(subject *s) {
    size_t from = tosajit_type_size(s->operand), to = tosajit_type_size(s->result);
    s->expected = room(s->count * to);
    for (size_t k = 0; k < s->count; k++) {
        const uint8_t *at = s->data[0] + k * from;
        double number;
        if (test_is_float(s->operand)) {
            number = reference_decode(s->operand, test_bits(s->operand, at));
        } else {
            int64_t integer = load_integer(s->operand, at);
            if (s->attributes.input_unsigned)
                integer = reference_unsigned(integer, reference_width(s->operand));
            number = (s->result == TOSAJIT_F64 ? reference_double : reference_to_odd)(s->operand,
                                                                                      integer);
        }
        store_number(s->result, s->expected + k * to, number);
    }
    check(s);
    free(s->expected);
    s->expected = NULL;
}

static void add_bits(values *v, uint64_t bits) {
    int64_t value;
    memcpy(&value, &bits, sizeof value);
    add_value(v, value);
}

/* Every n-th, and all around the values and the midpoints of f16, bf16 and the 8-bit formats. */
static values many_f32(void) {
    values v = {.type = TOSAJIT_F32};
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 40009) add_bits(&v, bits);
    for (uint64_t high = 0; high < 65536; high++)
        for (size_t k = 0; k < 4; k++)
            add_bits(&v, high << 16 | (uint64_t[]){0, 0x7fff, 0x8000, 0x8001}[k]);
    for (uint64_t high = UINT64_C(100) << 10; high < UINT64_C(145) << 10; high++)
        for (size_t k = 0; k < 4; k++)
            add_bits(&v, (high & 1) << 31 | high << 13 | (uint64_t[]){0, 0xfff, 0x1000, 0x1001}[k]);
    return v;
}

/* Values of f16, bf16 and f32, their midpoints, those a last place or 2^-40 beside them, integers
 * and halves, random bits. */
static values many_f64(void) {
    values v = {.type = TOSAJIT_F64};
    for (int t = TOSAJIT_F16; t <= TOSAJIT_F32; t++)
        for (int k = 0; k < 8000; k++) {
            uint64_t bits = 0;
            test_random_element(&randoms, (tosajit_type)t, &bits);
            double number = reference_decode((tosajit_type)t, bits),
                   next = reference_decode((tosajit_type)t, bits + 1), middle = (number + next) / 2;
            const double near[] = {number,
                                   middle,
                                   nextafter(middle, 0),
                                   nextafter(middle, number * 4),
                                   middle * (1 + 0x1p-40),
                                   -middle};
            for (size_t n = 0; n < sizeof near / sizeof *near; n++) {
                memcpy(&bits, &near[n], sizeof bits);
                add_bits(&v, bits);
            }
        }
    for (int exponent = -2; exponent < 66; exponent++)
        for (double near = -2; near <= 2; near += 0.5) {
            uint64_t bits;
            double number = ldexp(1, exponent) + near;
            memcpy(&bits, &number, sizeof bits);
            add_bits(&v, bits);
            add_bits(&v, bits | UINT64_C(1) << 63);
        }
    for (uint64_t exponent = 1023 - 2; exponent < 1023 + 66; exponent++)
        for (int k = 0; k < 200; k++) /* of any fraction and sign */
            add_bits(&v, (test_random_next(&randoms) & ~(UINT64_C(0x7ff) << 52)) | exponent << 52);
    for (int k = 0; k < 20000; k++) add_bits(&v, test_random_next(&randoms));
    return v;
}

static values cast_operands(tosajit_type type) {
    values v = {.type = type};
    if (type == TOSAJIT_F32) return many_f32();
    if (type == TOSAJIT_F64) return many_f64();
    if (is_integer(type))
        return reference_width(type) <= 16 ? all_values(type) : structured_values(type, 1, 50000);
    for (uint64_t bits = 0; bits >> 8 * tosajit_type_size(type) == 0; bits++) add_bits(&v, bits);
    return v;
}

static void casts_are_their_definition(void **state) {
    for (int t = 0; t < TOSAJIT_TYPE_COUNT; t++) {
        values v = cast_operands((tosajit_type)t);
        for (int to = 0; to < TOSAJIT_TYPE_COUNT; to++) {
            subject s = {.op = TOSAJIT_OP_cast,
                         .operand = v.type,
                         .result = (tosajit_type)to,
                         .count = v.count,
                         .data = {v.data}};
            if (!tosajit_op_accepts(s.op, &s.operand, s.result) ||
                (!test_is_float(s.operand) && !test_is_float(s.result)))
                continue;
            cast_all(&s);
            s.attributes.input_unsigned = 1;
            if (is_integer(s.operand) && s.operand != TOSAJIT_I1 && s.operand != TOSAJIT_I64 &&
                !test_is_unsigned(s.operand))
                cast_all(&s);
        }
        free(v.data);
    }
}

static int open_fixture(void **state) {
    randoms = test_random_start(test_seed());
    engine_count = test_engines_open(engines, TOSAJIT_EXACT);
    return engine_count && reference_open() ? 0 : -1;
}

static int close_fixture(void **state) {
    printf("  %" PRIu64 " elements\n", checked);
    reference_close();
    test_engines_close(engines, engine_count);
    return 0;
}

int main(void) {
    return TEST_RUN(open_fixture, close_fixture, TEST(every_integer_op_has_a_reference),
                    TEST(integer_ops_are_their_definitions), TEST(rescale_is_its_definition),
                    TEST(rescale_is_its_definition_by_every_way), TEST(table_is_its_definition),
                    TEST(tables_may_lie_anywhere), TEST(casts_are_their_definition));
}
