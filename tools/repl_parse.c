/* A recursive descent over bytes. Nodes are appended when they are complete, operands first, so that whoever reads them needs no
 * recursion; the depth of brackets is bounded, the length of chains is not. */
#include "tools/repl_parse.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/escape.h"
#include "tools/suggest.h"

typedef struct parser {
    const char *text;
    size_t at, length;
    int depth;
    repl_line *line;
    repl_error *error;
} parser;

static const struct {
    const char *text;
    int binding; /* tighter is larger */
} operators[] = {
    [REPL_EQ] = {"==", 1},  [REPL_NE] = {"!=", 1},    [REPL_LT] = {"<", 1},  [REPL_LE] = {"<=", 1}, [REPL_GT] = {">", 1},
    [REPL_GE] = {">=", 1},  [REPL_OR] = {"|", 2},     [REPL_XOR] = {"^", 3}, [REPL_AND] = {"&", 4}, [REPL_SHL] = {"<<", 5},
    [REPL_SHR] = {">>", 5}, [REPL_USHR] = {">>>", 5}, [REPL_ADD] = {"+", 6}, [REPL_SUB] = {"-", 6}, [REPL_MUL] = {"*", 7},
    [REPL_DIV] = {"/", 7},  [REPL_POW] = {"**", 8},
};
enum { OPERATORS = sizeof operators / sizeof *operators, COMPARISON = 1, POWER = 8 };

/* ---------------------------------------------------------------------------------------------------------------------
 * Errors and room */

static bool fail(parser *p, repl_span where, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->error->text, sizeof p->error->text, format, arguments);
    va_end(arguments);
    p->error->where = where;
    return false;
}

/* Room for one more element of `size` bytes behind *count of them; capacities are the powers of 2. Null after an error. */
static void *add(parser *p, void *array, size_t *count, size_t size) {
    void **list = array;
    if ((*count & (*count - 1)) == 0) { /* 0, 1, 2, 4, ...: full */
        size_t capacity = *count ? 2 * *count : 1;
        void *larger = capacity <= SIZE_MAX / 2 / size ? realloc(*list, capacity * size) : NULL;
        if (!larger) {
            fail(p, (repl_span){p->at, 0}, "out of memory");
            return NULL;
        }
        *list = larger;
    }
    return (char *)*list + (*count)++ * size;
}

#define ADD(p, list) add(p, &(p)->line->list##s, &(p)->line->list##_count, sizeof *(p)->line->list##s)

/* ---------------------------------------------------------------------------------------------------------------------
 * Bytes and words */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static char peek_at(const parser *p, size_t offset) { return p->length - p->at > offset ? p->text[p->at + offset] : '\0'; }

static bool begins(const parser *p, const char *word) {
    size_t length = strlen(word);
    return p->length - p->at >= length && memcmp(p->text + p->at, word, length) == 0;
}

/* A comment is the line's rest. */
static void skip_space(parser *p) {
    while (p->at < p->length && is_space(p->text[p->at])) p->at++;
    if (begins(p, "//") || begins(p, "#")) p->at = p->length;
}

static char peek(parser *p) {
    skip_space(p);
    return peek_at(p, 0);
}

static bool at_end(parser *p) {
    skip_space(p);
    return p->at == p->length;
}

static bool take(parser *p, char c) {
    if (at_end(p) || peek(p) != c) return false;
    p->at++;
    return true;
}

/* A name; dots are for "tosa.add". Length 0 if there is none. */
static repl_span take_word(parser *p) {
    skip_space(p);
    repl_span word = {p->at, 0};
    if (is_letter(peek_at(p, 0)))
        while (is_letter(peek_at(p, 0)) || is_digit(peek_at(p, 0)) || peek_at(p, 0) == '.') p->at++;
    word.length = p->at - word.at;
    return word;
}

static bool is_word(const parser *p, repl_span word, const char *text) {
    return strlen(text) == word.length && memcmp(p->text + word.at, text, word.length) == 0;
}

typedef struct shown {
    char text[64];
} shown;

/* What stands somewhere, for a message. */
static shown show(const parser *p, repl_span span) {
    shown s = {""};
    escape_name(p->text + span.at, span.length, s.text, sizeof s.text);
    return s;
}

/* "found X" */
static bool fail_expected(parser *p, const char *expected) {
    if (at_end(p)) return fail(p, (repl_span){p->at, 0}, "%s expected, the line ends here", expected);
    repl_span word = take_word(p);
    if (word.length == 0) {
        word.length = 1;
        while (word.at + word.length < p->length && (p->text[word.at + word.length] & 0xc0) == 0x80) word.length++; /* UTF-8 */
    }
    return fail(p, word, "%s expected, found %s", expected, show(p, word).text);
}

static bool expect(parser *p, char c, const char *what) { return take(p, c) || fail_expected(p, what); }

static bool deeper(parser *p) {
    return p->depth++ < REPL_MAX_DEPTH || fail(p, (repl_span){p->at, 0}, "nests more than %d deep", REPL_MAX_DEPTH);
}

