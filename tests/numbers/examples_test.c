/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The worked examples of the documents that define broadcasting (the RFC "TOSA-to-Linalg lowering
 * of element-wise ops", the trait ResultsBroadcastableShape, the RFC on equal ranks, the RFC on
 * elementwise ops in the standard dialect), one table row each: what is legal, what is inferred,
 * and what happens when the kernel is called, with data, on every engine. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/guarded.h"
#include "tosajit/inspect.h"

/* Short names keep the tables readable. */
#define OK TOSAJIT_OK
#define MISMATCH TOSAJIT_SHAPE_MISMATCH

/* Legality. */

typedef struct example {
    const char *id, *claim;
    tosajit_op op;
    const char *operands[3], *declared; /* declared null: take the inferred type */
    tosajit_status status, strict;      /* of verification with padded and with equal ranks */
    const char *inferred;
} example;

#define OP(name, ...)                                                                              \
    TOSAJIT_OP_##name, { __VA_ARGS__ }
static const example examples[] = {
    {"R1", "two dynamic matrices broadcast when called", OP(add, "?x?", "?x?"), "?x?", OK, OK,
     "?x?"},
    {"R2", "a static 1 needs no decision", OP(add, "1x?", "?x?"), "?x?", OK, OK, "?x?"},
    {"R3", "2 and 4 never broadcast", OP(add, "2x3", "4x3"), "?x?", MISMATCH, MISMATCH, NULL},
    {"R4", "a row repeats for all rows", OP(add, "1x5", "3x5"), "?x?", OK, OK, "3x5"},
    {"R5", "equal static shapes", OP(add, "3x5", "3x5"), "?x?", OK, OK, "3x5"},
    {"R6", "a static 2 decides over a dynamic size", OP(add, "2x?", "?x?"), "?x?", OK, OK, "2x?"},
    {"R7", "a static matrix decides both sizes", OP(add, "2x2", "?x?"), "?x?", OK, OK, "2x2"},
    {"R8", "each operand decides one size", OP(add, "?x2", "2x?"), "?x?", OK, OK, "2x2"},
    {"R9", "rank expansion pads on the left", OP(add, "3x4", "2x3x4"), "2x3x4", OK, MISMATCH,
     "2x3x4"},
    {"R10", "a result is never larger than its operands", OP(add, "1", "1"), "5", MISMATCH,
     MISMATCH, NULL},
    {"R11", "a static 1 stretches to an operand's size", OP(sub, "5", "1"), "5", OK, OK, "5"},
    {"R12", "a static result of dynamic operands is checked when called", OP(add, "?", "?"), "5",
     OK, MISMATCH, "?"},
    {"R13", "nothing to broadcast", OP(add, "3", "3"), "3", OK, OK, "3"},
    {"R14", "a unary op takes its operand's size", OP(abs, "?"), "?", OK, OK, "?"},
    {"R15", "a static size may be forgotten", OP(abs, "5"), "?", OK, OK, "5"},
    {"R16", "1 and 3 give 3", OP(add, "1", "3"), "3", OK, OK, "3"},
    {"R17", "a static 5 decides", OP(add, "5", "?"), "5", OK, OK, "5"},
    {"R18", "the only dynamic size decides", OP(add, "1", "?"), "?", OK, OK, "?"},
    {"R19", "two dynamic vectors", OP(add, "?", "?"), "?", OK, OK, "?"},
    {"R20", "two dynamic matrices, inferred result", OP(add, "?x?", "?x?"), NULL, OK, OK, "?x?"},
    {"R21", "rank 0 is one element", OP(add, "", ""), "", OK, OK, ""},
    {"R22", "rank expansion, inferred result", OP(add, "3x4", "2x3x4"), NULL, OK, MISMATCH,
     "2x3x4"},
    {"R23", "three operands broadcast together", OP(select, "2x?", "2x?", "2x?"), "2x?", OK, OK,
     "2x?"},
    {"T1", "equal shapes with a static 1", OP(add, "1x2", "1x2"), "1x2", OK, OK, "1x2"},
    {"T2", "dynamic, dynamic, dynamic", OP(add, "?", "?"), "?", OK, OK, "?"},
    {"T3", "1 and 4 give 4", OP(add, "1", "4"), "4", OK, OK, "4"},
    {"T4", "one operand, forgotten size", OP(abs, "4"), "?", OK, OK, "4"},
    {"T5", "two dimensions of padding", OP(add, "4", "2x3x4"), "2x3x4", OK, MISMATCH, "2x3x4"},
    {"T7", "an unranked result takes the inferred shape", OP(abs, "2"), "*", OK, OK, "2"},
    {"T8", "unranked operands promise nothing", OP(add, "*", "*"), "2", OK, OK, "*"},
    {"T9", "3 and 2 never broadcast", OP(add, "3", "2"), "?", MISMATCH, MISMATCH, NULL},
    {"T10", "the result's rank is the inferred one", OP(add, "3", "3"), "1x3", MISMATCH, MISMATCH,
     NULL},
    {"T11", "a static result of dynamic operands", OP(add, "?", "?"), "4", OK, MISMATCH, "?"},
    {"T12", "a wrong static result", OP(add, "2", "2"), "4", MISMATCH, MISMATCH, NULL},
    {"T13", "an inferred 1 does not stretch", OP(add, "1", "1"), "4", MISMATCH, MISMATCH, NULL},
    {"A1", "an unranked result of ranked operands", OP(add, "4", "1"), "*", OK, OK, "4"},
    {"A2", "unranked in, unranked out", OP(log, "*"), "*", OK, OK, "*"},
    {"A3", "an unranked operand has no rank to disagree with", OP(sub, "*", ""), "*", OK, OK, ""},
    {"A4", "rank 0 beside rank 1 is padded, or refused", OP(sub, "4", ""), "4", OK, MISMATCH, "4"},
    {"A5", "a bias added to a matrix product, ranks as they are", OP(add, "1x2x3", "3"), "1x2x3",
     OK, MISMATCH, "1x2x3"},
    {"A5 equalised", "the bias after a reshape", OP(add, "1x2x3", "1x1x3"), "1x2x3", OK, OK,
     "1x2x3"},
    {"E3", "a difference in rank", OP(add, "7", "8x7"), "8x7", OK, MISMATCH, "8x7"},
    {"E4", "a vector of one element", OP(add, "1", "7"), "7", OK, OK, "7"},
    {"E5", "a scalar predicate", OP(select, "", "2x3", "2x3"), "2x3", OK, MISMATCH, "2x3"},
    {"E5 equalised", "a predicate of equal rank", OP(select, "1x1", "2x3", "2x3"), "2x3", OK, OK,
     "2x3"},
    {"E6", "rank 0 stays a tensor", OP(abs, ""), "", OK, OK, ""},
    {"promise", "a static result fixes the sizes of a dynamic operand", OP(abs, "?x?x?"), "5x1x1",
     OK, MISMATCH, "?x?x?"},
    {"trap", "broadcasting one dimension keeps the sizes of the others", OP(add, "?x?x?", "?x?x?"),
     "?x?x?", OK, OK, "?x?x?"},
};

