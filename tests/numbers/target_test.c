/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code for every CPU that has a name, from whatever machine this is: that LLVM knows the name, that
 * nothing is left to a library or taken apart lane by lane, and which instructions the loops are
 * made of. In: nothing. Out: the assembly where a pattern is missing. */
#define _POSIX_C_SOURCE 200809L /* dup, dup2, fileno */
#include <llvm/Config/llvm-config.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tosajit/inspect.h"

/* Standard error while it goes to a file. */
static int real_stderr = -1;

static void restore_stderr(void) {
    if (real_stderr < 0) return;
    dup2(real_stderr, STDERR_FILENO);
    close(real_stderr);
    real_stderr = -1;
}

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        restore_stderr();                                                                          \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

static tosajit_engine *engine_for(const char *cpu, tosajit_accuracy accuracy) {
    tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_CROSS, .cpu = cpu, .accuracy = accuracy};
    tosajit_engine *engine = NULL;
    if (tosajit_engine_create(&options, &engine)) FAIL("%s: %s", cpu, tosajit_last_error());
    return engine;
}

/* The assembly of one op on tensors of ? x `columns` elements; of the op table also on a table of
 * bytes. */
static char *assembly_of(tosajit_engine *engine, tosajit_op op, tosajit_type from, tosajit_type to,
                         int64_t columns) {
    tosajit_expr *expr;
    tosajit_value inputs[TOSAJIT_MAX_OPERANDS], value;
    size_t count = (size_t)tosajit_op_arity(op);
    tosajit_tensor_type type = tosajit_ranked(from, 2, (int64_t[]){TOSAJIT_DYNAMIC, columns}),
                        result = type;
    result.element = to;
    char *text = NULL;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    for (size_t k = 0; k < count; k++) {
        type.element = count == 3 && k == 0 ? TOSAJIT_I1 : from;
        assert_int_equal(tosajit_expr_input(expr, &type, &inputs[k]), TOSAJIT_OK);
    }
    if (op == TOSAJIT_OP_table) {
        type = tosajit_ranked(from, 1, (int64_t[]){256});
        assert_int_equal(tosajit_expr_input(expr, &type, &inputs[count++]), TOSAJIT_OK);
    }
    if (tosajit_expr_op(expr, op, inputs, count, NULL, &result, &value) ||
        tosajit_expr_result(expr, value) || tosajit_print(engine, expr, TOSAJIT_VIEW_ASM, &text))
        FAIL("%s: %s", tosajit_op_name(op), tosajit_last_error());
    tosajit_expr_destroy(expr);
    return text;
}

static char *assembly(tosajit_engine *engine, tosajit_op op, tosajit_type from, tosajit_type to) {
    return assembly_of(engine, op, from, to, 1024);
}

/* Calls go to functions of the kernel itself. */
static void calls_nothing_foreign(const char *cpu, const char *text) {
    static const char *const calls[] = {"\tcallq\t", "\tcall\t", "\tbl\t", "\tjmp\t"};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        for (const char *at = text; (at = strstr(at, calls[k])); at++) {
            const char *name = at + strlen(calls[k]);
            if (strncmp(name, "tosajit_", 8) != 0 && *name != '.')
                FAIL("%s: foreign call: %.40s", cpu, name);
        }
}

/* LLVM says on standard error that it does not know a CPU or a feature, and goes on. */
static void every_name_makes_code(void **state) {
    static const tosajit_op ops[] = {TOSAJIT_OP_add, TOSAJIT_OP_exp, TOSAJIT_OP_maximum};
    const char *cpu;
    FILE *said = tmpfile();
    assert_non_null(said);
    real_stderr = dup(STDERR_FILENO);
    assert_true(real_stderr >= 0);
    size_t count = 0;
    dup2(fileno(said), STDERR_FILENO);
    for (; (cpu = tosajit_cpu_name(count)); count++) {
        tosajit_engine *engine = engine_for(cpu, count % 2 ? TOSAJIT_REPRODUCIBLE : TOSAJIT_EXACT);
        for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
            char *text = assembly(engine, ops[k], k == 2 ? TOSAJIT_F16 : TOSAJIT_F32,
                                  k == 2 ? TOSAJIT_F16 : TOSAJIT_F32);
            calls_nothing_foreign(cpu, text);
            tosajit_text_release(text);
        }
        tosajit_engine_destroy(engine);
    }
    restore_stderr();
    char line[200] = "";
    rewind(said);
    if (fgets(line, sizeof line, said)) fail_msg("LLVM says: %s", line);
    fclose(said);
    assert_true(count > 40);
    assert_null(tosajit_cpu_name(count + 1000));
}

