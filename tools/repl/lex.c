/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes become words, numbers' digits and findings. Nothing here knows more of the grammar than
 * names do. */
#include "tools/repl/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/mlir/escape.h"
#include "tools/base/suggest.h"

/* ---------------------------------------------------------------------------------------------
 * Errors and room */

bool lex_fail(lexer *p, repl_span where, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->error->text, sizeof p->error->text, format, arguments);
    va_end(arguments);
    p->error->where = where;
    return false;
}

/* Room for one more element of `size` bytes behind *count of them; capacities are the powers of 2.
 * Null after an error. */
void *lex_add(lexer *p, void *array, size_t *count, size_t size) {
    void **list = array;
    if ((*count & (*count - 1)) == 0) { /* 0, 1, 2, 4, ...: full */
        size_t capacity = *count ? 2 * *count : 1;
        void *larger = capacity <= SIZE_MAX / 2 / size ? realloc(*list, capacity * size) : NULL;
        if (!larger) {
            lex_fail(p, (repl_span){p->at, 0}, "out of memory");
            return NULL;
        }
        *list = larger;
    }
    return (char *)*list + (*count)++ * size;
}

bool lex_is_digit(char c) { return c >= '0' && c <= '9'; }
bool lex_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool lex_is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

char lex_peek_at(const lexer *p, size_t offset) {
    return p->length - p->at > offset ? p->text[p->at + offset] : '\0';
}

bool lex_begins(const lexer *p, const char *word) {
    size_t length = strlen(word);
    return p->length - p->at >= length && memcmp(p->text + p->at, word, length) == 0;
}

/* A comment is the line's rest. */
void lex_skip_space(lexer *p) {
    while (p->at < p->length && lex_is_space(p->text[p->at])) p->at++;
    if (lex_begins(p, "//") || lex_begins(p, "#")) p->at = p->length;
}

char lex_peek(lexer *p) {
    lex_skip_space(p);
    return lex_peek_at(p, 0);
}

bool lex_at_end(lexer *p) {
    lex_skip_space(p);
    return p->at == p->length;
}

bool lex_take(lexer *p, char c) {
    if (lex_at_end(p) || lex_peek(p) != c) return false;
    p->at++;
    return true;
}

/* A name; dots are for "tosa.add". Length 0 if there is none. */
repl_span lex_word(lexer *p) {
    lex_skip_space(p);
    repl_span word = {p->at, 0};
    if (lex_is_letter(lex_peek_at(p, 0)))
        while (lex_is_letter(lex_peek_at(p, 0)) || lex_is_digit(lex_peek_at(p, 0)) ||
               lex_peek_at(p, 0) == '.')
            p->at++;
    word.length = p->at - word.at;
    return word;
}

bool lex_is_word(const lexer *p, repl_span word, const char *text) {
    return strlen(text) == word.length && memcmp(p->text + word.at, text, word.length) == 0;
}

/* What stands somewhere, for a message. */
lex_shown lex_show(const lexer *p, repl_span span) {
    lex_shown s = {""};
    escape_name(p->text + span.at, span.length, s.text, sizeof s.text);
    return s;
}

/* "found X" */
bool lex_fail_expected(lexer *p, const char *expected) {
    if (lex_at_end(p))
        return lex_fail(p, (repl_span){p->at, 0}, "%s expected, the line ends here", expected);
    repl_span word = lex_word(p);
    if (word.length == 0) {
        word.length = 1;
        /* UTF-8. */
        while (word.at + word.length < p->length && (p->text[word.at + word.length] & 0xc0) == 0x80)
            word.length++;
    }
    return lex_fail(p, word, "%s expected, found %s", expected, lex_show(p, word).text);
}

bool lex_expect(lexer *p, char c, const char *what) {
    return lex_take(p, c) || lex_fail_expected(p, what);
}

bool lex_deeper(lexer *p) {
    return p->depth++ < REPL_MAX_DEPTH ||
           lex_fail(p, (repl_span){p->at, 0}, "nests more than %d deep", REPL_MAX_DEPTH);
}

/* The name of an op or a type that is copied so that the library can look for it. */
typedef struct name {
    char text[40];
} name;

static bool copy_name(const lexer *p, repl_span word, name *n) {
    if (word.length >= sizeof n->text) return false;
    memcpy(n->text, p->text + word.at, word.length);
    n->text[word.length] = '\0';
    return true;
}

tosajit_op lex_find_op(const lexer *p, repl_span word) {
    name n;
    return copy_name(p, word, &n) ? tosajit_op_find(n.text) : TOSAJIT_OP_COUNT;
}

tosajit_type lex_find_type(const lexer *p, repl_span word) {
    name n;
    return copy_name(p, word, &n) ? tosajit_type_find(n.text) : TOSAJIT_TYPE_COUNT;
}

/* ": what is wrong; did you mean add?" */
static bool fail_unknown(lexer *p, repl_span word, const char *what, const suggestion *s,
                         const char *else_hint) {
    if (s->name)
        return lex_fail(p, word, "there is no %s %s; did you mean %s?", what,
                        lex_show(p, word).text, s->name);
    return lex_fail(p, word, "there is no %s %s%s", what, lex_show(p, word).text, else_hint);
}

bool lex_fail_op(lexer *p, repl_span word) {
    repl_span bare = word;
    if (word.length > 5 && memcmp(p->text + word.at, "tosa.", 5) == 0)
        bare = (repl_span){word.at + 5, word.length - 5};
    suggestion s = {.word = p->text + bare.at, .length = bare.length};
    const char *expression = suggest_expression(s.word, s.length);
    if (expression)
        return lex_fail(p, word, "there is no op %s; as an expression it is %s",
                        lex_show(p, word).text, expression);
    suggest_ops(&s);
    return fail_unknown(p, word, "op", &s, "; :ops lists them");
}

bool lex_fail_type(lexer *p, repl_span word) {
    suggestion s = {.word = p->text + word.at, .length = word.length};
    suggest_types(&s);
    return fail_unknown(
        p, word, "element type", &s,
        "; there are i1, i8, i16, i32, i48, i64, f16, bf16, f32, f64, f8E4M3FN and f8E5M2");
}

/* Digits of a whole number, decimal or behind 0x, as far as they fit; *fits says whether they do.
 */
uint64_t lex_digits(const char *text, size_t length, unsigned base, bool *fits) {
    uint64_t value = 0;
    *fits = true;
    for (size_t k = 0; k < length; k++) {
        unsigned digit = lex_is_digit(text[k]) ? (unsigned)(text[k] - '0')
                                               : (unsigned)((text[k] | 0x20) - 'a') + 10;
        *fits = *fits && value <= (UINT64_MAX - digit) / base;
        if (*fits) value = value * base + digit;
    }
    return value;
}

const char *lex_plural(size_t count) { return count == 1 ? "" : "s"; }

/* Whether `name =` is next, which p then is behind the name of. */
bool lex_key(lexer *p, repl_span *word) {
    size_t before = p->at;
    *word = lex_word(p);
    if (word->length && lex_peek(p) == '=' && lex_peek_at(p, 1) != '=') return true;
    p->at = before;
    return false;
}
