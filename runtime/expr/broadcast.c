/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Broadcasting of shapes. Source: MLIR's trait ResultsBroadcastableShape (InferDim, InferShape,
 * Verify), with the two points on which the sources disagree as the `strict` flag. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "runtime/base/diag.h"
#include "runtime/base/types.h"
#include "tosajit/inspect.h"

/* InferDim; dynamic sizes are TOSAJIT_DYNAMIC. False if a and b can never broadcast. */
static bool infer_dim(int64_t a, int64_t b, int64_t *result) {
    /* A static size above 1 decides, whatever the other is; then a dynamic size wins over 1. */
    if (a == b || b == 1) return *result = a, true;
    if (a == 1) return *result = b, true;
    if (a == TOSAJIT_DYNAMIC) return *result = b, true;
    if (b == TOSAJIT_DYNAMIC) return *result = a, true;
    return false;
}

/* "tensor<2x3xf32>, tensor<4x3xf32>" */
static void print_operands(char *text, size_t capacity, const tosajit_tensor_type *operands,
                           size_t count) {
    size_t used = 0;
    text[0] = 0;
    for (size_t k = 0; k < count && used < capacity; k++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", k ? ", " : "",
                                 type_print(&operands[k]).text);
}

/* The same tensor with dimensions of 1 put in front, to show what a reshape would have to give. */
static tosajit_tensor_type pad_to_rank(const tosajit_tensor_type *type, int32_t rank) {
    tosajit_tensor_type padded = {type->element, rank, {0}};
    int32_t shift = rank - type->rank;
    for (int32_t d = 0; d < rank; d++) padded.dims[d] = d < shift ? 1 : type->dims[d - shift];
    return padded;
}

/* Ranks of ranked operands must agree in strict mode (MLIR: SameOperandsAndResultRank). */
static tosajit_status check_ranks(const tosajit_tensor_type *operands, size_t count) {
    size_t widest = 0;
    for (size_t k = 1; k < count; k++)
        if (operands[k].rank > operands[widest].rank) widest = k;
    for (size_t k = 0; k < count; k++) {
        if (operands[k].rank == TOSAJIT_UNRANKED || operands[k].rank == operands[widest].rank)
            continue;
        tosajit_tensor_type padded = pad_to_rank(&operands[k], operands[widest].rank);
        return diag_operand(
            diag_error(TOSAJIT_SHAPE_MISMATCH,
                       "operand %zu has rank %d where operand %zu has rank %d, and strict TOSA "
                       "demands equal ranks; reshape it to %s",
                       k, (int)operands[k].rank, widest, (int)operands[widest].rank,
                       type_print(&padded).text),
            (int64_t)k, -1, operands[k].rank, operands[widest].rank);
    }
    return TOSAJIT_OK;
}

static tosajit_status report_mismatch(const tosajit_tensor_type *operands, size_t count,
                                      size_t operand, int32_t dim, int64_t other) {
    char shapes[3 * TYPE_TEXT_CAPACITY];
    print_operands(shapes, sizeof shapes, operands, count);
    return diag_operand(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                   "operand %zu dimension %d: %" PRId64
                                   " does not broadcast with %" PRId64
                                   " (operands %s); the sizes must be equal, or one of them 1",
                                   operand, (int)dim, operands[operand].dims[dim], other, shapes),
                        (int64_t)operand, dim, operands[operand].dims[dim], other);
}

tosajit_status tosajit_infer_shape(const tosajit_tensor_type *operands, size_t count, int strict,
                                   tosajit_tensor_type *result) {
    if (!operands || !result)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "infer_shape: operands or result is a null pointer");
    if (count == 0)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "infer_shape: an elementwise op has at least one operand");
    tosajit_status status = type_check_operands(operands, count);
    if (!status && strict) status = check_ranks(operands, count);
    if (status) return status;
    tosajit_tensor_type inferred = {operands[0].element, TOSAJIT_UNRANKED, {0}};
    for (size_t k = 0; k < count; k++)
        if (operands[k].rank > inferred.rank) inferred.rank = operands[k].rank;

    for (int32_t d = 0; d < inferred.rank; d++) inferred.dims[d] = 1;
    for (size_t k = 0; k < count; k++) {
        int32_t shift = inferred.rank - operands[k].rank;
        for (int32_t d = 0; d < operands[k].rank; d++) {
            int64_t *dim = &inferred.dims[d + shift];
            if (!infer_dim(*dim, operands[k].dims[d], dim))
                return report_mismatch(operands, count, k, d, *dim);
        }
    }
    *result = inferred;
    return TOSAJIT_OK;
}

/* One dimension of a declared result against the inferred size; null if it is fine, else why not.
 */
static const char *result_dim_error(int64_t inferred, int64_t declared, int strict) {
    if (declared == inferred || declared == TOSAJIT_DYNAMIC) return NULL;
    if (inferred != TOSAJIT_DYNAMIC)
        return inferred == 1 ? "a result never stretches beyond its operands"
                             : "declare the inferred size or ?";
    return strict ? "strict mode wants a dynamic result where the size is only known when called; "
                    "declare ?"
                  : NULL;
}

tosajit_status tosajit_verify_result(const tosajit_tensor_type *inferred,
                                     const tosajit_tensor_type *result, int strict) {
    tosajit_status status = type_check(inferred, "inferred shape");
    if (!status) status = type_check(result, "result");
    if (status || inferred->rank == TOSAJIT_UNRANKED || result->rank == TOSAJIT_UNRANKED)
        return status;
    if (inferred->rank != result->rank)
        return diag_result(
            diag_error(TOSAJIT_SHAPE_MISMATCH,
                       "the result is declared %s of rank %d, but its operands give rank %d (%s)",
                       type_print(result).text, (int)result->rank, (int)inferred->rank,
                       type_print(inferred).text),
            0, -1, result->rank, inferred->rank);
    for (int32_t d = 0; d < result->rank; d++) {
        const char *why = result_dim_error(inferred->dims[d], result->dims[d], strict);
        if (why)
            return diag_result(
                diag_error(TOSAJIT_SHAPE_MISMATCH,
                           "result dimension %d: declared %s, but the operands give %s; %s", (int)d,
                           type_print(result).text, type_print(inferred).text, why),
                0, d, result->dims[d], inferred->dims[d]);
    }
    return TOSAJIT_OK;
}