static size_t operand_types(const example *e, tosajit_tensor_type *types) {
    size_t count = (size_t)tosajit_op_arity(e->op);
    for (size_t k = 0; k < count; k++)
        types[k] = test_type(e->op == TOSAJIT_OP_select && k == 0 ? TOSAJIT_I1 : TOSAJIT_F32,
                             e->operands[k]);
    return count;
}

static void check_legality(const example *e, int strict) {
    tosajit_tensor_type types[3], declared, inferred;
    size_t count = operand_types(e, types);
    if (e->declared) declared = test_type(TOSAJIT_F32, e->declared);
    tosajit_status status = tosajit_verify(e->op, types, count, NULL,
                                           e->declared ? &declared : NULL, strict, &inferred);
    tosajit_status expected = strict ? e->strict : e->status;
    if (status != expected)
        fail_msg("%s (%s), strict %d: %s instead of %s: %s", e->id, e->claim, strict,
                 tosajit_status_name(status), tosajit_status_name(expected), tosajit_last_error());
    if (status) return;
    char want[400], got[400];
    tosajit_tensor_type wanted = test_type(TOSAJIT_F32, e->inferred);
    tosajit_type_print(&wanted, want, sizeof want);
    tosajit_type_print(&inferred, got, sizeof got);
    if (strcmp(want, got) != 0)
        fail_msg("%s (%s), strict %d: inferred %s, expected %s", e->id, e->claim, strict, got,
                 want);
}

