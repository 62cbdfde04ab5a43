/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expressions: operands, calls, what is given by name, and operators by how tightly they bind. Each
 * function appends the nodes of what it reads; the last one is the value. */
#include <stdio.h>
#include <string.h>

#include "runtime/base/words.h"
#include "jit/text/grammar.h"
#include "jit/text/movers.h"
#include "jit/text/reducers.h"
#include "jit/text/suggest.h"
#include "tosajit/inspect.h"

/* Append an argument to a list that begins at *first and ends at *last. */
bool parse_add_argument(lexer *p, int32_t node, const op_key *key, text_span span, int32_t *first,
                        int32_t *last) {
    text_argument *argument = LEX_ADD(p, argument);
    if (!argument) return false;
    *argument = (text_argument){node, -1, span, key};
    int32_t index = (int32_t)p->line->argument_count - 1;
    if (*last < 0)
        *first = index;
    else
        p->line->arguments[*last].next = index;
    *last = index;
    return true;
}

static bool fail_words(lexer *p, text_span word, const op_key *key) {
    char choice[OP_KEY_CHOICE];
    op_key_choice(key, false, choice);
    if (word.length == 0) return lex_fail(p, (text_span){p->at, 0}, "%s is %s", key->name, choice);
    return lex_fail(p, word, "%s is %s, not %s", key->name, choice, lex_show(p, word).text);
}

static bool parse_word_value(lexer *p, const op_key *key) {
    const text_span word = lex_word(p);
    const bool digit =
        word.length == 0 && key->kind == KEY_FLAG && (lex_peek(p) == '0' || lex_peek(p) == '1');
    int32_t what;
    if (digit) {
        what = p->text[p->at++] - '0';
    } else if (key->kind == KEY_TYPE) {
        what = (int32_t)lex_find_type(p, word);
        if (word.length == 0) return lex_fail_expected(p, "an element type");
        if (what == TOSAJIT_TYPE_COUNT) return lex_fail_type(p, word);
    } else {
        what = op_key_word(key, p->text + word.at, word.length);
        if (what < 0) return fail_words(p, word, key);
    }
    return parse_add_node(p, TEXT_WORD, word.at, what) != NULL;
}

