/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Specialise: what a kernel of dynamic sizes computes, for sizes that are known. In: its program,
 * and its operands' types. Out: an expression, which is compiled like any other. */
#ifndef TOSAJIT_JIT_SPECIALISE_H
#define TOSAJIT_JIT_SPECIALISE_H

#include "runtime/expr/expr.h"

/* Whether a program has operands of dynamic sizes. */
bool specialise_helps(const tosajit_expr *program);

/* The program for operands of these types, which are static: one per input, in order. Every value
 * has the type that is inferred, so nothing is left to be decided or checked in a call.
 * SHAPE_MISMATCH if sizes do not broadcast, or are not those that the program declares;
 * TYPE_MISMATCH, OUT_OF_MEMORY. */
tosajit_status specialise(const tosajit_expr *program, const tosajit_tensor_type *operands,
                          const tosajit_allocator *allocator, tosajit_expr **expr);

#endif
