/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nodes are built in the order in which they were read, operands first. A literal waits until the
 * op that it is for says which type it has. Inputs come before all steps, in the order in which the
 * line first names them. */
#include "tools/repl/build.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/data/element.h"
#include "tools/base/suggest.h"

/* Of a literal; of input k before it is made: INPUT_FROM - k. */
enum { PENDING = -1, INPUT_FROM = -2 };

typedef struct builder {
    const char *text;
    const repl_line *line;
    repl_program *program;
    tosajit_expr *expr;                    /* program's */
    tosajit_value *values;                 /* of nodes; PENDING */
    bool *used;                            /* statements: by a later one */
    size_t statement;                      /* the one being built */
    repl_span inputs[TOSAJIT_MAX_TENSORS]; /* where the line first names each */
    size_t input_count;
    repl_error *error;
} builder;

static bool fail(builder *b, repl_span where, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(b->error->text, sizeof b->error->text, format, arguments);
    va_end(arguments);
    b->error->where = where;
    return false;
}

static bool same_word(const builder *b, repl_span a, repl_span c) {
    return a.length == c.length && memcmp(b->text + a.at, b->text + c.at, a.length) == 0;
}

static int show_length(repl_span span) { return span.length > 48 ? 48 : (int)span.length; }

/* ---------------------------------------------------------------------------------------------
 * Names */

static void name_value(builder *b, tosajit_value value, repl_span span) {
    if (span.length == 0 || span.length + 2 > VALUE_NAME_CAPACITY) return;
    snprintf(b->program->names[value].text, VALUE_NAME_CAPACITY, "%%%.*s", (int)span.length,
             b->text + span.at);
}

/* What the library said, with the line's names. */
static bool fail_status(builder *b, repl_span where) {
    const mlir_function *f = &b->program->function;
    char *renamed = value_names_replace(b->program->names, f->input_count,
                                        f->input_count + f->step_count, value_names_bare_error());
    fail(b, where, "%s", renamed ? renamed : value_names_bare_error());
    free(renamed);
    return false;
}

/* A later statement hides an earlier one of the same name. */
static bool find_statement(const builder *b, repl_span name, size_t before, size_t *statement) {
    for (size_t k = before; k-- > 0;) {
        *statement = k;
        if (same_word(b, b->line->statements[k].name, name)) return true;
    }
    return false;
}

static bool find_input(const builder *b, repl_span name, size_t *input) {
    for (size_t k = 0; k < b->input_count; k++) {
        *input = k;
        if (same_word(b, b->inputs[k], name)) return true;
    }
    return false;
}

