/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines: statements, one op on types, or a command. A recursive descent over bytes. Nodes are
 * appended when they are complete, operands first, so that whoever reads them needs no recursion;
 * the depth of brackets is bounded, the length of chains is not. */
#include "tools/repl/parse.h"

#include <stdlib.h>
#include <string.h>

#include "tools/repl/grammar.h"

/* ---------------------------------------------------------------------------------------------
 * Statements and their types */

static bool parse_annotations(lexer *p) {
    tosajit_type element = TOSAJIT_TYPE_COUNT;
    do {
        repl_annotation a = {0};
        size_t before = p->at;
        repl_span word = lex_word(p);
        char next = lex_peek(p);
        /* A word in front of another one is a name. */
        bool named = word.length && lex_find_type(p, word) == TOSAJIT_TYPE_COUNT &&
                     !lex_is_word(p, word, "tensor") && lex_is_letter(next);
        if (named)
            a.name = word;
        else
            p->at = before;
        element = TOSAJIT_TYPE_COUNT;
        if (!parse_type(p, &element, &a)) return false;
        repl_annotation *slot = LEX_ADD(p, annotation);
        if (!slot) return false;
        *slot = a;
    } while (lex_take(p, ','));
    return true;
}

static bool parse_statement(lexer *p) {
    repl_span name;
    if (p->line->statement_count == REPL_MAX_STATEMENTS)
        return lex_fail(p, (repl_span){p->at, 0}, "a line has at most %d statements",
                        REPL_MAX_STATEMENTS);
    if (lex_key(p, &name)) {
        repl_number ignored;
        bool taken =
            parse_word_number(p, name, &ignored) || memchr(p->text + name.at, '.', name.length);
        if (taken)
            return lex_fail(p, name, "%s cannot be the name of a value", lex_show(p, name).text);
        p->at++; /* = */
    } else {
        name = (repl_span){0, 0};
    }
    if (!parse_expression(p, GRAMMAR_LOOSEST)) return false;
    repl_statement *statement = LEX_ADD(p, statement);
    if (statement) *statement = (repl_statement){name, parse_last_node(p)};
    return statement != NULL;
}

static bool parse_statements(lexer *p) {
    p->line->kind = REPL_STATEMENTS;
    do {
        /* A ; at the end. */
        if (p->line->statement_count > 0 && (lex_at_end(p) || lex_peek(p) == ':')) break;
        if (!parse_statement(p)) return false;
    } while (lex_take(p, ';'));
    if (lex_take(p, ':') && !parse_annotations(p)) return false;
    if (p->line->annotation_count && lex_peek(p) == ';')
        return lex_fail(p, (repl_span){p->at, 1}, "types come once, at the end of the line");
    return lex_at_end(p) ||
           lex_fail_expected(p, p->line->annotation_count ? "the end of the line"
                                                          : "an operator, ; or : with types");
}

/* ---------------------------------------------------------------------------------------------
 * One op */

static bool parse_result(lexer *p) {
    tosajit_type element =
        p->line->annotation_count ? p->line->annotations[0].type.element : TOSAJIT_TYPE_COUNT;
    repl_annotation a = {0};
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
    repl_span word;
    for (;;) {
        lex_take(p, ',');
        if (lex_at_end(p) || lex_begins(p, "->")) break;
        if (lex_key(p, &word)) {
            p->at = word.at;
            break;
        }
        repl_annotation a = {0};
        implied = implied && (p->line->annotation_count == 0 || lex_peek(p) == '[');
        if (!parse_type(p, &element, &a)) return false;
        repl_annotation *slot = LEX_ADD(p, annotation);
        if (!slot) return false;
        *slot = a;
    }
    /* `select f32 [?] [?] [?]`: the condition can only be i1 */
    if (op == TOSAJIT_OP_select && implied && p->line->annotation_count == TOSAJIT_MAX_ARITY)
        p->line->annotations[0].type.element = TOSAJIT_I1;
    return true;
}

