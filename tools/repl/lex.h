/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a line of the REPL is made of. In: bytes; out: words, digits, and findings about them.
 * Shared by the files that know the grammar. */
#ifndef TOSAJIT_TOOLS_REPL_LEX_H
#define TOSAJIT_TOOLS_REPL_LEX_H

#include "tools/repl/parse.h"

typedef struct lexer {
    const char *text;
    size_t at, length;
    int depth;         /* of brackets and operators that are open */
    repl_line *line;   /* what has been read */
    repl_error *error; /* what is wrong */
} lexer;

/* Says what is wrong. Returns false. */
bool lex_fail(lexer *p, repl_span where, const char *format, ...);
/* "EXPECTED expected, found X", about what is next. */
bool lex_fail_expected(lexer *p, const char *expected);
/* "there is no op X; did you mean Y?" */
bool lex_fail_op(lexer *p, repl_span word);
bool lex_fail_type(lexer *p, repl_span word);

/* Room for one more element of `size` bytes behind *count of them. Null after an error. */
void *lex_add(lexer *p, void *array, size_t *count, size_t size);
#define LEX_ADD(p, list)                                                                           \
    lex_add(p, &(p)->line->list##s, &(p)->line->list##_count, sizeof *(p)->line->list##s)

bool lex_is_digit(char c);
bool lex_is_letter(char c);
bool lex_is_space(char c);

/* The byte at that distance; 0 behind the end. */
char lex_peek_at(const lexer *p, size_t offset);
bool lex_begins(const lexer *p, const char *word);
/* These first skip spaces and a comment. */
void lex_skip_space(lexer *p);
char lex_peek(lexer *p);
bool lex_at_end(lexer *p);
bool lex_take(lexer *p, char c);
bool lex_expect(lexer *p, char c, const char *what);
/* A name; dots are for "tosa.add". Length 0 if there is none. */
repl_span lex_word(lexer *p);
/* Whether `name =` is next; then p is behind the name. */
bool lex_key(lexer *p, repl_span *word);

/* One more bracket or operator; false after an error where there are too many. Whoever closes it
 * counts p->depth down. */
bool lex_deeper(lexer *p);

bool lex_is_word(const lexer *p, repl_span word, const char *text);
/* TOSAJIT_OP_COUNT and TOSAJIT_TYPE_COUNT: there is none of that name. */
tosajit_op lex_find_op(const lexer *p, repl_span word);
tosajit_type lex_find_type(const lexer *p, repl_span word);
/* Digits of a whole number as far as they fit; *fits says whether they do. */
uint64_t lex_digits(const char *text, size_t length, unsigned base, bool *fits);

/* What stands somewhere, for a message. */
typedef struct lex_shown {
    char text[64];
} lex_shown;
lex_shown lex_show(const lexer *p, repl_span span);
const char *lex_plural(size_t count);

#endif
