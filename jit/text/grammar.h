/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The productions that texts are put together from (the grammar is in parse.h). Each reads what is
 * next and appends it to the line; false after an error. */
#ifndef TOSAJIT_JIT_TEXT_GRAMMAR_H
#define TOSAJIT_JIT_TEXT_GRAMMAR_H

#include "jit/text/lex.h"

/* Nodes. Null after an error. */
text_node *parse_add_node(lexer *p, text_node_kind kind, size_t from, int32_t what);
int32_t parse_last_node(const lexer *p);
/* Append an argument to a list that begins at *first and ends at *last; -1: it is empty. */
bool parse_add_argument(lexer *p, int32_t node, const op_key *key, text_span span, int32_t *first,
                        int32_t *last);

/* A type. Where the element may be left out, *element has it, and gets it. */
bool parse_type(lexer *p, tosajit_type *element, text_annotation *a);

/* A number, or a list, as a node. */
bool parse_literal(lexer *p, bool may_be_negative);
bool parse_at_number(lexer *p);
/* Words that are numbers: inf, nan, true, false. */
bool parse_word_number(const lexer *p, text_span word, text_number *n);
void parse_negate(text_number *n);

/* Operators that bind at least so tightly, and their operands. */
bool parse_expression(lexer *p, int binding);
/* `= value` behind a key of op. */
bool parse_keyword(lexer *p, tosajit_op op, text_span word, int32_t *first, int32_t *last);
/* True if op takes so many operands and parameters. */
bool parse_check_count(lexer *p, tosajit_op op, text_span where, size_t count);

#endif
