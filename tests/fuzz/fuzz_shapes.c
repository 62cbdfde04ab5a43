/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of the shape rules, against a model written from the definition instead of InferDim's
 * steps: of the sizes that meet in a dimension, a missing one counting as 1, those above 1 must
 * agree and decide; else a dynamic one leaves the size open; else it is 1. Checked of
 * tosajit_infer_shape, tosajit_verify_result and tosajit_verify: the verdict, the shape, that what
 * is refused writes nothing, and that its message names the operand and the dimension of a real
 * conflict. */
#include <stdbool.h>
#include <string.h>

#include "tests/fuzz/bytes.h"
#include "tests/fuzz/check.h"
#include "tosajit/inspect.h"

enum { MOST_OPERANDS = 5 };

static int64_t take_size(fuzz_bytes *b) {
    static const int64_t sizes[] = {1, TOSAJIT_DYNAMIC, 2, 1, TOSAJIT_DYNAMIC, 3, 2, 1, 2, 2,
                                    7, INT64_C(1) << 31};
    static const int64_t illegal[] = {0, -1, -7, INT64_MIN + 1, INT64_MAX};
    if (take_rarely(b, 64)) return illegal[take_below(b, sizeof illegal / sizeof *illegal)];
    return sizes[take_below(b, sizeof sizes / sizeof *sizes)];
}

static tosajit_tensor_type take_type(fuzz_bytes *b, int32_t usual) {
    static const int32_t illegal[] = {TOSAJIT_MAX_RANK + 1, -2, INT32_MAX, INT32_MIN};
    tosajit_tensor_type type = {TOSAJIT_F32, usual, {0}};
    if (take_rarely(b, 3)) type.rank = (int32_t)take_below(b, TOSAJIT_MAX_RANK + 1);
    if (take_rarely(b, 12)) type.rank = TOSAJIT_UNRANKED;
    if (take_rarely(b, 96)) type.rank = illegal[take_below(b, sizeof illegal / sizeof *illegal)];
    for (int32_t d = 0; d < TOSAJIT_MAX_RANK && d < type.rank; d++) type.dims[d] = take_size(b);
    return type;
}

/* The model. */

static bool is_legal(const tosajit_tensor_type *type) {
    if (type->rank == TOSAJIT_UNRANKED) return true;
    if (type->rank < 0 || type->rank > TOSAJIT_MAX_RANK) return false;
    int64_t room =
        INT64_MAX /
        (int64_t)sizeof(
            float); /* a tensor has at most 2^63 - 1 bytes, whatever its open sizes are */
    for (int32_t d = 0; d < type->rank; d++) {
        if (type->dims[d] == TOSAJIT_DYNAMIC) continue;
        if (type->dims[d] < 1 || type->dims[d] > room) return false;
        room /= type->dims[d];
    }
    return true;
}

/* The size of an operand in the dimension that is the k-th from the right. */
static int64_t size_from_right(const tosajit_tensor_type *type, int32_t k) {
    return k < type->rank ? type->dims[type->rank - 1 - k] : 1;
}

/* False: they do not broadcast. */
static bool model_infer(const tosajit_tensor_type *operands, size_t count, int strict,
                        tosajit_tensor_type *result) {
    *result = (tosajit_tensor_type){operands[0].element, TOSAJIT_UNRANKED, {0}};
    for (size_t k = 0; k < count; k++) {
        if (!is_legal(&operands[k])) return false;
        if (operands[k].rank > result->rank) result->rank = operands[k].rank;
    }
    for (size_t k = 0; strict && k < count; k++)
        if (operands[k].rank != TOSAJIT_UNRANKED && operands[k].rank != result->rank) return false;
    for (int32_t from_right = 0; from_right < result->rank; from_right++) {
        int64_t decided = 1;
        bool open = false;
        for (size_t k = 0; k < count; k++) {
            int64_t size = operands[k].rank == TOSAJIT_UNRANKED
                               ? 1
                               : size_from_right(&operands[k], from_right);
            if (size == TOSAJIT_DYNAMIC) open = true;
            if (size == TOSAJIT_DYNAMIC || size == 1) continue;
            if (decided != 1 && decided != size) return false;
            decided = size;
        }
        result->dims[result->rank - 1 - from_right] =
            decided == 1 && open ? TOSAJIT_DYNAMIC : decided;
    }
    return true;
}

