/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nodes are built in the order in which they were read, operands first. A literal waits for its op,
 * which says the literal's type. Inputs come before all steps, in the order in which the line first
 * names them. */
#include "jit/text/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "jit/text/build_functions.h"
#include "jit/text/movers.h"
#include "runtime/base/types.h"
#include "runtime/expr/convert.h"
#include "runtime/expr/expr.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/scatter.h"
#include "runtime/base/words.h"
#include "tosajit/inspect.h"

static bool same_word(const builder *b, text_span a, text_span c) {
    return a.length == c.length && memcmp(b->text + a.at, b->text + c.at, a.length) == 0;
}

static int show_length(text_span span) { return span.length > 48 ? 48 : (int)span.length; }

/* ---------------------------------------------------------------------------------------------
 * Names */

/* The longest name fits. */
typedef struct value_text {
    char text[TEXT_NAME_LENGTH + 1];
} value_text;

static value_text copy_word(const builder *b, text_span span) {
    value_text copy = {""};
    snprintf(copy.text, sizeof copy.text, "%.*s", (int)span.length, b->text + span.at);
    return copy;
}

static bool name_value(builder *b, tosajit_value value, text_span span) {
    if (span.length == 0) return true;
    tosajit_status status = tosajit_expr_name(b->expr, value, copy_word(b, span).text);
    return !status || build_fail_status(b, span, status);
}

/* A later statement hides an earlier one of the same name. */
static bool find_statement(const builder *b, text_span name, size_t before, size_t *statement) {
    for (size_t k = before; k-- > 0;) {
        *statement = k;
        if (same_word(b, b->line->statements[k].name, name)) return true;
    }
    return false;
}

static bool find_input(const builder *b, text_span name, size_t *input) {
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
            const text_node *n = &b->line->nodes[node];
            size_t found;
            b->values[node] = PENDING;
            if (n->kind != TEXT_NAME || find_statement(b, n->span, s, &found)) continue;
            if (!find_input(b, n->span, &found)) {
                if (b->input_count == TOSAJIT_MAX_TENSORS)
                    return build_fail(b, n->span, "more than %d variables", TOSAJIT_MAX_TENSORS);
                found = b->input_count++;
                b->inputs[found] = n->span;
            }
            b->values[node] = INPUT_FROM - (tosajit_value)found;
        }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Inputs */

static bool add_input(builder *b, const tosajit_tensor_type *type, text_span where,
                      const char *name) {
    tosajit_value value;
    tosajit_status status = tosajit_expr_input(b->expr, type, &value);
    if (!status) status = tosajit_expr_name(b->expr, value, name);
    return !status || build_fail_status(b, where, status);
}

/* a, b ... */
static bool add_operands(builder *b) {
    for (size_t k = 0; k < b->line->annotation_count; k++) {
        const char name[] = {(char)('a' + k), '\0'};
        if (!add_input(b, &b->line->annotations[k].type, b->line->annotations[k].span, name))
            return false;
    }
    return true;
}

static bool fail_untyped(builder *b, text_span name) {
    return build_fail(
        b, name,
        "%.*s has no type; end the text with one for all names, `: f32[?]`, or begin it "
        "with `%.*s: f32[?];`",
        show_length(name), b->text + name.at, show_length(name), b->text + name.at);
}

/* The types at the end of the text, without names. */
static size_t unnamed_types(const builder *b) {
    const text_line *line = b->line;
    const size_t count = line->annotation_count - line->declared;
    return count && line->annotations[line->declared].name.length == 0 ? count : 0;
}

/* The type that the caller gives a name. */
static const tosajit_tensor_type *find_given(const builder *b, text_span name) {
    const tosajit_parse_options *o = b->options;
    for (size_t k = 0; k < o->type_count; k++)
        if (strlen(o->types[k].name) == name.length &&
            memcmp(o->types[k].name, b->text + name.at, name.length) == 0)
            return &o->types[k].type;
    return NULL;
}

