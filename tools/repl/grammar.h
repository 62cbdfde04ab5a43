/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The productions that lines are put together from (the grammar is in parse.h). Each reads what is
 * next and appends it to the line; false after an error. */
#ifndef TOSAJIT_TOOLS_REPL_GRAMMAR_H
#define TOSAJIT_TOOLS_REPL_GRAMMAR_H

#include "tools/repl/lex.h"

enum { GRAMMAR_LOOSEST = 1 }; /* the binding of comparisons */

/* Nodes. Null after an error. */
repl_node *parse_add_node(lexer *p, repl_node_kind kind, size_t from, int32_t what);
int32_t parse_last_node(const lexer *p);
/* Append an argument to a list that begins at *first and ends at *last; -1: it is empty. */
bool parse_add_argument(lexer *p, int32_t node, const op_key *key, repl_span span, int32_t *first,
                        int32_t *last);

/* A type. Where the element may be left out, *element has it, and gets it. */
bool parse_type(lexer *p, tosajit_type *element, repl_annotation *a);

/* A number, or a list, as a node. */
bool parse_literal(lexer *p, bool may_be_negative);
bool parse_at_number(lexer *p);
/* Words that are numbers: inf, nan, true, false. */
bool parse_word_number(const lexer *p, repl_span word, repl_number *n);
void parse_negate(repl_number *n);

/* Operators that bind at least so tightly, and their operands. */
bool parse_expression(lexer *p, int binding);
/* `= value` behind a key of op. */
bool parse_keyword(lexer *p, tosajit_op op, repl_span word, int32_t *first, int32_t *last);
/* Whether op takes so many operands and parameters. */
bool parse_check_count(lexer *p, tosajit_op op, repl_span where, size_t count);

#endif