/* The name of an op or a type that is copied so that the library can look for it. */
typedef struct name {
    char text[40];
} name;

static bool copy_name(const parser *p, repl_span word, name *n) {
    if (word.length >= sizeof n->text) return false;
    memcpy(n->text, p->text + word.at, word.length);
    n->text[word.length] = '\0';
    return true;
}

static tosajit_op find_op(const parser *p, repl_span word) {
    name n;
    return copy_name(p, word, &n) ? tosajit_op_find(n.text) : TOSAJIT_OP_COUNT;
}

static tosajit_type find_type(const parser *p, repl_span word) {
    name n;
    return copy_name(p, word, &n) ? tosajit_type_find(n.text) : TOSAJIT_TYPE_COUNT;
}

/* ": what is wrong; did you mean add?" */
static bool fail_unknown(parser *p, repl_span word, const char *what, const suggestion *s, const char *else_hint) {
    if (s->name) return fail(p, word, "there is no %s %s; did you mean %s?", what, show(p, word).text, s->name);
    return fail(p, word, "there is no %s %s%s", what, show(p, word).text, else_hint);
}

static bool fail_op(parser *p, repl_span word) {
    repl_span bare = word;
    if (word.length > 5 && memcmp(p->text + word.at, "tosa.", 5) == 0) bare = (repl_span){word.at + 5, word.length - 5};
    suggestion s = {.word = p->text + bare.at, .length = bare.length};
    suggest_ops(&s);
    return fail_unknown(p, word, "op", &s, "; :ops lists them");
}

