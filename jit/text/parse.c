/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts: statements, or one op on types. A recursive descent over bytes. A node is appended when it
 * is complete, behind its operands, so readers of nodes need no recursion. The depth of brackets is
 * bounded, the length of chains is not. */
#include "jit/text/parse.h"

#include <string.h>

#include "jit/text/grammar.h"

/* ---------------------------------------------------------------------------------------------
 * Statements and their types */

/* A word in front of another one, or of a colon, is a name. */
static bool take_name(lexer *p, text_span *name) {
    size_t before = p->at;
    *name = lex_word(p);
    char next = lex_peek(p);
    bool named = name->length && lex_find_type(p, *name) == TOSAJIT_TYPE_COUNT &&
                 !lex_is_word(p, *name, "tensor") && (lex_is_letter(next) || next == ':');
    if (named)
        lex_take(p, ':');
    else
        p->at = before;
    return named;
}

static bool parse_annotations(lexer *p) {
    tosajit_type element = TOSAJIT_TYPE_COUNT;
    do {
        text_annotation a = {0};
        text_span name;
        lex_skip_lines(p);
        if (take_name(p, &name)) a.name = name;
        element = TOSAJIT_TYPE_COUNT;
        if (!parse_type(p, &element, &a)) return false;
        text_annotation *slot = LEX_ADD(p, annotation);
        if (!slot) return false;
        *slot = a;
    } while (lex_take(p, ','));
    return true;
}

static bool parse_name_of_value(lexer *p, text_span name) {
    text_number ignored;
    bool taken =
        parse_word_number(p, name, &ignored) || memchr(p->text + name.at, '.', name.length);
    if (taken) return lex_fail(p, name, "%s cannot be the name of a value", lex_show(p, name).text);
    return name.length <= TEXT_NAME_LENGTH ||
           lex_fail(p, name, "a name has at most %d characters", TEXT_NAME_LENGTH);
}

static bool parse_statement(lexer *p, text_statement *statement) {
    text_span name;
    if (p->line->statement_count == TEXT_MAX_STATEMENTS)
        return lex_fail(p, (text_span){p->at, 0}, "a text has at most %d statements",
                        TEXT_MAX_STATEMENTS);
    if (lex_key(p, &name)) {
        if (!parse_name_of_value(p, name)) return false;
        p->at++; /* = */
    } else {
        name = (text_span){0, 0};
    }
    if (!parse_expression(p, TEXT_LOOSEST)) return false;
    *statement = (text_statement){name, parse_last_node(p)};
    return true;
}

static bool add_statement(lexer *p, const text_statement *statement) {
    text_statement *slot = LEX_ADD(p, statement);
    if (slot) *slot = *statement;
    return slot != NULL;
}

/* Behind a statement and before the next one. */
static bool skip_ends(lexer *p) {
    do lex_skip_lines(p);
    while (lex_take(p, ';'));
    return lex_at_end(p);
}

/* A statement was `x: types` in front of others: x is an operand from here on, and so are the
 * further names. */
static bool declare(lexer *p, const text_statement *last, size_t from) {
    const text_node *node = &p->line->nodes[last->node];
    if (last->name.length || node->kind != TEXT_NAME || p->line->annotations[from].name.length)
        return lex_fail(p, p->line->annotations[from].span,
                        "types stand at the end of the text, or in front behind a name alone, as "
                        "in x: f32[?]");
    p->line->annotations[from].name = node->span;
    for (size_t k = from + 1; k < p->line->annotation_count; k++) {
        text_span name = p->line->annotations[k].name;
        if (name.length == 0)
            return lex_fail(p, p->line->annotations[k].span,
                            "whose type is this? write x: f32[?], b: f32[1]");
        text_node *own = parse_add_node(p, TEXT_NAME, name.at, 0);
        if (!own) return false;
        own->span = name;
    }
    p->line->declared = p->line->annotation_count;
    return true;
}

/* `x: f32[?], b: f32[1]` at the end says what x is, and does not ask for it. */
static bool is_list_of_names(const lexer *p, const text_statement *last, size_t from) {
    const text_annotation *list = p->line->annotations + from;
    return p->line->annotation_count - from > 1 && last->name.length == 0 &&
           p->line->nodes[last->node].kind == TEXT_NAME && list[0].name.length == 0 &&
           list[1].name.length > 0;
}

