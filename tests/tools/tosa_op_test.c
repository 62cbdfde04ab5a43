/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descriptions of operations, as a front end gives them, without one: each op of each signature
 * with random attributes is the same expression as by tosajit_expr_op, and what is wrong is refused
 * in words that name it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/host.h"
#include "tests/support/support.h"
#include "tools/tosa/op.h"
#include "tosajit/inspect.h"

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
    for (int k = 0; k < TOSAJIT_OP_COUNT; k++) {
        subject s = {.op = (tosajit_op)k};
        unsigned signature = 0;
        while (s.op != TOSAJIT_OP_gather &&
               test_next_signature(s.op, &signature, s.operands, &s.result))
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
    for (int k = 0; k < TOSAJIT_OP_COUNT; k++) {
        const bool extension = test_is_extension_op((tosajit_op)k);
        /* TOSA's own form, and one with a list, or of any dimensions */
        const bool both =
            test_is_view((tosajit_op)k) || k == TOSAJIT_OP_gather || k == TOSAJIT_OP_scatter;
        tosa_op op = {0};
        snprintf(op.name, sizeof op.name, "tosa.%s", tosajit_op_name((tosajit_op)k));
        assert_int_equal(tosa_op_of(&op), extension && !both ? TOSAJIT_OP_COUNT : k);
        snprintf(op.name, sizeof op.name, "tosa.custom");
        add(&op, "operator_name", TOSA_TEXT, tosajit_op_name((tosajit_op)k));
        assert_int_equal(tosa_op_of(&op), TOSAJIT_OP_COUNT);
        add(&op, "domain_name", TOSA_TEXT, "tosajit");
        /* TOSA reduces one dimension at once; who reduces several says so by an op of ours. */
        const bool ours = extension || test_reduces((tosajit_op)k) || k == TOSAJIT_OP_argmax;
        assert_int_equal(tosa_op_of(&op), ours ? k : TOSAJIT_OP_COUNT);
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
 * Views in TOSA's own form */

/* A view of x, f32[?,6], with TOSA's lists and the library's one; or the words of its refusal. */
typedef struct view_case {
    tosajit_op op;
    struct {
        const char *name; /* null: no more */
        int64_t numbers[4];
        size_t count;
    } lists[2];
    int64_t numbers[8];
    size_t number_count;
    const char *words;
} view_case;

#define OPEN TOSAJIT_DYNAMIC
static const view_case views[] = {
    {TOSAJIT_OP_reshape, {{"shape", {-1, 3, 2}, 3}}, {-1, 3, 2}, 3, NULL},
    {TOSAJIT_OP_reshape,
     {{"shape", {0, 6}, 2}},
     {0},
     0,
     "tosa.reshape: shape[0] is 0, which is no "},
    {TOSAJIT_OP_reshape, {{"shape", {6, -2}, 2}}, {0}, 0, "tosa.reshape: shape[1] is -2, which is"},
    {TOSAJIT_OP_reshape,
     {{"shape", {-1, 3, -1}, 3}},
     {0},
     0,
     "tosa.reshape: shape has -1 twice, at 0 and 2"},
    {TOSAJIT_OP_slice,
     {{"start", {1, 2}, 2}, {"size", {-1, 3}, 2}},
     {1, OPEN, 1, 2, 5, 1},
     6,
     NULL},
    {TOSAJIT_OP_slice,
     {{"start", {0, 2}, 2}, {"size", {1, 5}, 2}},
     {0},
     0,
     "tosa.slice: dimension 1: begin 2, end 7, step 1 leave the 6 indices of operand 0, "
     "tensor<?x6x"},
    {TOSAJIT_OP_slice,
     {{"start", {0, 2}, 2}, {"size", {1}, 1}},
     {0},
     0,
     "tosa.slice: start has 2 numbers, but size has 1"},
    {TOSAJIT_OP_slice,
     {{"start", {0}, 1}, {"size", {1}, 1}},
     {0},
     0,
     "tosa.slice: ranges has 3 numbers, but operand 0, tensor<?x6xf32> of rank 2, needs 6"},
    {TOSAJIT_OP_slice,
     {{"start", {-1, 0}, 2}, {"size", {1, 1}, 2}},
     {0},
     0,
     "tosa.slice: start[0] is -1; it counts from 0"},
    {TOSAJIT_OP_slice,
     {{"start", {1, 0}, 2}, {"size", {INT64_MAX, 1}, 2}},
     {0},
     0,
     "tosa.slice: start[0] + size[0], 1 + 9223372036854775807, is beyond 2^63 - 1"},
    {TOSAJIT_OP_slice,
     {{"start", {0, 0}, 2}, {"size", {1, 0}, 2}},
     {0},
     0,
     "tosa.slice: size[1] is 0, which is no size, nor -1 for the rest"},
    {TOSAJIT_OP_slice, {{"start", {0, 0}, 2}}, {0}, 0, "tosa.slice: size must be a constant of at"},
    {TOSAJIT_OP_tile, {{"multiples", {1, 1}, 2}}, {1, 1}, 2, NULL},
    {TOSAJIT_OP_tile,
     {{"multiples", {0, 1}, 2}},
     {0},
     0,
     "tosa.tile: multiples[0] is 0, but a tensor is repeated once at least"},
    {TOSAJIT_OP_pad, {{"padding", {1, 0, 0, 2}, 4}}, {1, 0, 0, 2}, 4, NULL},
    {TOSAJIT_OP_pad,
     {{"padding", {1, 0}, 2}},
     {0},
     0,
     "tosa.pad: padding has 2 numbers, but operand 0, tensor<?x6xf32> of rank 2, needs 4"},
    {TOSAJIT_OP_pad,
     {{"padding", {1, 0, -1, 0}, 4}},
     {0},
     0,
     "tosa.pad: padding[2] is -1, for dimension 1 of operand 0, tensor<?x6xf32>"},
    {TOSAJIT_OP_pad, {{NULL, {0}, 0}}, {0}, 0, "tosa.pad: padding must be a constant of at most"},
    {TOSAJIT_OP_transpose, {{"perms", {1, 0}, 2}}, {1, 0}, 2, NULL},
    {TOSAJIT_OP_transpose,
     {{"perms", {1, 1}, 2}},
     {0},
     0,
     "tosa.transpose: perms[1] is 1, but perms "},
    {TOSAJIT_OP_transpose,
     {{"perm", {1, 0}, 2}},
     {0},
     0,
     "tosa.transpose: attribute perms is missing"},
};

static char *print_view(const view_case *v, bool described) {
    tosa_function f = open_function();
    const tosajit_tensor_type x = test_type(TOSAJIT_F32, "?x6"), any = test_type(TOSAJIT_F32, "*");
    const tosajit_tensor_type one = test_type(TOSAJIT_F32, "1");
    const int arity = tosajit_op_arity(v->op);
    tosa_op op = describe(v->op, (size_t)arity, &any);
    tosajit_value value;
    char *text = NULL;
    op.operands[0] = input_of(&f, &x);
    if (arity > 1) op.operands[1] = input_of(&f, &one);
    for (size_t k = 0; k < 2 && v->lists[k].name; k++) {
        tosa_attribute *list = add(&op, v->lists[k].name, TOSA_LIST, "");
        memcpy(list->numbers, v->lists[k].numbers, sizeof v->lists[k].numbers);
        list->number_count = v->lists[k].count;
    }
    op.operand_count += tosa_shape_name(&op, 1) != NULL;
    op.operand_count += tosa_shape_name(&op, 2) != NULL;
    const tosajit_attributes a = {.numbers = v->numbers, .number_count = v->number_count};
    const tosajit_status status =
        described ? tosa_add(&f, &op, &value)
                  : tosajit_expr_op(f.expr, v->op, op.operands, (size_t)arity, &a, &any, &value);
    if (v->words) {
        assert_true(status != TOSAJIT_OK && strstr(tosajit_last_error(), v->words));
    } else {
        if (status) fail_msg("%s: %s", op.name, tosajit_last_error());
        assert_int_equal(tosa_function_result(&f, value), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_print(f.expr, NULL, &text), TOSAJIT_OK);
    }
    tosa_function_release(&f);
    return text;
}

static void views_have_shapes_as_operands(void **state) {
    for (size_t k = 0; k < sizeof views / sizeof *views; k++) {
        char *text = print_view(&views[k], true);
        if (views[k].words) continue;
        char *expected = print_view(&views[k], false);
        assert_string_equal(text, expected);
        tosajit_text_release(text);
        tosajit_text_release(expected);
    }
    tosa_op op = {.name = "tosa.slice", .op = TOSAJIT_OP_slice};
    assert_null(tosa_shape_name(&op, 0));
    assert_string_equal(tosa_shape_name(&op, 1), "start");
    assert_string_equal(tosa_shape_name(&op, 2), "size");
    assert_null(tosa_shape_name(&op, 3));
    assert_string_equal(tosa_shape_name(&(tosa_op){.name = "tosa.pad", .op = TOSAJIT_OP_pad}, 1),
                        "padding");
    assert_null(tosa_shape_name(&(tosa_op){.name = "tosa.pad", .op = TOSAJIT_OP_pad}, 2));
    snprintf(op.name, sizeof op.name, "tosa.custom"); /* there it has ranges */
    assert_null(tosa_shape_name(&op, 1));
}

/* Any number of tensors, one behind the other. */
static void concatenations_are_of_many(void **state) {
    const tosajit_tensor_type part = test_type(TOSAJIT_I8, "2x3");
    for (int count = 1; count <= 4; count++) {
        tosa_function f = open_function();
        tosajit_tensor_type result = part, found;
        tosajit_value value;
        result.dims[1] = 3 * count;
        tosa_op op = describe(TOSAJIT_OP_concat, (size_t)count, &result);
        add(&op, "axis", TOSA_NUMBER, "i32")->value.i = 1;
        for (int k = 0; k < count; k++) op.operands[k] = input_of(&f, &part);
        assert_int_equal(tosa_add(&f, &op, &value), TOSAJIT_OK);
        assert_int_equal(f.step_count, count > 1 ? count - 1 : 1);
        assert_int_equal(tosajit_expr_type(f.expr, value, &found), TOSAJIT_OK);
        assert_int_equal(found.dims[1], 3 * count);
        op.result.dims[0] = 3;
        host_assert_error(tosa_add(&f, &op, &value), TOSAJIT_SHAPE_MISMATCH,
                          count > 1 ? "tosa.concat: result dimension 0"
                                    : "tosa.concat: tosa.identity: result dimension 0");
        op.result.dims[0] = 2;
        find(&op, "axis")->value.i = 2;
        assert_true(tosa_add(&f, &op, &value) != TOSAJIT_OK);
        assert_non_null(
            strstr(tosajit_last_error(), "tosa.concat: axis 2 is no dimension of operand"));
        op.operand_count = 0;
        host_assert_error(tosa_add(&f, &op, &value), TOSAJIT_BAD_MODULE,
                          "tosa.concat: has 0 operands; 1 to 64 expected");
        op.operand_count = TOSAJIT_MAX_TENSORS + 1;
        host_assert_error(tosa_add(&f, &op, &value), TOSAJIT_BAD_MODULE,
                          "tosa.concat: has 65 operands; 1 to 64 expected");
        tosa_function_release(&f);
    }
}

static void operands_that_do_not_fit_are_counted(void **state) {
    const tosajit_tensor_type part = test_type(TOSAJIT_I8, "2x3"),
                              other = test_type(TOSAJIT_I8, "4x3");
    tosa_function f = open_function();
    tosajit_value value;
    tosa_op op = describe(TOSAJIT_OP_concat, 3, &part);
    add(&op, "axis", TOSA_NUMBER, "i32")->value.i = 1;
    for (int k = 0; k < 3; k++) op.operands[k] = input_of(&f, k < 2 ? &part : &other);
    host_assert_error(tosa_add(&f, &op, &value), TOSAJIT_SHAPE_MISMATCH,
                      "tosa.concat: operand 2 as operand 1, behind those before it: ");
    assert_non_null(
        strstr(tosajit_last_error(),
               "dimension 0: operand 0, tensor<2x6xi8>, and operand 1, tensor<4x3xi8>"));
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
    return TEST_RUN(NULL, NULL, TEST(descriptions_are_the_ops), TEST(names_are_the_specifications),
                    TEST(mistakes_are_named), TEST(what_is_missing_is_named),
                    TEST(counts_and_the_librarys_refusals_are_named),
                    TEST(views_have_shapes_as_operands), TEST(concatenations_are_of_many),
                    TEST(operands_that_do_not_fit_are_counted),
                    TEST(constants_are_declared_no_more_precisely_than_they_are));
}
