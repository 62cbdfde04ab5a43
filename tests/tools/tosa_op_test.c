/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descriptions of operations, as a front end gives them, without one: each op of each signature
 * with random attributes is the same expression as by tosajit_expr_op, and what is wrong is refused
 * in words that name it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/host.h"
#include "tests/support/support.h"
#include "tools/tosa/op.h"

enum { RANK = 3 /* of operands that are data */ };

/* ---------------------------------------------------------------------------------------------
 * Descriptions */

static tosa_attribute *add(tosa_op *op, const char *name, tosa_kind kind, const char *text) {
    tosa_attribute *added = &op->attributes[op->attribute_count++];
    *added = (tosa_attribute){.name = name, .kind = kind};
    snprintf(added->text, sizeof added->text, "%s", text);
    return added;
}

static void add_flag(tosa_op *op, const char *name, uint8_t flag) {
    add(op, name, TOSA_FLAG, "")->value.i = flag;
}

static tosa_op describe(tosajit_op op, size_t operands, const tosajit_tensor_type *result) {
    tosa_op described = {.op = op, .operand_count = operands, .result = *result, .result_count = 1};
    snprintf(described.name, sizeof described.name, "tosa.%s", tosajit_op_name(op));
    return described;
}

static tosa_function open_function(void) {
    tosa_function f = {0};
    assert_int_equal(tosajit_expr_create(NULL, &f.expr), TOSAJIT_OK);
    return f;
}

static tosajit_value input_of(tosa_function *f, const tosajit_tensor_type *type) {
    tosajit_value value;
    assert_int_equal(tosa_function_input(f, type, &value), TOSAJIT_OK);
    return value;
}

static tosajit_value input(tosa_function *f, tosajit_type element, int64_t size) {
    const tosajit_tensor_type type = tosajit_ranked(element, 1, &size);
    return input_of(f, &type);
}

/* ---------------------------------------------------------------------------------------------
 * What is right */

typedef struct subject {
    tosajit_op op;
    tosajit_type operands[TOSAJIT_MAX_ARITY], result;
    tosajit_attributes attributes;
} subject;

static void draw_attributes(subject *s, test_random *random) {
    tosajit_attributes *a = &s->attributes;
    const bool real = test_is_float(s->result);
    switch (s->op) {
    case TOSAJIT_OP_clamp:
        if (real) a->min_val.f = -1.5, a->max_val.f = (double)test_random_range(random, 0, 3);
        if (!real)
            a->min_val.i = test_is_unsigned(s->operands[0]) ? 5 : -5,
            a->max_val.i = test_random_range(random, 5, 100);
        a->nan_mode = (tosajit_nan_mode)test_random_range(random, 0, 1);
        break;
    case TOSAJIT_OP_maximum:
    case TOSAJIT_OP_minimum:
    case TOSAJIT_OP_reduce_max:
    case TOSAJIT_OP_reduce_min:
        a->nan_mode = (tosajit_nan_mode)test_random_range(random, 0, 1);
        break;
    case TOSAJIT_OP_arithmetic_right_shift: a->round = test_random_chance(random, 50); break;
    case TOSAJIT_OP_rescale: *a = test_random_scaling(random, s->operands[0], s->result); break;
    default: break;
    }
    if (test_reduces(s->op)) a->axis = test_random_range(random, 0, RANK - 1);
}

/* In an order that is nobody's, and with one that no op has. */
static void describe_attributes(const subject *s, tosa_op *op) {
    static const char *const nan_modes[] = {"PROPAGATE", "IGNORE"}, *const rounding_modes[] = {
                                                                        "SINGLE_ROUND",
                                                                        "INEXACT_ROUND",
                                                                        "DOUBLE_ROUND"};
    const tosajit_attributes *a = &s->attributes;
    const char *element = tosajit_type_name(s->operands[0]);
    add(op, "author", TOSA_TEXT, "nobody");
    if (s->op == TOSAJIT_OP_clamp) {
        add(op, "max_val", TOSA_NUMBER, element)->value = a->max_val;
        add(op, "min_val", TOSA_NUMBER, element)->value = a->min_val;
    }
    if (a->nan_mode) add(op, "nan_mode", TOSA_WORD, nan_modes[a->nan_mode]);
    if (test_reduces(s->op)) add(op, "axis", TOSA_NUMBER, "i32")->value.i = a->axis;
    if (s->op == TOSAJIT_OP_arithmetic_right_shift) add_flag(op, "round", a->round);
    if (s->op != TOSAJIT_OP_rescale) return;
    add_flag(op, "output_unsigned", a->output_unsigned);
    add_flag(op, "input_unsigned", a->input_unsigned);
    add_flag(op, "per_channel", a->per_channel);
    add(op, "rounding_mode", TOSA_WORD, rounding_modes[a->rounding_mode]);
    add_flag(op, "scale32", a->scale32);
}

