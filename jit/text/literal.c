/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types, numbers and lists of numbers, as they are written in a text, and numbers as elements. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/text/grammar.h"
#include "runtime/base/types.h"
#include "runtime/expr/convert.h"

/* ---------------------------------------------------------------------------------------------
 * Nodes */

text_node *parse_add_node(lexer *p, text_node_kind kind, size_t from, int32_t what) {
    if (p->line->node_count >= TOSAJIT_MAX_NODES) {
        lex_fail(p, (text_span){from, p->at - from}, "an expression has at most %d values",
                 TOSAJIT_MAX_NODES);
        return NULL;
    }
    text_node *node = LEX_ADD(p, node);
    if (node) *node = (text_node){kind, {from, p->at - from}, what, -1};
    if (node && p->argument >= 0) node->span = p->call;
    return node;
}

int32_t parse_last_node(const lexer *p) { return (int32_t)p->line->node_count - 1; }

/* ---------------------------------------------------------------------------------------------
 * Types */

static bool take_size(lexer *p, int64_t *size) {
    lex_skip_space(p);
    text_span span = {p->at, 0};
    uint64_t value = 0;
    bool fits = true;
    if (lex_take(p, '?')) {
        *size = TOSAJIT_DYNAMIC;
        return true;
    }
    while (lex_is_digit(lex_peek_at(p, 0))) {
        uint64_t digit = (uint64_t)(p->text[p->at++] - '0');
        fits = fits && value <= (INT64_MAX - digit) / 10;
        if (fits) value = value * 10 + digit;
    }
    span.length = p->at - span.at;
    if (span.length == 0) return lex_fail_expected(p, "a size or ?");
    if (!fits) return lex_fail(p, span, "this size is beyond 2^63 - 1");
    if (value == 0) return lex_fail(p, span, "a size is at least 1 or ?");
    *size = (int64_t)value;
    return true;
}

static bool add_size(lexer *p, size_t from, tosajit_tensor_type *type) {
    if (type->rank == TOSAJIT_MAX_RANK)
        return lex_fail(p, (text_span){from, p->at - from}, "a tensor has at most %d dimensions",
                        TOSAJIT_MAX_RANK);
    if (!take_size(p, &type->dims[type->rank])) return false;
    type->rank++;
    return true;
}

/* "[?,3]", "[]" or "[*]" */
static bool parse_shape(lexer *p, tosajit_tensor_type *type) {
    lex_skip_space(p);
    size_t from = p->at;
    type->rank = 0;
    if (!lex_expect(p, '[', "a shape like [?,3]")) return false;
    if (lex_take(p, '*')) {
        type->rank = TOSAJIT_UNRANKED;
        return lex_expect(p, ']', "]");
    }
    if (lex_take(p, ']')) return true;
    do {
        if (!add_size(p, from, type)) return false;
    } while (lex_take(p, ','));
    return lex_expect(p, ']', ", or ]");
}

/* Behind "tensor": "<?x3xf32>". The x is no letter of a name here. */
static bool parse_tensor(lexer *p, tosajit_tensor_type *type) {
    size_t from = p->at;
    if (!lex_expect(p, '<', "<, as in tensor<?x3xf32>,")) return false;
    if (lex_take(p, '*')) {
        type->rank = TOSAJIT_UNRANKED;
        if (!lex_expect(p, 'x', "x")) return false;
    }
    while (type->rank != TOSAJIT_UNRANKED && (lex_is_digit(lex_peek(p)) || lex_peek(p) == '?'))
        if (!add_size(p, from, type) || !lex_expect(p, 'x', "x behind a size")) return false;
    text_span element = lex_word(p);
    if (element.length == 0) return lex_fail_expected(p, "a size or an element type");
    type->element = lex_find_type(p, element);
    return type->element == TOSAJIT_TYPE_COUNT ? lex_fail_type(p, element)
                                               : lex_expect(p, '>', ">");
}