/* The type of input k in the text: the one with its name, the only one, or the one at its place. */
static const tosajit_tensor_type *find_written(const builder *b, size_t k, text_span *where) {
    const text_annotation *list = b->line->annotations, *last = list + b->line->declared;
    const size_t unnamed = unnamed_types(b);
    *where = b->inputs[k];
    for (size_t a = 0; a < b->line->annotation_count; a++)
        if (list[a].name.length && same_word(b, list[a].name, b->inputs[k])) {
            *where = list[a].span;
            return &list[a].type;
        }
    if (unnamed == 1 || k < unnamed) {
        *where = last[unnamed == 1 ? 0 : k].span;
        return &last[unnamed == 1 ? 0 : k].type;
    }
    return NULL;
}

/* The type of input k: the text's, with the caller's sizes where it has `?`, or else the caller's.
 */
static bool find_type(const builder *b, size_t k, text_span *where, tosajit_tensor_type *type) {
    const tosajit_tensor_type *written = find_written(b, k, where);
    const tosajit_tensor_type *given = find_given(b, b->inputs[k]);
    if (!written && !given) return false;
    *type = written ? *written : *given;
    if (!written || !given || written->rank != given->rank) return true;
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] == TOSAJIT_DYNAMIC) type->dims[d] = given->dims[d];
    return true;
}

static bool check_name(builder *b, size_t a) {
    const text_annotation *list = b->line->annotations;
    text_span name = list[a].name;
    size_t found;
    if (!find_input(b, name, &found))
        return build_fail(b, name, "there is no free variable %.*s in this text", show_length(name),
                          b->text + name.at);
    for (size_t c = 0; c < a; c++)
        if (list[c].name.length && same_word(b, list[c].name, name))
            return build_fail(b, name, "%.*s has two types", show_length(name), b->text + name.at);
    return true;
}

/* At the end of the text all types have names, or none has; the names are free variables, each
 * once. */
static bool check_annotations(builder *b) {
    const text_annotation *list = b->line->annotations, *last = list + b->line->declared;
    const size_t count = b->line->annotation_count, unnamed = unnamed_types(b);
    for (size_t a = 0; a < count; a++) {
        if (&list[a] >= last && (list[a].name.length == 0) != (last->name.length == 0))
            return build_fail(b, list[a].span,
                              "either every type has a name in front, or none has");
        if (list[a].name.length && !check_name(b, a)) return false;
    }
    if (unnamed > 1 && b->line->declared)
        return build_fail(b, last[1].span,
                          "beside types in front there is one for all other names");
    if (unnamed > 1 && unnamed > b->input_count)
        return build_fail(b, last[b->input_count].span, "%zu types for %zu variable%s", unnamed,
                          b->input_count, plural(b->input_count));
    if (unnamed == 1 && b->input_count == 0)
        return build_fail(b, last->span, "there is no variable that this could be the type of");
    return true;
}