static void verification_and_inference_follow_the_documents(void **state) {
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        check_legality(&examples[k], 0);
        check_legality(&examples[k], 1);
    }
}

/* T6: the trait says nothing about element types, so the shape functions ignore them. */
static void shape_functions_ignore_element_types(void **state) {
    tosajit_tensor_type operands[2] = {test_type(TOSAJIT_I1, "2"), test_type(TOSAJIT_I32, "2")},
                        inferred, result = test_type(TOSAJIT_I64, "2");
    assert_int_equal(tosajit_infer_shape(operands, 2, 1, &inferred), TOSAJIT_OK);
    assert_int_equal(inferred.rank, 1);
    assert_int_equal(inferred.dims[0], 2);
    assert_int_equal(tosajit_verify_result(&inferred, &result, 1), TOSAJIT_OK);
    assert_int_equal(tosajit_verify(TOSAJIT_OP_add, operands, 2, NULL, &result, 1, NULL),
                     TOSAJIT_TYPE_MISMATCH);
}

/* Calls. */

typedef struct call {
    const char *id;          /* of the example that is called */
    const char *operands[3]; /* run-time shapes */
    const char *result;      /* expected sizes; null: the call is refused */
} call;

static const call calls[] = {
    {"R1", {"2x3", "2x3"}, "2x3"},
    {"R1", {"1x3", "2x3"}, "2x3"},
    {"R1", {"2x1", "2x3"}, "2x3"},
    {"R1", {"1x1", "2x3"}, "2x3"},
    {"R1", {"1x3", "2x1"}, "2x3"},
    {"R1", {"2x3", "1x1"}, "2x3"},
    {"R1", {"2x3", "4x3"}, NULL},
    {"R1", {"2x3", "2x4"}, NULL},
    {"R1", {"0x3", "1x3"}, "0x3"},
    {"R1", {"0x3", "0x1"}, "0x3"},
    {"R1", {"0x3", "2x3"}, NULL},
    {"R1", {"1x0", "5x1"}, "5x0"},
    {"R2", {"1x4", "6x4"}, "6x4"},
    {"R2", {"1x4", "6x1"}, "6x4"},
    {"R2", {"1x4", "1x4"}, "1x4"},
    {"R2", {"1x1", "6x5"}, "6x5"},
    {"R2", {"1x4", "6x5"}, NULL},
    {"R2", {"2x4", "6x4"}, NULL},
    {"R2", {"1x4", "0x4"}, "0x4"},
    {"R4", {"1x5", "3x5"}, "3x5"},
    {"R5", {"3x5", "3x5"}, "3x5"},
    {"R6", {"2x7", "2x7"}, "2x7"},
    {"R6", {"2x7", "1x7"}, "2x7"},
    {"R6", {"2x7", "2x1"}, "2x7"},
    {"R6", {"2x7", "1x1"}, "2x7"},
    {"R6", {"2x1", "1x7"}, "2x7"},
    {"R6", {"2x7", "3x7"}, NULL},
    {"R6", {"2x7", "0x7"}, NULL},
    {"R6", {"2x0", "1x1"}, "2x0"},
    {"R7", {"2x2", "2x2"}, "2x2"},
    {"R7", {"2x2", "1x2"}, "2x2"},
    {"R7", {"2x2", "2x1"}, "2x2"},
    {"R7", {"2x2", "1x1"}, "2x2"},
    {"R7", {"2x2", "3x2"}, NULL},
    {"R8", {"2x2", "2x2"}, "2x2"},
    {"R8", {"1x2", "2x2"}, "2x2"},
    {"R8", {"2x2", "2x1"}, "2x2"},
    {"R8", {"1x2", "2x1"}, "2x2"},
    {"R8", {"3x2", "2x2"}, NULL},
    {"R9", {"3x4", "2x3x4"}, "2x3x4"},
    {"R11", {"5", "1"}, "5"},
    {"R12", {"5", "5"}, "5"},
    {"R12", {"1", "5"}, "5"},
    {"R12", {"5", "1"}, "5"},
    {"R12", {"1", "1"}, NULL},
    {"R12", {"4", "4"}, NULL},
    {"R12", {"0", "1"}, NULL},
    {"R13", {"3", "3"}, "3"},
    {"R14", {"9"}, "9"},
    {"R14", {"0"}, "0"},
    {"R15", {"5"}, "5"},
    {"R15", {"4"}, NULL},
    {"R16", {"1", "3"}, "3"},
    {"R17", {"5", "1"}, "5"},
    {"R17", {"5", "5"}, "5"},
    {"R17", {"5", "2"}, NULL},
    {"R17", {"5", "0"}, NULL},
    {"R18", {"1", "1"}, "1"},
    {"R18", {"1", "9"}, "9"},
    {"R18", {"1", "0"}, "0"},
    {"R19", {"6", "6"}, "6"},
    {"R19", {"1", "6"}, "6"},
    {"R19", {"6", "1"}, "6"},
    {"R19", {"1", "1"}, "1"},
    {"R19", {"2", "7"}, NULL},
    {"R19", {"0", "1"}, "0"},
    {"R19", {"0", "0"}, "0"},
    {"R19", {"0", "2"}, NULL},
    {"R20", {"1x3", "2x1"}, "2x3"},
    {"R20", {"2x3", "4x3"}, NULL},
    {"R21", {"", ""}, ""},
    {"R22", {"3x4", "2x3x4"}, "2x3x4"},
    {"R23", {"2x3", "2x3", "2x3"}, "2x3"},
    {"R23", {"2x1", "2x3", "2x3"}, "2x3"},
    {"R23", {"2x3", "2x1", "2x3"}, "2x3"},
    {"R23", {"2x3", "2x3", "2x1"}, "2x3"},
    {"R23", {"2x1", "2x1", "2x3"}, "2x3"},
    {"R23", {"2x1", "2x3", "2x1"}, "2x3"},
    {"R23", {"2x3", "2x1", "2x1"}, "2x3"},
    {"R23", {"2x1", "2x1", "2x1"}, "2x1"},
    {"R23", {"2x2", "2x3", "2x3"}, NULL},
    {"R23", {"2x3", "2x2", "2x3"}, NULL},
    {"R23", {"2x1", "2x2", "2x3"}, NULL},
    {"T1", {"1x2", "1x2"}, "1x2"},
    {"T2", {"4", "4"}, "4"},
    {"T3", {"1", "4"}, "4"},
    {"T4", {"4"}, "4"},
    {"T5", {"4", "2x3x4"}, "2x3x4"},
    {"T7", {"2"}, "2"},
    {"T11", {"4", "1"}, "4"},
    {"T11", {"3", "1"}, NULL},
    {"A1", {"4", "1"}, "4"},
    {"A4", {"4", ""}, "4"},
    {"A5", {"1x2x3", "3"}, "1x2x3"},
    {"A5 equalised", {"1x2x3", "1x1x3"}, "1x2x3"},
    {"R19", {"7", "8"}, NULL}, /* E1 and E2: sizes that were undefined behaviour there */
    {"E3", {"7", "8x7"}, "8x7"},
    {"E4", {"1", "7"}, "7"},
    {"E5", {"", "2x3", "2x3"}, "2x3"},
    {"E5 equalised", {"1x1", "2x3", "2x3"}, "2x3"},
    {"E6", {""}, ""},
    {"promise", {"5x1x1"}, "5x1x1"},
    {"promise", {"1x1x1"}, NULL},
    {"promise", {"5x2x1"}, NULL},
    {"trap", {"1x1x4", "2x3x1"}, "2x3x4"},
    {"trap", {"1x3x1", "2x1x4"}, "2x3x4"},
    {"trap", {"2x3x4", "1x1x1"}, "2x3x4"},
};

