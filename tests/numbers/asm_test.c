/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The code of key kernels, without a clock and from any machine: the hot loop of each must take its
 * elements in whole vectors, load every operand and store every result once, keep everything in
 * registers, and need no more instructions than the table below says. In: nothing. Out: a line per
 * kernel and CPU level; where something is wrong, the loop. */
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <llvm/Config/llvm-config.h>

#include "tests/support/assembly.h"
#include "tosajit/inspect.h"

/* Building. The first failure stays in `status`; what follows it does nothing. */

typedef struct building {
    tosajit_expr *expr;
    tosajit_status status;
} building;

static tosajit_value input(building *b, tosajit_type type, int64_t rows, int64_t cols) {
    tosajit_tensor_type shape = tosajit_ranked(type, 2, (int64_t[]){rows, cols});
    tosajit_value value = 0;
    if (!b->status) b->status = tosajit_expr_input(b->expr, &shape, &value);
    return value;
}

/* Sizes that whole steps of every loop divide, so that there is one loop. */
enum { ROWS = 16, COLS = 256 };
static tosajit_value tensor(building *b, tosajit_type type) { return input(b, type, ROWS, COLS); }

static tosajit_value op(building *b, tosajit_op op, const tosajit_value *operands, size_t count,
                        const tosajit_attributes *attributes, tosajit_type result) {
    tosajit_tensor_type declared = {result, TOSAJIT_UNRANKED, {0}};
    tosajit_value value = 0;
    if (!b->status)
        b->status = tosajit_expr_op(b->expr, op, operands, count, attributes, &declared, &value);
    return value;
}

static tosajit_value unary(building *b, tosajit_op o, tosajit_value x, tosajit_type result) {
    return op(b, o, (tosajit_value[]){x}, 1, NULL, result);
}

static tosajit_value binary(building *b, tosajit_op o, tosajit_value x, tosajit_value y,
                            tosajit_type result) {
    return op(b, o, (tosajit_value[]){x, y}, 2, NULL, result);
}

static tosajit_value parameter(building *b, tosajit_type type, int32_t number) {
    tosajit_tensor_type one = tosajit_ranked(type, 1, (int64_t[]){1});
    int8_t byte = (int8_t)number;
    tosajit_value value = 0;
    if (!b->status)
        b->status = tosajit_expr_constant(
            b->expr, &one, type == TOSAJIT_I8 ? (void *)&byte : (void *)&number, &value);
    return value;
}

/* Kernels. */

static tosajit_value add_f32(building *b) {
    return binary(b, TOSAJIT_OP_add, tensor(b, TOSAJIT_F32), tensor(b, TOSAJIT_F32), TOSAJIT_F32);
}
static tosajit_value mul_f32(building *b) {
    return binary(b, TOSAJIT_OP_mul, tensor(b, TOSAJIT_F32), tensor(b, TOSAJIT_F32), TOSAJIT_F32);
}
static tosajit_value add_f16(building *b) {
    return binary(b, TOSAJIT_OP_add, tensor(b, TOSAJIT_F16), tensor(b, TOSAJIT_F16), TOSAJIT_F16);
}
static tosajit_value exp_bf16(building *b) {
    return unary(b, TOSAJIT_OP_exp, tensor(b, TOSAJIT_BF16), TOSAJIT_BF16);
}
static tosajit_value exp_f32(building *b) {
    return unary(b, TOSAJIT_OP_exp, tensor(b, TOSAJIT_F32), TOSAJIT_F32);
}
static tosajit_value sigmoid_f32(building *b) {
    return unary(b, TOSAJIT_OP_sigmoid, tensor(b, TOSAJIT_F32), TOSAJIT_F32);
}
static tosajit_value cast_f32_i8(building *b) {
    return unary(b, TOSAJIT_OP_cast, tensor(b, TOSAJIT_F32), TOSAJIT_I8);
}
static tosajit_value cast_f32_i32(building *b) {
    return unary(b, TOSAJIT_OP_cast, tensor(b, TOSAJIT_F32), TOSAJIT_I32);
}
static tosajit_value cast_f64_i64(building *b) {
    return unary(b, TOSAJIT_OP_cast, tensor(b, TOSAJIT_F64), TOSAJIT_I64);
}
static tosajit_value cast_f32_u8(building *b) {
    return unary(b, TOSAJIT_OP_cast, tensor(b, TOSAJIT_F32), TOSAJIT_U8);
}
/* With a number. */
static tosajit_value with(building *b, tosajit_op o, tosajit_value x, float number) {
    const tosajit_tensor_type one = tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){1, 1});
    tosajit_value y = 0;
    if (!b->status) b->status = tosajit_expr_constant(b->expr, &one, &number, &y);
    return binary(b, o, x, y, TOSAJIT_F32);
}