/* The text of the expression, by tosa_add or by tosajit_expr_op. */
static char *print(const subject *s, bool described) {
    const int64_t sizes[RANK] = {3, 2, 4}, size = sizes[RANK - 1];
    const int arity = tosajit_op_arity(s->op), parameters = tosajit_op_parameters(s->op, NULL);
    tosajit_tensor_type result = tosajit_ranked(s->result, RANK, sizes);
    if (test_reduces(s->op)) result.dims[s->attributes.axis] = 1;
    tosa_function f = open_function();
    tosa_op op = describe(s->op, (size_t)(arity + parameters), &result);
    tosajit_value value;
    char *text = NULL;
    for (int k = 0; k < arity; k++) {
        const tosajit_tensor_type type = tosajit_ranked(s->operands[k], RANK, sizes);
        op.operands[k] = input_of(&f, &type);
    }
    for (int k = 0; k < parameters; k++) {
        const test_parameter p =
            test_parameter_of(s->op, k, s->operands[0], s->result, &s->attributes);
        op.operands[arity + k] = input(&f, p.element, p.count ? p.count : size);
    }
    describe_attributes(s, &op);
    const tosajit_status status =
        described ? tosa_add(&f, &op, &value)
                  : tosajit_expr_op(f.expr, s->op, op.operands, op.operand_count, &s->attributes,
                                    &result, &value);
    if (status) fail_msg("%s: %s", tosajit_op_name(s->op), tosajit_last_error());
    assert_int_equal(tosa_function_result(&f, value), TOSAJIT_OK);
    assert_int_equal(f.step_count, described);
    assert_int_equal(tosajit_expr_print(f.expr, NULL, &text), TOSAJIT_OK);
    tosa_function_release(&f);
    return text;
}

static void descriptions_are_the_ops(void **state) {
    test_random random = test_random_start(20261124);
    int subjects = 0;
    (void)state;
    for (int k = 0; k < TOSAJIT_OP_COUNT; k++) {
        subject s = {.op = (tosajit_op)k};
        unsigned signature = 0;
        while (test_next_signature(s.op, &signature, s.operands, &s.result))
            for (int round = 0; round < 8; round++) {
                s.attributes = (tosajit_attributes){0};
                draw_attributes(&s, &random);
                char *expected = print(&s, false), *found = print(&s, true);
                assert_string_equal(found, expected);
                tosajit_text_release(expected);
                tosajit_text_release(found);
                subjects++;
            }
    }
    assert_true(subjects > 1000);
}

static void names_are_the_specifications(void **state) {
    (void)state;
    for (int k = 0; k < TOSAJIT_OP_COUNT; k++) {
        const bool extension = test_is_extension_op((tosajit_op)k);
        tosa_op op = {0};
        snprintf(op.name, sizeof op.name, "tosa.%s", tosajit_op_name((tosajit_op)k));
        assert_int_equal(tosa_op_of(&op), extension ? TOSAJIT_OP_COUNT : k);
        snprintf(op.name, sizeof op.name, "tosa.custom");
        add(&op, "operator_name", TOSA_TEXT, tosajit_op_name((tosajit_op)k));
        assert_int_equal(tosa_op_of(&op), TOSAJIT_OP_COUNT);
        add(&op, "domain_name", TOSA_TEXT, "tosajit");
        assert_int_equal(tosa_op_of(&op), extension ? k : TOSAJIT_OP_COUNT);
        op.attributes[0].kind = TOSA_WORD;
        assert_int_equal(tosa_op_of(&op), TOSAJIT_OP_COUNT);
    }
    static const char *const others[] = {"add",       "arith.add",   "tosa.",
                                         "tosa.adds", "tosa.conv2d", ""};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        tosa_op op = {0};
        snprintf(op.name, sizeof op.name, "%s", others[k]);
        assert_int_equal(tosa_op_of(&op), TOSAJIT_OP_COUNT);
        assert_null(tosa_attribute_name(&op, 0));
    }
}

/* ---------------------------------------------------------------------------------------------
 * What is wrong */

/* A clamp of x, a rescale or a reduction, with an attribute changed: of another kind, or without
 * it. */
typedef struct mistake {
    tosajit_op op;
    const char *attribute;
    tosa_kind kind; /* what it is */
    const char *text;
    const char *words;
} mistake;

