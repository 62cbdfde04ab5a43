/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tokens of a text. In: bytes; out: words, digits, and findings about them. Shared by the
 * files that know the grammar. */
#ifndef TOSAJIT_JIT_TEXT_LEX_H
#define TOSAJIT_JIT_TEXT_LEX_H

#include "jit/text/parse.h"

typedef struct lexer {
    const char *text;
    size_t at, length;
    int depth;         /* of brackets and operators that are open */
    int open;          /* brackets alone: within them a newline is a space */
    text_line *line;   /* what has been read */
    text_error *error; /* what is wrong */
    /* Of a function that is written out: where it is called, and the node that its x is. */
    text_span call;
    int32_t argument; /* -1: this is the text itself */
} lexer;

/* Says what is wrong. Returns false. */
bool lex_fail(lexer *p, text_span where, const char *format, ...);
/* "EXPECTED expected, found X", about what is next. */
bool lex_fail_expected(lexer *p, const char *expected);
/* "there is no op X; did you mean Y?" */
bool lex_fail_op(lexer *p, text_span word);
bool lex_fail_type(lexer *p, text_span word);

bool lex_fail_memory(lexer *p);
/* How many elements there is room for in a list of so many. */
size_t lex_capacity(size_t count);
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
/* Skip newlines, too: where something must follow. */
void lex_skip_lines(lexer *p);
/* These first skip spaces and comments, and newlines within brackets. */
void lex_skip_space(lexer *p);
char lex_peek(lexer *p);
bool lex_at_end(lexer *p);
bool lex_take(lexer *p, char c);
bool lex_expect(lexer *p, char c, const char *what);
/* A name; dots are for "tosa.add". Length 0 if there is none. */
text_span lex_word(lexer *p);
/* True if `name =` is next; then p is behind the name. */
bool lex_key(lexer *p, text_span *word);

/* One more bracket or operator; false after an error where there are too many. Whoever closes it
 * counts p->depth down. */
bool lex_deeper(lexer *p);
/* True if a text ends within brackets, or where an operand must follow: more lines belong to it. */
bool lex_is_open(const char *text, size_t length);

bool lex_is_word(const lexer *p, text_span word, const char *text);
/* Advice for `x and y` or `not x`, of which the word is the first; null: it is none.
 * Then *word is `and` or `not`. */
const char *lex_find_foreign(lexer *p, text_span *word);
/* TOSAJIT_OP_COUNT and TOSAJIT_TYPE_COUNT: there is none of that name. */
tosajit_op lex_find_op(const lexer *p, text_span word);
tosajit_type lex_find_type(const lexer *p, text_span word);
/* Digits of a whole number as far as they fit; *fits says whether they do. */
uint64_t lex_digits(const char *text, size_t length, unsigned base, bool *fits);

/* A place of the text, as a message shows it. */
typedef struct lex_shown {
    char text[64];
} lex_shown;
lex_shown lex_show(const lexer *p, text_span span);

#endif
