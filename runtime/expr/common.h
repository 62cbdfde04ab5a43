/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Common: what is written twice is computed once. Two values are one if op, operands, attributes
 * and type are the same; constants, if type and bits are. So mean(x), and the mean that std(x)
 * takes of it, are one sum.
 *
 * Bits, results and their names stay as they are, and so does what may share memory: a value that
 * became one is `merged`, which plan_assign (runtime/plan) heeds. */
#ifndef TOSAJIT_RUNTIME_EXPR_COMMON_H
#define TOSAJIT_RUNTIME_EXPR_COMMON_H

#include "runtime/expr/passes.h"

/* OUT_OF_MEMORY. */
tosajit_status common_compute(program_made *made, bool *changed);

#endif