static const mistake mistakes[] = {
    {TOSAJIT_OP_clamp, "min_val", TOSA_FLAG, "", "tosa.clamp: attribute min_val must be a number"},
    {TOSAJIT_OP_clamp, "max_val", TOSA_NUMBER, "f32",
     "tosa.clamp: attribute max_val has type f32, the elements have i8"},
    {TOSAJIT_OP_clamp, "min_val", TOSA_NUMBER, "si8",
     "tosa.clamp: attribute min_val has type si8, the elements have i8"},
    {TOSAJIT_OP_clamp, "nan_mode", TOSA_WORD, "NEVER",
     "tosa.clamp: attribute nan_mode must be PROPAGATE or IGNORE, not NEVER"},
    {TOSAJIT_OP_clamp, "nan_mode", TOSA_TEXT, "IGNORE",
     "tosa.clamp: attribute nan_mode must be PROPAGATE or IGNORE"},
    {TOSAJIT_OP_rescale, "scale32", TOSA_NUMBER, "i32",
     "tosa.rescale: attribute scale32 must be true or false"},
    {TOSAJIT_OP_rescale, "rounding_mode", TOSA_OTHER, "",
     "tosa.rescale: attribute rounding_mode must be SINGLE_ROUND, INEXACT_ROUND or DOUBLE_ROUND"},
    {TOSAJIT_OP_rescale, "rounding_mode", TOSA_WORD, "ROUND", "or DOUBLE_ROUND, not ROUND"},
    {TOSAJIT_OP_reduce_max, "axis", TOSA_NUMBER, "f32",
     "tosa.reduce_max: attribute axis has type f32, it must be an i32"},
    {TOSAJIT_OP_reduce_max, "axis", TOSA_NUMBER, "index",
     "tosa.reduce_max: attribute axis has type index, it must be an i32"},
    {TOSAJIT_OP_reduce_max, "axis", TOSA_TEXT, "0",
     "tosa.reduce_max: attribute axis must be an i32"},
    {TOSAJIT_OP_reduce_max, "nan_mode", TOSA_WORD, "NEVER",
     "tosa.reduce_max: attribute nan_mode must be PROPAGATE or IGNORE, not NEVER"},
};

static tosa_op right(tosa_function *f, tosajit_op op) {
    const bool clamp = op == TOSAJIT_OP_clamp, reduces = test_reduces(op);
    const int64_t size = 4, result_size = reduces ? 1 : size;
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_I8, 1, &result_size);
    tosa_op described = describe(op, clamp || reduces ? 1 : 5, &type);
    subject s = {.op = op, .operands = {TOSAJIT_I8}, .attributes = {.scale32 = !clamp}};
    if (clamp) s.attributes.max_val.i = 9;
    described.operands[0] = input(f, TOSAJIT_I8, size);
    described.operands[1] = input(f, TOSAJIT_I32, 1);
    for (int k = 2; k < TOSAJIT_MAX_OPERANDS; k++) described.operands[k] = input(f, TOSAJIT_I8, 1);
    describe_attributes(&s, &described);
    if (clamp || reduces) add(&described, "nan_mode", TOSA_WORD, "IGNORE");
    return described;
}

static tosa_attribute *find(tosa_op *op, const char *name) {
    size_t k = 0;
    while (strcmp(op->attributes[k].name, name) != 0) k++;
    return &op->attributes[k];
}

static void mistakes_are_named(void **state) {
    tosa_function f = open_function();
    tosajit_value value;
    (void)state;
    for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
        const mistake *m = &mistakes[k];
        tosa_op op = right(&f, m->op);
        tosa_attribute *wrong = find(&op, m->attribute);
        assert_int_equal(tosa_add(&f, &op, &value), TOSAJIT_OK);
        wrong->kind = m->kind;
        snprintf(wrong->text, sizeof wrong->text, "%s", m->text);
        host_assert_error(tosa_add(&f, &op, &value), TOSAJIT_BAD_MODULE, m->words);
    }
    assert_int_equal(f.step_count, sizeof mistakes / sizeof *mistakes);
    tosa_function_release(&f);
}

