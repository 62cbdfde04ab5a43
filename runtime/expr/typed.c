/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Casts, reductions and views as calls with parameters of their own: tosajit_expr_op, whose
 * attributes they fill in. Here alone stands how these say a range, a padding and joined axes. */
#include "runtime/base/diag.h"
#include "runtime/expr/ops.h"

tosajit_status tosajit_expr_cast(tosajit_expr *expr, tosajit_value x, tosajit_type element,
                                 tosajit_value *value) {
    const tosajit_tensor_type result = {.element = element, .rank = TOSAJIT_UNRANKED};
    return tosajit_expr_op(expr, TOSAJIT_OP_cast, &x, 1, NULL, &result, value);
}

tosajit_status tosajit_expr_reduce(tosajit_expr *expr, tosajit_op op, tosajit_value x, int32_t axis,
                                   int32_t count, tosajit_value *value) {
    if (!op_is_valid(op)) return diag_error(TOSAJIT_INVALID_ARGUMENT, "%d is not an op", (int)op);
    if (!op_reduces(op) && !op_scans(op))
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_reduce: %s is no reduction and no scan",
                          op_table[op].name);
    if (count < 1)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_reduce: %d dimensions; at least one is reduced", (int)count);
    const tosajit_attributes attributes = {.axis = axis, .joined = count - 1};
    return tosajit_expr_op(expr, op, &x, 1, &attributes, NULL, value);
}

/* A view of x, and for some of a second operand, by a list of `count` numbers. */
static tosajit_status view(tosajit_expr *expr, tosajit_op op, const tosajit_value *operands,
                           const int64_t *numbers, int32_t count, tosajit_value *value) {
    const tosajit_attributes attributes = {.numbers = numbers, .number_count = (size_t)count};
    return tosajit_expr_op(expr, op, operands, (size_t)op_table[op].arity, &attributes, NULL,
                           value);
}

/* There must be a list of so many elements, one for each dimension. */
static tosajit_status check_list(const char *call, const char *list, const void *elements,
                                 int32_t rank) {
    if (rank < 0 || rank > TOSAJIT_MAX_RANK)
        return diag_error(TOSAJIT_LIMIT_EXCEEDED, "%s: rank %d; a tensor has 0 to %d dimensions",
                          call, (int)rank, TOSAJIT_MAX_RANK);
    if (elements || rank == 0) return TOSAJIT_OK;
    return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s: %s is a null pointer", call, list);
}

tosajit_status tosajit_expr_reshape(tosajit_expr *expr, tosajit_value x, int32_t rank,
                                    const int64_t *sizes, tosajit_value *value) {
    tosajit_status status = check_list("expr_reshape", "sizes", sizes, rank);
    return status ? status : view(expr, TOSAJIT_OP_reshape, &x, sizes, rank, value);
}

tosajit_status tosajit_expr_transpose(tosajit_expr *expr, tosajit_value x, int32_t rank,
                                      const int64_t *perms, tosajit_value *value) {
    tosajit_status status = check_list("expr_transpose", "perms", perms, rank);
    return status ? status : view(expr, TOSAJIT_OP_transpose, &x, perms, rank, value);
}

tosajit_status tosajit_expr_slice(tosajit_expr *expr, tosajit_value x, int32_t rank,
                                  const tosajit_range *ranges, tosajit_value *value) {
    int64_t numbers[3 * TOSAJIT_MAX_RANK];
    tosajit_status status = check_list("expr_slice", "ranges", ranges, rank);
    if (status) return status;
    for (int32_t d = 0; d < rank; d++) {
        numbers[3 * d] = ranges[d].begin;
        numbers[3 * d + 1] = ranges[d].end;
        numbers[3 * d + 2] = ranges[d].step;
    }
    return view(expr, TOSAJIT_OP_slice, &x, numbers, 3 * rank, value);
}

tosajit_status tosajit_expr_reverse(tosajit_expr *expr, tosajit_value x, int32_t axis,
                                    tosajit_value *value) {
    const tosajit_attributes attributes = {.axis = axis};
    return tosajit_expr_op(expr, TOSAJIT_OP_reverse, &x, 1, &attributes, NULL, value);
}

tosajit_status tosajit_expr_tile(tosajit_expr *expr, tosajit_value x, int32_t rank,
                                 const int64_t *multiples, tosajit_value *value) {
    tosajit_status status = check_list("expr_tile", "multiples", multiples, rank);
    return status ? status : view(expr, TOSAJIT_OP_tile, &x, multiples, rank, value);
}

tosajit_status tosajit_expr_concat(tosajit_expr *expr, tosajit_value x, tosajit_value y,
                                   int32_t axis, tosajit_value *value) {
    const tosajit_attributes attributes = {.axis = axis};
    return tosajit_expr_op(expr, TOSAJIT_OP_concat, (tosajit_value[]){x, y}, 2, &attributes, NULL,
                           value);
}

tosajit_status tosajit_expr_pad(tosajit_expr *expr, tosajit_value x, tosajit_value element,
                                int32_t rank, const tosajit_padding *padding,
                                tosajit_value *value) {
    int64_t numbers[2 * TOSAJIT_MAX_RANK];
    tosajit_status status = check_list("expr_pad", "padding", padding, rank);
    if (status) return status;
    for (int32_t d = 0; d < rank; d++) {
        numbers[2 * d] = padding[d].before;
        numbers[2 * d + 1] = padding[d].behind;
    }
    return view(expr, TOSAJIT_OP_pad, (tosajit_value[]){x, element}, numbers, 2 * rank, value);
}
