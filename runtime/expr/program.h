/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs as bytes: an expression without names, for keys and images. Equal bytes are equal
 * expressions: ops, attributes, types, constants, contracts, results, strictness and accuracy. */
#ifndef TOSAJIT_RUNTIME_EXPR_PROGRAM_H
#define TOSAJIT_RUNTIME_EXPR_PROGRAM_H

#include "runtime/base/bytes.h"
#include "runtime/expr/expr.h"

void program_write(const tosajit_expr *expr, byte_writer *w);
/* One node of it; name: null for none. */
void program_write_node(const expr_node *node, const char *name, byte_writer *w);

/* The expression again. Nothing in the bytes is trusted: every node goes through the functions that
 * check what a user builds. BAD_IMAGE, and whatever those functions report; OUT_OF_MEMORY. */
tosajit_status program_read(byte_reader *r, const tosajit_allocator *allocator,
                            tosajit_expr **expr);

#endif
