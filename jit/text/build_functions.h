/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of functions that are written out of ops, and subscripts. In: a node of such a call, whose
 * operands are built. Out: its value; false after an error, which is in b->error. */
#ifndef TOSAJIT_JIT_TEXT_BUILD_FUNCTIONS_H
#define TOSAJIT_JIT_TEXT_BUILD_FUNCTIONS_H

#include "jit/text/builder.h"

bool build_reducer(builder *b, const text_node *n, tosajit_value *value);
bool build_mover(builder *b, const text_node *n, tosajit_value *value);
bool build_subscript(builder *b, const text_node *n, tosajit_value *value);

#endif
