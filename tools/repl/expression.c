/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expressions: operands, calls, what is given by name, and operators by how tightly they bind. Each
 * function appends the nodes of what it reads; the last one is the value. */
#include <stdio.h>
#include <string.h>

#include "tools/repl/grammar.h"
#include "tools/base/suggest.h"

static const struct {
    const char *text;
    int binding; /* tighter is larger */
} operators[] = {
    [REPL_EQ] = {"==", 1},  [REPL_NE] = {"!=", 1},  [REPL_LT] = {"<", 1},
    [REPL_LE] = {"<=", 1},  [REPL_GT] = {">", 1},   [REPL_GE] = {">=", 1},
    [REPL_OR] = {"|", 2},   [REPL_XOR] = {"^", 3},  [REPL_AND] = {"&", 4},
    [REPL_SHL] = {"<<", 5}, [REPL_SHR] = {">>", 5}, [REPL_USHR] = {">>>", 5},
    [REPL_ADD] = {"+", 6},  [REPL_SUB] = {"-", 6},  [REPL_MUL] = {"*", 7},
    [REPL_DIV] = {"/", 7},  [REPL_POW] = {"**", 8},
};
enum { OPERATORS = sizeof operators / sizeof *operators, COMPARISON = GRAMMAR_LOOSEST, POWER = 8 };

/* Append an argument to a list that begins at *first and ends at *last. */
bool parse_add_argument(lexer *p, int32_t node, const op_key *key, repl_span span, int32_t *first,
                        int32_t *last) {
    repl_argument *argument = LEX_ADD(p, argument);
    if (!argument) return false;
    *argument = (repl_argument){node, -1, span, key};
    int32_t index = (int32_t)p->line->argument_count - 1;
    if (*last < 0)
        *first = index;
    else
        p->line->arguments[*last].next = index;
    *last = index;
    return true;
}

/* The number of a word in a list of words, compared without regard to case; -1. */
static int32_t word_index(const lexer *p, repl_span word, const char *words) {
    for (int32_t index = 0;; index++) {
        size_t length = strcspn(words, " "), k = 0;
        while (k < length && k < word.length && (p->text[word.at + k] | 0x20) == (words[k] | 0x20))
            k++;
        if (k == length && k == word.length) return index;
        if (!words[length]) return -1;
        words += length + 1;
    }
}

/* "propagate or ignore" */
static bool fail_words(lexer *p, repl_span word, const op_key *key, const char *words) {
    char choice[96];
    size_t used = 0;
    for (const char *at = words; *at && used < sizeof choice - 1; at++) {
        if (*at != ' ')
            choice[used++] = *at;
        else
            used += (size_t)snprintf(choice + used, sizeof choice - used, "%s",
                                     strchr(at + 1, ' ') ? ", " : " or ");
        if (used > sizeof choice - 1) used = sizeof choice - 1;
    }
    choice[used] = '\0';
    if (word.length == 0) return lex_fail(p, (repl_span){p->at, 0}, "%s is %s", key->name, choice);
    return lex_fail(p, word, "%s is %s, not %s", key->name, choice, lex_show(p, word).text);
}

static bool parse_word_value(lexer *p, const op_key *key) {
    repl_span word = lex_word(p);
    if (word.length == 0 && key->kind == KEY_FLAG && (lex_peek(p) == '0' || lex_peek(p) == '1'))
        word = (repl_span){p->at++, 1};
    int32_t what;
    if (key->kind == KEY_TYPE) {
        what = (int32_t)lex_find_type(p, word);
        if (word.length == 0) return lex_fail_expected(p, "an element type");
        if (what == TOSAJIT_TYPE_COUNT) return lex_fail_type(p, word);
    } else {
        const char *words = key->kind == KEY_FLAG ? "false true" : key->words;
        what = word_index(p, word, words);
        if (what < 0 && key->kind == KEY_FLAG) what = word_index(p, word, "0 1");
        if (what < 0) return fail_words(p, word, key, words);
    }
    return parse_add_node(p, REPL_WORD, word.at, what) != NULL;
}