/* Patterns that must be in the code of an op, with spaces between them, and patterns that must not.
 * Patterns are parts of lines; `_` in them is a tab. */
typedef struct code_row {
    const char *cpu;
    tosajit_op op;
    tosajit_type from, to;
    const char *has, *lacks;
} code_row;

#define NO_LANES "umov_ smov_ ins_ fmov_x fmov_w mov_h _mul_x"
static const code_row rows[] = {
    {"aarch64", TOSAJIT_OP_add, TOSAJIT_F32, TOSAJIT_F32, "ldp_q stp_q fadd_v .4s", NO_LANES},
    {"aarch64", TOSAJIT_OP_exp, TOSAJIT_F32, TOSAJIT_F32, "fmla_v .2d fcvtl_v fcvtn_v", NO_LANES},
    {"aarch64", TOSAJIT_OP_maximum, TOSAJIT_F32, TOSAJIT_F32, "fmax_v .4s", NO_LANES " fcmgt"},
    {"aarch64", TOSAJIT_OP_maximum, TOSAJIT_F16, TOSAJIT_F16, "fcvtl_v fmax_v .4s fcvtn", NO_LANES},
    {"neoverse-n1", TOSAJIT_OP_maximum, TOSAJIT_F16, TOSAJIT_F16, "fmax_v .8h", NO_LANES " fcvt"},
    {"aarch64", TOSAJIT_OP_add, TOSAJIT_F16, TOSAJIT_F16, "fcvtl_v fadd_v .4s fcvtn", NO_LANES},
    {"neoverse-n1", TOSAJIT_OP_add, TOSAJIT_F16, TOSAJIT_F16, "fadd_v .8h", NO_LANES " fcvt"},
    {"aarch64", TOSAJIT_OP_add, TOSAJIT_BF16, TOSAJIT_BF16, "shll_v fadd_v .4s", NO_LANES " bfcvt"},
    {"neoverse-v1", TOSAJIT_OP_add, TOSAJIT_BF16, TOSAJIT_BF16, "shll_v fadd_v bfcvtn_v", NO_LANES},
    {"aarch64", TOSAJIT_OP_cast, TOSAJIT_F32, TOSAJIT_F16, "fcvtn_v", NO_LANES},
    {"aarch64", TOSAJIT_OP_cast, TOSAJIT_F32, TOSAJIT_I8, "fadd_v .4s", NO_LANES " fcvtzs_w"},
    {"aarch64", TOSAJIT_OP_cast, TOSAJIT_F32, TOSAJIT_U8, "fadd_v .4s", NO_LANES " fcvtzu_w"},
    {"aarch64", TOSAJIT_OP_cast, TOSAJIT_U8, TOSAJIT_F32, "ucvtf_v .4s", NO_LANES},
    {"aarch64", TOSAJIT_OP_maximum, TOSAJIT_U8, TOSAJIT_U8, "umax_v .16b", NO_LANES},
#if LLVM_VERSION_MAJOR >= 22 /* older ones take products of i64 apart, lane by lane */
    {"aarch64", TOSAJIT_OP_mul, TOSAJIT_I64, TOSAJIT_I64, "umlal_v mla_v .4s", NO_LANES},
#endif
    {"neoverse-v1", TOSAJIT_OP_mul, TOSAJIT_I64, TOSAJIT_I64, "mul_z .d", NO_LANES},
    {"aarch64", TOSAJIT_OP_clz, TOSAJIT_I32, TOSAJIT_I32, "clz_v .4s", NO_LANES},
    {"aarch64", TOSAJIT_OP_intdiv, TOSAJIT_I32, TOSAJIT_I32, "fdiv_v .2d fcvtzs_v",
     NO_LANES " sdiv"},
    {"aarch64", TOSAJIT_OP_select, TOSAJIT_F32, TOSAJIT_F32, ".16b", NO_LANES},
    {"aarch64", TOSAJIT_OP_table, TOSAJIT_I8, TOSAJIT_I8, "tbl_v .16b tbx_v ldp_q", NO_LANES},
    {"aarch64", TOSAJIT_OP_sigmoid, TOSAJIT_F32, TOSAJIT_F32, "fmla_v .2d fdiv_v", NO_LANES},
    {"aarch64", TOSAJIT_OP_tanh, TOSAJIT_F16, TOSAJIT_F16, "fcvtl_v fmla_v fcvtn_v", NO_LANES},
    {"aarch64", TOSAJIT_OP_mul, TOSAJIT_F32, TOSAJIT_F32, "ldp_q fmul_v .4s", NO_LANES},
    {"aarch64", TOSAJIT_OP_sub, TOSAJIT_F64, TOSAJIT_F64, "ldp_q fsub_v .2d", NO_LANES},
    {"aarch64", TOSAJIT_OP_floor, TOSAJIT_F32, TOSAJIT_F32, "frintm_v .4s", NO_LANES},
    {"aarch64", TOSAJIT_OP_reciprocal, TOSAJIT_F32, TOSAJIT_F32, "fdiv_v .4s", NO_LANES},
    {"aarch64", TOSAJIT_OP_divide, TOSAJIT_F32, TOSAJIT_F32, "fdiv_v .4s", NO_LANES},
    {"aarch64", TOSAJIT_OP_sqrt, TOSAJIT_F32, TOSAJIT_F32, "fsqrt_v .4s", NO_LANES},
    {"aarch64", TOSAJIT_OP_sqrt, TOSAJIT_F64, TOSAJIT_F64, "fsqrt_v .2d", NO_LANES},
    {"aarch64", TOSAJIT_OP_roundeven, TOSAJIT_F32, TOSAJIT_F32, "frintn_v .4s", NO_LANES},
    {"aarch64", TOSAJIT_OP_greater, TOSAJIT_F32, TOSAJIT_I1, "fcmgt_v .4s uzp1_v .16b", NO_LANES},
    {"aarch64", TOSAJIT_OP_mul, TOSAJIT_I8, TOSAJIT_I32, "smull_v .8h", NO_LANES},
    {"aarch64", TOSAJIT_OP_maximum, TOSAJIT_I32, TOSAJIT_I32, "smax_v .4s", NO_LANES},
    {"aarch64", TOSAJIT_OP_bitwise_xor, TOSAJIT_I8, TOSAJIT_I8, "ldp_q eor_v .16b", NO_LANES},
    {"aarch64", TOSAJIT_OP_logical_left_shift, TOSAJIT_I32, TOSAJIT_I32, "ushl_v .4s", NO_LANES},
    {"aarch64", TOSAJIT_OP_arithmetic_right_shift, TOSAJIT_I16, TOSAJIT_I16, "sshl_v .8h",
     NO_LANES},
    {"aarch64", TOSAJIT_OP_cast, TOSAJIT_I32, TOSAJIT_F32, "scvtf_v .4s", NO_LANES},
    {"aarch64", TOSAJIT_OP_cast, TOSAJIT_F16, TOSAJIT_F32, "fcvtl_v .4h", NO_LANES},
    {"neoverse-n1", TOSAJIT_OP_cast, TOSAJIT_F16, TOSAJIT_F32, "fcvtl_v .4h", NO_LANES},
    {"neoverse-n1", TOSAJIT_OP_mul, TOSAJIT_F16, TOSAJIT_F16, "fmul_v .8h", NO_LANES " fcvt"},
    {"aarch64", TOSAJIT_OP_cast, TOSAJIT_F32, TOSAJIT_BF16, "ushr_v .4s", NO_LANES " bfcvt"},
    {"neoverse-v1", TOSAJIT_OP_cast, TOSAJIT_F32, TOSAJIT_BF16, "bfcvtn_v .4h", NO_LANES},
    {"aarch64", TOSAJIT_OP_cast, TOSAJIT_BF16, TOSAJIT_F32, "shll_v .4s", NO_LANES},
    {"x86-64-v2", TOSAJIT_OP_exp, TOSAJIT_F32, TOSAJIT_F32, "tosajit_fma_f64 mulpd %xmm",
     "vfmadd ymm"},
    {"x86-64-v2", TOSAJIT_OP_cast, TOSAJIT_F32, TOSAJIT_F16, "%xmm", "vcvtps2ph ymm"},
    {"x86-64-v3", TOSAJIT_OP_exp, TOSAJIT_F32, TOSAJIT_F32, "vfmadd %ymm", "tosajit_fma zmm"},
    {"x86-64-v4", TOSAJIT_OP_exp, TOSAJIT_F32, TOSAJIT_F32, "vfmadd %zmm", "tosajit_fma"},
    {"znver4", TOSAJIT_OP_add, TOSAJIT_F32, TOSAJIT_F32, "vaddps %zmm", "callq"},
};