static bool fail_key(lexer *p, tosajit_op op, text_span word) {
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

/* "(0, 1)", as NumPy writes axes: a list. */
static bool parse_tuple(lexer *p) {
    const size_t from = p->at, first = p->line->number_count;
    int64_t count = 0;
    if (!lex_expect(p, '(', "(")) return false;
    while (lex_peek(p) != ')') {
        if (!parse_literal(p, true)) return false;
        if (p->line->lists[p->line->list_count - 1].rank != 0 || ++count > TOSAJIT_MAX_RANK)
            return lex_fail(p, (text_span){from, p->at - from}, "dimensions are whole numbers");
        if (!lex_take(p, ',')) break;
    }
    if (!lex_expect(p, ')', ", or )")) return false;
    text_list *list = LEX_ADD(p, list);
    if (!list) return false;
    *list = (text_list){.rank = 1, .dims = {count}, .first = first, .count = (size_t)count};
    return parse_add_node(p, TEXT_LITERAL, from, (int32_t)p->line->list_count - 1) != NULL;
}

/* A dimension, some of them, or None for all. */
static bool parse_axes(lexer *p, bool *none) {
    *none = false;
    if (lex_peek(p) == '(') return parse_tuple(p);
    const size_t before = p->at;
    *none = lex_is_word(p, lex_word(p), "None");
    if (*none) return true;
    p->at = before;
    return parse_expression(p, TEXT_LOOSEST);
}

/* Read None as an axis: it asks for all dimensions, where no axis at all may mean the last one. */
static bool parse_all(lexer *p, size_t from) {
    text_list *list = LEX_ADD(p, list);
    if (!list) return false;
    *list = (text_list){.rank = 1, .dims = {TOSAJIT_DYNAMIC}, .first = p->line->number_count};
    return parse_add_node(p, TEXT_LITERAL, from, (int32_t)p->line->list_count - 1) != NULL;
}

/* `= value`, behind which *last is. */
static bool parse_value(lexer *p, const op_key *key, bool reduces, text_span word, int32_t *first,
                        int32_t *last) {
    bool none = false;
    for (int32_t k = *first; k >= 0; k = p->line->arguments[k].next)
        if (p->line->arguments[k].key == key)
            return lex_fail(p, word, "%s is given twice", key->name);
    if (!lex_expect(p, '=', "=")) return false;
    lex_peek(p); /* goes past spaces */
    const size_t from = p->at;
    const bool is_value = key->kind == KEY_NUMBER || key->kind == KEY_PARAMETER,
               fine = key->kind == KEY_AXIS || key->kind == KEY_LIST ? parse_axes(p, &none)
                      : is_value ? parse_expression(p, TEXT_LOOSEST)
                                 : parse_word_value(p, key);
    if (fine && none && !reduces) return true;
    if (fine && none && !parse_all(p, from)) return false;
    return fine && parse_add_argument(p, parse_last_node(p), key, word, first, last);
}

/* `key = value` */
bool parse_keyword(lexer *p, tosajit_op op, text_span word, int32_t *first, int32_t *last) {
    const op_key *key = op_key_find(op, p->text + word.at, word.length);
    return key ? parse_value(p, key, false, word, first, last) : fail_key(p, op, word);
}

/* The same of a function that reduces, and of the op of its name, if there is one. */
static bool parse_reducer_keyword(lexer *p, const reducer *r, tosajit_op op, text_span word,
                                  int32_t *first, int32_t *last) {
    const op_key *key = reducer_key(r, p->text + word.at, word.length);
    if (key) return parse_value(p, key, true, word, first, last);
    if (op != TOSAJIT_OP_COUNT) return parse_keyword(p, op, word, first, last);
    return lex_fail(p, word, "%s takes no %s; it takes axis, keepdims%s%s", r->name,
                    lex_show(p, word).text, r->key ? ", " : "", r->key ? r->key : "");
}

/* A function that is written out of ops: its expression, read with the last node as its x. */
static bool parse_alias(lexer *p, text_span word, const char *expression, int32_t argument) {
    if (p->line->nodes[argument].kind == TEXT_LITERAL)
        return lex_fail(p, word,
                        "a number takes its type from the other operand, and here is none; "
                        "write f32(2)");
    lexer written = {expression, 0,       strlen(expression), p->depth, 0, p->line, p->error,
                     word,       argument};
    return lex_deeper(&written) && parse_expression(&written, TEXT_LOOSEST);
}

static bool parse_argument(lexer *p, tosajit_op op, const reducer *r, int32_t *first,
                           int32_t *last) {
    text_span word;
    if (r && lex_key(p, &word)) return parse_reducer_keyword(p, r, op, word, first, last);
    if (op != TOSAJIT_OP_COUNT && lex_key(p, &word)) return parse_keyword(p, op, word, first, last);
    lex_skip_space(p);
    text_span here = {p->at, 0};
    if (*last >= 0 && p->line->arguments[*last].key)
        return lex_fail(p, here, "operands come before what is given by name");
    return parse_expression(p, TEXT_LOOSEST) &&
           parse_add_argument(p, parse_last_node(p), NULL, (text_span){0, 0}, first, last);
}

bool parse_check_count(lexer *p, tosajit_op op, text_span where, size_t count) {
    int arity = tosajit_op_arity(op), most = arity + tosajit_op_parameters(op, NULL);
    if (count >= (size_t)arity && count <= (size_t)most) return true;
    const lex_shown name = lex_show(p, where);
    if (most == arity)
        return lex_fail(p, where, "%s takes %d operand%s, found %zu", name.text, arity,
                        plural(arity), count);
    return lex_fail(p, where, "%s takes %d operand%s and up to %d parameter%s, found %zu",
                    name.text, arity, plural(arity), most - arity, plural(most - arity), count);
}

static size_t count_operands(const lexer *p, int32_t first) {
    size_t count = 0;
    for (; first >= 0 && !p->line->arguments[first].key; first = p->line->arguments[first].next)
        count++;
    return count;
}

/* Reads the brackets of a call. */
static bool parse_arguments(lexer *p, tosajit_op op, const reducer *r, int32_t *first,
                            int32_t *last) {
    if (!lex_deeper(p) || !lex_expect(p, '(', "(")) return false;
    p->open++;
    if (lex_peek(p) != ')') {
        do {
            if (!parse_argument(p, op, r, first, last)) return false;
        } while (lex_take(p, ','));
    }
    if (!lex_expect(p, ')', ", or )")) return false;
    p->depth--;
    p->open--;
    return true;
}

/* max and min are functions that reduce where they have one operand. */
static bool is_reducer(const lexer *p, const reducer *r, tosajit_op op, int32_t first) {
    return r && (op == TOSAJIT_OP_COUNT || count_operands(p, first) == 1);
}

static bool add_reducer(lexer *p, text_span word, const reducer *r, int32_t first) {
    const size_t count = count_operands(p, first), axis = r->operands == 1;
    if (count < 1 || count > r->operands + axis)
        return lex_fail(p, word, "%s takes %s%zu operand%s, found %zu", r->name,
                        r->operands > 1 ? "1 to " : "", r->operands, plural((int64_t)r->operands),
                        count);
    text_node *node = parse_add_node(p, TEXT_REDUCE, word.at, (int32_t)(r - reducer_at(0)));
    if (!node) return false;
    if (p->argument < 0) node->span = word;
    node->first = first;
    return true;
}

/* clamp(x, 0, 6) has its bounds by their places. */
static void name_bounds(const lexer *p, tosajit_op op, int32_t first) {
    static const char *const names[] = {"min", "max"};
    if (op != TOSAJIT_OP_clamp || count_operands(p, first) != 3) return;
    for (size_t k = 0; k < 2; k++) {
        first = p->line->arguments[first].next;
        p->line->arguments[first].key = op_key_find(op, names[k], strlen(names[k]));
    }
}

/* Names that may stand before the numbers of a function that moves. */
static bool is_mover_key(const lexer *p, text_span key) {
    static const char *const names[] = {"axis",  "dim",       "dims",   "shape",
                                        "perms", "multiples", "padding"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (lex_is_word(p, key, names[k])) return true;
    return false;
}

/* [a, b]: operands. */
static bool parse_operands(lexer *p, int32_t *first, int32_t *last) {
    if (!lex_expect(p, '[', "[")) return false;
    do {
        if (!parse_expression(p, TEXT_LOOSEST) ||
            !parse_add_argument(p, parse_last_node(p), NULL, (text_span){0, 0}, first, last))
            return false;
    } while (lex_take(p, ','));
    return lex_expect(p, ']', ", or ]");
}

/* True if "(0, 1)" stands at p. Where several operands may come, one of them may be in brackets. */
static bool at_tuple(const lexer *p, bool operands) {
    static const char inside[] = "0123456789-, \t\r\n";
    size_t k = 1;
    if (lex_peek_at(p, 0) != '(') return false;
    while (operands && lex_peek_at(p, k) && strchr(inside, lex_peek_at(p, k))) k++;
    if (!operands || lex_peek_at(p, k) != ')') return !operands;
    do k++;
    while (lex_peek_at(p, k) && strchr(" \t\r\n", lex_peek_at(p, k)));
    return lex_peek_at(p, k) == ',' || lex_peek_at(p, k) == ')';
}

/* The operand, then numbers, lists of them or tuples. */
static bool parse_mover(lexer *p, text_span word, const mover *m) {
    int32_t first = -1, last = -1;
    text_span key;
    if (!lex_deeper(p) || !lex_expect(p, '(', "(")) return false;
    p->open++;
    do {
        const bool named = first >= 0 && lex_key(p, &key);
        if (named && !is_mover_key(p, key))
            return lex_fail(p, key, "%s takes no %s; its numbers stand behind its operand", m->name,
                            lex_show(p, key).text);
        if (named && !lex_expect(p, '=', "=")) return false;
        const bool tuple = first >= 0 && lex_peek(p) == '(' && at_tuple(p, m->several);
        if (m->several && first < 0 && lex_peek(p) == '[') {
            if (!parse_operands(p, &first, &last)) return false;
            continue;
        }
        if (!(tuple ? parse_tuple(p) : parse_expression(p, TEXT_LOOSEST)) ||
            !parse_add_argument(p, parse_last_node(p), NULL, (text_span){0, 0}, &first, &last))
            return false;
    } while (lex_take(p, ','));
    if (!lex_expect(p, ')', ", or )")) return false;
    p->depth--;
    p->open--;
    text_node *node = parse_add_node(p, TEXT_MOVE, word.at, (int32_t)(m - mover_at(0)));
    if (!node) return false;
    if (p->argument < 0) node->span = word;
    node->first = first;
    return true;
}

static bool parse_call(lexer *p, text_span word) {
    tosajit_op op = lex_find_op(p, word);
    const mover *m = mover_find(p->text + word.at, word.length);
    if (m) return parse_mover(p, word, m);
    tosajit_type type = lex_find_type(p, word);
    const char *alias = text_alias(p->text + word.at, word.length);
    const reducer *r = reducer_find(p->text + word.at, word.length);
    int32_t first = -1, last = -1;
    if (op == TOSAJIT_OP_COUNT && type == TOSAJIT_TYPE_COUNT && !alias && !r)
        return lex_fail_op(p, word);
    if (!parse_arguments(p, op, r, &first, &last)) return false;
    if (is_reducer(p, r, op, first)) return add_reducer(p, word, r, first);
    name_bounds(p, op, first);
    size_t count = count_operands(p, first);
    if (op != TOSAJIT_OP_COUNT) {
        if (!parse_check_count(p, op, word, count)) return false;
    } else if (count != 1) {
        return lex_fail(p, word, "%s %s 1 operand, found %zu", lex_show(p, word).text,
                        alias ? "takes" : "converts", count);
    }
    if (alias && op == TOSAJIT_OP_COUNT)
        return parse_alias(p, word, alias, p->line->arguments[first].node);
    text_node *node = op != TOSAJIT_OP_COUNT
                          ? parse_add_node(p, TEXT_CALL, word.at, (int32_t)op)
                          : parse_add_node(p, TEXT_CONVERT, word.at, (int32_t)type);
    if (!node) return false;
    if (p->argument < 0) node->span = word;
    node->first = first;
    return true;
}

static bool parse_operator_node(lexer *p, text_span span, int32_t what, int32_t left,
                                int32_t right) {
    int32_t first = -1, last = -1;
    if (!parse_add_argument(p, left, NULL, span, &first, &last)) return false;
    if (right >= 0 && !parse_add_argument(p, right, NULL, span, &first, &last)) return false;
    text_node *node = parse_add_node(p, TEXT_OPERATOR, span.at, what);
    if (!node) return false;
    if (p->argument < 0) node->span = span;
    node->first = first;
    return true;
}

/* The number that is the last node alone, or null. */
static text_number *last_number(const lexer *p) {
    const text_node *node = &p->line->nodes[p->line->node_count - 1];
    if (node->kind != TEXT_LITERAL || p->line->lists[node->what].rank != 0) return NULL;
    return &p->line->numbers[p->line->lists[node->what].first];
}

/* -x ** 2 is -(x ** 2); a sign in front of a number is part of the number. */
static bool parse_unary(lexer *p) {
    static const struct {
        char text;
        text_operator what;
    } unary[] = {{'-', TEXT_NEGATE}, {'~', TEXT_NOT}, {'!', TEXT_LOGICAL_NOT}};
    lex_skip_space(p);
    text_span span = {p->at, 1};
    for (size_t k = 0; k < sizeof unary / sizeof *unary; k++) {
        if (!lex_take(p, unary[k].text)) continue;
        if (!lex_deeper(p) || !parse_expression(p, TEXT_POWER)) return false;
        p->depth--;
        text_number *number = unary[k].what == TEXT_NEGATE ? last_number(p) : NULL;
        if (!number)
            return parse_operator_node(p, span, (int32_t)unary[k].what, parse_last_node(p), -1);
        parse_negate(number);
        if (p->argument >= 0) return true;
        text_span *literal = &p->line->nodes[p->line->node_count - 1].span;
        *literal = (text_span){span.at, literal->at + literal->length - span.at};
        return true;
    }
    return false;
}

static bool at_unary(lexer *p) {
    char c = lex_peek(p);
    return !lex_at_end(p) && (c == '-' || c == '~' || c == '!');
}

/* The x of a function that is written out. */
static bool parse_same(lexer *p) {
    return parse_add_node(p, TEXT_SAME, p->at, p->argument) != NULL;
}

/* One of the four numbers of a subscript; left out if it is not there. */
static bool parse_position(lexer *p) {
    text_number *missing;
    const char c = lex_peek(p);
    if (lex_is_letter(c))
        return lex_fail(p, lex_word(p),
                        "numbers stand here; take(x, i, axis) has the elements at the indices i, "
                        "and scatter(x, i, y) is x with y put there");
    if (c != ':' && c != ',' && c != ']')
        return parse_literal(p, true) && (p->line->lists[p->line->list_count - 1].rank == 0 ||
                                          lex_fail_expected(p, "a whole number"));
    missing = LEX_ADD(p, number);
    if (missing) *missing = (text_number){.whole = false};
    return missing != NULL;
}

/* The kind, before the three others. */
static bool add_subscript_kind(lexer *p, subscript_kind kind) {
    text_number *number = LEX_ADD(p, number);
    if (number) *number = (text_number){.whole = true, .magnitude = (uint64_t)kind};
    return number != NULL;
}

static bool parse_subscript(lexer *p) {
    const size_t kind = p->line->number_count, before = p->at;
    if (!add_subscript_kind(p, SUBSCRIPT_INDEX)) return false;
    const bool rest = lex_peek(p) == '.' && lex_begins(p, "...");
    if (rest) p->at += 3;
    if (rest || lex_is_word(p, lex_word(p), "None")) {
        p->line->numbers[kind].magnitude = rest ? SUBSCRIPT_REST : SUBSCRIPT_NEW;
        for (int k = 0; k < 3; k++) /* which it has not */
            if (!add_subscript_kind(p, 0)) return false;
        return true;
    }
    if (!rest) p->at = before;
    for (int k = 0; k < 3; k++) {
        const bool next = k == 0 || lex_take(p, ':');
        if (k > 0 && next) p->line->numbers[kind].magnitude = SUBSCRIPT_RANGE;
        text_number *missing = next ? NULL : LEX_ADD(p, number);
        if (next ? !parse_position(p) : !missing) return false;
        if (!next) *missing = (text_number){.whole = false};
    }
    const text_number *begin = &p->line->numbers[kind + 1];
    return p->line->numbers[kind].magnitude != SUBSCRIPT_INDEX || begin->whole ||
           lex_fail_expected(p, "an index, a range as 1:3, ... or None");
}

/* x[...]: the operand is the last node. */
static bool parse_subscripts(lexer *p) {
    const size_t from = p->at, first_number = p->line->number_count;
    int32_t first = -1, last = -1, count = 0;
    if (!parse_add_argument(p, parse_last_node(p), NULL, (text_span){0, 0}, &first, &last) ||
        !lex_deeper(p) || !lex_expect(p, '[', "["))
        return false;
    p->open++;
    do {
        if (++count > SUBSCRIPTS)
            return lex_fail(p, (text_span){from, p->at - from}, "more than %d subscripts",
                            SUBSCRIPTS);
        if (!parse_subscript(p)) return false;
    } while (lex_take(p, ','));
    if (!lex_expect(p, ']', ", or ]")) return false;
    p->open--;
    p->depth--;
    text_list *list = LEX_ADD(p, list);
    if (!list) return false;
    *list = (text_list){
        .rank = 1, .dims = {4 * count}, .first = first_number, .count = 4 * (size_t)count};
    text_node *node = parse_add_node(p, TEXT_SUBSCRIPT, from, (int32_t)p->line->list_count - 1);
    if (node) node->first = first;
    return node != NULL;
}

static bool parse_atom(lexer *p) {
    lex_skip_lines(p);
    if (at_unary(p)) return parse_unary(p);
    if (lex_take(p, '(')) {
        p->open++;
        bool fine = lex_deeper(p) && parse_expression(p, TEXT_LOOSEST) &&
                    lex_expect(p, ')', "an operator or )");
        p->depth--;
        p->open--;
        return fine;
    }
    if (parse_at_number(p) || lex_peek(p) == '[') return parse_literal(p, false);
    text_span word = lex_word(p);
    text_number ignored;
    if (word.length == 0) return lex_fail_expected(p, "an operand");
    if (lex_peek(p) == '(') return parse_call(p, word);
    if (parse_word_number(p, word, &ignored)) {
        p->at = word.at;
        return parse_literal(p, false);
    }
    if (memchr(p->text + word.at, '.', word.length))
        return lex_fail(p, word, "a name of a value has no dot: %s", lex_show(p, word).text);
    if (p->argument >= 0) return parse_same(p);
    if (word.length > TEXT_NAME_LENGTH)
        return lex_fail(p, word, "a name has at most %d characters", TEXT_NAME_LENGTH);
    const char *foreign = lex_find_foreign(p, &word);
    if (foreign) return lex_fail(p, word, "%s", foreign);
    text_node *node = parse_add_node(p, TEXT_NAME, word.at, 0);
    if (node) node->span = word;
    return node != NULL;
}

static bool parse_operand(lexer *p) {
    if (!parse_atom(p)) return false;
    while (p->at < p->length && p->text[p->at] == '[')
        if (!parse_subscripts(p)) return false;
    return true;
}

/* The longest operator at p; TEXT_OPERATORS if there is none, or one of another language. */
static size_t find_operator(lexer *p) {
    size_t found = TEXT_OPERATORS, longest = 0;
    lex_skip_space(p);
    for (size_t k = 0; k < TEXT_OPERATORS; k++) {
        size_t length = strlen(text_operators[k].text);
        if (length <= longest || !lex_begins(p, text_operators[k].text)) continue;
        found = k;
        longest = length;
    }
    bool none = lex_begins(p, "->") || text_foreign_operator(p->text + p->at, p->length - p->at);
    return none ? TEXT_OPERATORS : found;
}

/* Operators that bind at least so tightly. */
bool parse_expression(lexer *p, int binding) {
    if (!parse_operand(p)) return false;
    for (;;) {
        size_t k = find_operator(p);
        if (k == TEXT_OPERATORS || text_operators[k].binding < binding) return true;
        int own = text_operators[k].binding;
        text_span span = {p->at, strlen(text_operators[k].text)};
        int32_t left = parse_last_node(p);
        p->at += span.length;
        if (!lex_deeper(p) || !parse_expression(p, own == TEXT_POWER ? TEXT_POWER : own + 1))
            return false;
        p->depth--;
        if (!parse_operator_node(p, span, (int32_t)k, left, parse_last_node(p))) return false;
        size_t next = own == TEXT_LOOSEST ? find_operator(p) : TEXT_OPERATORS;
        if (next != TEXT_OPERATORS && text_operators[next].binding == TEXT_LOOSEST)
            return lex_fail(p, (text_span){p->at, strlen(text_operators[next].text)},
                            "comparisons do not chain; write (a < b) & (b < c)");
    }
}
