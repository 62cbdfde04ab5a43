/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a text that was read to an expression. In: its nodes, and types for its operands; out: the
 * expression, whose values have the text's names, or what is wrong and where. */
#ifndef TOSAJIT_JIT_TEXT_BUILD_H
#define TOSAJIT_JIT_TEXT_BUILD_H

#include "jit/text/parse.h"

/* Of a text with an op or statements. False after an error; otherwise *expr is the caller's. */
bool text_build(const char *text, const text_line *line, const tosajit_parse_options *options,
                tosajit_expr **expr, text_error *error);

/* The operands of statements in order: where the text first names each. False after an error. */
bool text_operands(const char *text, const text_line *line, text_span *operands, size_t *count,
                   text_error *error);

#endif