/* A line of bytes: to f32, a product, a sum, and back. */
static tosajit_value line_u8(building *b) {
    tosajit_value x = unary(b, TOSAJIT_OP_cast, tensor(b, TOSAJIT_U8), TOSAJIT_F32);
    x = with(b, TOSAJIT_OP_add, with(b, TOSAJIT_OP_mul, x, 1.37f), -20.25f);
    return unary(b, TOSAJIT_OP_cast, x, TOSAJIT_U8);
}

/* As ONNX has it: rounded, and a zero point. */
static tosajit_value quantise(building *b, tosajit_value x, float zero, tosajit_type result) {
    x = unary(b, TOSAJIT_OP_roundeven, x, TOSAJIT_F32);
    return unary(b, TOSAJIT_OP_cast, with(b, TOSAJIT_OP_add, x, zero), result);
}
static tosajit_value quantise_u8(building *b) {
    tosajit_value x = with(b, TOSAJIT_OP_divide, tensor(b, TOSAJIT_F32), 0.0173f);
    return quantise(b, x, 128, TOSAJIT_U8);
}

/* A sum of bytes with scales and zero points, by way of f32. */
static tosajit_value quantised_sum_i8(building *b) {
    tosajit_value x[2];
    for (int k = 0; k < 2; k++) {
        x[k] = unary(b, TOSAJIT_OP_cast, tensor(b, TOSAJIT_I8), TOSAJIT_F32);
        x[k] = with(b, TOSAJIT_OP_mul, with(b, TOSAJIT_OP_add, x[k], 7), k ? 0.0173f : 0.0291f);
    }
    return quantise(b, binary(b, TOSAJIT_OP_add, x[0], x[1], TOSAJIT_F32), -5, TOSAJIT_I8);
}

static tosajit_value maximum_of(building *b, tosajit_type type) {
    return binary(b, TOSAJIT_OP_maximum, tensor(b, type), tensor(b, type), type);
}
static tosajit_value maximum_f32(building *b) { return maximum_of(b, TOSAJIT_F32); }
static tosajit_value maximum_bf16(building *b) { return maximum_of(b, TOSAJIT_BF16); }

static tosajit_value xor_i8(building *b) {
    return binary(b, TOSAJIT_OP_bitwise_xor, tensor(b, TOSAJIT_I8), tensor(b, TOSAJIT_I8),
                  TOSAJIT_I8);
}

static tosajit_value clamp_i8(building *b) {
    tosajit_value x = tensor(b, TOSAJIT_I8);
    return op(b, TOSAJIT_OP_clamp, &x, 1,
              &(tosajit_attributes){.min_val = {.i = -3}, .max_val = {.i = 100}}, TOSAJIT_I8);
}

static tosajit_value minimum_f32(building *b) {
    return binary(b, TOSAJIT_OP_minimum, tensor(b, TOSAJIT_F32), tensor(b, TOSAJIT_F32),
                  TOSAJIT_F32);
}

static tosajit_value shift_i32(building *b) {
    return binary(b, TOSAJIT_OP_logical_left_shift, tensor(b, TOSAJIT_I32), tensor(b, TOSAJIT_I32),
                  TOSAJIT_I32);
}

static tosajit_value select_f32(building *b) {
    tosajit_value operands[3] = {tensor(b, TOSAJIT_I1), tensor(b, TOSAJIT_F32),
                                 tensor(b, TOSAJIT_F32)};
    return op(b, TOSAJIT_OP_select, operands, 3, NULL, TOSAJIT_F32);
}

static tosajit_value mul_i32_shift(building *b) {
    tosajit_value operands[2] = {tensor(b, TOSAJIT_I32), tensor(b, TOSAJIT_I32)};
    return op(b, TOSAJIT_OP_mul, operands, 2, &(tosajit_attributes){.shift = 20}, TOSAJIT_I32);
}

static tosajit_value row_f32(building *b) {
    return binary(b, TOSAJIT_OP_add, tensor(b, TOSAJIT_F32), input(b, TOSAJIT_F32, 1, COLS),
                  TOSAJIT_F32);
}

static tosajit_value splat_f32(building *b) {
    return binary(b, TOSAJIT_OP_add, tensor(b, TOSAJIT_F32), input(b, TOSAJIT_F32, 1, 1),
                  TOSAJIT_F32);
}