static const example *find_example(const char *id) {
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++)
        if (strcmp(examples[k].id, id) == 0) return &examples[k];
    fail_msg("there is no example %s", id);
    return NULL;
}

/* Element k of operand o, never twice the same: a wrong index shows. */
static void fill(guard_tensor *operand, size_t which) {
    int64_t index[TOSAJIT_MAX_RANK] = {0}, at = 0;
    if (operand->size > 0) do {
            float number = (float)(at * 8 + 1) * (which == 0   ? -1.0f
                                                  : which == 1 ? 1000.0f
                                                               : 0.125f);
            unsigned char truth = (unsigned char)(at % 3 == 1 ? 0 : at % 5 + 1);
            bool predicate = operand->tensor.element == TOSAJIT_I1;
            memcpy(guard_at(operand, index),
                   predicate ? (const void *)&truth : (const void *)&number,
                   predicate ? sizeof truth : sizeof number);
            at++;
        } while (guard_next(operand->tensor.rank, operand->dims, index));
    guard_remember(operand);
}

/* The operand's element under an index of the result. */
static const unsigned char *broadcast_at(const guard_tensor *operand, int32_t rank,
                                         const int64_t *result_index) {
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    for (int32_t d = 0; d < operand->tensor.rank; d++)
        index[d] = operand->dims[d] == 1 ? 0 : result_index[rank - operand->tensor.rank + d];
    return guard_at(operand, index);
}