/* List the free variables, and say of every node that is one which. */
static bool collect_inputs(builder *b) {
    size_t node = 0;
    for (size_t s = 0; s < b->line->statement_count; s++)
        for (; node <= (size_t)b->line->statements[s].node; node++) {
            const repl_node *n = &b->line->nodes[node];
            size_t found;
            b->values[node] = PENDING;
            if (n->kind != REPL_NAME || find_statement(b, n->span, s, &found)) continue;
            if (!find_input(b, n->span, &found)) {
                if (b->input_count == TOSAJIT_MAX_TENSORS)
                    return fail(b, n->span, "more than %d variables", TOSAJIT_MAX_TENSORS);
                found = b->input_count++;
                b->inputs[found] = n->span;
            }
            b->values[node] = INPUT_FROM - (tosajit_value)found;
        }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Inputs */

static bool add_input(builder *b, const tosajit_tensor_type *type, repl_span where) {
    mlir_function *f = &b->program->function;
    tosajit_value value;
    if (f->input_count == TOSAJIT_MAX_TENSORS)
        return fail(b, where, "more than %d operands", TOSAJIT_MAX_TENSORS);
    if (tosajit_expr_input(b->expr, type, &value) != TOSAJIT_OK) return fail_status(b, where);
    f->inputs[f->input_count++] = value;
    return true;
}

/* %a, %b ... */
static bool add_operands(builder *b) {
    for (size_t k = 0; k < b->line->annotation_count; k++) {
        if (!add_input(b, &b->line->annotations[k].type, b->line->annotations[k].span))
            return false;
        snprintf(b->program->names[k].text, VALUE_NAME_CAPACITY, "%%%c", (char)('a' + k));
    }
    return true;
}

static bool fail_untyped(builder *b, repl_span name) {
    return fail(
        b, name,
        "%.*s has no type; end the line with one for all names, `: f32[?]`, or `: %.*s f32[?]`",
        show_length(name), b->text + name.at, show_length(name), b->text + name.at);
}

/* The annotation of input k: the one with its name, the only one, or the one at its place. */
static const repl_annotation *find_annotation(const builder *b, size_t k) {
    const repl_annotation *list = b->line->annotations;
    size_t count = b->line->annotation_count;
    if (count > 0 && list[0].name.length == 0)
        return count == 1 ? &list[0] : k < count ? &list[k] : NULL;
    for (size_t a = 0; a < count; a++)
        if (same_word(b, list[a].name, b->inputs[k])) return &list[a];
    return NULL;
}

/* All annotations have names, or none has; the names are free variables, each once. */
static bool check_annotations(builder *b) {
    const repl_annotation *list = b->line->annotations;
    size_t count = b->line->annotation_count, found;
    for (size_t a = 0; a < count; a++) {
        repl_span name = list[a].name;
        if ((name.length == 0) != (list[0].name.length == 0))
            return fail(b, list[a].span, "either every type has a name in front, or none has");
        if (name.length == 0) continue;
        if (!find_input(b, name, &found))
            return fail(b, name, "there is no free variable %.*s in this line", show_length(name),
                        b->text + name.at);
        for (size_t c = 0; c < a; c++)
            if (same_word(b, list[c].name, name))
                return fail(b, name, "%.*s has two types", show_length(name), b->text + name.at);
    }
    bool by_place = count > 1 && list[0].name.length == 0;
    if (by_place && count > b->input_count)
        return fail(b, list[b->input_count].span, "%zu types for %zu variable%s", count,
                    b->input_count, b->input_count == 1 ? "" : "s");
    if (count == 1 && b->input_count == 0)
        return fail(b, list[0].span, "there is no variable that this could be the type of");
    return true;
}

static bool add_variables(builder *b) {
    if (!check_annotations(b)) return false;
    for (size_t k = 0; k < b->input_count; k++) {
        const repl_annotation *a = find_annotation(b, k);
        if (!a) return fail_untyped(b, b->inputs[k]);
        if (!add_input(b, &a->type, a->span)) return false;
        name_value(b, (tosajit_value)k, b->inputs[k]);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Steps */

static bool grow_names(builder *b) {
    repl_program *p = b->program;
    size_t count = TOSAJIT_MAX_TENSORS + p->function.step_capacity;
    value_name *names = realloc(p->names, count * sizeof *names);
    if (names) p->names = names;
    return names != NULL;
}

static bool add_step(builder *b, const mlir_step *step, repl_span where) {
    mlir_function *f = &b->program->function;
    size_t count = f->input_count + f->step_count, capacity = f->step_capacity;
    bool fine = mlir_function_reserve(f) && (f->step_capacity == capacity || grow_names(b));
    if (!fine) return fail(b, where, "out of memory");
    b->program->names[count].text[0] = '\0';
    f->steps[f->step_count++] = *step;
    return true;
}

static tosajit_tensor_type type_of(const builder *b, tosajit_value value) {
    tosajit_tensor_type type = {TOSAJIT_F32, 0, {0}};
    tosajit_expr_type(b->expr, value, &type);
    return type;
}

/* An op on values; result is null where it follows from the operands. */
static bool add_op(builder *b, repl_span where, tosajit_op op, const tosajit_value *operands,
                   size_t count, const tosajit_attributes *attributes,
                   const tosajit_tensor_type *result, tosajit_value *value) {
    mlir_step step = {.op = op, .operand_count = count};
    if (attributes) step.attributes = *attributes;
    memcpy(step.operands, operands, count * sizeof *operands);
    if (tosajit_expr_op(b->expr, op, operands, count, &step.attributes, result, &step.value) !=
        TOSAJIT_OK)
        return fail_status(b, where);
    step.type = type_of(b, step.value);
    *value = step.value;
    return add_step(b, &step, where);
}

static bool add_constant(builder *b, repl_span where, const tosajit_tensor_type *type, void *data,
                         tosajit_value *value) {
    mlir_step step = {.op = TOSAJIT_OP_COUNT, .type = *type, .data = data};
    if (tosajit_expr_constant(b->expr, type, data, &step.value) != TOSAJIT_OK) {
        free(data);
        return fail_status(b, where);
    }
    *value = step.value;
    if (add_step(b, &step, where)) return true;
    free(data);
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * Literals */

static int width_of(tosajit_type type) {
    return type == TOSAJIT_I1 ? 1 : type == TOSAJIT_I48 ? 48 : 8 * (int)tosajit_type_size(type);
}

static bool fail_range(repl_error *error, const repl_number *n, tosajit_type type) {
    if (!n->whole)
        snprintf(error->text, sizeof error->text, "%g is no value of %s", n->value,
                 tosajit_type_name(type));
    else
        snprintf(error->text, sizeof error->text, "%s%" PRIu64 " is no value of %s",
                 n->negative ? "-" : "", n->magnitude, tosajit_type_name(type));
    return false;
}

/* Hexadecimal numbers are bits, so that 0xff is an i8. */
static bool store_integer(tosajit_type type, const repl_number *n, bool is_unsigned, void *at,
                          repl_error *error) {
    int width = width_of(type);
    uint64_t half = type == TOSAJIT_I1 ? 1 : UINT64_C(1) << (width - 1), most = half - 1;
    if (type == TOSAJIT_I1) most = 1;
    if (n->negative) most = type == TOSAJIT_I1 ? 0 : half;
    if ((n->hexadecimal || is_unsigned) && !n->negative && type != TOSAJIT_I1)
        most = half + (half - 1);
    if (!n->whole || n->magnitude > most) return fail_range(error, n, type);
    element_store_integer(type, (int64_t)(n->negative ? 0 - n->magnitude : n->magnitude), at);
    return true;
}

bool repl_store(tosajit_type type, const repl_number *n, void *at, repl_error *error) {
    if (!element_is_float(type)) return store_integer(type, n, false, at, error);
    element_store_float(type, n->value, at);
    bool lost = isfinite(n->value) != isfinite(element_value(type, at)) ||
                isnan(n->value) != (isnan(element_value(type, at)) != 0);
    return !lost || fail_range(error, n, type);
}

static bool is_literal(const builder *b, int32_t node) {
    return b->line->nodes[node].kind == REPL_LITERAL;
}

/* How a literal becomes a constant. */
typedef struct literal_use {
    tosajit_type element;
    int32_t rank; /* at least so many dimensions, those in front of the literal's own of size 1 */
    bool is_unsigned; /* 200 is an i8 */
} literal_use;

static bool use_literal(builder *b, int32_t node, literal_use use, tosajit_value *value) {
    const repl_list *list = &b->line->lists[b->line->nodes[node].what];
    repl_span where = b->line->nodes[node].span;
    tosajit_tensor_type type = {.element = use.element,
                                .rank = list->rank > use.rank ? list->rank : use.rank};
    size_t size = tosajit_type_size(use.element);
    char *data = malloc(list->count * size + 1); /* a list may be empty */
    if (!data) return fail(b, where, "out of memory");
    for (int32_t d = 0; d < type.rank; d++) {
        int32_t own = d - (type.rank - list->rank);
        type.dims[d] = own < 0 ? 1 : list->dims[own];
    }
    for (size_t k = 0; k < list->count; k++) {
        const repl_number *n = &b->line->numbers[list->first + k];
        bool fine = use.is_unsigned && !element_is_float(use.element)
                        ? store_integer(use.element, n, true, data + k * size, b->error)
                        : repl_store(use.element, n, data + k * size, b->error);
        if (fine) continue;
        b->error->where = where;
        free(data);
        return false;
    }
    return add_constant(b, where, &type, data, value);
}

/* The value of a node; a literal gets the element type and, at least, the rank of `like`. */
static bool value_like(builder *b, int32_t node, tosajit_value like, tosajit_value *value) {
    *value = b->values[node];
    if (!is_literal(b, node)) return true;
    tosajit_tensor_type type = type_of(b, like);
    return use_literal(b, node, (literal_use){type.element, type.rank > 0 ? type.rank : 0, false},
                       value);
}

static bool fail_no_type(builder *b, repl_span where) {
    return fail(b, where,
                "a number takes its type from the other operand, and here is none; write f32(2)");
}

/* Operands of which at least one has a type. */
static bool take_operands(builder *b, repl_span where, const int32_t *nodes, int count,
                          tosajit_value *operands) {
    int typed = -1;
    for (int k = count; k-- > 0;)
        if (!is_literal(b, nodes[k])) typed = k;
    if (typed < 0) return fail_no_type(b, where);
    for (int k = 0; k < count; k++)
        if (!value_like(b, nodes[k], b->values[nodes[typed]], &operands[k])) return false;
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Operators. i1 has ops of its own. */

static bool binary(builder *b, repl_span where, tosajit_op op, tosajit_value left,
                   tosajit_value right, tosajit_value *value) {
    return add_op(b, where, op, (tosajit_value[]){left, right}, 2, NULL, NULL, value);
}

static bool unary(builder *b, repl_span where, tosajit_op op, tosajit_value operand,
                  tosajit_value *value) {
    return add_op(b, where, op, &operand, 1, NULL, NULL, value);
}

/* How an operator is made of one op, or of that and another one. */
static const struct {
    tosajit_op op, of_masks; /* COUNT: none */
    bool exchanged;          /* the operands */
    bool negated;            /* the result, by logical_not */
    bool masks_negated;
} meanings[] = {
    [REPL_EQ] = {TOSAJIT_OP_equal, TOSAJIT_OP_logical_xor, false, false, true},
    [REPL_NE] = {TOSAJIT_OP_equal, TOSAJIT_OP_logical_xor, false, true, false},
    [REPL_LT] = {TOSAJIT_OP_greater, TOSAJIT_OP_COUNT, true, false, false},
    [REPL_LE] = {TOSAJIT_OP_greater_equal, TOSAJIT_OP_COUNT, true, false, false},
    [REPL_GT] = {TOSAJIT_OP_greater, TOSAJIT_OP_COUNT, false, false, false},
    [REPL_GE] = {TOSAJIT_OP_greater_equal, TOSAJIT_OP_COUNT, false, false, false},
    [REPL_OR] = {TOSAJIT_OP_bitwise_or, TOSAJIT_OP_logical_or, false, false, false},
    [REPL_XOR] = {TOSAJIT_OP_bitwise_xor, TOSAJIT_OP_logical_xor, false, false, false},
    [REPL_AND] = {TOSAJIT_OP_bitwise_and, TOSAJIT_OP_logical_and, false, false, false},
    [REPL_SHL] = {TOSAJIT_OP_logical_left_shift, TOSAJIT_OP_COUNT, false, false, false},
    [REPL_SHR] = {TOSAJIT_OP_arithmetic_right_shift, TOSAJIT_OP_COUNT, false, false, false},
    [REPL_USHR] = {TOSAJIT_OP_logical_right_shift, TOSAJIT_OP_COUNT, false, false, false},
    [REPL_ADD] = {TOSAJIT_OP_add, TOSAJIT_OP_COUNT, false, false, false},
    [REPL_SUB] = {TOSAJIT_OP_sub, TOSAJIT_OP_COUNT, false, false, false},
    [REPL_MUL] = {TOSAJIT_OP_mul, TOSAJIT_OP_COUNT, false, false, false},
    [REPL_DIV] = {TOSAJIT_OP_intdiv, TOSAJIT_OP_COUNT, false, false, false},
    [REPL_POW] = {TOSAJIT_OP_pow, TOSAJIT_OP_COUNT, false, false, false},
    [REPL_NEGATE] = {TOSAJIT_OP_negate, TOSAJIT_OP_COUNT, false, false, false},
    [REPL_NOT] = {TOSAJIT_OP_bitwise_not, TOSAJIT_OP_logical_not, false, false, false},
    [REPL_LOGICAL_NOT] = {TOSAJIT_OP_logical_not, TOSAJIT_OP_COUNT, false, false, false},
};

/* TOSA divides integers alone; a float is multiplied by the other one's reciprocal. */
static bool divide(builder *b, repl_span where, int32_t dividend, tosajit_value right,
                   tosajit_value *value) {
    tosajit_value left, reciprocal;
    bool is_one = is_literal(b, dividend) &&
                  b->line->lists[b->line->nodes[dividend].what].count == 1 &&
                  b->line->numbers[b->line->lists[b->line->nodes[dividend].what].first].value == 1;
    if (!unary(b, where, TOSAJIT_OP_reciprocal, right, &reciprocal)) return false;
    *value = reciprocal;
    if (is_one && b->line->lists[b->line->nodes[dividend].what].rank == 0) return true;
    return value_like(b, dividend, right, &left) &&
           binary(b, where, TOSAJIT_OP_mul, left, reciprocal, value);
}

static bool build_operator(builder *b, const repl_node *n, tosajit_value *value) {
    int32_t nodes[2], count = 0;
    tosajit_value operands[2];
    for (int32_t a = n->first; a >= 0; a = b->line->arguments[a].next)
        nodes[count++] = b->line->arguments[a].node;
    bool dividend_alone =
        n->what == REPL_DIV && is_literal(b, nodes[0]) && !is_literal(b, nodes[1]);
    if (dividend_alone && element_is_float(type_of(b, b->values[nodes[1]]).element))
        return divide(b, n->span, nodes[0], b->values[nodes[1]], value);
    if (!take_operands(b, n->span, nodes, (int)count, operands)) return false;
    tosajit_type element = type_of(b, operands[0]).element;
    if (n->what == REPL_DIV && element_is_float(element)) {
        tosajit_value reciprocal;
        return unary(b, n->span, TOSAJIT_OP_reciprocal, operands[1], &reciprocal) &&
               binary(b, n->span, TOSAJIT_OP_mul, operands[0], reciprocal, value);
    }
    bool masks = element == TOSAJIT_I1 && meanings[n->what].of_masks != TOSAJIT_OP_COUNT,
         exchanged = meanings[n->what].exchanged;
    tosajit_op op = masks ? meanings[n->what].of_masks : meanings[n->what].op;
    if (exchanged) {
        tosajit_value left = operands[0];
        operands[0] = operands[1];
        operands[1] = left;
    }
    if (!add_op(b, n->span, op, operands, (size_t)count, NULL, NULL, value)) return false;
    bool negated = masks ? meanings[n->what].masks_negated : meanings[n->what].negated;
    return !negated || unary(b, n->span, TOSAJIT_OP_logical_not, *value, value);
}

/* f32(x); of a literal it is a constant, of an f32 nothing. */
static bool build_convert(builder *b, const repl_node *n, tosajit_value *value) {
    int32_t node = b->line->arguments[n->first].node;
    const tosajit_tensor_type type = {.element = (tosajit_type)n->what, .rank = TOSAJIT_UNRANKED};
    if (is_literal(b, node))
        return use_literal(b, node, (literal_use){type.element, 0, false}, value);
    *value = b->values[node];
    if (type_of(b, *value).element == type.element) return true;
    return add_op(b, n->span, TOSAJIT_OP_cast, value, 1, NULL, &type, value);
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

typedef struct call {
    const repl_node *node;
    tosajit_op op;
    int arity, parameters;
    int32_t operands[TOSAJIT_MAX_OPERANDS]; /* nodes; -1: not given */
    tosajit_value values[TOSAJIT_MAX_OPERANDS];
    tosajit_attributes attributes;
    tosajit_type to; /* COUNT: not given */
    const tosajit_tensor_type *result;
} call;

/* What an attribute's word sets. */
static void set_word(call *c, const op_key *key, int32_t what) {
    static const struct {
        const char *name;
        size_t offset;
    } flags[] = {
        {"round", offsetof(tosajit_attributes, round)},
        {"input_unsigned", offsetof(tosajit_attributes, input_unsigned)},
        {"output_unsigned", offsetof(tosajit_attributes, output_unsigned)},
        {"scale32", offsetof(tosajit_attributes, scale32)},
        {"per_channel", offsetof(tosajit_attributes, per_channel)},
    };
    if (key->kind == KEY_TYPE) c->to = (tosajit_type)what;
    if (strcmp(key->name, "nan_mode") == 0) c->attributes.nan_mode = (tosajit_nan_mode)what;
    if (strcmp(key->name, "rounding_mode") == 0)
        c->attributes.rounding_mode = (tosajit_rounding_mode)what;
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        if (strcmp(key->name, flags[k].name) == 0)
            *((uint8_t *)&c->attributes + flags[k].offset) = (uint8_t)what;
}

/* A number of the operand's element type. */
static bool set_number(builder *b, call *c, const op_key *key, int32_t node, tosajit_type element) {
    tosajit_scalar *bound =
        strcmp(key->name, "min_val") == 0 ? &c->attributes.min_val : &c->attributes.max_val;
    const repl_node *n = &b->line->nodes[node];
    char bytes[8];
    if (n->kind != REPL_LITERAL || b->line->lists[n->what].rank != 0)
        return fail(b, n->span, "%s is a number", key->name);
    if (!repl_store(element, &b->line->numbers[b->line->lists[n->what].first], bytes, b->error)) {
        b->error->where = n->span;
        return false;
    }
    double value = element_value(element, bytes);
    if (element_is_float(element))
        bound->f = value;
    else
        bound->i = (int64_t)value; /* clamp's integers are of 8 or 16 bits */
    return true;
}

static bool read_keys(builder *b, call *c) {
    for (int32_t a = c->node->first; a >= 0; a = b->line->arguments[a].next) {
        const repl_argument *argument = &b->line->arguments[a];
        if (!argument->key) continue;
        if (argument->key->kind == KEY_PARAMETER) {
            int k = c->arity + op_key_parameter(c->op, argument->key);
            if (c->operands[k] >= 0)
                return fail(b, argument->span, "%s is given twice", argument->key->name);
            c->operands[k] = argument->node;
        } else if (argument->key->kind != KEY_NUMBER) {
            set_word(c, argument->key, b->line->nodes[argument->node].what);
        }
    }
    return true;
}

/* min and max, when the element type is known. A clamp on one side has no bound on the other. */
static bool read_bounds(builder *b, call *c, tosajit_type element) {
    if (c->op != TOSAJIT_OP_clamp) return true;
    bool integer = !element_is_float(element);
    if (integer && width_of(element) < 64) {
        const int64_t half = INT64_C(1) << (width_of(element) - 1);
        c->attributes.min_val.i = -half;
        c->attributes.max_val.i = half - 1;
    } else if (!integer) {
        c->attributes.min_val.f = -(double)INFINITY;
        c->attributes.max_val.f = (double)INFINITY;
    }
    for (int32_t a = c->node->first; a >= 0; a = b->line->arguments[a].next) {
        const repl_argument *argument = &b->line->arguments[a];
        if (argument->key && argument->key->kind == KEY_NUMBER &&
            !set_number(b, c, argument->key, argument->node, element))
            return false;
    }
    return true;
}

/* The element type that a literal in place of parameter k has. */
static tosajit_type parameter_element(const builder *b, const call *c, int k, const op_key *key) {
    tosajit_type operand = type_of(b, c->values[0]).element;
    (void)k;
    if (strcmp(key->name, "shift") == 0) return TOSAJIT_I8;
    if (strcmp(key->name, "multiplier") == 0)
        return c->attributes.scale32 ? TOSAJIT_I32 : TOSAJIT_I16;
    if (strcmp(key->name, "output_zp") == 0 && c->to != TOSAJIT_TYPE_COUNT) return c->to;
    return operand;
}

static const op_key *parameter_key(tosajit_op op, int parameter) {
    const op_key *key;
    for (size_t k = 0; (key = op_key_at(op, k)) != NULL; k++)
        if (key->kind == KEY_PARAMETER && op_key_parameter(op, key) == parameter) return key;
    return NULL;
}

/* A zero point that is left out is 0. */
static bool zero_parameter(builder *b, const call *c, tosajit_type element, tosajit_value *value) {
    const tosajit_tensor_type type = {element, 1, {1}};
    void *data = calloc(1, tosajit_type_size(element));
    return data ? add_constant(b, c->node->span, &type, data, value)
                : fail(b, c->node->span, "out of memory");
}

static bool take_parameter(builder *b, call *c, int k) {
    const op_key *key = parameter_key(c->op, k);
    tosajit_type element = parameter_element(b, c, k, key);
    int32_t node = c->operands[c->arity + k];
    bool zero_point = strstr(key->name, "_zp") != NULL;
    tosajit_value *value = &c->values[c->arity + k];
    if (node < 0 && !zero_point && c->op != TOSAJIT_OP_mul)
        return fail(b, c->node->span, "%s needs %s; :help %s has an example",
                    tosajit_op_name(c->op), key->name, tosajit_op_name(c->op));
    if (node < 0) return zero_parameter(b, c, element, value);
    *value = b->values[node];
    if (!is_literal(b, node) || use_literal(b, node, (literal_use){element, 1, zero_point}, value))
        return true;
    size_t said = strlen(b->error->text);
    if (strcmp(key->name, "multiplier") == 0 && !c->attributes.scale32)
        snprintf(b->error->text + said, sizeof b->error->text - said,
                 "; with scale32=true multipliers are i32");
    return false;
}

/* Parameters are given all or, where the op allows it, not at all. */
static bool take_parameters(builder *b, call *c, size_t *count) {
    int required;
    bool given = tosajit_op_parameters(c->op, &required) && required;
    for (int k = 0; k < c->parameters; k++) given = given || c->operands[c->arity + k] >= 0;
    *count = (size_t)c->arity;
    if (!given) return true;
    for (int k = 0; k < c->parameters; k++)
        if (!take_parameter(b, c, k)) return false;
    *count += (size_t)c->parameters;
    return true;
}

/* A select's condition is i1, whatever the others are. */
static bool take_data(builder *b, call *c) {
    int first = c->op == TOSAJIT_OP_select;
    if (first && is_literal(b, c->operands[0])) {
        if (!use_literal(b, c->operands[0], (literal_use){TOSAJIT_I1, 0, false}, &c->values[0]))
            return false;
    } else if (first) {
        c->values[0] = b->values[c->operands[0]];
    }
    return take_operands(b, c->node->span, c->operands + first, c->arity - first,
                         c->values + first);
}

static bool build_call(builder *b, const repl_node *n, tosajit_value *value) {
    call c = {.node = n, .op = (tosajit_op)n->what, .to = TOSAJIT_TYPE_COUNT};
    tosajit_tensor_type to = {.rank = TOSAJIT_UNRANKED};
    size_t count = 0;
    c.arity = tosajit_op_arity(c.op);
    c.parameters = tosajit_op_parameters(c.op, NULL);
    for (int k = 0; k < TOSAJIT_MAX_OPERANDS; k++) c.operands[k] = -1;
    for (int32_t a = n->first; a >= 0 && !b->line->arguments[a].key; a = b->line->arguments[a].next)
        c.operands[count++] = b->line->arguments[a].node;
    if (b->line->kind == REPL_ONE_OP && b->line->has_result) {
        c.result = &b->line->result;
        c.to = c.result->element;
    }
    if (!read_keys(b, &c)) return false;
    if (!c.result && c.to != TOSAJIT_TYPE_COUNT) {
        to.element = c.to;
        c.result = &to;
    }
    bool converts = op_key_find(c.op, "to", 2) != NULL;
    if (converts && !c.result)
        return fail(b, n->span,
                    b->line->kind == REPL_ONE_OP ? "%s needs the type of its result, as in -> i8"
                                                 : "%s needs the type of its result, as in to=i8",
                    tosajit_op_name(c.op));
    if (!take_data(b, &c) || !read_bounds(b, &c, type_of(b, c.values[c.arity - 1]).element))
        return false;
    return take_parameters(b, &c, &count) &&
           add_op(b, n->span, c.op, c.values, count, &c.attributes, c.result, value);
}

/* ---------------------------------------------------------------------------------------------
 * The line */

static bool build_name(builder *b, const repl_node *n, tosajit_value *value) {
    size_t statement;
    if (*value <= INPUT_FROM) {
        *value = (tosajit_value)(INPUT_FROM - *value);
        return true;
    }
    if (!find_statement(b, n->span, b->statement, &statement))
        return fail(b, n->span, "unknown name");
    b->used[statement] = true;
    *value = b->values[b->line->statements[statement].node];
    return true;
}

static bool build_node(builder *b, size_t index) {
    const repl_node *n = &b->line->nodes[index];
    tosajit_value *value = &b->values[index];
    switch (n->kind) {
    case REPL_NAME: return build_name(b, n, value);
    case REPL_INPUT: *value = b->program->function.inputs[n->what]; return true;
    case REPL_OPERATOR: return build_operator(b, n, value);
    case REPL_CONVERT: return build_convert(b, n, value);
    case REPL_CALL: return build_call(b, n, value);
    case REPL_LITERAL:
    case REPL_WORD: break; /* for whoever has it as an argument */
    }
    return true;
}

static bool build_statements(builder *b) {
    size_t node = 0;
    for (; b->statement < b->line->statement_count; b->statement++) {
        const repl_statement *s = &b->line->statements[b->statement];
        for (; node <= (size_t)s->node; node++)
            if (!build_node(b, node)) return false;
        if (is_literal(b, s->node))
            return fail(b, b->line->nodes[s->node].span,
                        "a number alone has no type; write f32(2)");
        tosajit_value value = b->values[s->node];
        /* x = y gives no new value, and y keeps its name. */
        if ((size_t)value >= b->program->function.input_count && !b->program->names[value].text[0])
            name_value(b, value, s->name);
    }
    return true;
}

/* Results without a name of their own: %r, or %r0, %r1 ... where that is no name in the line. */
static void name_results(builder *b) {
    const mlir_function *f = &b->program->function;
    for (size_t k = 0; k < f->result_count; k++) {
        char name[16];
        bool taken = false;
        int length = snprintf(name, sizeof name, f->result_count > 1 ? "%%r%zu" : "%%r", k);
        value_name *own = &b->program->names[f->results[k]];
        if (length < 0 || own->text[0]) continue;
        for (size_t v = 0; v < f->input_count + f->step_count; v++)
            taken = taken || strcmp(b->program->names[v].text, name) == 0;
        if (!taken) memcpy(own->text, name, (size_t)length + 1);
    }
}

/* What no later statement uses. */
static bool add_results(builder *b) {
    mlir_function *f = &b->program->function;
    for (size_t s = 0; s < b->line->statement_count; s++) {
        repl_span where = b->line->nodes[b->line->statements[s].node].span;
        if (b->used[s]) continue;
        tosajit_value value = b->values[b->line->statements[s].node];
        if (f->result_count == TOSAJIT_MAX_TENSORS)
            return fail(b, where, "more than %d results", TOSAJIT_MAX_TENSORS);
        if (tosajit_expr_result(b->expr, value) != TOSAJIT_OK) return fail_status(b, where);
        f->results[f->result_count++] = value;
    }
    name_results(b);
    if (tosajit_expr_verify(b->expr) != TOSAJIT_OK) return fail_status(b, (repl_span){0, 0});
    return true;
}

static bool build(builder *b, bool strict) {
    const tosajit_expr_options options = {.size = sizeof options, .strict = strict};
    if (!b->values || !b->used || !b->program->names)
        return fail(b, (repl_span){0, 0}, "out of memory");
    if (tosajit_expr_create(&options, &b->program->function.expr) != TOSAJIT_OK)
        return fail_status(b, (repl_span){0, 0});
    b->expr = b->program->function.expr;
    return collect_inputs(b) &&
           (b->line->kind == REPL_ONE_OP ? add_operands(b) : add_variables(b)) &&
           build_statements(b) && add_results(b);
}

bool repl_build(const char *text, const repl_line *line, bool strict, repl_program *program,
                repl_error *error) {
    builder b = {.text = text, .line = line, .program = program, .error = error};
    memset(program, 0, sizeof *program);
    memset(error, 0, sizeof *error);
    program->names = calloc(TOSAJIT_MAX_TENSORS, sizeof *program->names);
    b.values = calloc(line->node_count + 1, sizeof *b.values);
    b.used = calloc(line->statement_count + 1, sizeof *b.used);
    bool fine = build(&b, strict);
    free(b.values);
    free(b.used);
    if (!fine) repl_program_release(program);
    return fine;
}

void repl_program_release(repl_program *program) {
    mlir_function_release(&program->function);
    free(program->names);
    memset(program, 0, sizeof *program);
}