static void what_is_missing_is_named(void **state) {
    static const struct {
        tosajit_op op;
        const char *attribute, *words; /* null: there is a default */
    } cases[] = {
        {TOSAJIT_OP_clamp, "min_val", "attribute min_val is missing; it must be a number"},
        {TOSAJIT_OP_clamp, "max_val", "attribute max_val is missing; it must be a number"},
        {TOSAJIT_OP_clamp, "nan_mode", NULL},
        {TOSAJIT_OP_rescale, "rounding_mode",
         "attribute rounding_mode is missing; it must be SINGLE_ROUND, "},
        {TOSAJIT_OP_rescale, "per_channel", NULL},
        {TOSAJIT_OP_rescale, "input_unsigned", NULL},
        {TOSAJIT_OP_reduce_max, "axis", "attribute axis is missing; it must be an i32"},
        {TOSAJIT_OP_reduce_max, "nan_mode", NULL},
    };
    tosa_function f = open_function();
    tosajit_value value;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tosa_op op = right(&f, cases[k].op);
        find(&op, cases[k].attribute)->name = "other";
        const tosajit_status status = tosa_add(&f, &op, &value);
        if (cases[k].words)
            host_assert_error(status, TOSAJIT_BAD_MODULE, cases[k].words);
        else
            assert_int_equal(status, TOSAJIT_OK);
    }
    tosa_function_release(&f);
}

static void counts_and_the_librarys_refusals_are_named(void **state) {
    tosa_function f = open_function();
    tosajit_value value;
    (void)state;
    tosa_op op = right(&f, TOSAJIT_OP_rescale);
    op.operand_count = 1000;
    host_assert_error(tosa_add(&f, &op, &value), TOSAJIT_BAD_MODULE,
                      "tosa.rescale: has 1000 operands; 5 expected: 1 tensor and 4 parameters "
                      "(multiplier, shift, input_zp, output_zp)");
    op = right(&f, TOSAJIT_OP_clamp);
    op.operand_count = 0;
    host_assert_error(tosa_add(&f, &op, &value), TOSAJIT_BAD_MODULE,
                      "tosa.clamp: has 0 operands; 1 expected: 1 tensor");
    op = right(&f, TOSAJIT_OP_clamp);
    op.result_count = 2;
    host_assert_error(tosa_add(&f, &op, &value), TOSAJIT_BAD_MODULE,
                      "tosa.clamp: has 2 results, 1 expected");
    op = right(&f, TOSAJIT_OP_clamp);
    op.result.dims[0] = 5;
    host_assert_error(tosa_add(&f, &op, &value), TOSAJIT_SHAPE_MISMATCH,
                      "tosa.clamp: result dimension 0");
    assert_null(strstr(tosajit_last_error() + 1, "tosa.clamp"));
    snprintf(op.name, sizeof op.name, "other.limit");
    host_assert_error(tosa_add(&f, &op, &value), TOSAJIT_SHAPE_MISMATCH,
                      "other.limit: tosa.clamp: result dimension 0");
    assert_int_equal(f.step_count, 0);
    tosa_function_release(&f);
}

/* ---------------------------------------------------------------------------------------------
 * Constants */

static void constants_are_declared_no_more_precisely_than_they_are(void **state) {
    static const struct {
        const char *declared;
        size_t steps; /* 0: refused */
    } cases[] = {{"2x3", 1}, {"?x3", 2}, {"?x?", 2}, {"*", 2}, {"3x2", 0}, {"2", 0}, {"2x3x1", 0}};
    const tosajit_tensor_type type = test_type(TOSAJIT_I16, "2x3");
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tosa_function f = open_function();
        tosa_op op = {.name = "tosa.const", .op = TOSAJIT_OP_COUNT, .result_count = 1};
        tosajit_tensor_type found;
        tosajit_value value;
        op.result = test_type(TOSAJIT_I16, cases[k].declared);
        const tosajit_status status =
            tosa_add_constant(&f, &op, &type, calloc(6, sizeof(int16_t)), &value);
        assert_int_equal(f.step_count, cases[k].steps);
        if (cases[k].steps == 0) {
            host_assert_error(status, TOSAJIT_BAD_MODULE,
                              "tosa.const: the values are tensor<2x3xi16>, but the result is");
        } else {
            assert_int_equal(tosajit_expr_type(f.expr, value, &found), TOSAJIT_OK);
            assert_int_equal(found.rank, type.rank); /* unranked is what it is inferred to be */
        }
        op.operand_count = 1;
        host_assert_error(tosa_add_constant(&f, &op, &type, calloc(6, sizeof(int16_t)), &value),
                          TOSAJIT_BAD_MODULE,
                          "tosa.const: a constant has no operands, this one has 1");
        tosa_function_release(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions_are_the_ops),
        cmocka_unit_test(names_are_the_specifications),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(counts_and_the_librarys_refusals_are_named),
        cmocka_unit_test(constants_are_declared_no_more_precisely_than_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
