/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Broadcasting of shapes: pure functions, no LLVM, no expression.
 * In: tensor types. Out: the inferred shape, or a status whose message names operand, dimension and
 * both sizes. */
#ifndef TOSAJIT_RUNTIME_EXPR_BROADCAST_H
#define TOSAJIT_RUNTIME_EXPR_BROADCAST_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

/* InferDim of the Broadcastable trait; dynamic sizes are TOSAJIT_DYNAMIC. False if a and b can
 * never broadcast. */
bool broadcast_infer_dim(int64_t a, int64_t b, int64_t *result);

#endif
