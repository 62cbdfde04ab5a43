/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shape inference and result verification: the rows of the Broadcastable trait's documents, one by
 * one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tosajit/inspect.h"

/* "2x?" -> a tensor type; "*" is unranked, "" is rank 0. */
static tosajit_tensor_type parse(const char *text) {
    tosajit_tensor_type type = {TOSAJIT_F32, 0, {0}};
    if (*text == '*') {
        type.rank = TOSAJIT_UNRANKED;
        return type;
    }
    while (*text) {
        char *end = NULL;
        if (*text == '?') {
            type.dims[type.rank++] = TOSAJIT_DYNAMIC;
            text++;
        } else {
            type.dims[type.rank++] = strtoll(text, &end, 10);
            text = end;
        }
        if (*text == 'x') text++;
    }
    return type;
}

typedef struct inference_case {
    const char *id, *operands[3], *inferred; /* inferred null: the operands do not broadcast */
} inference_case;

static const inference_case inference_cases[] = {
    {"R1", {"?x?", "?x?"}, "?x?"},
    {"R2", {"1x?", "?x?"}, "?x?"},
    {"R3", {"2x3", "4x3"}, NULL},
    {"R4", {"1x5", "3x5"}, "3x5"},
    {"R5", {"3x5", "3x5"}, "3x5"},
    {"R6", {"2x?", "?x?"}, "2x?"},
    {"R7", {"2x2", "?x?"}, "2x2"},
    {"R8", {"?x2", "2x?"}, "2x2"},
    {"R9", {"3x4", "2x3x4"}, "2x3x4"},
    {"R11", {"5", "1"}, "5"},
    {"R14", {"?"}, "?"},
    {"R21", {"", ""}, ""},
    {"R23", {"2x?", "2x?", "2x?"}, "2x?"},
    {"T5", {"4", "2x3x4"}, "2x3x4"},
    {"T8", {"*", "*"}, "*"},
    {"T9", {"3", "2"}, NULL},
    {"unranked is skipped", {"*", "2"}, "2"},
    {"rank 0 expands", {"", "2x3"}, "2x3"},
    {"three dynamic", {"?x1", "1x?", "3x3"}, "3x3"},
    {"(?,?)", {"?", "?"}, "?"},
    {"(?,1)", {"?", "1"}, "?"},
    {"(1,?)", {"1", "?"}, "?"},
    {"(?,3)", {"?", "3"}, "3"},
    {"(3,?)", {"3", "?"}, "3"},
    {"(1,1)", {"1", "1"}, "1"},
    {"(1,3)", {"1", "3"}, "3"},
    {"(3,1)", {"3", "1"}, "3"},
    {"(3,3)", {"3", "3"}, "3"},
    {"(3,2)", {"3", "2"}, NULL},
};

static size_t parse_operands(const char *const *texts, tosajit_tensor_type *types) {
    size_t count = 0;
    while (count < 3 && texts[count]) {
        types[count] = parse(texts[count]);
        count++;
    }
    return count;
}

static void inference_follows_the_trait(void **state) {
    for (size_t k = 0; k < sizeof inference_cases / sizeof *inference_cases; k++) {
        const inference_case *c = &inference_cases[k];
        tosajit_tensor_type operands[3], inferred;
        size_t count = parse_operands(c->operands, operands);
        tosajit_status status = tosajit_infer_shape(operands, count, 0, &inferred);
        if ((status == TOSAJIT_OK) != (c->inferred != NULL))
            fail_msg("%s: status %s", c->id, tosajit_status_name(status));
        if (!c->inferred) continue;
        tosajit_tensor_type expected = parse(c->inferred);
        char want[400], got[400];
        tosajit_type_print(&expected, want, sizeof want);
        tosajit_type_print(&inferred, got, sizeof got);
        if (strcmp(want, got) != 0) fail_msg("%s: inferred %s, expected %s", c->id, got, want);
    }
}

typedef struct result_case {
    const char *id, *inferred, *declared;
    int accepted, strict_accepted;
} result_case;

