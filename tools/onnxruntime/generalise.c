/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Generalising reads words, not meaning: a number beside a + or a * becomes a name, which is an
 * atom like the number, so the text keeps its structure. Whatever is not certain stays as it is,
 * and a text that the library should refuse then costs its caller nothing but the trial. */
#define _GNU_SOURCE /* strtod_l, open_memstream */
#include "tools/onnxruntime/generalise.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A word of the text: a name, a number, or a sign; ( - 5 ) is one number. */
typedef struct word {
    enum { END, NAME, NUMBER, SIGN } kind;
    const char *at;
    size_t length;
} word;

typedef struct reader {
    FILE *out;
    locale_t locale; /* numbers have a point, whatever the host's language */
    general made;
    size_t most; /* numbers */
} reader;

static const char *skip_spaces(const char *at) { return at + strspn(at, " \t\n"); }

/* The length of 12, 0.5 or 1e-05; 0 for 0x1f and all else. */
static size_t number_length(const char *at) {
    size_t length = strspn(at, "0123456789.");
    if (length && (at[length] == 'e' || at[length] == 'E')) {
        const size_t sign = at[length + 1] == '-' || at[length + 1] == '+';
        const size_t digits = strspn(at + length + 1 + sign, "0123456789");
        length = digits ? length + 1 + sign + digits : 0;
    }
    return isalnum((unsigned char)at[length]) || at[length] == '_' ? 0 : length;
}

static word next_word(const char *at) {
    at = skip_spaces(at);
    if (!*at) return (word){END, at, 0};
    if (isalpha((unsigned char)*at) || *at == '_') {
        size_t length = 1;
        while (isalnum((unsigned char)at[length]) || strchr("_$.", at[length]))
            if (!at[length++]) return (word){NAME, at, length - 1};
        return (word){NAME, at, length};
    }
    size_t length = number_length(at);
    if (length) return (word){NUMBER, at, length};
    if (*at == '(') { /* a number with its sign in brackets? */
        const char *sign = skip_spaces(at + 1), *digits = skip_spaces(sign + (*sign == '-'));
        length = *sign == '-' ? number_length(digits) : 0;
        const char *end = skip_spaces(digits + length);
        if (length && *end == ')') return (word){NUMBER, at, (size_t)(end - at) + 1};
    }
    return (word){SIGN, at, at[0] == '*' && at[1] == '*' ? 2 : 1};
}

static bool is_sign(const word *w, const char *signs) {
    return w->kind == END ? strchr(signs, ';') != NULL
                          : w->kind == SIGN && w->length == 1 && strchr(signs, *w->at);
}

/* Whether a number between these words is an operand of a + or a *. */
static bool is_operand(const word *before, const word *after) {
    return (is_sign(before, "+*") && is_sign(after, "+*;)")) ||
           (is_sign(before, "=;(") && is_sign(after, "+*"));
}

/* The number that a word is, by the library's way: the nearest f64, and of that the nearest f32.
 * False where the library would refuse it, and where it is too long to be read here. */
static bool read_number(const reader *r, const word *w, float *number) {
    char digits[64], *end;
    size_t length = 0;
    for (size_t k = 0; k < w->length && length < sizeof digits; k++)
        if (!strchr("() \t\n", w->at[k])) digits[length++] = w->at[k];
    if (length == sizeof digits) return false;
    digits[length] = 0;
    *number = (float)strtod_l(digits, &end, r->locale);
    return end != digits && !*end && isfinite(*number);
}

/* Names that are types, or that begin what this does not read. */
static bool is_foreign(const word *w) {
    static const char *const types[] = {"i1",  "i8",   "i16", "i32",      "i48",    "i64",
                                        "f16", "bf16", "f64", "f8E4M3FN", "f8E5M2", "tensor"};
    for (size_t k = 0; w->kind == NAME && k < sizeof types / sizeof *types; k++)
        if (w->length == strlen(types[k]) && strncmp(w->at, types[k], w->length) == 0) return true;
    return (w->kind == SIGN && strchr("[]:#{}\"", *w->at)) ||
           (w->kind == NAME && strncmp(w->at, "tosajit_c", 9) == 0);
}

/* The statements, with names for numbers. */
static bool write_statements(reader *r, const char *at) {
    word before = {SIGN, ";", 1}, w = next_word(at);
    for (; w.kind != END; at = w.at + w.length, before = w, w = next_word(at)) {
        const word after = next_word(w.at + w.length);
        if (is_foreign(&w)) return false;
        fwrite(at, 1, (size_t)(w.at - at), r->out);
        if (w.kind == NUMBER && r->made.count < r->most && is_operand(&before, &after) &&
            read_number(r, &w, &r->made.numbers[r->made.count]))
            fprintf(r->out, "tosajit_c%zu", r->made.count++);
        else
            fwrite(w.at, 1, w.length, r->out);
    }
    return true;
}