static bool fail_key(lexer *p, tosajit_op op, repl_span word) {
    suggestion s = {.word = p->text + word.at, .length = word.length};
    char list[160] = "";
    size_t used = 0;
    const op_key *key;
    for (size_t k = 0; (key = op_key_at(op, k)) != NULL; k++) {
        suggest(&s, key->name);
        if (key->less) suggest(&s, key->less);
        if (used < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", key->name);
    }
    const char *name = tosajit_op_name(op);
    if (s.name)
        return lex_fail(p, word, "%s takes no %s; did you mean %s?", name, lex_show(p, word).text,
                        s.name);
    return used ? lex_fail(p, word, "%s takes no %s; it takes %s", name, lex_show(p, word).text,
                           list)
                : lex_fail(p, word, "%s takes nothing by name, found %s", name,
                           lex_show(p, word).text);
}

/* `key = value`, behind which *last is. */
bool parse_keyword(lexer *p, tosajit_op op, repl_span word, int32_t *first, int32_t *last) {
    const op_key *key = op_key_find(op, p->text + word.at, word.length);
    if (!key) return fail_key(p, op, word);
    for (int32_t k = *first; k >= 0; k = p->line->arguments[k].next)
        if (p->line->arguments[k].key == key)
            return lex_fail(p, word, "%s is given twice", key->name);
    if (!lex_expect(p, '=', "=")) return false;
    bool is_value = key->kind == KEY_NUMBER || key->kind == KEY_PARAMETER;
    return (is_value ? parse_expression(p, COMPARISON) : parse_word_value(p, key)) &&
           parse_add_argument(p, parse_last_node(p), key, word, first, last);
}

static bool parse_argument(lexer *p, tosajit_op op, int32_t *first, int32_t *last) {
    repl_span word;
    if (op != TOSAJIT_OP_COUNT && lex_key(p, &word)) return parse_keyword(p, op, word, first, last);
    lex_skip_space(p);
    repl_span here = {p->at, 0};
    if (*last >= 0 && p->line->arguments[*last].key)
        return lex_fail(p, here, "operands come before what is given by name");
    return parse_expression(p, COMPARISON) &&
           parse_add_argument(p, parse_last_node(p), NULL, (repl_span){0, 0}, first, last);
}

bool parse_check_count(lexer *p, tosajit_op op, repl_span where, size_t count) {
    int arity = tosajit_op_arity(op), most = arity + tosajit_op_parameters(op, NULL);
    if (count >= (size_t)arity && count <= (size_t)most) return true;
    const char *name = tosajit_op_name(op);
    if (most == arity)
        return lex_fail(p, where, "%s takes %d operand%s, found %zu", name, arity,
                        lex_plural((size_t)arity), count);
    return lex_fail(p, where, "%s takes %d operand%s and up to %d parameter%s, found %zu", name,
                    arity, lex_plural((size_t)arity), most - arity,
                    lex_plural((size_t)(most - arity)), count);
}

static size_t count_operands(const lexer *p, int32_t first) {
    size_t count = 0;
    for (; first >= 0 && !p->line->arguments[first].key; first = p->line->arguments[first].next)
        count++;
    return count;
}

static bool parse_call(lexer *p, repl_span word) {
    tosajit_op op = lex_find_op(p, word);
    tosajit_type type = lex_find_type(p, word);
    int32_t first = -1, last = -1;
    if (op == TOSAJIT_OP_COUNT && type == TOSAJIT_TYPE_COUNT) return lex_fail_op(p, word);
    if (!lex_deeper(p) || !lex_expect(p, '(', "(")) return false;
    if (lex_peek(p) != ')') {
        do {
            if (!parse_argument(p, op, &first, &last)) return false;
        } while (lex_take(p, ','));
    }
    if (!lex_expect(p, ')', ", or )")) return false;
    p->depth--;
    size_t count = count_operands(p, first);
    if (op != TOSAJIT_OP_COUNT ? !parse_check_count(p, op, word, count) : count != 1)
        return op != TOSAJIT_OP_COUNT ? false
                                      : lex_fail(p, word, "%s converts 1 operand, found %zu",
                                                 lex_show(p, word).text, count);
    repl_node *node = op != TOSAJIT_OP_COUNT
                          ? parse_add_node(p, REPL_CALL, word.at, (int32_t)op)
                          : parse_add_node(p, REPL_CONVERT, word.at, (int32_t)type);
    if (!node) return false;
    node->span = word;
    node->first = first;
    return true;
}

static bool parse_operator_node(lexer *p, repl_span span, int32_t what, int32_t left,
                                int32_t right) {
    int32_t first = -1, last = -1;
    if (!parse_add_argument(p, left, NULL, span, &first, &last)) return false;
    if (right >= 0 && !parse_add_argument(p, right, NULL, span, &first, &last)) return false;
    repl_node *node = parse_add_node(p, REPL_OPERATOR, span.at, what);
    if (!node) return false;
    node->span = span;
    node->first = first;
    return true;
}

/* The number that is the last node alone, or null. */
static repl_number *last_number(const lexer *p) {
    const repl_node *node = &p->line->nodes[p->line->node_count - 1];
    if (node->kind != REPL_LITERAL || p->line->lists[node->what].rank != 0) return NULL;
    return &p->line->numbers[p->line->lists[node->what].first];
}

/* -x ** 2 is -(x ** 2); a sign in front of a number is part of the number. */
static bool parse_unary(lexer *p) {
    static const struct {
        char text;
        repl_operator what;
    } unary[] = {{'-', REPL_NEGATE}, {'~', REPL_NOT}, {'!', REPL_LOGICAL_NOT}};
    lex_skip_space(p);
    repl_span span = {p->at, 1};
    for (size_t k = 0; k < sizeof unary / sizeof *unary; k++) {
        if (!lex_take(p, unary[k].text)) continue;
        if (!lex_deeper(p) || !parse_expression(p, POWER)) return false;
        p->depth--;
        repl_number *number = unary[k].what == REPL_NEGATE ? last_number(p) : NULL;
        if (!number)
            return parse_operator_node(p, span, (int32_t)unary[k].what, parse_last_node(p), -1);
        parse_negate(number);
        repl_span *literal = &p->line->nodes[p->line->node_count - 1].span;
        *literal = (repl_span){span.at, literal->at + literal->length - span.at};
        return true;
    }
    return false;
}

static bool at_unary(lexer *p) {
    char c = lex_peek(p);
    return !lex_at_end(p) && (c == '-' || c == '~' || c == '!');
}

static bool parse_operand(lexer *p) {
    if (at_unary(p)) return parse_unary(p);
    if (lex_take(p, '(')) {
        bool fine = lex_deeper(p) && parse_expression(p, COMPARISON) &&
                    lex_expect(p, ')', "an operator or )");
        p->depth--;
        return fine;
    }
    if (parse_at_number(p) || lex_peek(p) == '[') return parse_literal(p, false);
    repl_span word = lex_word(p);
    repl_number ignored;
    if (word.length == 0) return lex_fail_expected(p, "an operand");
    if (lex_peek(p) == '(') return parse_call(p, word);
    if (parse_word_number(p, word, &ignored)) {
        p->at = word.at;
        return parse_literal(p, false);
    }
    if (memchr(p->text + word.at, '.', word.length))
        return lex_fail(p, word, "a name of a value has no dot: %s", lex_show(p, word).text);
    repl_node *node = parse_add_node(p, REPL_NAME, word.at, 0);
    if (node) node->span = word;
    return node != NULL;
}

/* The longest operator at p; OPERATORS if there is none. */
static size_t find_operator(lexer *p) {
    size_t found = OPERATORS, longest = 0;
    lex_skip_space(p);
    for (size_t k = 0; k < OPERATORS; k++) {
        size_t length = strlen(operators[k].text);
        if (length <= longest || !lex_begins(p, operators[k].text)) continue;
        found = k;
        longest = length;
    }
    bool arrow = lex_begins(p, "->");
    return arrow ? OPERATORS : found;
}

/* Operators that bind at least so tightly. */
bool parse_expression(lexer *p, int binding) {
    if (!parse_operand(p)) return false;
    for (;;) {
        size_t k = find_operator(p);
        if (k == OPERATORS || operators[k].binding < binding) return true;
        int own = operators[k].binding;
        repl_span span = {p->at, strlen(operators[k].text)};
        int32_t left = parse_last_node(p);
        p->at += span.length;
        if (!lex_deeper(p) || !parse_expression(p, own == POWER ? POWER : own + 1)) return false;
        p->depth--;
        if (!parse_operator_node(p, span, (int32_t)k, left, parse_last_node(p))) return false;
        size_t next = own == COMPARISON ? find_operator(p) : OPERATORS;
        if (next != OPERATORS && operators[next].binding == COMPARISON)
            return lex_fail(p, (repl_span){p->at, strlen(operators[next].text)},
                            "comparisons do not chain; write (a < b) & (b < c)");
    }
}