/* The first pattern of the list that is (or, with absent, is not) in the text; null if there is
 * none. */
static const char *find_pattern(const char *list, const char *text, int absent) {
    static char pattern[32];
    while (*list) {
        size_t length = strcspn(list, " ");
        assert_true(length < sizeof pattern);
        for (size_t k = 0; k < length; k++)
            pattern[k] = list[k] == '_' && strncmp(list, "tosajit", 7) != 0 ? '\t' : list[k];
        pattern[length] = 0;
        if ((strstr(text, pattern) != NULL) != absent) return pattern;
        list += length;
        list += *list == ' ';
    }
    return NULL;
}

static void loops_are_made_of_these(void **state) {
    if (LLVM_VERSION_MAJOR < 22)
        printf("*** NOT TESTED: products of i64 for aarch64, which LLVM %d computes lane by lane\n",
               LLVM_VERSION_MAJOR);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        tosajit_engine *engine = engine_for(rows[k].cpu, TOSAJIT_EXACT);
        char *text = assembly(engine, rows[k].op, rows[k].from, rows[k].to);
        const char *missing = find_pattern(rows[k].has, text, 1),
                   *unwanted = missing ? NULL : find_pattern(rows[k].lacks, text, 0);
        if (missing || unwanted)
            fail_msg("%s of %s for %s %s \"%s\":\n%s", tosajit_op_name(rows[k].op),
                     tosajit_type_name(rows[k].from), rows[k].cpu, missing ? "lacks" : "has",
                     missing ? missing : unwanted, text);
        tosajit_text_release(text);
        tosajit_engine_destroy(engine);
    }
}