static bool fail_type(parser *p, repl_span word) {
    suggestion s = {.word = p->text + word.at, .length = word.length};
    suggest_types(&s);
    return fail_unknown(p, word, "element type", &s, "; there are i1, i8, i16, i32, i48, i64, f16, bf16, f32, f64, f8E4M3FN and f8E5M2");
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Types */

static bool take_size(parser *p, int64_t *size) {
    skip_space(p);
    repl_span span = {p->at, 0};
    uint64_t value = 0;
    bool fits = true;
    if (take(p, '?')) {
        *size = TOSAJIT_DYNAMIC;
        return true;
    }
    while (is_digit(peek_at(p, 0))) {
        uint64_t digit = (uint64_t)(p->text[p->at++] - '0');
        fits = fits && value <= (INT64_MAX - digit) / 10;
        if (fits) value = value * 10 + digit;
    }
    span.length = p->at - span.at;
    if (span.length == 0) return fail_expected(p, "a size or ?");
    if (!fits) return fail(p, span, "this size is beyond 2^63 - 1");
    if (value == 0) return fail(p, span, "a size is at least 1 or ?");
    *size = (int64_t)value;
    return true;
}

static bool add_size(parser *p, size_t from, tosajit_tensor_type *type) {
    if (type->rank == TOSAJIT_MAX_RANK)
        return fail(p, (repl_span){from, p->at - from}, "a tensor has at most %d dimensions", TOSAJIT_MAX_RANK);
    size_t before = p->at;
    if (!take_size(p, &type->dims[type->rank])) return false;
    type->rank++;
    return before <= p->at;
}

/* "[?,3]", "[]" or "[*]" */
static bool parse_shape(parser *p, tosajit_tensor_type *type) {
    skip_space(p);
    size_t from = p->at;
    type->rank = 0;
    if (!expect(p, '[', "a shape like [?,3]")) return false;
    if (take(p, '*')) {
        type->rank = TOSAJIT_UNRANKED;
        return expect(p, ']', "]");
    }
    if (take(p, ']')) return true;
    do {
        if (!add_size(p, from, type)) return false;
    } while (take(p, ','));
    return expect(p, ']', ", or ]");
}

/* Behind "tensor": "<?x3xf32>". The x is no letter of a name here. */
static bool parse_tensor(parser *p, tosajit_tensor_type *type) {
    size_t from = p->at;
    if (!expect(p, '<', "<, as in tensor<?x3xf32>,")) return false;
    if (take(p, '*')) {
        type->rank = TOSAJIT_UNRANKED;
        if (!expect(p, 'x', "x")) return false;
    }
    while (type->rank != TOSAJIT_UNRANKED && (is_digit(peek(p)) || peek(p) == '?'))
        if (!add_size(p, from, type) || !expect(p, 'x', "x behind a size")) return false;
    repl_span element = take_word(p);
    if (element.length == 0) return fail_expected(p, "a size or an element type");
    type->element = find_type(p, element);
    return type->element == TOSAJIT_TYPE_COUNT ? fail_type(p, element) : expect(p, '>', ">");
}

/* A type. Where the element may be left out, *element has it, and gets it. */
static bool parse_type(parser *p, tosajit_type *element, repl_annotation *a) {
    skip_space(p);
    size_t from = p->at;
    memset(&a->type, 0, sizeof a->type);
    repl_span word = take_word(p);
    bool fine = true;
    if (is_word(p, word, "tensor")) {
        a->shaped = true;
        fine = parse_tensor(p, &a->type);
    } else {
        if (word.length == 0 && *element == TOSAJIT_TYPE_COUNT) return fail_expected(p, "a type like f32[?,3] or tensor<?x3xf32>");
        a->type.element = word.length ? find_type(p, word) : *element;
        if (a->type.element == TOSAJIT_TYPE_COUNT) return fail_type(p, word);
        a->span = (repl_span){from, p->at - from};
        a->shaped = word.length == 0 || peek(p) == '[';
        if (a->shaped) fine = parse_shape(p, &a->type);
    }
    if (a->shaped) a->span = (repl_span){from, p->at - from};
    *element = a->type.element;
    return fine;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Numbers */

/* Digits of a whole number, decimal or behind 0x, as far as they fit; *fits says whether they do. */
static uint64_t read_digits(const char *text, size_t length, unsigned base, bool *fits) {
    uint64_t value = 0;
    *fits = true;
    for (size_t k = 0; k < length; k++) {
        unsigned digit = is_digit(text[k]) ? (unsigned)(text[k] - '0') : (unsigned)((text[k] | 0x20) - 'a') + 10;
        *fits = *fits && value <= (UINT64_MAX - digit) / base;
        if (*fits) value = value * base + digit;
    }
    return value;
}

static bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

static bool parse_hexadecimal(parser *p, repl_number *n) {
    size_t from = p->at;
    p->at += 2;
    while (is_hex(peek_at(p, 0))) p->at++;
    repl_span span = {from, p->at - from};
    bool fits;
    n->magnitude = read_digits(p->text + from + 2, span.length - 2, 16, &fits);
    if (span.length == 2) return fail(p, span, "hexadecimal digits expected behind 0x");
    if (!fits) return fail(p, span, "this number has more than 64 bits");
    n->whole = n->hexadecimal = true;
    n->value = (double)n->magnitude;
    return true;
}

/* 12, 0.5, 1e-3, .5; strtod gets a copy, because the text need not end. */
static bool parse_decimal(parser *p, repl_number *n) {
    char copy[400];
    size_t from = p->at;
    bool fraction = false;
    while (is_digit(peek_at(p, 0))) p->at++;
    if (peek_at(p, 0) == '.') {
        fraction = true;
        for (p->at++; is_digit(peek_at(p, 0));) p->at++;
    }
    size_t sign = peek_at(p, 1) == '-' || peek_at(p, 1) == '+';
    if ((peek_at(p, 0) | 0x20) == 'e' && is_digit(peek_at(p, 1 + sign))) {
        fraction = true;
        for (p->at += 1 + sign; is_digit(peek_at(p, 0));) p->at++;
    }
    repl_span span = {from, p->at - from};
    if (span.length >= sizeof copy) return fail(p, span, "this number has more than %zu characters", sizeof copy - 1);
    memcpy(copy, p->text + from, span.length);
    copy[span.length] = '\0';
    n->value = strtod(copy, NULL);
    if (!fraction) n->magnitude = read_digits(copy, span.length, 10, &n->whole);
    return true;
}

static bool at_number(parser *p) {
    skip_space(p);
    return is_digit(peek_at(p, 0)) || (peek_at(p, 0) == '.' && is_digit(peek_at(p, 1)));
}

/* Words that are numbers. */
static bool word_number(const parser *p, repl_span word, repl_number *n) {
    memset(n, 0, sizeof *n);
    if (is_word(p, word, "inf")) n->value = (double)INFINITY;
    if (is_word(p, word, "nan")) n->value = (double)NAN;
    if (n->value != 0) return true;
    n->whole = true;
    n->magnitude = is_word(p, word, "true");
    n->value = (double)n->magnitude;
    return n->magnitude || is_word(p, word, "false");
}

static void negate_number(repl_number *n) {
    n->value = -n->value;
    n->negative = !n->negative;
}

static bool parse_number(parser *p, repl_number *n) {
    memset(n, 0, sizeof *n);
    if (at_number(p)) {
        bool hexadecimal = peek_at(p, 0) == '0' && (peek_at(p, 1) | 0x20) == 'x';
        if (!(hexadecimal ? parse_hexadecimal(p, n) : parse_decimal(p, n))) return false;
        if (!is_letter(peek_at(p, 0))) return true;
        repl_span rest = take_word(p);
        return fail(p, rest, "%s directly behind a number; is an operator missing?", show(p, rest).text);
    }
    size_t before = p->at;
    repl_span word = take_word(p);
    if (word.length && word_number(p, word, n)) return true;
    p->at = before;
    return fail_expected(p, "a number");
}

static bool add_number(parser *p, bool may_be_negative) {
    bool negative = may_be_negative && take(p, '-');
    repl_number n;
    if (!parse_number(p, &n)) return false;
    if (negative) negate_number(&n);
    repl_number *slot = ADD(p, number);
    if (slot) *slot = n;
    return slot != NULL;
}

static bool parse_rows(parser *p, repl_list *list, int32_t depth);

/* One entry of a list at `depth`: a number in the innermost one. The first innermost number fixes the rank. */
static bool parse_entry(parser *p, repl_list *list, int32_t depth) {
    skip_space(p);
    size_t from = p->at;
    bool row = peek(p) == '[';
    if (row && list->rank != -1 && depth >= list->rank) return fail(p, (repl_span){from, 1}, "a number expected, as before, found a list");
    if (row) return parse_rows(p, list, depth);
    if (list->rank == -1) list->rank = depth;
    if (depth != list->rank && at_end(p)) return fail_expected(p, "a list");
    if (depth != list->rank) return fail(p, (repl_span){from, 1}, "a list expected, as before, found a number");
    return add_number(p, true);
}

static bool parse_rows(parser *p, repl_list *list, int32_t depth) {
    repl_span open = {p->at, 1};
    int64_t count = 0;
    if (depth == TOSAJIT_MAX_RANK) return fail(p, open, "a tensor has at most %d dimensions", TOSAJIT_MAX_RANK);
    if (!expect(p, '[', "[")) return false;
    if (peek(p) == ']') return fail(p, open, "this list is empty");
    do {
        if (!parse_entry(p, list, depth + 1)) return false;
        count++;
    } while (take(p, ','));
    if (!expect(p, ']', ", or ]")) return false;
    if (list->dims[depth] && list->dims[depth] != count)
        return fail(p, (repl_span){open.at, p->at - open.at},
                    "%" PRId64 " %s here, %" PRId64 " in the list before; rows must be equally long", count,
                    count == 1 ? "entry" : "entries", list->dims[depth]);
    list->dims[depth] = count;
    return true;
}

static repl_node *add_node(parser *p, repl_node_kind kind, size_t from, int32_t what) {
    if (p->line->node_count >= TOSAJIT_MAX_NODES) {
        fail(p, (repl_span){from, p->at - from}, "an expression has at most %d values", TOSAJIT_MAX_NODES);
        return NULL;
    }
    repl_node *node = ADD(p, node);
    if (node) *node = (repl_node){kind, {from, p->at - from}, what, -1};
    return node;
}

/* What stands at p as a literal: a number (which may be negative), or a list. */
static bool parse_literal(parser *p, bool may_be_negative) {
    skip_space(p);
    size_t from = p->at;
    repl_list list = {.rank = -1, .first = p->line->number_count};
    bool fine = peek(p) == '[' ? parse_rows(p, &list, 0) : add_number(p, may_be_negative);
    if (!fine) return false;
    if (list.rank == -1) list.rank = 0;
    list.count = p->line->number_count - list.first;
    repl_list *slot = ADD(p, list);
    if (!slot) return false;
    *slot = list;
    return add_node(p, REPL_LITERAL, from, (int32_t)p->line->list_count - 1) != NULL;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Expressions. Each function appends the nodes of what it reads; the last one is the value. */

static bool parse_expression(parser *p, int binding);

static int32_t last_node(const parser *p) { return (int32_t)p->line->node_count - 1; }

/* Append an argument to a list that begins at *first and ends at *last. */
static bool add_argument(parser *p, int32_t node, const op_key *key, repl_span span, int32_t *first, int32_t *last) {
    repl_argument *argument = ADD(p, argument);
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
static int32_t word_index(const parser *p, repl_span word, const char *words) {
    for (int32_t index = 0;; index++) {
        size_t length = strcspn(words, " "), k = 0;
        while (k < length && k < word.length && (p->text[word.at + k] | 0x20) == (words[k] | 0x20)) k++;
        if (k == length && k == word.length) return index;
        if (!words[length]) return -1;
        words += length + 1;
    }
}

/* "propagate or ignore" */
static bool fail_words(parser *p, repl_span word, const op_key *key, const char *words) {
    char choice[96];
    size_t used = 0;
    for (const char *at = words; *at && used < sizeof choice - 1; at++) {
        if (*at != ' ')
            choice[used++] = *at;
        else
            used += (size_t)snprintf(choice + used, sizeof choice - used, "%s", strchr(at + 1, ' ') ? ", " : " or ");
        if (used > sizeof choice - 1) used = sizeof choice - 1;
    }
    choice[used] = '\0';
    if (word.length == 0) return fail(p, (repl_span){p->at, 0}, "%s is %s", key->name, choice);
    return fail(p, word, "%s is %s, not %s", key->name, choice, show(p, word).text);
}

static bool parse_word_value(parser *p, const op_key *key) {
    repl_span word = take_word(p);
    if (word.length == 0 && key->kind == KEY_FLAG && (peek(p) == '0' || peek(p) == '1')) word = (repl_span){p->at++, 1};
    int32_t what;
    if (key->kind == KEY_TYPE) {
        what = (int32_t)find_type(p, word);
        if (word.length == 0) return fail_expected(p, "an element type");
        if (what == TOSAJIT_TYPE_COUNT) return fail_type(p, word);
    } else {
        const char *words = key->kind == KEY_FLAG ? "false true" : key->words;
        what = word_index(p, word, words);
        if (what < 0 && key->kind == KEY_FLAG) what = word_index(p, word, "0 1");
        if (what < 0) return fail_words(p, word, key, words);
    }
    return add_node(p, REPL_WORD, word.at, what) != NULL;
}

static bool fail_key(parser *p, tosajit_op op, repl_span word) {
    suggestion s = {.word = p->text + word.at, .length = word.length};
    char list[160] = "";
    size_t used = 0;
    const op_key *key;
    for (size_t k = 0; (key = op_key_at(op, k)) != NULL; k++) {
        suggest(&s, key->name);
        if (key->less) suggest(&s, key->less);
        if (used < sizeof list) used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", key->name);
    }
    const char *name = tosajit_op_name(op);
    if (s.name) return fail(p, word, "%s takes no %s; did you mean %s?", name, show(p, word).text, s.name);
    return used ? fail(p, word, "%s takes no %s; it takes %s", name, show(p, word).text, list)
                : fail(p, word, "%s takes nothing by name, found %s", name, show(p, word).text);
}

/* `key = value`, behind which *last is. */
static bool parse_keyword(parser *p, tosajit_op op, repl_span word, int32_t *first, int32_t *last) {
    const op_key *key = op_key_find(op, p->text + word.at, word.length);
    if (!key) return fail_key(p, op, word);
    for (int32_t k = *first; k >= 0; k = p->line->arguments[k].next)
        if (p->line->arguments[k].key == key) return fail(p, word, "%s is given twice", key->name);
    if (!expect(p, '=', "=")) return false;
    bool is_value = key->kind == KEY_NUMBER || key->kind == KEY_PARAMETER;
    return (is_value ? parse_expression(p, COMPARISON) : parse_word_value(p, key)) && add_argument(p, last_node(p), key, word, first, last);
}

/* Whether `name =` is next, which p then is behind the name of. */
static bool take_key(parser *p, repl_span *word) {
    size_t before = p->at;
    *word = take_word(p);
    if (word->length && peek(p) == '=' && peek_at(p, 1) != '=') return true;
    p->at = before;
    return false;
}

static bool parse_argument(parser *p, tosajit_op op, int32_t *first, int32_t *last) {
    repl_span word;
    if (op != TOSAJIT_OP_COUNT && take_key(p, &word)) return parse_keyword(p, op, word, first, last);
    skip_space(p);
    repl_span here = {p->at, 0};
    if (*last >= 0 && p->line->arguments[*last].key) return fail(p, here, "operands come before what is given by name");
    return parse_expression(p, COMPARISON) && add_argument(p, last_node(p), NULL, (repl_span){0, 0}, first, last);
}

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

static bool check_count(parser *p, tosajit_op op, repl_span where, size_t count) {
    int arity = tosajit_op_arity(op), most = arity + tosajit_op_parameters(op, NULL);
    if (count >= (size_t)arity && count <= (size_t)most) return true;
    const char *name = tosajit_op_name(op);
    if (most == arity) return fail(p, where, "%s takes %d operand%s, found %zu", name, arity, plural((size_t)arity), count);
    return fail(p, where, "%s takes %d operand%s and up to %d parameter%s, found %zu", name, arity, plural((size_t)arity), most - arity,
                plural((size_t)(most - arity)), count);
}

static size_t count_operands(const parser *p, int32_t first) {
    size_t count = 0;
    for (; first >= 0 && !p->line->arguments[first].key; first = p->line->arguments[first].next) count++;
    return count;
}

static bool parse_call(parser *p, repl_span word) {
    tosajit_op op = find_op(p, word);
    tosajit_type type = find_type(p, word);
    int32_t first = -1, last = -1;
    if (op == TOSAJIT_OP_COUNT && type == TOSAJIT_TYPE_COUNT) return fail_op(p, word);
    if (!deeper(p) || !expect(p, '(', "(")) return false;
    if (peek(p) != ')') {
        do {
            if (!parse_argument(p, op, &first, &last)) return false;
        } while (take(p, ','));
    }
    if (!expect(p, ')', ", or )")) return false;
    p->depth--;
    size_t count = count_operands(p, first);
    if (op != TOSAJIT_OP_COUNT ? !check_count(p, op, word, count) : count != 1)
        return op != TOSAJIT_OP_COUNT ? false : fail(p, word, "%s converts 1 operand, found %zu", show(p, word).text, count);
    repl_node *node =
        op != TOSAJIT_OP_COUNT ? add_node(p, REPL_CALL, word.at, (int32_t)op) : add_node(p, REPL_CONVERT, word.at, (int32_t)type);
    if (!node) return false;
    node->span = word;
    node->first = first;
    return true;
}

static bool parse_operator_node(parser *p, repl_span span, int32_t what, int32_t left, int32_t right) {
    int32_t first = -1, last = -1;
    if (!add_argument(p, left, NULL, span, &first, &last)) return false;
    if (right >= 0 && !add_argument(p, right, NULL, span, &first, &last)) return false;
    repl_node *node = add_node(p, REPL_OPERATOR, span.at, what);
    if (!node) return false;
    node->span = span;
    node->first = first;
    return true;
}

/* The number that is the last node alone, or null. */
static repl_number *last_number(const parser *p) {
    const repl_node *node = &p->line->nodes[p->line->node_count - 1];
    if (node->kind != REPL_LITERAL || p->line->lists[node->what].rank != 0) return NULL;
    return &p->line->numbers[p->line->lists[node->what].first];
}

/* -x ** 2 is -(x ** 2); a sign in front of a number is part of the number. */
static bool parse_unary(parser *p) {
    static const struct {
        char text;
        repl_operator what;
    } unary[] = {{'-', REPL_NEGATE}, {'~', REPL_NOT}, {'!', REPL_LOGICAL_NOT}};
    skip_space(p);
    repl_span span = {p->at, 1};
    for (size_t k = 0; k < sizeof unary / sizeof *unary; k++) {
        if (!take(p, unary[k].text)) continue;
        if (!deeper(p) || !parse_expression(p, POWER)) return false;
        p->depth--;
        repl_number *number = unary[k].what == REPL_NEGATE ? last_number(p) : NULL;
        if (!number) return parse_operator_node(p, span, (int32_t)unary[k].what, last_node(p), -1);
        negate_number(number);
        repl_span *literal = &p->line->nodes[p->line->node_count - 1].span;
        *literal = (repl_span){span.at, literal->at + literal->length - span.at};
        return true;
    }
    return false;
}

static bool at_unary(parser *p) {
    char c = peek(p);
    return !at_end(p) && (c == '-' || c == '~' || c == '!');
}

static bool parse_operand(parser *p) {
    if (at_unary(p)) return parse_unary(p);
    if (take(p, '(')) {
        bool fine = deeper(p) && parse_expression(p, COMPARISON) && expect(p, ')', "an operator or )");
        p->depth--;
        return fine;
    }
    if (at_number(p) || peek(p) == '[') return parse_literal(p, false);
    repl_span word = take_word(p);
    repl_number ignored;
    if (word.length == 0) return fail_expected(p, "an operand");
    if (peek(p) == '(') return parse_call(p, word);
    if (word_number(p, word, &ignored)) {
        p->at = word.at;
        return parse_literal(p, false);
    }
    if (memchr(p->text + word.at, '.', word.length)) return fail(p, word, "a name of a value has no dot: %s", show(p, word).text);
    repl_node *node = add_node(p, REPL_NAME, word.at, 0);
    if (node) node->span = word;
    return node != NULL;
}

/* The longest operator at p; OPERATORS if there is none. */
static size_t find_operator(parser *p) {
    size_t found = OPERATORS, longest = 0;
    skip_space(p);
    for (size_t k = 0; k < OPERATORS; k++) {
        size_t length = strlen(operators[k].text);
        if (length <= longest || !begins(p, operators[k].text)) continue;
        found = k;
        longest = length;
    }
    bool arrow = begins(p, "->");
    return arrow ? OPERATORS : found;
}

/* Operators that bind at least so tightly. */
static bool parse_expression(parser *p, int binding) {
    if (!parse_operand(p)) return false;
    for (;;) {
        size_t k = find_operator(p);
        if (k == OPERATORS || operators[k].binding < binding) return true;
        int own = operators[k].binding;
        repl_span span = {p->at, strlen(operators[k].text)};
        int32_t left = last_node(p);
        p->at += span.length;
        if (!deeper(p) || !parse_expression(p, own == POWER ? POWER : own + 1)) return false;
        p->depth--;
        if (!parse_operator_node(p, span, (int32_t)k, left, last_node(p))) return false;
        size_t next = own == COMPARISON ? find_operator(p) : OPERATORS;
        if (next != OPERATORS && operators[next].binding == COMPARISON)
            return fail(p, (repl_span){p->at, strlen(operators[next].text)}, "comparisons do not chain; write (a < b) & (b < c)");
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Lines */

static bool parse_annotations(parser *p) {
    tosajit_type element = TOSAJIT_TYPE_COUNT;
    do {
        repl_annotation a = {0};
        size_t before = p->at;
        repl_span word = take_word(p);
        char next = peek(p);
        /* A word in front of another one is a name. */
        bool named = word.length && find_type(p, word) == TOSAJIT_TYPE_COUNT && !is_word(p, word, "tensor") && is_letter(next);
        if (named)
            a.name = word;
        else
            p->at = before;
        element = TOSAJIT_TYPE_COUNT;
        if (!parse_type(p, &element, &a)) return false;
        repl_annotation *slot = ADD(p, annotation);
        if (!slot) return false;
        *slot = a;
    } while (take(p, ','));
    return true;
}

static bool parse_statement(parser *p) {
    repl_span name;
    if (p->line->statement_count == REPL_MAX_STATEMENTS)
        return fail(p, (repl_span){p->at, 0}, "a line has at most %d statements", REPL_MAX_STATEMENTS);
    if (take_key(p, &name)) {
        repl_number ignored;
        bool taken = word_number(p, name, &ignored) || memchr(p->text + name.at, '.', name.length);
        if (taken) return fail(p, name, "%s cannot be the name of a value", show(p, name).text);
        p->at++; /* = */
    } else {
        name = (repl_span){0, 0};
    }
    if (!parse_expression(p, COMPARISON)) return false;
    repl_statement *statement = ADD(p, statement);
    if (statement) *statement = (repl_statement){name, last_node(p)};
    return statement != NULL;
}

static bool parse_statements(parser *p) {
    p->line->kind = REPL_STATEMENTS;
    do {
        if (p->line->statement_count > 0 && (at_end(p) || peek(p) == ':')) break; /* a ; at the end */
        if (!parse_statement(p)) return false;
    } while (take(p, ';'));
    if (take(p, ':') && !parse_annotations(p)) return false;
    if (p->line->annotation_count && peek(p) == ';') return fail(p, (repl_span){p->at, 1}, "types come once, at the end of the line");
    return at_end(p) || fail_expected(p, p->line->annotation_count ? "the end of the line" : "an operator, ; or : with types");
}

static bool parse_result(parser *p) {
    tosajit_type element = p->line->annotation_count ? p->line->annotations[0].type.element : TOSAJIT_TYPE_COUNT;
    repl_annotation a = {0};
    p->at += 2;
    if (!parse_type(p, &element, &a)) return false;
    p->line->has_result = true;
    p->line->result = a.type;
    if (!a.shaped) p->line->result.rank = TOSAJIT_UNRANKED; /* `-> i8` says nothing of the shape */
    return true;
}

/* The operands' types; an element type holds until the next one. */
static bool parse_operand_types(parser *p, tosajit_op op) {
    tosajit_type element = TOSAJIT_TYPE_COUNT;
    bool implied = true; /* nobody named an element behind the first one */
    repl_span word;
    for (;;) {
        take(p, ',');
        if (at_end(p) || begins(p, "->")) break;
        if (take_key(p, &word)) {
            p->at = word.at;
            break;
        }
        repl_annotation a = {0};
        implied = implied && (p->line->annotation_count == 0 || peek(p) == '[');
        if (!parse_type(p, &element, &a)) return false;
        repl_annotation *slot = ADD(p, annotation);
        if (!slot) return false;
        *slot = a;
    }
    /* `select f32 [?] [?] [?]`: the condition can only be i1 */
    if (op == TOSAJIT_OP_select && implied && p->line->annotation_count == TOSAJIT_MAX_ARITY)
        p->line->annotations[0].type.element = TOSAJIT_I1;
    return true;
}

static bool parse_one_op(parser *p, repl_span word) {
    tosajit_op op = find_op(p, word);
    int32_t first = -1, last = -1;
    if (op == TOSAJIT_OP_COUNT) return fail_op(p, word);
    p->line->kind = REPL_ONE_OP;
    if (!parse_operand_types(p, op)) return false;
    if (!check_count(p, op, word, p->line->annotation_count)) return false;
    for (size_t k = 0; k < p->line->annotation_count; k++) {
        repl_node *node = add_node(p, REPL_INPUT, p->line->annotations[k].span.at, (int32_t)k);
        if (!node) return false;
        node->span = p->line->annotations[k].span;
        if (!add_argument(p, last_node(p), NULL, (repl_span){0, 0}, &first, &last)) return false;
    }
    repl_span key;
    while (take_key(p, &key)) {
        if (!parse_keyword(p, op, key, &first, &last)) return false;
        take(p, ',');
    }
    if (begins(p, "->") && !parse_result(p)) return false;
    if (!at_end(p)) return fail_expected(p, "a type, a name with = or ->");
    repl_node *node = add_node(p, REPL_CALL, word.at, (int32_t)op);
    if (!node) return false;
    node->span = word;
    node->first = first;
    repl_statement *statement = ADD(p, statement);
    if (statement) *statement = (repl_statement){{0, 0}, last_node(p)};
    return statement != NULL;
}

/* One word of a command, in brackets or quotes where it has spaces. */
static bool parse_command_word(parser *p) {
    repl_span word = {p->at, 0};
    bool quoted = p->text[p->at] == '"';
    if (quoted) {
        word.at = ++p->at;
        while (p->at < p->length && p->text[p->at] != '"') p->at++;
        word.length = p->at - word.at;
        if (p->at == p->length) return fail(p, (repl_span){word.at - 1, 1}, "this quote is not closed");
        p->at++;
    } else {
        int depth = 0;
        for (; p->at < p->length && (depth > 0 || !is_space(p->text[p->at])); p->at++) {
            depth += p->text[p->at] == '[';
            depth -= p->text[p->at] == ']' && depth > 0;
        }
        word.length = p->at - word.at;
    }
    repl_span *slot = ADD(p, word);
    if (slot) *slot = word;
    return slot != NULL;
}

static bool parse_command(parser *p) {
    p->line->kind = REPL_COMMAND;
    p->line->command = take_word(p);
    if (p->line->command.length == 0) {
        if (!take(p, '?')) return fail_expected(p, "the name of a command; :help lists them:");
        p->line->command = (repl_span){p->at - 1, 1};
    }
    for (;;) {
        while (p->at < p->length && is_space(p->text[p->at])) p->at++; /* # and // may be in a path */
        if (p->at == p->length) return true;
        if (!parse_command_word(p)) return false;
    }
}

/* A word in front of a type is an op. */
static bool is_one_op(parser *p) {
    size_t before = p->at;
    repl_span word = take_word(p);
    char next = peek(p);
    bool alone = at_end(p) && word.length && find_op(p, word) != TOSAJIT_OP_COUNT;
    p->at = before;
    return word.length && (alone || next == '[' || is_letter(next));
}

static bool parse_line(parser *p) {
    if (at_end(p)) return true;
    if (take(p, ':')) return parse_command(p);
    if (!is_one_op(p)) return parse_statements(p);
    return parse_one_op(p, take_word(p));
}

static bool parse(const char *text, size_t length, bool (*what)(parser *), repl_line *line, repl_error *error) {
    parser p = {text, 0, length, 0, line, error};
    memset(line, 0, sizeof *line);
    memset(error, 0, sizeof *error);
    bool fine = what(&p);
    if (!fine) repl_line_release(line);
    return fine;
}

bool repl_parse(const char *text, size_t length, repl_line *line, repl_error *error) {
    return parse(text, length, parse_line, line, error);
}

static bool parse_only_literal(parser *p) { return parse_literal(p, true) && (at_end(p) || fail_expected(p, "the end")); }

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

bool repl_parse_sizes(const char *text, size_t length, bool with_n, int32_t *rank, int64_t dims[TOSAJIT_MAX_RANK]) {
    *rank = 0;
    for (size_t at = 0;;) {
        size_t from = at;
        if (*rank == TOSAJIT_MAX_RANK) return false;
        while (at < length && is_digit(text[at])) at++;
        bool fits, n = with_n && at == from && at < length && (text[at] == 'N' || text[at] == 'n');
        uint64_t value = read_digits(text + from, at - from, 10, &fits);
        if ((!n && at == from) || !fits || value > INT64_MAX) return false;
        dims[(*rank)++] = n ? TOSAJIT_DYNAMIC : (int64_t)value;
        at += n;
        if (at == length) return true;
        if (text[at++] != 'x') return false;
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * MLIR */

bool repl_is_mlir(const char *text, size_t length) {
    static const char *const openings[] = {"module", "func.func", "builtin.module", "\"builtin.module\"", "\"func.func\""};
    parser p = {text, 0, length, 0, NULL, NULL};
    while (p.at < length && is_space(text[p.at])) p.at++;
    for (size_t k = 0; k < sizeof openings / sizeof *openings; k++) {
        if (!begins(&p, openings[k])) continue;
        char next = peek_at(&p, strlen(openings[k]));
        if (!is_letter(next) && !is_digit(next) && next != '.' && next != '=' && next != '_') return true;
    }
    return false;
}

/* Where a string that begins at `at` ends. */
static size_t skip_string(const char *text, size_t length, size_t at) {
    for (at++; at < length && text[at] != '"'; at++) at += text[at] == '\\';
    return at;
}

repl_extent repl_scan_line(repl_scan *s, const char *line, size_t length) {
    static const char attributes[] = "attributes";
    const size_t word = sizeof attributes - 1;
    for (size_t k = 0; k < length; k++) {
        char c = line[k];
        if (c == '"') {
            k = skip_string(line, length, k);
            continue;
        }
        if (c == '/' && k + 1 < length && line[k + 1] == '/') break;
        if (s->depth == 0 && length - k >= word && memcmp(line + k, attributes, word) == 0) s->dictionary = true;
        s->depth += c == '(' || c == '[' || c == '{';
        s->depth -= (c == ')' || c == ']' || c == '}') && s->depth > 0;
        s->angles += c == '<';
        s->angles -= c == '>' && s->angles > 0 && (k == 0 || line[k - 1] != '-');
        if (s->depth > REPL_MAX_DEPTH || s->angles > REPL_MAX_DEPTH) return REPL_TOO_DEEP;
        if (c != '}' || s->depth > 0) continue;
        s->bodies += !s->dictionary;
        s->dictionary = false;
    }
    return s->depth > 0 ? REPL_OPEN : s->bodies > 0 ? REPL_COMPLETE : REPL_BEGUN;
}
