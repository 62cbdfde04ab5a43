/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nests: a table of expressions and CPU levels, and the loops that each has. A nest follows from
 * these alone, so that the table is the same on every machine. */
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tosajit/inspect.h"

/* Rows as nest.h names them, levels as "steps x lanes", the tail's first letter, and "FastISel". */
static const struct {
    const char *expression, *cpu, *nest;
} cases[] = {
    /* Few light ops: rows are peeled. Masks are free on AVX-512 alone. */
    {"y = a + b : f32[?,?], f32[?,?]", "x86-64-v4", "masked peeled 4x16 1x16 masked FastISel"},
    {"y = a + b : f32[?,?], f32[?,?]", "x86-64-v3", "halves peeled 4x8 1x8 overlap FastISel"},
    {"y = a + b : f32[?,?], f32[?,?]", "x86-64-v2", "halves peeled 4x4 1x4 overlap"},
    {"y = a + b : f32[?,?], f32[?,?]", "aarch64", "halves peeled 2x8 1x8 overlap"},
    /* A size that is whole vectors leaves no tail. */
    {"y = a + b : f32[?,64], f32[?,64]", "x86-64-v3", "exact peeled 4x8 1x8 none FastISel"},
    /* Rows of so many columns, as where one operand is a row, need no loop. */
    {"y = a + b : f32[?,64], f32[1,64]", "x86-64-v3", "exact peeled 4x8 1x8 none FastISel"},
    {"y = a + b : f32[?,128], f32[1,128]", "x86-64-v3", "peeled 4x8 1x8 none FastISel"},
    /* Both halves of a rotary embedding read the same two halves: they are one part. */
    {"y = x * c + concat(-x[:, :, 32:], x[:, :, :32], axis=-1) * s : f32[?,64,64], f32[1,64,64], "
     "f32[1,64,64]",
     "x86-64-v3", "exact peeled 4x8 1x8 none FastISel"},
    /* Rows that are reduced: in memory, in registers, or several segments of them side by side. */
    {"y = sum(x, axis=0) : f32[?,1024]", "x86-64-v3", "strips rows 1x32 none"},
    {"y = sum(x, axis=0) : f32[?,?]", "x86-64-v3", "narrow side strips rows 1x32 1x32m masked"},
    {"y = sum(x, axis=0) : f32[?,64]", "x86-64-v3", "rows 1x32 none"},
    {"y = sum(x, axis=0) : f32[?,3]", "x86-64-v3", "rows side 1x4 1x4m masked"},
    {"y = sum(x, axis=0) : f32[?,1]", "x86-64-v3", "rows side 1x1 none"},
    /* A maximum does not ask for an order, so a single column is reduced as a row. */
    {"y = max(x, axis=0) : f32[?,1]", "x86-64-v3", "columns three 1x16 1x16m masked"},
    {"y = max(x, axis=1) : i8[?,?,1,1]", "x86-64-v3", "columns 1x32 1x32m masked"},
    /* Short rows are folded together, where that pays; a few elements need no loop. */
    {"y = sum(x, axis=1) : f32[?,16]", "x86-64-v4", "brief together columns 1x16 none"},
    {"y = sum(x, axis=1) : f32[?,64]", "x86-64-v4", "columns 1x32 none"},
    {"y = max(x, axis=1) : f32[?,64]", "x86-64-v4", "columns together 1x32 none"},
    {"y = max(x, axis=1) : f32[?,64]", "x86-64-v3", "columns three 1x16 none"},
    {"y = sum(exp(x), axis=1) : f32[?,16]", "x86-64-v4", "columns together 1x16 none"},
    {"y = sum(x) : f32[16]", "x86-64-v4", "columns 1x16 none"},
    {"y = sum(x, axis=1) : f32[?,16,?]", "x86-64-v4", "few 1x64 1x64m masked"},
    /* Conversions are scheduled, so rows of at most a vector have no loop of their own. */
    {"y = f16(a) : f32[?,?]", "x86-64-v4", "either 1x64 1x16 masked"},
    {"y = a * b : bf16[?,?], bf16[?,?]", "x86-64-v4", "either 4x16 1x16 masked"},
    /* Functions are in the code once: their tail is a step. */
    {"y = tanh(x) : f32[?,?]", "x86-64-v4", "tail 1x32s masked"},
    {"y = tanh(x) : f32[?,?]", "x86-64-v2", "tail 1x8s overlap"},
    {"y = pow(x, y) : f32[?,?], f32[?,?]", "x86-64-v3", "tail 1x16s masked"},
    /* Fewer instructions are there again for the tail, by a mask beside which they cost. */
    {"y = rsqrt(x) : f32[?,?]", "x86-64-v4", "tail 1x32 1x16m masked"},
    {"y = rsqrt(x) : f32[?,?]", "x86-64-v3", "tail 1x16 1x8m masked"},
    /* Many undecided operands are read from splat buffers, which are as long as a step. */
    {"y = a + b + c + d : f32[?,?], f32[?,?], f32[?,?], f32[?,?]", "x86-64-v3",
     "halves peeled 4x8 1x8 overlap"},
};