/* Bias and ReLU6. */
static tosajit_value bias_clamp_f32(building *b) {
    tosajit_value sum = row_f32(b);
    return op(b, TOSAJIT_OP_clamp, &sum, 1,
              &(tosajit_attributes){.min_val = {.f = 0}, .max_val = {.f = 6}}, TOSAJIT_F32);
}

/* Sums of products back to i8. */
static tosajit_value requantize_i8(building *b) {
    tosajit_value sum = binary(b, TOSAJIT_OP_add, tensor(b, TOSAJIT_I32),
                               input(b, TOSAJIT_I32, 1, COLS), TOSAJIT_I32);
    tosajit_value operands[5] = {sum, parameter(b, TOSAJIT_I32, 1518500250),
                                 parameter(b, TOSAJIT_I8, 37), parameter(b, TOSAJIT_I32, 0),
                                 parameter(b, TOSAJIT_I8, -3)};
    return op(b, TOSAJIT_OP_rescale, operands, 5,
              &(tosajit_attributes){.scale32 = 1, .rounding_mode = TOSAJIT_SINGLE_ROUND},
              TOSAJIT_I8);
}

static tosajit_value rescaled(building *b, tosajit_value x, int32_t multiplier, int32_t shift,
                              tosajit_type operand, tosajit_type result) {
    tosajit_value operands[5] = {x, parameter(b, TOSAJIT_I32, multiplier),
                                 parameter(b, TOSAJIT_I8, shift), parameter(b, operand, 0),
                                 parameter(b, result, 0)};
    return op(b, TOSAJIT_OP_rescale, operands, 5,
              &(tosajit_attributes){.scale32 = 1, .rounding_mode = TOSAJIT_DOUBLE_ROUND}, result);
}

/* Two i8 with scales of their own. */
static tosajit_value residual_i8(building *b) {
    tosajit_value x = rescaled(b, tensor(b, TOSAJIT_I8), 1073741824, 11, TOSAJIT_I8, TOSAJIT_I32),
                  y = rescaled(b, tensor(b, TOSAJIT_I8), 1573741824, 12, TOSAJIT_I8, TOSAJIT_I32);
    return rescaled(b, binary(b, TOSAJIT_OP_add, x, y, TOSAJIT_I32), 1373741824, 49, TOSAJIT_I32,
                    TOSAJIT_I8);
}

/* What a loop does in one step: elements, exactly, or 1 where it goes from row to row;
 * instructions, the two or three of the loop itself included, at most; loads of operands and stores
 * of results, exactly; constants that it loads again and again, and values that it keeps on the
 * stack, at most. */
typedef struct expectation {
    int elements, instructions, loads, stores, constants, spills;
} expectation;

/* `narrow`: narrower registers take part, as they do where types of two sizes meet. */
typedef struct row {
    const char *name;
    tosajit_value (*build)(building *b);
    tosajit_accuracy accuracy;
    bool narrow;
    expectation v3, v4;
} row;