static float number_at(const guard_tensor *operand, int32_t rank, const int64_t *index) {
    float number;
    memcpy(&number, broadcast_at(operand, rank, index), sizeof number);
    return number;
}

static float expected_at(const guarded *f, tosajit_op op, int32_t rank, const int64_t *index) {
    const guard_tensor *o = f->operands;
    if (op == TOSAJIT_OP_select)
        return number_at(&o[*broadcast_at(&o[0], rank, index) ? 1 : 2], rank, index);
    float a = number_at(&o[0], rank, index);
    if (op == TOSAJIT_OP_abs) return a < 0 ? -a : a;
    float b = number_at(&o[1], rank, index);
    return op == TOSAJIT_OP_sub ? a - b : a + b;
}

static void check_data(const guarded *f, const example *e, const char *engine) {
    int64_t index[TOSAJIT_MAX_RANK] = {0}, at = 0;
    if (f->result.size == 0) return;
    do {
        float got, wanted = expected_at(f, e->op, f->result.tensor.rank, index);
        memcpy(&got, guard_at(&f->result, index), sizeof got);
        if (memcmp(&got, &wanted, sizeof got) != 0)
            fail_msg("%s on %s: element %d is %a, expected %a", e->id, engine, (int)at, (double)got,
                     (double)wanted);
        at++;
    } while (guard_next(f->result.tensor.rank, f->result.dims, index));
}

/* Place operands and result; a refused call gets a result of one operand's shape. */
static size_t place(guarded *f, const call *c, tosajit_op op, tosajit_tensor *operands) {
    int64_t dims[TOSAJIT_MAX_RANK];
    size_t count = (size_t)tosajit_op_arity(op);
    for (size_t k = 0; k < count; k++) {
        int32_t rank = test_dims(c->operands[k], dims);
        assert_true(guard_place(&f->operands[k],
                                op == TOSAJIT_OP_select && k == 0 ? TOSAJIT_I1 : TOSAJIT_F32, rank,
                                dims, NULL, GUARD_AT_END));
        fill(&f->operands[k], op == TOSAJIT_OP_select ? k - 1 : k);
        operands[k] = f->operands[k].tensor;
    }
    int32_t rank = test_dims(c->result ? c->result : c->operands[count - 1], dims);
    assert_true(guard_place(&f->result, TOSAJIT_F32, rank, dims, NULL, GUARD_AT_END));
    guard_remember(&f->result);
    return count;
}

