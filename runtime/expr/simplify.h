/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Simplification: what takes the place of an op whose constants allow something cheaper with the
 * same bits. Only what LLVM does not find out by itself: x * 1, x - 0, casts there and back and ops
 * on constants alone are gone from the code anyway. tests/numbers/simplified_test.c proves each
 * rule on operands of all kinds. */
#ifndef TOSAJIT_RUNTIME_EXPR_SIMPLIFY_H
#define TOSAJIT_RUNTIME_EXPR_SIMPLIFY_H

#include "runtime/expr/passes.h"

/* OUT_OF_MEMORY. */
tosajit_status simplify(program_made *made, bool *changed);

#endif