static bool parse_statements(lexer *p) {
    p->line->kind = TEXT_STATEMENTS;
    for (;;) {
        text_statement statement;
        if (!parse_statement(p, &statement)) return false;
        size_t from = p->line->annotation_count;
        bool typed = lex_take(p, ':'), at_end;
        if (typed && !parse_annotations(p)) return false;
        if (!lex_at_end(p) && lex_peek(p) != ';' && lex_peek(p) != '\n')
            return lex_fail_expected(p, typed ? "the end of the text"
                                              : "an operator, ; or : with types");
        /* `y = x + 1;` and on a line of its own `: f32[?]` */
        at_end = skip_ends(p);
        if (!typed && !at_end && lex_take(p, ':')) {
            typed = true;
            if (!parse_annotations(p)) return false;
            at_end = skip_ends(p);
            if (!at_end) return lex_fail_expected(p, "the end of the text");
        }
        bool declares = typed && (!at_end || is_list_of_names(p, &statement, from));
        if (!(declares ? declare(p, &statement, from) : add_statement(p, &statement))) return false;
        if (at_end) return true;
    }
}

/* ---------------------------------------------------------------------------------------------
 * One op */

static bool parse_result(lexer *p) {
    tosajit_type element =
        p->line->annotation_count ? p->line->annotations[0].type.element : TOSAJIT_TYPE_COUNT;
    text_annotation a = {0};
    p->at += 2;
    if (!parse_type(p, &element, &a)) return false;
    p->line->has_result = true;
    p->line->result = a.type;
    if (!a.shaped) p->line->result.rank = TOSAJIT_UNRANKED; /* `-> i8` says nothing of the shape */
    return true;
}

/* The operands' types; an element type holds until the next one. */
static bool parse_operand_types(lexer *p, tosajit_op op) {
    tosajit_type element = TOSAJIT_TYPE_COUNT;
    bool implied = true; /* nobody named an element behind the first one */
    text_span word;
    for (;;) {
        lex_take(p, ',');
        if (lex_at_end(p) || lex_peek(p) == '\n' || lex_peek(p) == ';' || lex_begins(p, "->"))
            break;
        if (lex_key(p, &word)) {
            p->at = word.at;
            break;
        }
        text_annotation a = {0};
        implied = implied && (p->line->annotation_count == 0 || lex_peek(p) == '[');
        if (!parse_type(p, &element, &a)) return false;
        text_annotation *slot = LEX_ADD(p, annotation);
        if (!slot) return false;
        *slot = a;
    }
    /* `select f32 [?] [?] [?]`: the condition can only be i1 */
    if (op == TOSAJIT_OP_select && implied && p->line->annotation_count == TOSAJIT_MAX_ARITY)
        p->line->annotations[0].type.element = TOSAJIT_I1;
    const bool scatters = op >= TOSAJIT_OP_scatter && op <= TOSAJIT_OP_scatter_min;
    if ((op == TOSAJIT_OP_gather || scatters) && implied &&
        (int)p->line->annotation_count == (scatters ? 3 : 2))
        p->line->annotations[1].type.element = TOSAJIT_I32; /* as can the index */
    return true;
}

static bool parse_one_op(lexer *p, text_span word) {
    tosajit_op op = lex_find_op(p, word);
    int32_t first = -1, last = -1;
    if (op == TOSAJIT_OP_COUNT) return lex_fail_op(p, word);
    p->line->kind = TEXT_ONE_OP;
    if (!parse_operand_types(p, op)) return false;
    if (!parse_check_count(p, op, word, p->line->annotation_count)) return false;
    for (size_t k = 0; k < p->line->annotation_count; k++) {
        text_node *node =
            parse_add_node(p, TEXT_INPUT, p->line->annotations[k].span.at, (int32_t)k);
        if (!node) return false;
        node->span = p->line->annotations[k].span;
        if (!parse_add_argument(p, parse_last_node(p), NULL, (text_span){0, 0}, &first, &last))
            return false;
    }
    for (;;) { /* attributes and the result's type, in any order */
        text_span key;
        if (lex_key(p, &key)) {
            if (!parse_keyword(p, op, key, &first, &last)) return false;
            lex_take(p, ',');
        } else if (!p->line->has_result && lex_begins(p, "->")) {
            if (!parse_result(p)) return false;
        } else {
            break;
        }
    }
    if (!skip_ends(p)) return lex_fail_expected(p, "a type, a name with = or ->");
    text_node *node = parse_add_node(p, TEXT_CALL, word.at, (int32_t)op);
    if (!node) return false;
    node->span = word;
    node->first = first;
    text_statement *statement = LEX_ADD(p, statement);
    if (statement) *statement = (text_statement){{0, 0}, parse_last_node(p)};
    return statement != NULL;
}

