/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code that runs in the host's floating-point environment has no instruction that depends on it:
 * every op and pair of types of which op_is_float_code says so, compiled for every kind of CPU and
 * looked at: of each CPU another eighth a day, or with TOSAJIT_THIN=1 all. Out: for each CPU, how
 * many there are, and how many were looked at; else the instruction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/expr/ops.h"
#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tosajit/inspect.h"

enum { ROWS = 16, COLUMNS = 67 /* every loop: wide, single and tail */, STANDARD_THINNING = 8 };

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_listed(const char *word, const char *list) {
    char padded[64];
    snprintf(padded, sizeof padded, " %s ", word);
    return strstr(list, padded) != NULL;
}

/* True for instructions that read MXCSR or raise its flags: conversions, and these on elements of
 * floating point. */
static bool is_x86_float(const char *mnemonic) {
    static const char suffixes[] = " ps pd ss sd ph sh ";
    static const char *const stems[] = {
        "add",   "sub",   "mul",    "div",   "sqrt",   "min",   "max",     "cmp", "comi",
        "ucomi", "round", "fm",     "fnm",   "rndsca", "getex", "getmant", "dp",  "hadd",
        "hsub",  "scale", "reduce", "range", "fixup",  "rcp",   "rsqrt",   "fcm", "fcmul"};
    const char *stem = mnemonic + (*mnemonic == 'v');
    const size_t length = strlen(stem);
    if (starts_with(stem, "cvt")) return true;
    if (length < 4 || !is_listed(stem + length - 2, suffixes)) return false;
    for (size_t k = 0; k < sizeof stems / sizeof *stems; k++)
        if (starts_with(stem, stems[k])) return true;
    return false;
}

/* All but moves, changes of the sign bit (with which LLVM also makes the smallest i64) and
 * conversions of bf16 by shifts; bfi and its like are for bits. */
static bool is_aarch64_float(const char *mnemonic) {
    return (*mnemonic == 'f' && !starts_with(mnemonic, "fmov") && strcmp(mnemonic, "fneg") != 0) ||
           starts_with(mnemonic, "scvtf") || starts_with(mnemonic, "ucvtf") ||
           starts_with(mnemonic, "bfcvt");
}

/* The first such instruction, or null. */
static const char *find_float(char *assembly, bool (*is_float)(const char *mnemonic)) {
    static char mnemonic[32];
    for (char *line = strtok(assembly, "\n"); line; line = strtok(NULL, "\n"))
        if (*line == '\t' && line[1] != '.' && sscanf(line, " %31[a-z0-9]", mnemonic) == 1 &&
            is_float(mnemonic))
            return mnemonic;
    return NULL;
}

/* A use of an op: variant 0 has static sizes and dynamic parameters, variant 3 the opposite. */
typedef struct use {
    tosajit_op op;
    tosajit_type operands[3], result;
    unsigned variant;
} use;

static test_random randoms;

static tosajit_attributes attributes_of(const use *u, tosajit_type operand) {
    tosajit_attributes a = {0};
    if (u->op == TOSAJIT_OP_rescale) a = test_random_scaling(&randoms, operand, u->result);
    if (u->op == TOSAJIT_OP_arithmetic_right_shift) a.round = u->variant & 1;
    if (u->op == TOSAJIT_OP_clamp) a.max_val.i = 3;
    if (test_reduces(u->op)) a.axis = u->variant & 1;
    return a;
}

static tosajit_value parameter(tosajit_expr *expr, const test_parameter *p, bool constant) {
    static uint8_t data[8192];
    const int64_t count = p->count ? p->count : COLUMNS;
    const tosajit_tensor_type type = tosajit_ranked(p->element, 1, &count);
    tosajit_value value = 0;
    for (int64_t k = 0; k < count; k++)
        test_parameter_element(&randoms, p, data + (size_t)k * tosajit_type_size(p->element));
    assert_int_equal(constant ? tosajit_expr_constant(expr, &type, data, &value)
                              : tosajit_expr_input(expr, &type, &value),
                     TOSAJIT_OK);
    return value;
}