/* The printed nest, in the table's words. */
static void abbreviate(const char *text, char *nest, size_t capacity) {
    static const struct {
        const char *printed, *word;
    } words[] = {
        {": levels from", "tail "},
        {": a first and a last", "peeled "},
        {": one vector, by", "masked "},
        {": one vector where", "either "},
        {": two narrower", "halves "},
        {": whole cache lines", "streamed "},
        {": whole steps", "exact "},
        {": reduced along columns, without", "brief "},
        {": reduced along columns, in", "columns "},
        {": reduced along rows, one masked", "narrow "},
        {": reduced along rows, in strips", "strips "},
        {": reduced along rows, in segments", "rows "},
        {": reduced along rows, without", "few "},
    };
    size_t size = 0;
    for (const char *line = text; line && *line; line = strchr(line, '\n') + 1) {
        unsigned step, repeats, lanes;
        const size_t length = strcspn(line, "\n");
        char one[256];
        snprintf(one, sizeof one, "%.*s", (int)length, line);
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (strncmp(one, "  rows", 6) == 0 && strstr(one, words[k].printed))
                size += (size_t)snprintf(nest + size, capacity - size, "%s", words[k].word);
        if (sscanf(one, "  level: steps of %u, as %u of %u lanes", &step, &repeats, &lanes) == 3) {
            assert_int_equal(step, repeats * lanes);
            size += (size_t)snprintf(nest + size, capacity - size, "%ux%u%s%s ", repeats, lanes,
                                     strstr(one, ", masked") ? "m" : "",
                                     strstr(one, "is a step") ? "s" : "");
        }
        if (strstr(text, "reduced along rows") &&
            sscanf(one, "    accumulators: %u of %u lanes in registers", &step, &lanes) == 2 &&
            step > 1)
            size += (size_t)snprintf(nest + size, capacity - size, "side ");
        if (strstr(one, "rows are folded at once"))
            size += (size_t)snprintf(nest + size, capacity - size, "together ");
        if (strstr(one, "as three values"))
            size += (size_t)snprintf(nest + size, capacity - size, "three ");
        if (strncmp(one, "  vector:", 9) == 0)
            size += (size_t)snprintf(nest + size, capacity - size, "%s%s",
                                     strstr(one, "tail: none")     ? "none"
                                     : strstr(one, "tail: masked") ? "masked"
                                                                   : "overlap",
                                     strstr(one, "selection: FastISel") ? " FastISel" : "");
        assert_true(size < capacity);
    }
}

static void nests_follow_from_expression_and_level(void **state) {
    int wrong = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const tosajit_engine_options options = {
            .size = sizeof options, .backend = TOSAJIT_BACKEND_CROSS, .cpu = cases[k].cpu};
        tosajit_engine *engine = NULL;
        tosajit_expr *expr = NULL;
        char *text = NULL, nest[256] = "";
        if (tosajit_engine_create(&options, &engine) ||
            tosajit_expr_parse(cases[k].expression, strlen(cases[k].expression), NULL, &expr) ||
            tosajit_print(engine, expr, TOSAJIT_VIEW_NEST, &text))
            fail_msg("%s for %s: %s", cases[k].expression, cases[k].cpu, tosajit_last_error());
        abbreviate(text, nest, sizeof nest);
        if (strcmp(nest, cases[k].nest) != 0) {
            print_message("%s for %s\n  expected %s\n  found    %s\n%s", cases[k].expression,
                          cases[k].cpu, cases[k].nest, nest, text);
            wrong++;
        }
        tosajit_text_release(text);
        tosajit_expr_destroy(expr);
        tosajit_engine_destroy(engine);
    }
    assert_int_equal(wrong, 0);
}

/* The size of an axis that its type says is a number; else each call counts. */
static void known_sizes_are_not_counted(void **state) {
    static const char *const expressions[] = {"y = mean(x, axis=-1) : f32[?,64]",
                                              "y = mean(x, axis=-1) : f32[?,?]"};
    tosajit_engine *engine = NULL;
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    for (int k = 0; k < 2; k++) {
        tosajit_expr *expr = NULL;
        char *text = NULL;
        if (tosajit_expr_parse(expressions[k], strlen(expressions[k]), NULL, &expr) ||
            tosajit_print(engine, expr, TOSAJIT_VIEW_PLAN, &text))
            fail_msg("%s: %s", expressions[k], tosajit_last_error());
        assert_int_equal(strstr(text, "reduce_count") != NULL, k == 1);
        tosajit_text_release(text);
        tosajit_expr_destroy(expr);
    }
    tosajit_engine_destroy(engine);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(nests_follow_from_expression_and_level),
                    TEST(known_sizes_are_not_counted));
}
