/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of one tensor of a call, whatever else there is. */
#ifndef TOSAJIT_RUNTIME_CHECK_CHECK_H
#define TOSAJIT_RUNTIME_CHECK_CHECK_H

#include "runtime/check/overlap.h"

/* Which tensor a message is about: "operand 1", "result 0". */
typedef struct tensor_id {
    const char *kind;
    size_t index;
} tensor_id;

/* TYPE_MISMATCH, SHAPE_MISMATCH, INVALID_ARGUMENT unless the tensor is of the type. */
tosajit_status check_type(const tosajit_tensor *tensor, const tosajit_tensor_type *type,
                          tensor_id id);

/* Fill in strides and the range of bytes that they reach; every address computed later lies there.
 * OVERFLOW, INVALID_ARGUMENT. */
tosajit_status check_strides(const tosajit_tensor *tensor, tensor_id id, bool any_strides, view *v);

/* SHAPE_MISMATCH unless a result has the sizes that the operands give. */
tosajit_status check_result_sizes(const view *result, tensor_id id, int32_t rank,
                                  const int64_t *sizes);

/* SHAPE_MISMATCH if an operand breaks a promise. */
tosajit_status check_contracts(const tosajit_expr *program, const tosajit_tensor *operands);

#endif