static char *compile(tosajit_engine *engine, const use *u) {
    const int64_t fixed[2] = {ROWS, COLUMNS}, dynamic[2] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC};
    const int64_t *dims = u->variant & 2 ? dynamic : fixed;
    const int arity = tosajit_op_arity(u->op), parameters = tosajit_op_parameters(u->op, NULL);
    const tosajit_type operand = u->operands[arity - 1];
    const tosajit_attributes attributes = attributes_of(u, operand);
    tosajit_tensor_type declared = tosajit_ranked(u->result, 2, dims);
    if (test_reduces(u->op)) declared.dims[attributes.axis] = 1;
    tosajit_expr *expr;
    tosajit_value values[TOSAJIT_MAX_OPERANDS], result;
    char *text = NULL;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    for (int k = 0; k < arity; k++) {
        const tosajit_tensor_type type = tosajit_ranked(u->operands[k], 2, dims);
        assert_int_equal(tosajit_expr_input(expr, &type, &values[k]), TOSAJIT_OK);
    }
    for (int k = 0; k < parameters; k++) {
        const test_parameter p = test_parameter_of(u->op, k, operand, u->result, &attributes);
        values[arity + k] = parameter(expr, &p, u->variant & 1);
    }
    tosajit_status status = tosajit_expr_op(expr, u->op, values, (size_t)(arity + parameters),
                                            &attributes, &declared, &result);
    if (!status) status = tosajit_expr_result(expr, result);
    if (!status) status = tosajit_print(engine, expr, TOSAJIT_VIEW_ASM, &text);
    if (status) fail_msg("%s: %s", tosajit_op_name(u->op), tosajit_last_error());
    tosajit_expr_destroy(expr);
    return text;
}

/* A CPU, and the pairs of types that are no floating-point code: how many, and those of the day. */
typedef struct target {
    const char *cpu;
    tosajit_engine *engine;
    uint64_t number;
    int found, drawn;
} target;

/* Every use of an op. */
static void check_op(tosajit_op op, target *t) {
    use u = {.op = op};
    unsigned state = 0;
    while (test_next_signature(op, &state, u.operands, &u.result)) {
        const tosajit_type operand = u.operands[tosajit_op_arity(op) - 1];
        if (op_is_float_code(op, operand, u.result)) continue;
        t->found++;
        if (!test_is_drawn(t->number++, STANDARD_THINNING)) continue;
        t->drawn++;
        for (u.variant = 0; u.variant < 4; u.variant += 3) {
            char *text = compile(t->engine, &u);
            const char *mnemonic =
                find_float(text, starts_with(t->cpu, "x86") ? is_x86_float : is_aarch64_float);
            if (mnemonic)
                fail_msg("%s of %s to %s for %s has %s", tosajit_op_name(op),
                         tosajit_type_name(operand), tosajit_type_name(u.result), t->cpu, mnemonic);
            tosajit_text_release(text);
        }
    }
}

static void no_code_outside_has_floating_point(void **state) {
    static const char *const cpus[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"};
    for (size_t c = 0; c < sizeof cpus / sizeof *cpus; c++) {
        const tosajit_engine_options options = {
            .size = sizeof options, .backend = TOSAJIT_BACKEND_CROSS, .cpu = cpus[c]};
        target t = {.cpu = cpus[c], .number = c};
        if (tosajit_engine_create(&options, &t.engine)) fail_msg("%s", tosajit_last_error());
        for (int op = 0; op < TOSAJIT_OP_COUNT; op++) check_op((tosajit_op)op, &t);
        print_message("%s: %d of %d pairs of types looked at\n", t.cpu, t.drawn, t.found);
        assert_true(t.found > 60 && t.drawn > 0);
        tosajit_engine_destroy(t.engine);
    }
}

/* The test can see what it looks for. */
static void floating_point_is_recognised(void **state) {
    char shift[] = "\tpslld\t$23, %xmm0\n\tcvttps2dq\t%xmm0, %xmm0\n";
    char bits[] = "\tvmovups\t(%rax), %zmm0\n\tandps\t%xmm1, %xmm0\n\tvpaddd\t%ymm0, %ymm1, %ymm2\n"
                  "\tvblendvps\t%ymm0, %ymm1, %ymm2, %ymm3\n\tpsubd\t%xmm0, %xmm1\n";
    char division[] = "\tmov\tx0, x1\n\tfdiv\tv0.2d, v0.2d, v1.2d\n";
    assert_string_equal(find_float(shift, is_x86_float), "cvttps2dq");
    assert_null(find_float(bits, is_x86_float));
    assert_string_equal(find_float(division, is_aarch64_float), "fdiv");
    const use left_shift = {
        TOSAJIT_OP_logical_left_shift, {TOSAJIT_I32, TOSAJIT_I32}, TOSAJIT_I32, 0};
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_CROSS, .cpu = "x86-64-v2"};
    tosajit_engine *engine;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    char *text = compile(engine, &left_shift);
    assert_non_null(find_float(text, is_x86_float));
    tosajit_text_release(text);
    tosajit_engine_destroy(engine);
}

int main(void) {
    randoms = test_random_start(5);
    return TEST_RUN(NULL, NULL, TEST(floating_point_is_recognised),
                    TEST(no_code_outside_has_floating_point));
}