static void check_call(guarded *f, const call *c, const test_engine *engine, tosajit_kernel *kernel,
                       const example *e) {
    tosajit_tensor operands[3];
    size_t count = place(f, c, e->op, operands);
    int64_t dims[TOSAJIT_MAX_RANK];
    int32_t rank;
    tosajit_status expected = c->result ? TOSAJIT_OK : TOSAJIT_SHAPE_MISMATCH;
    tosajit_status asked = tosajit_kernel_result_dims(kernel, operands, count, 0, &rank, dims);
    tosajit_status status = tosajit_run(kernel, operands, count, &f->result.tensor, 1);
    if (status != expected || asked != expected)
        fail_msg("%s on %s called with %s, %s: run gives %s, result_dims gives %s, expected %s",
                 c->id, engine->name, c->operands[0], c->operands[1] ? c->operands[1] : "-",
                 tosajit_status_name(status), tosajit_status_name(asked),
                 tosajit_status_name(expected));
    if (!guard_intact(&f->result, status == TOSAJIT_OK))
        fail_msg("%s on %s wrote outside the result, or wrote and failed", c->id, engine->name);
    if (status) return;
    assert_int_equal(rank, f->result.tensor.rank);
    assert_memory_equal(dims, f->result.dims, (size_t)rank * sizeof *dims);
    check_data(f, e, engine->name);
}

static tosajit_kernel *compile_example(const example *e, const test_engine *engine) {
    tosajit_tensor_type types[3], declared;
    size_t count = operand_types(e, types);
    if (e->declared) declared = test_type(TOSAJIT_F32, e->declared);
    tosajit_kernel *kernel = NULL;
    tosajit_status status = tosajit_compile(engine->engine, e->op, types, count, NULL,
                                            e->declared ? &declared : NULL, &kernel);
    if (status)
        fail_msg("%s on %s does not compile: %s", e->id, engine->name, tosajit_last_error());
    return kernel;
}

static void calls_give_the_documented_sizes_and_data(void **state) {
    guarded *f = *state;
    for (size_t e = 0; e < f->engine_count; e++)
        for (size_t k = 0; k < sizeof calls / sizeof *calls;) {
            const example *row = find_example(calls[k].id);
            tosajit_kernel *kernel = compile_example(row, &f->engines[e]);
            for (const char *id = calls[k].id;
                 k < sizeof calls / sizeof *calls && strcmp(calls[k].id, id) == 0; k++)
                check_call(f, &calls[k], &f->engines[e], kernel, row);
            tosajit_kernel_release(kernel);
        }
}

/* Every legal example with ranks is called above; those without are refused when a kernel is made.
 */
static void every_example_is_called_or_has_no_rank(void **state) {
    guarded *f = *state;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        const example *e = &examples[k];
        bool called = false, unranked = false;
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
            called |= strcmp(calls[c].id, e->id) == 0;
        for (int o = 0; o < tosajit_op_arity(e->op); o++) unranked |= *e->operands[o] == '*';
        if (called != (e->status == TOSAJIT_OK && !unranked))
            fail_msg("%s: called %d, legal %d, unranked %d", e->id, called, e->status == TOSAJIT_OK,
                     unranked);
        tosajit_tensor_type types[3];
        size_t count = operand_types(e, types);
        tosajit_kernel *kernel = NULL;
        if (unranked)
            for (size_t n = 0; n < f->engine_count; n++)
                assert_int_equal(
                    tosajit_compile(f->engines[n].engine, e->op, types, count, NULL, NULL, &kernel),
                    TOSAJIT_UNRANKED_SHAPE);
    }
}