static const row rows[] = {
    {"add", add_f32, TOSAJIT_EXACT, false, {32, 15, 8, 4, 0, 0}, {64, 15, 8, 4, 0, 0}},
    {"mul", mul_f32, TOSAJIT_EXACT, false, {32, 15, 8, 4, 0, 0}, {64, 15, 8, 4, 0, 0}},
    {"maximum", maximum_f32, TOSAJIT_EXACT, false, {32, 35, 8, 4, 0, 0}, {64, 33, 8, 4, 1, 0}},
    {"minimum", minimum_f32, TOSAJIT_EXACT, false, {32, 27, 8, 4, 0, 0}, {64, 27, 8, 4, 0, 0}},
    {"select", select_f32, TOSAJIT_EXACT, true, {32, 23, 12, 4, 0, 0}, {64, 20, 9, 4, 0, 0}},
    {"cast f32 -> i8",
     cast_f32_i8,
     TOSAJIT_EXACT,
     true,
     {32, 28, 4, 1, 0, 0},
     {64, 30, 4, 1, 0, 0}},
    {"cast f32 -> u8",
     cast_f32_u8,
     TOSAJIT_EXACT,
     true,
     {32, 16, 4, 1, 0, 0},
     {64, 16, 4, 1, 0, 0}},
    {"cast f32 -> i32",
     cast_f32_i32,
     TOSAJIT_EXACT,
     false,
     {32, 31, 4, 4, 0, 0},
     {64, 27, 4, 4, 0, 0}},
    {"cast f64 -> i64",
     cast_f64_i64,
     TOSAJIT_EXACT,
     false,
     {16, 63, 4, 4, 0, 0},
     {32, 27, 4, 4, 0, 0}},
    {"quantise u8", quantise_u8, TOSAJIT_EXACT, true, {32, 26, 4, 1, 0, 0}, {64, 26, 4, 1, 0, 0}},
    {"quantised sum of i8",
     quantised_sum_i8,
     TOSAJIT_EXACT,
     true,
     {32, 50, 8, 1, 0, 0},
     {64, 50, 8, 1, 0, 0}},
    {"line of u8", line_u8, TOSAJIT_EXACT, false, {64, 27, 2, 2, 0, 0}, {128, 27, 2, 2, 0, 0}},
    {"clamp i8", clamp_i8, TOSAJIT_EXACT, false, {128, 15, 4, 4, 0, 0}, {256, 15, 4, 4, 0, 0}},
    {"xor i8", xor_i8, TOSAJIT_EXACT, false, {128, 15, 8, 4, 0, 0}, {256, 15, 8, 4, 0, 0}},
    {"shift i32", shift_i32, TOSAJIT_EXACT, false, {32, 31, 8, 4, 0, 0}, {64, 15, 8, 4, 0, 0}},
    {"mul i32 >> 20",
     mul_i32_shift,
     TOSAJIT_EXACT,
     false,
     {32, 55, 16, 4, 0, 0},
     {64, 59, 16, 4, 0, 0}},
    {"add f16", add_f16, TOSAJIT_EXACT, true, {32, 19, 8, 4, 0, 0}, {64, 23, 8, 4, 0, 0}},
    {"maximum bf16",
     maximum_bf16,
     TOSAJIT_EXACT,
     false,
     {32, 49, 4, 2, 0, 0},
     {64, 51, 8, 4, 0, 0}},
    {"exp bf16", exp_bf16, TOSAJIT_EXACT, true, {16, 40, 1, 1, 0, 0}, {32, 38, 1, 1, 0, 0}},
    {"add a row", row_f32, TOSAJIT_EXACT, false, {32, 15, 8, 4, 0, 0}, {64, 15, 8, 4, 0, 0}},
    {"add a splat", splat_f32, TOSAJIT_EXACT, false, {32, 11, 4, 4, 0, 0}, {64, 11, 4, 4, 0, 0}},
    {"bias, clamp",
     bias_clamp_f32,
     TOSAJIT_EXACT,
     false,
     {32, 31, 8, 4, 0, 0},
     {64, 27, 8, 4, 0, 0}},
    {"requantise", requantize_i8, TOSAJIT_EXACT, true, {32, 46, 8, 1, 0, 0}, {64, 42, 8, 1, 0, 0}},
    {"residual", residual_i8, TOSAJIT_EXACT, true, {32, 31, 2, 1, 0, 0}, {64, 31, 2, 1, 0, 0}},
    {"exp", exp_f32, TOSAJIT_EXACT, true, {8, 46, 1, 1, 7, 0}, {32, 72, 2, 2, 0, 0}},
    {"sigmoid", sigmoid_f32, TOSAJIT_EXACT, true, {8, 62, 1, 1, 11, 0}, {32, 98, 2, 2, 0, 0}},
    {"exp", exp_f32, TOSAJIT_FAST, false, {16, 50, 2, 2, 5, 0}, {32, 44, 2, 2, 0, 0}},
    {"sigmoid", sigmoid_f32, TOSAJIT_FAST, false, {16, 72, 2, 2, 10, 0}, {32, 64, 2, 2, 0, 0}},
};

/* What a loop is made of. */
typedef struct contents {
    expectation sums;
    int scalars, calls;
    bool narrow;
} contents;

static void count_instruction(contents *c, const char *line, const char *full_width) {
    const char *memory = strchr(line, '('), *mnemonic_end = strchr(line + 1, '\t');
    c->sums.instructions++;
    c->calls += strncmp(line, "\tcall", 5) == 0;
    c->narrow |= strstr(line, "mm") && !strstr(line, full_width);
    /* vp...: integers; vb...: broadcasts. */
    bool is_float = line[1] == 'v' && line[2] != 'p' && line[2] != 'b' && mnemonic_end;
    bool one_lane = is_float && (strncmp(mnemonic_end - 2, "ss", 2) == 0 ||
                                 strncmp(mnemonic_end - 2, "sd", 2) == 0);
    c->scalars +=
        one_lane || strncmp(line, "\tvpinsr", 7) == 0 || strncmp(line, "\tvpextr", 7) == 0;
    if (!memory || strncmp(line, "\tlea", 4) == 0 || strncmp(line, "\tprefetch", 9) == 0) return;
    const char *close = strchr(memory, ')');
    if (strstr(memory, "%rip"))
        c->sums.constants++;
    else if (strstr(memory, "%rsp") || strncmp(memory, "(%rbp)", 6) == 0 ||
             strncmp(memory, "(%rbp,", 6) == 0)
        c->sums.spills++;
    else if (close && close[1] == ',')
        c->sums.loads++;
    else
        c->sums.stores++;
}