static bool parse_one_op(lexer *p, repl_span word) {
    tosajit_op op = lex_find_op(p, word);
    int32_t first = -1, last = -1;
    if (op == TOSAJIT_OP_COUNT) return lex_fail_op(p, word);
    p->line->kind = REPL_ONE_OP;
    if (!parse_operand_types(p, op)) return false;
    if (!parse_check_count(p, op, word, p->line->annotation_count)) return false;
    for (size_t k = 0; k < p->line->annotation_count; k++) {
        repl_node *node =
            parse_add_node(p, REPL_INPUT, p->line->annotations[k].span.at, (int32_t)k);
        if (!node) return false;
        node->span = p->line->annotations[k].span;
        if (!parse_add_argument(p, parse_last_node(p), NULL, (repl_span){0, 0}, &first, &last))
            return false;
    }
    for (;;) { /* attributes and the result's type, in any order */
        repl_span key;
        if (lex_key(p, &key)) {
            if (!parse_keyword(p, op, key, &first, &last)) return false;
            lex_take(p, ',');
        } else if (!p->line->has_result && lex_begins(p, "->")) {
            if (!parse_result(p)) return false;
        } else {
            break;
        }
    }
    if (!lex_at_end(p)) return lex_fail_expected(p, "a type, a name with = or ->");
    repl_node *node = parse_add_node(p, REPL_CALL, word.at, (int32_t)op);
    if (!node) return false;
    node->span = word;
    node->first = first;
    repl_statement *statement = LEX_ADD(p, statement);
    if (statement) *statement = (repl_statement){{0, 0}, parse_last_node(p)};
    return statement != NULL;
}

/* ---------------------------------------------------------------------------------------------
 * Commands */

/* One word of a command, in brackets or quotes where it has spaces. */
static bool parse_command_word(lexer *p) {
    repl_span word = {p->at, 0};
    bool quoted = p->text[p->at] == '"';
    if (quoted) {
        word.at = ++p->at;
        while (p->at < p->length && p->text[p->at] != '"') p->at++;
        word.length = p->at - word.at;
        if (p->at == p->length)
            return lex_fail(p, (repl_span){word.at - 1, 1}, "this quote is not closed");
        p->at++;
    } else {
        int depth = 0;
        for (; p->at < p->length && (depth > 0 || !lex_is_space(p->text[p->at])); p->at++) {
            depth += p->text[p->at] == '[';
            depth -= p->text[p->at] == ']' && depth > 0;
        }
        word.length = p->at - word.at;
    }
    repl_span *slot = LEX_ADD(p, word);
    if (slot) *slot = word;
    return slot != NULL;
}

static bool parse_command(lexer *p) {
    p->line->kind = REPL_COMMAND;
    p->line->command = lex_word(p);
    if (p->line->command.length == 0) {
        if (!lex_take(p, '?'))
            return lex_fail_expected(p, "the name of a command, which :help lists,");
        p->line->command = (repl_span){p->at - 1, 1};
    }
    for (;;) {
        /* # and // may be in a path. */
        while (p->at < p->length && lex_is_space(p->text[p->at])) p->at++;
        if (p->at == p->length) return true;
        if (!parse_command_word(p)) return false;
    }
}

/* ---------------------------------------------------------------------------------------------
 * Lines */

/* A word in front of a type is an op. */
static bool is_one_op(lexer *p) {
    size_t before = p->at;
    repl_span word = lex_word(p);
    char next = lex_peek(p);
    bool alone = lex_at_end(p) && word.length && lex_find_op(p, word) != TOSAJIT_OP_COUNT;
    p->at = before;
    return word.length && (alone || next == '[' || lex_is_letter(next));
}

static bool parse_line(lexer *p) {
    if (lex_at_end(p)) return true;
    if (lex_take(p, ':')) return parse_command(p);
    if (!is_one_op(p)) return parse_statements(p);
    return parse_one_op(p, lex_word(p));
}

static bool parse(const char *text, size_t length, bool (*what)(lexer *), repl_line *line,
                  repl_error *error) {
    lexer p = {text, 0, length, 0, line, error};
    memset(line, 0, sizeof *line);
    memset(error, 0, sizeof *error);
    bool fine = what(&p);
    if (!fine) repl_line_release(line);
    return fine;
}

bool repl_parse(const char *text, size_t length, repl_line *line, repl_error *error) {
    return parse(text, length, parse_line, line, error);
}

static bool parse_only_literal(lexer *p) {
    return parse_literal(p, true) && (lex_at_end(p) || lex_fail_expected(p, "the end"));
}

bool repl_parse_list(const char *text, size_t length, repl_line *line, repl_error *error) {
    return parse(text, length, parse_only_literal, line, error);
}

void repl_line_release(repl_line *line) {
    free(line->annotations);
    free(line->nodes);
    free(line->arguments);
    free(line->statements);
    free(line->numbers);
    free(line->lists);
    free(line->words);
    memset(line, 0, sizeof *line);
}

bool repl_parse_sizes(const char *text, size_t length, bool with_n, int32_t *rank,
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