/* A type. Where the element may be left out, *element has it, and gets it. */
bool parse_type(lexer *p, tosajit_type *element, text_annotation *a) {
    lex_skip_space(p);
    size_t from = p->at;
    memset(&a->type, 0, sizeof a->type);
    text_span word = lex_word(p);
    bool fine = true;
    if (lex_is_word(p, word, "tensor")) {
        a->shaped = true;
        fine = parse_tensor(p, &a->type);
    } else {
        if (word.length == 0 && *element == TOSAJIT_TYPE_COUNT)
            return lex_fail_expected(p, "a type like f32[?,3] or tensor<?x3xf32>");
        a->type.element = word.length ? lex_find_type(p, word) : *element;
        if (a->type.element == TOSAJIT_TYPE_COUNT) return lex_fail_type(p, word);
        a->span = (text_span){from, p->at - from};
        a->shaped = word.length == 0 || lex_peek(p) == '[';
        if (a->shaped) fine = parse_shape(p, &a->type);
    }
    if (a->shaped) a->span = (text_span){from, p->at - from};
    *element = a->type.element;
    return fine;
}

/* ---------------------------------------------------------------------------------------------
 * Numbers and lists */

enum { LONGEST_NUMBER = 399 };

static bool is_hex(char c) {
    return lex_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool parse_hexadecimal(lexer *p, text_number *n) {
    size_t from = p->at;
    p->at += 2;
    while (is_hex(lex_peek_at(p, 0))) p->at++;
    text_span span = {from, p->at - from};
    bool fits;
    n->magnitude = lex_digits(p->text + from + 2, span.length - 2, 16, &fits);
    if (span.length == 2) return lex_fail(p, span, "hexadecimal digits expected behind 0x");
    if (!fits) return lex_fail(p, span, "this number has more than 64 bits");
    n->whole = n->hexadecimal = true;
    n->value = (double)n->magnitude;
    return true;
}

/* The value of digits and an exponent. The point is left out and counted in the exponent, because
 * strtod looks for the one of the host's language. */
static double decimal_value(const char *digits, size_t length) {
    char copy[LONGEST_NUMBER + 32];
    size_t used = 0, k = 0;
    long places = 0, exponent = 0;
    bool point = false, negative = false;
    for (; k < length && (digits[k] | 0x20) != 'e'; k++) {
        places += point;
        if (digits[k] == '.')
            point = true;
        else
            copy[used++] = digits[k];
    }
    for (k++; k < length; k++) {
        negative = negative || digits[k] == '-';
        if (lex_is_digit(digits[k]) && exponent < 1000000)
            exponent = 10 * exponent + (digits[k] - '0');
    }
    snprintf(copy + used, sizeof copy - used, "e%ld", (negative ? -exponent : exponent) - places);
    return strtod(copy, NULL);
}

/* 12, 0.5, 1e-3, .5 */
static bool parse_decimal(lexer *p, text_number *n) {
    size_t from = p->at;
    bool fraction = false;
    while (lex_is_digit(lex_peek_at(p, 0))) p->at++;
    if (lex_peek_at(p, 0) == '.') {
        fraction = true;
        for (p->at++; lex_is_digit(lex_peek_at(p, 0));) p->at++;
    }
    size_t sign = lex_peek_at(p, 1) == '-' || lex_peek_at(p, 1) == '+';
    if ((lex_peek_at(p, 0) | 0x20) == 'e' && lex_is_digit(lex_peek_at(p, 1 + sign))) {
        fraction = true;
        for (p->at += 1 + sign; lex_is_digit(lex_peek_at(p, 0));) p->at++;
    }
    text_span span = {from, p->at - from};
    if (span.length > LONGEST_NUMBER)
        return lex_fail(p, span, "this number has more than %d characters", LONGEST_NUMBER);
    n->value = decimal_value(p->text + from, span.length);
    if (isinf(n->value)) return lex_fail(p, span, "no type has so large a number; infinity is inf");
    if (!fraction) n->magnitude = lex_digits(p->text + from, span.length, 10, &n->whole);
    return true;
}

bool parse_at_number(lexer *p) {
    lex_skip_space(p);
    return lex_is_digit(lex_peek_at(p, 0)) ||
           (lex_peek_at(p, 0) == '.' && lex_is_digit(lex_peek_at(p, 1)));
}

/* Words that are numbers. Python's spelling counts, because texts stand in its programs. */
bool parse_word_number(const lexer *p, text_span word, text_number *n) {
    memset(n, 0, sizeof *n);
    if (lex_is_word(p, word, "inf")) n->value = (double)INFINITY;
    if (lex_is_word(p, word, "nan")) n->value = (double)NAN;
    if (n->value != 0) return true;
    n->whole = true;
    n->magnitude = lex_is_word(p, word, "true") || lex_is_word(p, word, "True");
    n->value = (double)n->magnitude;
    return n->magnitude || lex_is_word(p, word, "false") || lex_is_word(p, word, "False");
}

void parse_negate(text_number *n) {
    n->value = -n->value;
    n->negative = !n->negative;
}

static bool parse_number(lexer *p, text_number *n) {
    memset(n, 0, sizeof *n);
    if (parse_at_number(p)) {
        bool hexadecimal = lex_peek_at(p, 0) == '0' && (lex_peek_at(p, 1) | 0x20) == 'x';
        if (!(hexadecimal ? parse_hexadecimal(p, n) : parse_decimal(p, n))) return false;
        if (!lex_is_letter(lex_peek_at(p, 0))) return true;
        text_span rest = lex_word(p);
        return lex_fail(p, rest, "%s directly behind a number; is an operator missing?",
                        lex_show(p, rest).text);
    }
    size_t before = p->at;
    text_span word = lex_word(p);
    if (word.length && parse_word_number(p, word, n)) return true;
    p->at = before;
    return lex_fail_expected(p, "a number");
}

static bool add_number(lexer *p, bool may_be_negative) {
    bool negative = may_be_negative && lex_take(p, '-');
    text_number n;
    lex_skip_space(p);
    size_t from = p->at;
    if (!parse_number(p, &n)) return false;
    n.spelled = p->text + from;
    n.length = p->at - from;
    if (negative) parse_negate(&n);
    text_number *slot = LEX_ADD(p, number);
    if (slot) *slot = n;
    return slot != NULL;
}

static bool parse_rows(lexer *p, text_list *list, int32_t depth);

/* One entry of a list at `depth`: a number in the innermost one. The first innermost number fixes
 * the rank. */
static bool parse_entry(lexer *p, text_list *list, int32_t depth) {
    lex_skip_space(p);
    size_t from = p->at;
    bool row = lex_peek(p) == '[';
    if (row && list->rank != -1 && depth >= list->rank)
        return lex_fail(p, (text_span){from, 1}, "a number expected, as before, found a list");
    if (row) return parse_rows(p, list, depth);
    if (list->rank == -1) list->rank = depth;
    if (depth != list->rank && lex_at_end(p)) return lex_fail_expected(p, "a list");
    if (depth != list->rank)
        return lex_fail(p, (text_span){from, 1}, "a list expected, as before, found a number");
    return add_number(p, true);
}

/* Reads a list at `depth` up to its bracket; the elements of an empty one would be numbers. */
static bool parse_entries(lexer *p, text_list *list, int32_t depth, int64_t *count) {
    *count = 0;
    if (lex_peek(p) == ']') {
        if (list->rank != -1 && depth != list->rank)
            return lex_fail(p, (text_span){p->at, 1}, "a list expected, as before");
        list->rank = depth;
        return true;
    }
    do {
        if (!parse_entry(p, list, depth)) return false;
        ++*count;
    } while (lex_take(p, ','));
    return true;
}

static bool parse_rows(lexer *p, text_list *list, int32_t depth) {
    text_span open = {p->at, 1};
    int64_t count;
    if (depth == TOSAJIT_MAX_RANK)
        return lex_fail(p, open, "a tensor has at most %d dimensions", TOSAJIT_MAX_RANK);
    if (!lex_expect(p, '[', "[")) return false;
    p->open++;
    if (!parse_entries(p, list, depth + 1, &count) || !lex_expect(p, ']', ", or ]")) return false;
    p->open--;
    if (list->dims[depth] >= 0 && list->dims[depth] != count)
        return lex_fail(p, (text_span){open.at, p->at - open.at},
                        "%" PRId64 " %s here, %" PRId64
                        " in the list before; rows must be equally long",
                        count, count == 1 ? "entry" : "entries", list->dims[depth]);
    list->dims[depth] = count;
    return true;
}

/* Reads a literal at p: a number (which may be negative), or a list. */
bool parse_literal(lexer *p, bool may_be_negative) {
    lex_skip_space(p);
    size_t from = p->at;
    text_list list = {.rank = -1, .first = p->line->number_count};
    for (int32_t d = 0; d < TOSAJIT_MAX_RANK; d++) list.dims[d] = -1;
    bool fine = lex_peek(p) == '[' ? parse_rows(p, &list, 0) : add_number(p, may_be_negative);
    if (!fine) return false;
    if (list.rank == -1) list.rank = 0;
    list.count = p->line->number_count - list.first;
    text_list *slot = LEX_ADD(p, list);
    if (!slot) return false;
    *slot = list;
    return parse_add_node(p, TEXT_LITERAL, from, (int32_t)p->line->list_count - 1) != NULL;
}

/* ---------------------------------------------------------------------------------------------
 * Elements */

static int width_of(tosajit_type type) {
    if (type == TOSAJIT_I1) return 1;
    return type == TOSAJIT_I48 ? 48 : 8 * (int)tosajit_type_size(type);
}

/* True if a hexadecimal number has more bits than the type. */
static bool is_too_wide(tosajit_type type, const text_number *n) {
    return n->hexadecimal && n->magnitude >> (width_of(type) - 1) > 1;
}

static bool fail_range(text_error *error, const text_number *n, tosajit_type type) {
    const int bits = width_of(type);
    char width[32] = "";
    if (is_too_wide(type, n))
        snprintf(width, sizeof width, ", which has %d bit%s", bits, bits == 1 ? "" : "s");
    snprintf(error->text, sizeof error->text, "%s%.*s is no value of %s%s", n->negative ? "-" : "",
             (int)n->length, n->spelled, tosajit_type_name(type), width);
    error->status = TOSAJIT_INVALID_ARGUMENT;
    error->about = diag_nothing();
    return false;
}

/* Hexadecimal numbers are bits, so that 0xff is an i8. */
static bool store_integer(tosajit_type type, const text_number *n, bool is_unsigned, void *at,
                          text_error *error) {
    uint64_t half = type == TOSAJIT_I1 ? 1 : UINT64_C(1) << (width_of(type) - 1), most = half - 1;
    if (type == TOSAJIT_I1) most = 1;
    is_unsigned |= type_is_unsigned(type);
    if (n->negative) most = type == TOSAJIT_I1 || type_is_unsigned(type) ? 0 : half;
    if ((n->hexadecimal || is_unsigned) && !n->negative && type != TOSAJIT_I1)
        most = half + (half - 1);
    if (!n->whole || n->magnitude > most) return fail_range(error, n, type);
    convert_store(type, at, n->negative ? 0 - n->magnitude : n->magnitude);
    return true;
}

/* The bits themselves, so that a NaN keeps all of them; a minus in front turns the sign's. */
static uint64_t written_bits(tosajit_type type, const text_number *n) {
    return n->magnitude ^ (uint64_t)n->negative << (width_of(type) - 1);
}

double text_value(tosajit_type type, const text_number *n) {
    if (!n->hexadecimal || !type_is_float(type)) return n->value;
    return is_too_wide(type, n) ? (double)NAN : convert_decode(type, written_bits(type, n)).f;
}

bool text_store(tosajit_type type, const text_number *n, bool is_unsigned, void *at,
                text_error *error) {
    if (!type_is_float(type)) return store_integer(type, n, is_unsigned, at, error);
    if (is_too_wide(type, n)) return fail_range(error, n, type);
    if (n->hexadecimal) {
        convert_store(type, at, written_bits(type, n));
        return true;
    }
    const uint64_t bits = convert_encode(type, (cell){.f = n->value});
    const double stored = convert_decode(type, bits).f;
    convert_store(type, at, bits);
    bool lost = !isfinite(n->value) != !isfinite(stored) || !isnan(n->value) != !isnan(stored);
    return !lost || fail_range(error, n, type);
}
