/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes become words, numbers' digits and findings. Nothing here knows more of the grammar than
 * names do. */
#include "jit/text/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/escape.h"
#include "jit/text/movers.h"
#include "jit/text/reducers.h"
#include "jit/text/suggest.h"
#include "tosajit/inspect.h"

/* ---------------------------------------------------------------------------------------------
 * Errors and room */

bool lex_fail(lexer *p, text_span where, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->error->text, sizeof p->error->text, format, arguments);
    va_end(arguments);
    p->error->where = p->argument < 0 ? where : p->call;
    p->error->status = TOSAJIT_INVALID_ARGUMENT;
    p->error->about = diag_nothing();
    return false;
}

bool lex_fail_memory(lexer *p) {
    lex_fail(p, (text_span){p->at, 0}, "out of memory");
    p->error->status = TOSAJIT_OUT_OF_MEMORY;
    return false;
}

/* Capacities are powers of 2, from the first one on. So a count tells the capacity. */
enum { FIRST_CAPACITY = 8 };

size_t lex_capacity(size_t count) {
    size_t capacity = count ? FIRST_CAPACITY : 0;
    while (capacity < count) capacity *= 2;
    return capacity;
}

/* Room for one more element of `size` bytes behind *count of them. Null after an error. */
void *lex_add(lexer *p, void *array, size_t *count, size_t size) {
    void **list = array;
    size_t capacity = lex_capacity(*count);
    if (*count == capacity &&
        !memory_grow(&p->line->allocator, list, &capacity, lex_capacity(*count + 1), size)) {
        lex_fail_memory(p);
        return NULL;
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
    for (;;) {
        while (p->at < p->length && lex_is_space(p->text[p->at]) &&
               (p->text[p->at] != '\n' || p->open > 0))
            p->at++;
        if (!lex_begins(p, "#")) return;
        while (p->at < p->length && p->text[p->at] != '\n') p->at++;
    }
}

void lex_skip_lines(lexer *p) {
    p->open++;
    lex_skip_space(p);
    p->open--;
}

bool lex_is_open(const char *text, size_t length) {
    static const char *const unfinished = "+-*/&|^=,!~(["; /* at the end of a line */
    int depth = 0;
    char last = ';';
    for (size_t k = 0; k < length; k++) {
        if (text[k] == '#')
            while (k < length && text[k] != '\n') k++;
        if (k == length) break;
        depth += text[k] == '(' || text[k] == '[';
        depth -= (text[k] == ')' || text[k] == ']') && depth > 0;
        if (!lex_is_space(text[k])) last = text[k];
    }
    return depth > 0 || strchr(unfinished, last) != NULL;
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

/* Behind the last word in front of p: empty lines may lie between. */
static size_t line_end(const lexer *p) {
    size_t at = p->at;
    while (at > 0 && lex_is_space(p->text[at - 1])) at--;
    return at > 0 ? at : p->at;
}

/* A name; dots are for "tosa.add". Length 0 if there is none. */
text_span lex_word(lexer *p) {
    lex_skip_space(p);
    text_span word = {p->at, 0};
    if (lex_is_letter(lex_peek_at(p, 0)))
        while (lex_is_letter(lex_peek_at(p, 0)) || lex_is_digit(lex_peek_at(p, 0)) ||
               lex_peek_at(p, 0) == '.')
            p->at++;
    word.length = p->at - word.at;
    return word;
}

bool lex_is_word(const lexer *p, text_span word, const char *text) {
    return strlen(text) == word.length && memcmp(p->text + word.at, text, word.length) == 0;
}

/* Shows a place of the text in a message. */
lex_shown lex_show(const lexer *p, text_span span) {
    lex_shown s = {""};
    escape_name(p->text + span.at, span.length, s.text, sizeof s.text);
    return s;
}

/* A word that joins two operands in other languages. */
static bool is_joint(const lexer *p, text_span word) {
    return lex_is_word(p, word, "and") || lex_is_word(p, word, "or") || lex_is_word(p, word, "if");
}

/* "found X" */
bool lex_fail_expected(lexer *p, const char *expected) {
    const char *foreign = text_foreign_operator(p->text + p->at, p->length - p->at);
    if (lex_at_end(p) || lex_peek(p) == '\n')
        return lex_fail(p, (text_span){line_end(p), 0}, "%s expected, the line ends here",
                        expected);
    if (lex_peek(p) == '%' && lex_is_letter(lex_peek_at(p, 1)))
        return lex_fail(p, (text_span){p->at, 1}, "%s expected; values have no %% here", expected);
    text_span word = lex_word(p);
    if (word.length == 0) {
        word.length = 1;
        /* UTF-8. */
        while (word.at + word.length < p->length && (p->text[word.at + word.length] & 0xc0) == 0x80)
            word.length++;
    }
    if (!foreign && is_joint(p, word)) foreign = text_foreign_word(p->text + word.at, word.length);
    if (foreign) return lex_fail(p, word, "%s", foreign);
    return lex_fail(p, word, "%s expected, found %s", expected, lex_show(p, word).text);
}

bool lex_expect(lexer *p, char c, const char *what) {
    return lex_take(p, c) || lex_fail_expected(p, what);
}

bool lex_deeper(lexer *p) {
    return p->depth++ < TEXT_MAX_DEPTH ||
           lex_fail(p, (text_span){p->at, 0}, "nests more than %d deep", TEXT_MAX_DEPTH);
}

/* The name of an op or a type that is copied so that the library can look for it. */
typedef struct name {
    char text[40];
} name;

static bool copy_name(const lexer *p, text_span word, name *n) {
    if (word.length >= sizeof n->text) return false;
    memcpy(n->text, p->text + word.at, word.length);
    n->text[word.length] = '\0';
    return true;
}

tosajit_op lex_find_op(const lexer *p, text_span word) {
    name n;
    tosajit_op op = copy_name(p, word, &n) ? tosajit_op_find(n.text) : TOSAJIT_OP_COUNT;
    return op == TOSAJIT_OP_COUNT ? text_synonym(p->text + word.at, word.length) : op;
}

tosajit_type lex_find_type(const lexer *p, text_span word) {
    name n;
    return copy_name(p, word, &n) ? tosajit_type_find(n.text) : TOSAJIT_TYPE_COUNT;
}

/* A word of another language: `not` in front of a name, or and, or, if behind one. Alone they are
 * names. */
const char *lex_find_foreign(lexer *p, text_span *word) {
    size_t before = p->at;
    text_span next = lex_word(p);
    p->at = before;
    if (next.length == 0) return NULL;
    if (lex_is_word(p, *word, "not")) return text_foreign_word("not", 3);
    if (!is_joint(p, next)) return NULL;
    *word = next;
    return text_foreign_word(p->text + next.at, next.length);
}

/* ": what is wrong; did you mean add?" */
static bool fail_unknown(lexer *p, text_span word, const char *what, const suggestion *s,
                         const char *else_hint) {
    if (s->name)
        return lex_fail(p, word, "there is no %s %s; did you mean %s?", what,
                        lex_show(p, word).text, s->name);
    return lex_fail(p, word, "there is no %s %s%s", what, lex_show(p, word).text, else_hint);
}

static bool is_function(const lexer *p, text_span word) {
    const char *at = p->text + word.at;
    return lex_find_op(p, word) != TOSAJIT_OP_COUNT || text_alias(at, word.length) ||
           reducer_find(at, word.length) || mover_find(at, word.length);
}

/* True for "np." and the like, and no value's name. */
static bool is_module(const lexer *p, text_span prefix) {
    static const char *const names[] = {"np.", "numpy.", "torch.", "math.", "jnp.", "scipy."};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (lex_is_word(p, prefix, names[k])) return true;
    return false;
}

bool lex_fail_op(lexer *p, text_span word) {
    text_span bare = word; /* without "tosa.", "np.", "torch." */
    for (size_t k = word.at; k + 1 < word.at + word.length; k++)
        if (p->text[k] == '.') bare = (text_span){k + 1, word.at + word.length - k - 1};
    const text_span prefix = {word.at, bare.at - word.at},
                    owner = {word.at, prefix.length > 0 ? prefix.length - 1 : 0};
    const bool is_prefixed = prefix.length > 0 && !lex_is_word(p, prefix, "tosa.");
    suggestion s = {.word = p->text + bare.at, .length = bare.length};
    const char *foreign = text_foreign_word(s.word, s.length), *function;
    const char *alias = is_prefixed ? NULL : text_alias(s.word, s.length);
    if (alias)
        return lex_fail(p, word, "%s is no op but a function in expressions, %s(x) is %s",
                        lex_show(p, word).text, lex_show(p, word).text, alias);
    if (foreign) return lex_fail(p, word, "there is no op %s; %s", lex_show(p, word).text, foreign);
    if (is_prefixed && is_function(p, bare) && !is_module(p, prefix))
        return lex_fail(p, word, "values have no methods here; %s is written %s(%s)",
                        lex_show(p, word).text, lex_show(p, bare).text, lex_show(p, owner).text);
    suggest_ops(&s);
    for (size_t k = 0; (function = text_function_name(k, NULL)); k++) suggest(&s, function);
    return fail_unknown(p, word, "op", &s, "");
}

/* Of the table, so that none is forgotten. */
static void list_types(char *text, size_t room) {
    size_t used = 0;
    for (int type = 0; type < TOSAJIT_TYPE_COUNT && used < room; type++) {
        const char *before = !type                           ? "; there are "
                             : type < TOSAJIT_TYPE_COUNT - 1 ? ", "
                                                             : " and ";
        used += (size_t)snprintf(text + used, room - used, "%s%s", before,
                                 tosajit_type_name((tosajit_type)type));
    }
}

bool lex_fail_type(lexer *p, text_span word) {
    char all[256];
    suggestion s = {.word = p->text + word.at, .length = word.length};
    const char *foreign = text_foreign_word(s.word, s.length);
    if (foreign)
        return lex_fail(p, word, "there is no element type %s; %s", lex_show(p, word).text,
                        foreign);
    suggest_types(&s);
    list_types(all, sizeof all);
    return fail_unknown(p, word, "element type", &s, all);
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

/* True if `name =` is next, which p then is behind the name of. */
bool lex_key(lexer *p, text_span *word) {
    size_t before = p->at;
    *word = lex_word(p);
    if (word->length && lex_peek(p) == '=' && lex_peek_at(p, 1) != '=') return true;
    p->at = before;
    return false;
}