/* A result may leave open what is known, and, unless strict, promise what is open. */
static bool model_accepts(const tosajit_tensor_type *inferred, const tosajit_tensor_type *declared,
                          int strict) {
    if (!is_legal(inferred) || !is_legal(declared)) return false;
    if (inferred->rank == TOSAJIT_UNRANKED || declared->rank == TOSAJIT_UNRANKED) return true;
    if (inferred->rank != declared->rank) return false;
    for (int32_t d = 0; d < declared->rank; d++) {
        if (declared->dims[d] == TOSAJIT_DYNAMIC || declared->dims[d] == inferred->dims[d])
            continue;
        if (strict || inferred->dims[d] != TOSAJIT_DYNAMIC) return false;
    }
    return true;
}

/* The comparison. */

static bool same_type(const tosajit_tensor_type *a, const tosajit_tensor_type *b) {
    if (a->element != b->element || a->rank != b->rank) return false;
    return a->rank <= 0 || memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

/* "operand 1 dimension 0: 4 does not broadcast with 2": there is such a dimension, and some other
 * operand has the other size there. */
static void check_message(const tosajit_tensor_type *operands, size_t count) {
    unsigned operand, dimension;
    long long size, other;
    if (sscanf(tosajit_last_error(), "operand %u dimension %u: %lld does not broadcast with %lld",
               &operand, &dimension, &size, &other) != 4)
        return;
    REQUIRE(operand < count && (int32_t)dimension < operands[operand].rank &&
            operands[operand].dims[dimension] == size);
    const int32_t from_right = operands[operand].rank - 1 - (int32_t)dimension;
    bool found = false;
    for (size_t k = 0; k < count; k++)
        found |= k != operand && operands[k].rank > 0 &&
                 size_from_right(&operands[k], from_right) == other;
    REQUIRE(found && size > 1 && other > 1 && size != other);
}

static void check_inference(const tosajit_tensor_type *operands, size_t count, int strict) {
    const tosajit_tensor_type untouched = {TOSAJIT_I48, 1, {4711}};
    tosajit_tensor_type expected, got = untouched;
    const bool fits = model_infer(operands, count, strict, &expected);
    REQUIRE((tosajit_infer_shape(operands, count, strict, &got) == TOSAJIT_OK) == fits);
    REQUIRE(same_type(&got, fits ? &expected : &untouched));
    if (!fits) check_message(operands, count);
}

static void check_op(const tosajit_tensor_type *operands, const tosajit_tensor_type *declared,
                     int strict) {
    tosajit_tensor_type expected, got;
    bool fits = model_infer(operands, 2, strict, &expected) && is_legal(&expected);
    fits = fits && (!declared || model_accepts(&expected, declared, strict));
    REQUIRE((tosajit_verify(TOSAJIT_OP_add, operands, 2, NULL, declared, strict, &got) ==
             TOSAJIT_OK) == fits);
    if (fits) REQUIRE(same_type(&got, &expected));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes b = {data, size};
    tosajit_tensor_type operands[MOST_OPERANDS];
    const size_t count = 1 + take_below(&b, MOST_OPERANDS);
    const int32_t usual = (int32_t)take_below(&b, 6);
    for (size_t k = 0; k < count; k++) operands[k] = take_type(&b, usual);
    const tosajit_tensor_type declared = take_type(&b, usual);
    for (int strict = 0; strict < 2; strict++) {
        check_inference(operands, count, strict);
        REQUIRE((tosajit_verify_result(&operands[0], &declared, strict) == TOSAJIT_OK) ==
                model_accepts(&operands[0], &declared, strict));
        if (count < 2) continue;
        check_op(operands, NULL, strict);
        check_op(operands, &declared, strict);
    }
    return 0;
}