static contents count_loop(const assembly_listing *l, assembly_loop h, const char *full_width) {
    contents c = {.sums.elements = h.elements};
    for (int k = h.first; k <= h.last; k++)
        if (assembly_is_instruction(l->lines[k])) count_instruction(&c, l->lines[k], full_width);
    return c;
}

/* Checking. */

static char *assembly(tosajit_engine *engine, tosajit_value (*build)(building *),
                      tosajit_accuracy accuracy) {
    building b = {0};
    char *text = NULL;
    tosajit_expr_options options = {.size = sizeof options, .accuracy = accuracy};
    b.status = tosajit_expr_create(&options, &b.expr);
    tosajit_value result = build(&b);
    if (!b.status) b.status = tosajit_expr_result(b.expr, result);
    if (!b.status) b.status = tosajit_print(engine, b.expr, TOSAJIT_VIEW_ASM, &text);
    if (b.status) fail_msg("%s", tosajit_last_error());
    tosajit_expr_destroy(b.expr);
    return text;
}

static bool agrees(const contents *c, const expectation *e, bool narrow) {
    return c->sums.elements == e->elements && c->sums.instructions <= e->instructions &&
           c->sums.loads == e->loads && c->sums.stores == e->stores &&
           c->sums.constants <= e->constants && c->sums.spills <= e->spills &&
           (narrow || !c->narrow) && !c->scalars && !c->calls;
}

/* One row on one level: prints what was found, and what was expected where that differs. */
static bool check_row(tosajit_engine *engine, const row *r, const expectation *e,
                      const char *full_width) {
    char *text = assembly(engine, r->build, r->accuracy);
    assembly_listing l;
    assembly_split(text, &l);
    assembly_loop h = assembly_hot_loop(&l);
    contents c = count_loop(&l, h, full_width);
    const expectation *s = &c.sums;
    bool good = agrees(&c, e, r->narrow);
    printf("  %-16s%-6s{%d, %d, %d, %d, %d, %d}\n", r->name,
           r->accuracy == TOSAJIT_FAST ? ", fast" : "", s->elements, s->instructions, s->loads,
           s->stores, s->constants, s->spills);
    if (!good) {
        printf("*** expected {%d, %d, %d, %d, %d, %d}, no scalars (found %d), no calls (%d)%s\n",
               e->elements, e->instructions, e->loads, e->stores, e->constants, e->spills,
               c.scalars, c.calls, c.narrow && !r->narrow ? ", no narrow registers" : "");
        for (int line = h.first; line <= h.last && h.elements; line++)
            printf("%s\n", l.lines[line]);
    }
    tosajit_text_release(text);
    return good;
}

static void check_level(const char *cpu, const char *full_width, size_t offset) {
    tosajit_engine_options options = {
        .size = sizeof options, .cpu = cpu, .backend = TOSAJIT_BACKEND_CROSS};
    tosajit_engine *engine = NULL;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    int failures = 0;
    printf("%s: {elements, instructions, loads, stores, constants, spills}\n", cpu);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        failures += !check_row(engine, &rows[k],
                               (const expectation *)((const char *)&rows[k] + offset), full_width);
    tosajit_engine_destroy(engine);
    assert_int_equal(failures, 0);
}

static void loops_of_avx2(void **state) {
    (void)state, check_level("x86-64-v3", "%ymm", offsetof(row, v3));
}
static void loops_of_avx512(void **state) {
    (void)state, check_level("x86-64-v4", "%zmm", offsetof(row, v4));
}

/* Other versions select other instructions. */
enum { LLVM_OF_TABLE = 22 };

int main(void) {
    if (LLVM_VERSION_MAJOR != LLVM_OF_TABLE) {
        printf("*** NOT TESTED: the table is of LLVM %d, this is LLVM %d\n", LLVM_OF_TABLE,
               LLVM_VERSION_MAJOR);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_of_avx2),
                                       cmocka_unit_test(loops_of_avx512)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