/* ---------------------------------------------------------------------------------------------
 * Texts */

/* A word in front of a type is an op. */
static bool is_one_op(lexer *p) {
    size_t before = p->at;
    text_span word = lex_word(p);
    char next = lex_peek(p);
    bool alone = lex_at_end(p) && word.length && lex_find_op(p, word) != TOSAJIT_OP_COUNT;
    /* x[1:] is a subscript, add [2] an op and a type that lacks its element. */
    if (p->at < p->length && p->text[p->at] == '[' && lex_find_op(p, word) == TOSAJIT_OP_COUNT)
        next = 0;
    text_span first = word;
    bool foreign = word.length && lex_find_foreign(p, &first);
    p->at = before;
    return word.length && !foreign && (alone || next == '[' || lex_is_letter(next));
}

static bool parse_text(lexer *p) {
    if (skip_ends(p)) return true;
    if (lex_peek(p) == ':')
        return lex_fail(p, (text_span){p->at, 1},
                        "an expression expected, found a command of `tosajit repl`");
    if (!is_one_op(p)) return parse_statements(p);
    return parse_one_op(p, lex_word(p));
}

static bool parse(const char *text, size_t length, const tosajit_allocator *allocator,
                  bool (*what)(lexer *), text_line *line, text_error *error) {
    lexer p = {.text = text, .length = length, .line = line, .error = error, .argument = -1};
    memset(line, 0, sizeof *line);
    line->allocator = memory_allocator(allocator);
    memset(error, 0, sizeof *error);
    bool fine = what(&p);
    if (!fine) text_line_release(line);
    return fine;
}

bool text_parse(const char *text, size_t length, const tosajit_allocator *allocator,
                text_line *line, text_error *error) {
    return parse(text, length, allocator, parse_text, line, error);
}

static bool parse_only_literal(lexer *p) {
    return parse_literal(p, true) && (lex_at_end(p) || lex_fail_expected(p, "the end"));
}

bool text_parse_list(const char *text, size_t length, text_line *line, text_error *error) {
    return parse(text, length, NULL, parse_only_literal, line, error);
}

#define RELEASE(line, list)                                                                        \
    memory_free(&(line)->allocator, (line)->list##s, lex_capacity((line)->list##_count),           \
                sizeof *(line)->list##s)

void text_line_release(text_line *line) {
    RELEASE(line, annotation);
    RELEASE(line, node);
    RELEASE(line, argument);
    RELEASE(line, statement);
    RELEASE(line, number);
    RELEASE(line, list);
    memset(line, 0, sizeof *line);
}

bool text_parse_sizes(const char *text, size_t length, bool with_n, int32_t *rank,
                      int64_t dims[TOSAJIT_MAX_RANK]) {
    *rank = 0;
    for (size_t at = 0;;) {
        size_t from = at;
        if (*rank == TOSAJIT_MAX_RANK) return false;
        while (at < length && lex_is_digit(text[at])) at++;
        bool fits, n = with_n && at == from && at < length && (text[at] == 'N' || text[at] == 'n');
        uint64_t value = lex_digits(text + from, at - from, 10, &fits);
        if ((!n && at == from) || !fits || value > INT64_MAX) return false;
        dims[(*rank)++] = n ? TOSAJIT_DYNAMIC : (int64_t)value;
        at += n;
        if (at == length) return true;
        if (text[at++] != 'x') return false;
    }
}