static const result_case result_cases[] = {
    {"R4", "3x5", "?x?", 1, 1},     {"R10", "1", "5", 0, 0},   {"R12", "?", "5", 1, 0},
    {"R13", "3", "3", 1, 1},        {"R15", "5", "?", 1, 1},   {"T7", "2", "*", 1, 1},
    {"T8", "*", "2", 1, 1},         {"T10", "3", "1x3", 0, 0}, {"T11", "?", "4", 1, 0},
    {"T12", "2", "4", 0, 0},        {"T13", "1", "4", 0, 0},   {"(n,?)", "4", "?", 1, 1},
    {"rank", "2x3", "3", 0, 0},     {"rank 0", "", "", 1, 1},  {"unranked 3", "?", "3", 1, 0},
    {"unranked 1", "1", "3", 0, 0},
};

static void result_verification_follows_the_trait(void **state) {
    for (size_t k = 0; k < sizeof result_cases / sizeof *result_cases; k++) {
        const result_case *c = &result_cases[k];
        tosajit_tensor_type inferred = parse(c->inferred), declared = parse(c->declared);
        if ((tosajit_verify_result(&inferred, &declared, 0) == TOSAJIT_OK) != c->accepted)
            fail_msg("%s (default)", c->id);
        if ((tosajit_verify_result(&inferred, &declared, 1) == TOSAJIT_OK) != c->strict_accepted)
            fail_msg("%s (strict)", c->id);
    }
}

static void strict_demands_equal_ranks(void **state) {
    tosajit_tensor_type operands[2] = {parse("3x4"), parse("2x3x4")}, inferred;
    assert_int_equal(tosajit_infer_shape(operands, 2, 1, &inferred), TOSAJIT_SHAPE_MISMATCH);
    assert_non_null(strstr(tosajit_last_error(), "reshape it to tensor<1x3x4xf32>"));
    operands[0] = parse("*");
    assert_int_equal(tosajit_infer_shape(operands, 2, 1, &inferred), TOSAJIT_OK);
}

static void mismatch_names_operand_dimension_and_sizes(void **state) {
    tosajit_tensor_type operands[2] = {parse("2x3"), parse("4x3")}, inferred;
    assert_int_equal(tosajit_infer_shape(operands, 2, 0, &inferred), TOSAJIT_SHAPE_MISMATCH);
    assert_string_equal(tosajit_last_error(),
                        "operand 1 dimension 0: 4 does not broadcast with 2 (operands "
                        "tensor<2x3xf32>, tensor<4x3xf32>); the sizes must be "
                        "equal, or one of them 1");
}

static void illegal_static_sizes_are_refused(void **state) {
    tosajit_tensor_type operands[1] = {parse("2x0")}, inferred;
    assert_int_equal(tosajit_infer_shape(operands, 1, 0, &inferred), TOSAJIT_SHAPE_MISMATCH);
    operands[0].rank = TOSAJIT_MAX_RANK + 1;
    assert_int_equal(tosajit_infer_shape(operands, 1, 0, &inferred), TOSAJIT_LIMIT_EXCEEDED);
    assert_int_equal(tosajit_infer_shape(operands, 0, 0, &inferred), TOSAJIT_INVALID_ARGUMENT);
}

/* Folding the operands in any order gives the same shape, or fails in every order. */
static void inference_is_independent_of_order(void **state) {
    const char *const sizes[] = {"1", "2", "3", "?"};
    for (int code = 0; code < 64; code++) {
        tosajit_tensor_type d[3] = {parse(sizes[code & 3]), parse(sizes[code >> 2 & 3]),
                                    parse(sizes[code >> 4])};
        static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        int64_t first = 0;
        for (int o = 0; o < 6; o++) {
            tosajit_tensor_type permuted[3] = {d[orders[o][0]], d[orders[o][1]], d[orders[o][2]]},
                                inferred;
            int64_t got = tosajit_infer_shape(permuted, 3, 0, &inferred) ? -1 : inferred.dims[0];
            if (o == 0) first = got;
            assert_int_equal(got, first);
        }
    }
}

int main(void) {
    return TEST_RUN(
        NULL, NULL, TEST(inference_follows_the_trait), TEST(result_verification_follows_the_trait),
        TEST(strict_demands_equal_ranks), TEST(mismatch_names_operand_dimension_and_sizes),
        TEST(illegal_static_sizes_are_refused), TEST(inference_is_independent_of_order));
}