/* One declaration, "x: f32[?,16,7]" as "x: f32[?,?,7]" if its sizes may be any. A last dimension
 * keeps its size, which saves code the end of a row. */
static const char *write_declaration(reader *r, const char *at, bool any_sizes) {
    const word name = next_word(at), colon = next_word(name.at + name.length);
    if (name.kind != NAME || !is_sign(&colon, ":")) return NULL;
    const word type = next_word(colon.at + 1);
    if (type.kind != NAME || type.length != 3 || strncmp(type.at, "f32", 3) != 0) return NULL;
    at = skip_spaces(type.at + type.length);
    fprintf(r->out, "%.*s: f32", (int)name.length, name.at);
    if (*at != '[') return at;
    const char *end = strchr(at, ']');
    if (!end) return NULL;
    while (at < end) {
        const size_t length = strcspn(at + 1, ",]");
        const bool is_last = at + 1 + length == end, is_one = length == 1 && at[1] == '1';
        fputc(*at, r->out);
        if (any_sizes && !is_last && !is_one)
            fputc('?', r->out);
        else
            fwrite(at + 1, 1, length, r->out);
        at += 1 + length;
    }
    fputc(']', r->out);
    return skip_spaces(end + 1);
}

/* Whether some size is a number other than 1. */
static bool has_size(const char *at, const char *end) {
    for (; at < end; at++)
        if (!strchr("?1,", *at) || (*at == '1' && isdigit((unsigned char)at[1]))) return true;
    return false;
}

/* Sizes may be any where only one operand has some: there is nothing that they could differ from.
 * Or where two operands end in ?, and no other one has a size. Either of the two may repeat in a
 * call, whatever their other sizes are, so the code is the same. y must not have a 96:
 *
 *     x: f32[?,96,?], y: f32[?,?,1], z: f32[?,?,?] */
static bool may_have_any_sizes(const char *text, const char *end, bool *same_code) {
    size_t shapes = 0, open = 0, rank = 0;
    bool alike = true;
    for (; text < end; text++) {
        if (*text != '[' || text[1] == ']' || strncmp(text, "[1]", 3) == 0) continue;
        const char *close = text + strcspn(text, "]");
        const bool is_open = close[-1] == '?';
        size_t commas = 0;
        for (const char *at = text; at < close; at++) commas += *at == ',';
        alike &= (shapes == 0 || commas == rank) && (is_open || !has_size(text + 1, close));
        rank = commas;
        shapes++, open += is_open;
    }
    *same_code = alike && (open > 1 || shapes == open);
    return shapes == 1 || (alike && open > 1);
}

static size_t count_operands(const char *text, const char *end) {
    size_t count = 0;
    for (; text < end; text++) count += *text == ':';
    return count;
}

static bool write_all(reader *r, const char *text) {
    const char *end = strchr(text, ';'), *at = text;
    char *statements = NULL;
    size_t size;
    if (!end || count_operands(text, end) == 0) return false;
    FILE *whole = r->out, *body = open_memstream(&statements, &size);
    if (!body) return false;
    r->out = body;
    bool fine = write_statements(r, end + 1);
    r->out = whole;
    fine = fclose(body) == 0 && fine;
    const bool any_sizes = may_have_any_sizes(text, end, &r->made.same_code);
    r->made.same_code &= r->made.count == 0;
    while (fine && at && at < end) {
        at = write_declaration(r, at, any_sizes);
        fine = at && (at == end || *at == ',');
        if (fine && at < end) fputc(*at++, r->out), fputc(' ', r->out);
    }
    for (size_t k = 0; fine && k < r->made.count; k++) fprintf(r->out, ", tosajit_c%zu: f32[]", k);
    if (fine) fprintf(r->out, ";%s", statements);
    free(statements);
    return fine;
}

general generalise(const char *text, size_t results) {
    reader r = {.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    const char *end = strchr(text, ';');
    const size_t tensors = results + (end ? count_operands(text, end) : 0);
    size_t size;
    r.most = tensors < GENERAL_TENSORS ? GENERAL_TENSORS - tensors : 0;
    if (r.most > GENERAL_NUMBERS) r.most = GENERAL_NUMBERS;
    r.out = r.locale ? open_memstream(&r.made.text, &size) : NULL;
    bool fine = r.out && write_all(&r, text);
    if (r.out) fine = fclose(r.out) == 0 && fine;
    if (r.locale) freelocale(r.locale);
    if (fine) return r.made;
    free(r.made.text);
    return (general){0};
}