static bool add_variables(builder *b) {
    if (!check_annotations(b)) return false;
    for (size_t k = 0; k < b->input_count; k++) {
        text_span where;
        tosajit_tensor_type type;
        if (!find_type(b, k, &where, &type)) return fail_untyped(b, b->inputs[k]);
        if (!add_input(b, &type, where, copy_word(b, b->inputs[k]).text)) return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Steps */

/* An op on values; result is null where it follows from the operands. */
static bool add_op(builder *b, text_span where, tosajit_op op, const tosajit_value *operands,
                   size_t count, const tosajit_attributes *attributes,
                   const tosajit_tensor_type *result, tosajit_value *value) {
    tosajit_status status =
        tosajit_expr_op(b->expr, op, operands, count, attributes, result, value);
    return !status || build_fail_status(b, where, status);
}

/* ---------------------------------------------------------------------------------------------
 * Operands */

/* Operands of which at least one has a type. */
static bool take_operands(builder *b, text_span where, const int32_t *nodes, int count,
                          tosajit_value *operands) {
    int typed = -1;
    for (int k = count; k-- > 0;)
        if (!build_is_literal(b, nodes[k])) typed = k;
    if (typed < 0) return build_fail_no_type(b, where);
    for (int k = 0; k < count; k++)
        if (!build_value_like(b, nodes[k], b->values[nodes[typed]], &operands[k])) return false;
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Operators. i1 has ops of its own. */

static bool binary(builder *b, text_span where, tosajit_op op, tosajit_value left,
                   tosajit_value right, tosajit_value *value) {
    return add_op(b, where, op, (tosajit_value[]){left, right}, 2, NULL, NULL, value);
}

static bool unary(builder *b, text_span where, tosajit_op op, tosajit_value operand,
                  tosajit_value *value) {
    return add_op(b, where, op, &operand, 1, NULL, NULL, value);
}

/* True if a node is a number, and no list of it, that is `wanted` as an element. */
static bool is_number(const builder *b, int32_t node, tosajit_type element, double wanted) {
    if (!build_is_literal(b, node)) return false;
    const text_list *list = &b->line->lists[b->line->nodes[node].what];
    return list->rank == 0 && text_value(element, &b->line->numbers[list->first]) == wanted;
}

/* TOSA divides integers alone. Of floats 1 / x is its reciprocal, which f64 has not. */
static bool is_inverse(const builder *b, const text_node *n, const int32_t *nodes) {
    if (n->what != TEXT_DIV || build_is_literal(b, nodes[1])) return false;
    const tosajit_type element = build_type_of(b, b->values[nodes[1]]).element;
    return type_is_float(element) && element != TOSAJIT_F64 && is_number(b, nodes[0], element, 1);
}

/* Other quotients of floats are an extension. */
static bool divide(builder *b, text_span where, const tosajit_value *operands,
                   tosajit_value *value) {
    if (!b->options->strict)
        return binary(b, where, TOSAJIT_OP_divide, operands[0], operands[1], value);
    return build_fail(b, where,
                      "TOSA does not divide floats, so a strict expression cannot; write "
                      "x * reciprocal(y), which rounds twice");
}

/* The op of an operator for operands of this type, which may be exchanged. */
static bool apply_operator(builder *b, const text_node *n, tosajit_value *operands, size_t count,
                           tosajit_type element, tosajit_value *value) {
    const text_operator_row *row = &text_operators[n->what];
    bool masks = element == TOSAJIT_I1 && row->of_masks != TOSAJIT_OP_COUNT,
         exchanged = row->exchanged;
    tosajit_op op = masks ? row->of_masks : row->op;
    if (exchanged) {
        tosajit_value left = operands[0];
        operands[0] = operands[1];
        operands[1] = left;
    }
    if (!add_op(b, n->span, op, operands, count, NULL, NULL, value)) return false;
    bool negated = masks ? row->masks_negated : row->negated;
    return !negated || unary(b, n->span, TOSAJIT_OP_logical_not, *value, value);
}

/* x ** 2 is x * x, which rounds alike and takes an instruction. */
static bool is_square(const builder *b, const int32_t *nodes) {
    if (build_is_literal(b, nodes[0])) return false;
    const tosajit_type element = build_type_of(b, b->values[nodes[0]]).element;
    return is_number(b, nodes[1], element, 2) &&
           (type_is_float(element) || type_is_unsigned(element) || element == TOSAJIT_I32 ||
            element == TOSAJIT_I64);
}

static bool build_operator(builder *b, const text_node *n, tosajit_value *value) {
    int32_t nodes[2], count = 0;
    tosajit_value operands[2];
    for (int32_t a = n->first; a >= 0; a = b->line->arguments[a].next)
        nodes[count++] = b->line->arguments[a].node;
    if (is_inverse(b, n, nodes))
        return unary(b, n->span, TOSAJIT_OP_reciprocal, b->values[nodes[1]], value);
    if (n->what == TEXT_POW && is_square(b, nodes)) {
        operands[0] = b->values[nodes[0]];
        return binary(b, n->span, TOSAJIT_OP_mul, operands[0], operands[0], value);
    }
    if (!take_operands(b, n->span, nodes, (int)count, operands)) return false;
    tosajit_type element = build_type_of(b, operands[0]).element;
    if (n->what == TEXT_DIV && type_is_float(element)) return divide(b, n->span, operands, value);
    if (n->what == TEXT_XOR && type_is_float(element))
        return build_fail(b, n->span, "^ is bitwise; a power is written **");
    return apply_operator(b, n, operands, (size_t)count, element, value);
}

/* f32(x); of a literal it is a constant, of an f32 nothing. */
static bool build_convert(builder *b, const text_node *n, tosajit_value *value) {
    int32_t node = b->line->arguments[n->first].node;
    const tosajit_tensor_type type = {.element = (tosajit_type)n->what, .rank = TOSAJIT_UNRANKED};
    if (build_is_literal(b, node))
        return build_use_literal(b, node, (literal_use){type.element, 0, false}, value);
    *value = b->values[node];
    if (build_type_of(b, *value).element == type.element) return true;
    return add_op(b, n->span, TOSAJIT_OP_cast, value, 1, NULL, &type, value);
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

typedef struct call {
    const text_node *node;
    tosajit_op op;
    int64_t numbers[3 * TOSAJIT_MAX_RANK]; /* of a list among the attributes */
    int arity, parameters;
    int32_t operands[TOSAJIT_MAX_OPERANDS]; /* nodes; -1: not given */
    tosajit_value values[TOSAJIT_MAX_OPERANDS];
    tosajit_attributes attributes;
    tosajit_type to; /* COUNT: not given */
    const tosajit_tensor_type *result;
} call;

/* A number of the operand's element type. */
static bool set_number(builder *b, call *c, const op_key *key, int32_t node, tosajit_type element) {
    const text_node *n = &b->line->nodes[node];
    char bytes[8];
    if (n->kind != TEXT_LITERAL || b->line->lists[n->what].rank != 0)
        return build_fail(b, n->span, "%s is a number", key->name);
    const text_number *number = &b->line->numbers[b->line->lists[n->what].first];
    if (!text_store(element, number, false, bytes, b->error)) {
        b->error->where = n->span;
        return false;
    }
    *op_key_number(key, &c->attributes) = convert_decode(element, convert_load(element, bytes));
    return true;
}

/* The list of numbers that a view takes. */
static bool read_list(builder *b, const text_argument *argument, call *c) {
    const text_node *n = &b->line->nodes[argument->node];
    const text_list *list = n->kind == TEXT_LITERAL ? &b->line->lists[n->what] : NULL;
    bool fine = list && list->rank <= 1 && list->count <= sizeof c->numbers / sizeof *c->numbers;
    for (size_t k = 0; fine && k < list->count; k++)
        fine = build_to_integer(&b->line->numbers[list->first + k], &c->numbers[k]);
    if (!fine) return build_fail(b, n->span, "%s is a list of whole numbers", argument->key->name);
    c->attributes.numbers = c->numbers;
    c->attributes.number_count = list->count;
    return true;
}

static bool read_keys(builder *b, call *c) {
    for (int32_t a = c->node->first; a >= 0; a = b->line->arguments[a].next) {
        const text_argument *argument = &b->line->arguments[a];
        if (!argument->key) continue;
        if (argument->key->kind == KEY_PARAMETER) {
            int k = c->arity + op_key_parameter(c->op, argument->key);
            if (c->operands[k] >= 0)
                return build_fail(b, argument->span, "%s is given twice", argument->key->name);
            c->operands[k] = argument->node;
        } else if (argument->key->kind == KEY_TYPE) {
            c->to = (tosajit_type)b->line->nodes[argument->node].what;
        } else if (argument->key->kind == KEY_LIST) {
            if (!read_list(b, argument, c)) return false;
        } else if (argument->key->kind != KEY_NUMBER && argument->key->kind != KEY_AXIS) {
            op_key_set(argument->key, &c->attributes, b->line->nodes[argument->node].what);
        }
    }
    return true;
}

/* A dimension; of an op that reduces, neighbours too, which it joins. */
static bool read_axis(builder *b, const op_key *key, int32_t node, const tosajit_tensor_type *type,
                      call *c) {
    const text_node *n = &b->line->nodes[node];
    const text_list *list = n->kind == TEXT_LITERAL ? &b->line->lists[n->what] : NULL;
    const bool fits = list && list->count > 0 && list->rank <= op_is_along(c->op);
    const text_number *numbers = fits ? &b->line->numbers[list->first] : NULL;
    if (!build_to_axis(b, n->span, key->name, numbers, type, &c->attributes.axis)) return false;
    for (size_t k = 1; k < list->count; k++) {
        int64_t axis;
        if (!build_to_axis(b, n->span, key->name, numbers + k, type, &axis)) return false;
        if (axis != c->attributes.axis + (int64_t)k)
            return build_fail(b, n->span, "%s reduces neighbouring dimensions, in their order",
                              tosajit_op_name(c->op));
        c->attributes.joined++;
    }
    return true;
}

static bool read_axes(builder *b, call *c) {
    bool given = false, needed = op_key_find(c->op, "axis", 4) != NULL;
    const tosajit_tensor_type type = build_type_of(b, c->values[0]);
    for (int32_t a = c->node->first; needed && a >= 0; a = b->line->arguments[a].next) {
        const text_argument *argument = &b->line->arguments[a];
        if (!argument->key || argument->key->kind != KEY_AXIS) continue;
        if (!read_axis(b, argument->key, argument->node, &type, c)) return false;
        given = true;
    }
    return given || !needed ||
           build_fail(b, c->node->span, "%s needs the dimension that it %s, as in axis=-1",
                      tosajit_op_name(c->op), op_scans(c->op) ? "goes along" : "reduces");
}

/* min and max, when the element type is known. A clamp on one side has no bound on the other. */
static bool read_bounds(builder *b, call *c, tosajit_type element) {
    if (c->op != TOSAJIT_OP_clamp) return true;
    bool integer = !type_is_float(element);
    if (integer) {
        c->attributes.min_val.i = type_least(element);
        c->attributes.max_val.i = type_greatest(element);
    } else if (!integer) {
        c->attributes.min_val.f = -(double)INFINITY;
        c->attributes.max_val.f = (double)INFINITY;
    }
    for (int32_t a = c->node->first; a >= 0; a = b->line->arguments[a].next) {
        const text_argument *argument = &b->line->arguments[a];
        if (argument->key && argument->key->kind == KEY_NUMBER &&
            !set_number(b, c, argument->key, argument->node, element))
            return false;
    }
    return true;
}

/* The element type that a literal in place of parameter k has. */
static tosajit_type parameter_element(const builder *b, const call *c, int k, const op_key *key) {
    tosajit_type operand = build_type_of(b, c->values[0]).element;
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
    const uint64_t zero = 0;
    const tosajit_status status = tosajit_expr_constant(b->expr, &type, &zero, value);
    return !status || build_fail_status(b, c->node->span, status);
}

static bool take_parameter(builder *b, call *c, int k) {
    const op_key *key = parameter_key(c->op, k);
    tosajit_type element = parameter_element(b, c, k, key);
    int32_t node = c->operands[c->arity + k];
    bool zero_point = strstr(key->name, "_zp") != NULL;
    tosajit_value *value = &c->values[c->arity + k];
    if (node < 0 && !zero_point && c->op != TOSAJIT_OP_mul)
        return build_fail(b, c->node->span, "%s needs %s", tosajit_op_name(c->op), key->name);
    if (node < 0) return zero_parameter(b, c, element, value);
    *value = b->values[node];
    if (!build_is_literal(b, node) ||
        build_use_literal(b, node, (literal_use){element, 1, zero_point}, value))
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

/* An index is i32 or i64, and what is narrower becomes that. */
static bool take_gathered(builder *b, call *c) {
    const int32_t node = c->operands[1];
    if (build_is_literal(b, c->operands[0]))
        return build_fail_no_type(b, b->line->nodes[c->operands[0]].span);
    c->values[0] = b->values[c->operands[0]];
    if (build_is_literal(b, node))
        return build_use_literal(b, node, (literal_use){TOSAJIT_I32, 0, false}, &c->values[1]);
    c->values[1] = b->values[node];
    const tosajit_status status = mover_index(b->expr, &c->values[1]);
    return !status || build_fail_status(b, c->node->span, status);
}

/* A number as update has the base's type, and repeats along all its dimensions. */
static bool take_scattered(builder *b, call *c) {
    const int32_t node = c->operands[SCATTER_UPDATES];
    int64_t ones[TOSAJIT_MAX_RANK];
    if (!take_gathered(b, c)) return false;
    const tosajit_tensor_type base = build_type_of(b, c->values[SCATTER_BASE]);
    tosajit_value *updates = &c->values[SCATTER_UPDATES];
    if (!build_is_literal(b, node))
        *updates = b->values[node];
    else if (!build_use_literal(b, node, (literal_use){base.element, 0, false}, updates))
        return false;
    if (build_type_of(b, *updates).rank != 0 || base.rank <= 0) return true;
    for (int32_t d = 0; d < base.rank; d++) ones[d] = 1;
    const tosajit_status status = tosajit_expr_reshape(b->expr, *updates, base.rank, ones, updates);
    return !status || build_fail_status(b, c->node->span, status);
}

/* A select's condition is i1, whatever the others are. */
static bool take_data(builder *b, call *c) {
    if (c->op == TOSAJIT_OP_gather) return take_gathered(b, c);
    if (op_scatters(c->op)) return take_scattered(b, c);
    int first = c->op == TOSAJIT_OP_select;
    if (first && build_is_literal(b, c->operands[0])) {
        if (!build_use_literal(b, c->operands[0], (literal_use){TOSAJIT_I1, 0, false},
                               &c->values[0]))
            return false;
    } else if (first) {
        c->values[0] = b->values[c->operands[0]];
    }
    return take_operands(b, c->node->span, c->operands + first, c->arity - first,
                         c->values + first);
}

static bool build_call(builder *b, const text_node *n, tosajit_value *value) {
    call c = {.node = n, .op = (tosajit_op)n->what, .to = TOSAJIT_TYPE_COUNT};
    tosajit_tensor_type to = {.rank = TOSAJIT_UNRANKED};
    size_t count = 0;
    c.arity = tosajit_op_arity(c.op);
    c.parameters = tosajit_op_parameters(c.op, NULL);
    for (int k = 0; k < TOSAJIT_MAX_OPERANDS; k++) c.operands[k] = -1;
    for (int32_t a = n->first; a >= 0 && !b->line->arguments[a].key; a = b->line->arguments[a].next)
        c.operands[count++] = b->line->arguments[a].node;
    if (b->line->kind == TEXT_ONE_OP && b->line->has_result) {
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
        return build_fail(b, n->span,
                          b->line->kind == TEXT_ONE_OP
                              ? "%s needs the type of its result, as in -> i8"
                              : "%s needs the type of its result, as in to=i8",
                          tosajit_op_name(c.op));
    if (!take_data(b, &c) || !read_axes(b, &c) ||
        !read_bounds(b, &c, build_type_of(b, c.values[c.arity - 1]).element))
        return false;
    return take_parameters(b, &c, &count) &&
           add_op(b, n->span, c.op, c.values, count, &c.attributes, c.result, value);
}

/* ---------------------------------------------------------------------------------------------
 * The line */

static bool build_name(builder *b, const text_node *n, tosajit_value *value) {
    size_t statement;
    if (*value <= INPUT_FROM) {
        *value = (tosajit_value)(INPUT_FROM - *value);
        return true;
    }
    if (!find_statement(b, n->span, b->statement, &statement))
        return build_fail(b, n->span, "unknown name");
    b->used[statement] = true;
    *value = b->values[b->line->statements[statement].node];
    return true;
}

static bool build_node(builder *b, size_t index) {
    const text_node *n = &b->line->nodes[index];
    tosajit_value *value = &b->values[index];
    switch (n->kind) {
    case TEXT_NAME: return build_name(b, n, value);
    case TEXT_INPUT: *value = (tosajit_value)n->what; return true; /* inputs come first */
    case TEXT_SAME: *value = b->values[n->what]; return true;
    case TEXT_OPERATOR: return build_operator(b, n, value);
    case TEXT_CONVERT: return build_convert(b, n, value);
    case TEXT_CALL: return build_call(b, n, value);
    case TEXT_REDUCE: return build_reducer(b, n, value);
    case TEXT_MOVE: return build_mover(b, n, value);
    case TEXT_SUBSCRIPT: return build_subscript(b, n, value);
    case TEXT_LITERAL:
    case TEXT_WORD: break; /* for whoever has it as an argument */
    }
    return true;
}

static bool build_statements(builder *b) {
    size_t node = 0;
    for (; b->statement < b->line->statement_count; b->statement++) {
        const text_statement *s = &b->line->statements[b->statement];
        for (; node <= (size_t)s->node; node++)
            if (!build_node(b, node)) return false;
        if (build_is_literal(b, s->node))
            return build_fail(b, b->line->nodes[s->node].span,
                              "a number alone has no type; write f32(2)");
        tosajit_value value = b->values[s->node];
        /* x = y gives no new value, and y keeps its name. */
        if (!expr_given_name(b->expr, value) && !name_value(b, value, s->name)) return false;
    }
    return true;
}

/* True if the text has the name. */
static bool is_taken(const builder *b, const char *name) {
    const size_t length = strlen(name);
    for (size_t k = 0; k < b->line->statement_count; k++) {
        text_span own = b->line->statements[k].name;
        if (own.length == length && memcmp(b->text + own.at, name, length) == 0) return true;
    }
    for (size_t k = 0; k < b->input_count; k++)
        if (b->inputs[k].length == length && memcmp(b->text + b->inputs[k].at, name, length) == 0)
            return true;
    return false;
}

/* A result without a name of its own is r, or r0, r1 ... where the text has no such name. */
static bool name_result(builder *b, tosajit_value value, size_t index, size_t count) {
    char name[24];
    snprintf(name, sizeof name, count > 1 ? "r%zu" : "r", index);
    if (expr_given_name(b->expr, value) || is_taken(b, name)) return true;
    tosajit_status status = tosajit_expr_name(b->expr, value, name);
    return !status || build_fail_status(b, (text_span){0, 0}, status);
}

/* Values that no later statement uses. */
static bool add_results(builder *b) {
    const text_line *line = b->line;
    size_t count = 0, index = 0;
    for (size_t s = 0; s < line->statement_count; s++) count += !b->used[s];
    for (size_t s = 0; s < line->statement_count; s++) {
        text_span where = line->nodes[line->statements[s].node].span;
        if (b->used[s]) continue;
        tosajit_value value = b->values[line->statements[s].node];
        tosajit_status status = tosajit_expr_result(b->expr, value);
        if (status) return build_fail_status(b, where, status);
        if (!name_result(b, value, index++, count)) return false;
    }
    tosajit_status status = tosajit_expr_verify(b->expr);
    return !status || build_fail_status(b, (text_span){0, 0}, status);
}

static bool build(builder *b) {
    const tosajit_parse_options *o = b->options;
    const tosajit_expr_options options = {.size = sizeof options,
                                          .allocator = o->allocator,
                                          .strict = o->strict,
                                          .accuracy = o->accuracy};
    if (!b->values || !b->used) return build_fail_memory(b, (text_span){0, 0});
    if (b->line->kind == TEXT_EMPTY)
        return build_fail(b, (text_span){0, 0}, "there is no expression in the text");
    tosajit_status status = tosajit_expr_create(&options, &b->expr);
    if (status) return build_fail_status(b, (text_span){0, 0}, status);
    return collect_inputs(b) &&
           (b->line->kind == TEXT_ONE_OP ? add_operands(b) : add_variables(b)) &&
           build_statements(b) && add_results(b);
}

/* Room for what is known of nodes and statements. */
static void make_room(builder *b) {
    b->values = memory_new(&b->line->allocator, b->line->node_count + 1, sizeof *b->values);
    b->used = memory_new(&b->line->allocator, b->line->statement_count + 1, sizeof *b->used);
}

static void release_room(builder *b) {
    memory_free(&b->line->allocator, b->values, b->line->node_count + 1, sizeof *b->values);
    memory_free(&b->line->allocator, b->used, b->line->statement_count + 1, sizeof *b->used);
}

bool text_build(const char *text, const text_line *line, const tosajit_parse_options *options,
                tosajit_expr **expr, text_error *error) {
    builder b = {.text = text, .line = line, .options = options, .error = error};
    memset(error, 0, sizeof *error);
    make_room(&b);
    bool fine = build(&b);
    release_room(&b);
    if (fine)
        *expr = b.expr;
    else
        tosajit_expr_destroy(b.expr);
    return fine;
}

bool text_operands(const char *text, const text_line *line, text_span *operands, size_t *count,
                   text_error *error) {
    builder b = {.text = text, .line = line, .error = error};
    memset(error, 0, sizeof *error);
    make_room(&b);
    bool fine = b.values && b.used ? collect_inputs(&b) : build_fail_memory(&b, (text_span){0, 0});
    release_room(&b);
    if (!fine) return false;
    memcpy(operands, b.inputs, b.input_count * sizeof *operands);
    *count = b.input_count;
    return true;
}