/* A1 to A3 as one expression: the shapes spread through values that are declared unranked. */
static void shapes_spread_through_unranked_values(void **state) {
    tosajit_expr *expr = NULL;
    tosajit_tensor_type four = test_type(TOSAJIT_F32, "4"), one = test_type(TOSAJIT_F32, "1"),
                        unranked = test_type(TOSAJIT_F32, "*"), type;
    tosajit_value a, b, sum, log;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &four, &a), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &one, &b), TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){a, b}, 2, NULL, &unranked, &sum),
        TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_log, &sum, 1, NULL, &unranked, &log),
                     TOSAJIT_OK);
    assert_int_equal(tosajit_expr_type(expr, log, &type), TOSAJIT_OK);
    assert_int_equal(type.rank, 1);
    assert_int_equal(type.dims[0], 4);
    tosajit_expr_destroy(expr);
}

/* E7: a + (b - a) is b only where nothing broadcasts; the result keeps the sizes of a. */
static void fusion_keeps_the_broadcast_shape(void **state) {
    guarded *f = *state;
    tosajit_expr *expr = NULL;
    tosajit_tensor_type dynamic = test_type(TOSAJIT_F32, "?");
    tosajit_value a, b, difference, sum;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &dynamic, &a), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &dynamic, &b), TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_sub, (tosajit_value[]){b, a}, 2, NULL, NULL, &difference),
        TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){a, difference}, 2,
                                     NULL, NULL, &sum),
                     TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, sum), TOSAJIT_OK);
    for (size_t e = 0; e < f->engine_count; e++) {
        tosajit_kernel *kernel = NULL;
        assert_int_equal(tosajit_compile_expr(f->engines[e].engine, expr, &kernel), TOSAJIT_OK);
        float large[3] = {1.0f, 0x1p30f, -4.0f}, small[1] = {7.0f}, result[3] = {0};
        tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, large, 1, (int64_t[]){3}),
                                      tosajit_dense(TOSAJIT_F32, small, 1, (int64_t[]){1})};
        tosajit_tensor to = tosajit_dense(TOSAJIT_F32, result, 1, (int64_t[]){3});
        assert_int_equal(tosajit_run(kernel, operands, 2, &to, 1), TOSAJIT_OK);
        for (int k = 0; k < 3; k++) {
            volatile float step = small[0] - large[k]; /* rounded twice, as the two ops are */
            assert_true(result[k] == large[k] + step);
        }
        tosajit_kernel_release(kernel);
    }
    tosajit_expr_destroy(expr);
}

/* E8: an element of a tensor result is the same op on single elements. */