/* LLVM 22 loses the clearing of lanes in `kmovb %k1, %k2` where it spills k2. Bytes beside eight
 * lanes of i64 once met it: their stores went beyond the result. */
static void masks_of_few_bytes_are_not_lengthened(void **state) {
    static const struct {
        tosajit_op op;
        tosajit_type from, to;
    } cases[] = {
        {TOSAJIT_OP_greater, TOSAJIT_I64, TOSAJIT_I1}, {TOSAJIT_OP_equal, TOSAJIT_F64, TOSAJIT_I1},
        {TOSAJIT_OP_cast, TOSAJIT_I64, TOSAJIT_I1},    {TOSAJIT_OP_cast, TOSAJIT_F64, TOSAJIT_I8},
        {TOSAJIT_OP_cast, TOSAJIT_I1, TOSAJIT_I64},    {TOSAJIT_OP_cast, TOSAJIT_I8, TOSAJIT_F64},
        {TOSAJIT_OP_select, TOSAJIT_I64, TOSAJIT_I64}};
    tosajit_engine *engine = engine_for("x86-64-v4", TOSAJIT_EXACT);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *text = assembly_of(engine, cases[k].op, cases[k].from, cases[k].to, 129);
        if (!strstr(text, "{%k")) fail_msg("%s: no masks:\n%s", tosajit_op_name(cases[k].op), text);
        if (strstr(text, "kmovb\t%k"))
            fail_msg("%s: a longer mask:\n%s", tosajit_op_name(cases[k].op), text);
        tosajit_text_release(text);
    }
    tosajit_engine_destroy(engine);
}

static void refusals_say_why(void **state) {
    tosajit_engine *engine = NULL;
    tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_CROSS, .cpu = "z80"};
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_INVALID_ARGUMENT);
    assert_non_null(strstr(tosajit_last_error(),
                           "there is no CPU \"z80\" to compile for; known are native, x86-64-v2"));
    options.backend = TOSAJIT_BACKEND_NATIVE;
#if defined(__aarch64__)
    options.cpu = "x86-64-v3";
#else
    options.cpu = "neoverse-n1";
#endif
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_INVALID_ARGUMENT);
    assert_non_null(strstr(tosajit_last_error(), "cannot run code for"));
    assert_null(engine);
    engine = engine_for(options.cpu, TOSAJIT_EXACT);
    tosajit_kernel *kernel = NULL;
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){4});
    assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_abs, &type, 1, NULL, NULL, &kernel),
                     TOSAJIT_NOT_EXECUTABLE);
    assert_null(kernel);
    tosajit_engine_destroy(engine);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(every_name_makes_code), TEST(loops_are_made_of_these),
                    TEST(masks_of_few_bytes_are_not_lengthened), TEST(refusals_say_why));
}