static void scalarise(guarded *f, const test_engine *engine, tosajit_op op,
                      const tosajit_type *from, tosajit_type to) {
    static const char *const shapes[3] = {"3x17", "3x1", "1x17"};
    tosajit_tensor_type types[TOSAJIT_MAX_OPERANDS], scalars[TOSAJIT_MAX_OPERANDS],
        result = {to, TOSAJIT_UNRANKED, {0}};
    tosajit_tensor operands[TOSAJIT_MAX_OPERANDS], single[TOSAJIT_MAX_OPERANDS];
    test_random random = test_random_start((uint64_t)op);
    size_t count = (size_t)tosajit_op_arity(op);
    for (size_t k = 0; k < count; k++) {
        types[k] = test_type(from[k], shapes[k]);
        scalars[k] = test_type(from[k], "");
        assert_true(guard_place(&f->operands[k], from[k], 2, types[k].dims, NULL, GUARD_AT_END));
        int64_t index[TOSAJIT_MAX_RANK] = {0};
        do test_random_element(&random, from[k], guard_at(&f->operands[k], index));
        while (guard_next(2, types[k].dims, index));
        operands[k] = f->operands[k].tensor;
    }
    assert_true(guard_place(&f->result, to, 2, (int64_t[]){3, 17}, NULL, GUARD_AT_END));
    tosajit_attributes attributes = {0};
    if (op == TOSAJIT_OP_clamp && test_is_float(from[0])) attributes.max_val.f = 1.0;
    int required, parameters = tosajit_op_parameters(op, &required);
    unsigned char bytes[4][513 * 8];
    const size_t data = count;
    if (required) attributes.scale32 = op == TOSAJIT_OP_rescale && from[0] != TOSAJIT_I48;
    for (int k = 0; required && k < parameters; k++, count++) {
        test_parameter p = test_parameter_of(op, k, from[0], to, &attributes);
        types[count] = scalars[count] = tosajit_ranked(p.element, 1, &p.count);
        for (int64_t n = 0; n < p.count; n++)
            test_parameter_element(&random, &p,
                                   bytes[k] + (size_t)n * tosajit_type_size(p.element));
        operands[count] = single[count] = tosajit_dense(p.element, bytes[k], 1, types[count].dims);
    }
    tosajit_kernel *tensor_kernel = NULL, *scalar_kernel = NULL;
    if (tosajit_compile(engine->engine, op, types, count, &attributes, &result, &tensor_kernel))
        fail_msg("%s", tosajit_last_error());
    if (tosajit_compile(engine->engine, op, scalars, count, &attributes, &result, &scalar_kernel))
        fail_msg("%s", tosajit_last_error());
    assert_int_equal(tosajit_run(tensor_kernel, operands, count, &f->result.tensor, 1), TOSAJIT_OK);
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    do {
        unsigned char element[8], inputs[3][8];
        for (size_t k = 0; k < data; k++) {
            memcpy(inputs[k], broadcast_at(&f->operands[k], 2, index), tosajit_type_size(from[k]));
            single[k] = tosajit_dense(from[k], inputs[k], 0, NULL);
        }
        tosajit_tensor scalar = tosajit_dense(to, element, 0, NULL);
        assert_int_equal(tosajit_run(scalar_kernel, single, count, &scalar, 1), TOSAJIT_OK);
        uint64_t tensor_bits = test_bits(to, guard_at(&f->result, index)),
                 scalar_bits = test_bits(to, element);
        if (!test_same(to, tensor_bits, scalar_bits, 0))
            fail_msg("%s of %s on %s: element %d,%d is 0x%llx in the tensor, 0x%llx alone (first "
                     "operand 0x%llx)",
                     tosajit_op_name(op), tosajit_type_name(from[data - 1]), engine->name,
                     (int)index[0], (int)index[1], (unsigned long long)tensor_bits,
                     (unsigned long long)scalar_bits,
                     (unsigned long long)test_bits(from[0], inputs[0]));
    } while (guard_next(2, f->result.dims, index));
    tosajit_kernel_release(tensor_kernel);
    tosajit_kernel_release(scalar_kernel);
}

static void a_tensor_op_is_its_scalar_op_per_element(void **state) {
    guarded *f = *state;
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        tosajit_type from[TOSAJIT_MAX_ARITY], to;
        if (test_reduces((tosajit_op)op)) continue; /* which make one of several elements */
        if (op == (int)TOSAJIT_OP_gather) continue; /* whose values have a dimension */
        for (unsigned next = 0; test_next_signature((tosajit_op)op, &next, from, &to);)
            for (size_t e = 0; e < f->engine_count && e < 2; e++)
                scalarise(f, &f->engines[e], (tosajit_op)op, from, to);
    }
}

int main(void) {
    return TEST_RUN(
        guarded_setup, guarded_teardown, TEST(verification_and_inference_follow_the_documents),
        TEST(shape_functions_ignore_element_types), TEST(calls_give_the_documented_sizes_and_data),
        TEST(every_example_is_called_or_has_no_rank), TEST(shapes_spread_through_unranked_values),
        TEST(fusion_keeps_the_broadcast_shape), TEST(a_tensor_op_is_its_scalar_op_per_element));
}
