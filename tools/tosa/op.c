/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From an operation's description to a step. Nobody has verified it, so nothing is taken for
 * granted: counts and kinds of attributes are checked here, by the table of names; shapes, element
 * types and values by the library. */
#include "tools/tosa/op.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/words.h"
#include "runtime/expr/keys.h"
#include "tools/tosa/op_columns.h"
#include "tools/tosa/view_form.h"
#include "tosajit/inspect.h"

static tosajit_status refuse(const tosa_op *op, const char *format, ...) DIAG_FORMAT(2, 3);
static tosajit_status refuse(const tosa_op *op, const char *format, ...) {
    char text[DIAG_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return diag_error(TOSAJIT_BAD_MODULE, "%s: %s", op->name, text);
}

/* Repeat what the library said, with the name of the op in front once. */
static tosajit_status repeat(const tosa_op *op, tosajit_status status) {
    if (!status) return status;
    char text[DIAG_CAPACITY];
    const char *message = tosa_bare_error();
    const size_t length = strlen(op->name);
    if (strncmp(message, op->name, length) == 0 && message[length] == ':') message += length + 1;
    message += strspn(message, " ");
    snprintf(text, sizeof text, "%s", message);
    return diag_error(status, "%s: %s", op->name, text);
}

/* ---------------------------------------------------------------------------------------------
 * Names */

static bool is_custom(const tosa_op *op) { return strcmp(op->name, "tosa.custom") == 0; }

tosa_attribute *tosa_attribute_add(tosa_op *op, const char *name) {
    if (op->attribute_count == TOSA_MOST_ATTRIBUTES) return NULL;
    tosa_attribute *added = &op->attributes[op->attribute_count++];
    *added = (tosa_attribute){.name = name};
    return added;
}

const char *tosa_attribute_name(const tosa_op *op, size_t index) {
    static const char *const custom[] = {
        "domain_name", "operator_name", "axis",    "joined",     "nan_mode",  "shape",   "perms",
        "ranges",      "multiples",     "padding", "index_mode", "exclusive", "reverse", NULL};
    _Static_assert(sizeof custom / sizeof *custom - 1 <= TOSA_MOST_ATTRIBUTES,
                   "a description has room for all of them");
    if (is_custom(op)) return custom[index];
    const tosajit_op known = tosajit_op_find(op->name);
    const bool none = known == TOSAJIT_OP_COUNT || view_form_has_shapes(known);
    const op_key *key = none ? NULL : op_key_at(known, 0);
    for (size_t k = 0; key && (!op_key_is_attribute(key) || index-- > 0);)
        key = op_key_at(known, ++k);
    return key ? key->name : NULL;
}

static const char *text_of(const tosa_op *op, const char *name) {
    const tosa_attribute *attribute = tosa_attribute_find(op, name);
    return attribute && attribute->kind == TOSA_TEXT ? attribute->text : "";
}

tosajit_op tosa_op_of(const tosa_op *op) {
    const bool custom = is_custom(op);
    if (strncmp(op->name, "tosa.", 5) != 0) return TOSAJIT_OP_COUNT;
    if (custom && strcmp(text_of(op, "domain_name"), "tosajit") != 0) return TOSAJIT_OP_COUNT;
    const tosajit_op found = tosajit_op_find(custom ? text_of(op, "operator_name") : op->name);
    if (found == TOSAJIT_OP_COUNT) return found;
    const op_columns *columns = &op_columns_of[found];
    return columns->extension == custom || columns->view || columns->gathers ||
                   (custom && columns->reduces)
               ? found
               : TOSAJIT_OP_COUNT;
}

const char *tosa_left_reason(const tosa_op *op) {
    return tosa_is_view(op) ? "moves elements and computes nothing, and no kernel needs it"
                            : "reads nothing but constants, so it can be computed once";
}

/* ---------------------------------------------------------------------------------------------
 * Attributes */

/* In TOSA flags are false, NaNs propagate, and indices are strict, where an op does not say so; all
 * else it must say. */
static bool has_default(const op_key *key) {
    return key->kind == KEY_FLAG || key->feature == ATTRIBUTE_NAN_MODE ||
           key->feature == ATTRIBUTE_INDEX_MODE;
}

/* Names before TOSA 1.0, which older files still have. */
static const char *old_name(const op_key *key) {
    if (strcmp(key->name, "min_val") == 0) return ", as min_fp and min_int were before TOSA 1.0";
    return strcmp(key->name, "max_val") == 0 ? ", as max_fp and max_int were before TOSA 1.0" : "";
}

static tosajit_status refuse_attribute(const tosa_op *op, const op_key *key,
                                       const tosa_attribute *found) {
    char choice[OP_KEY_CHOICE];
    const char *expected = key->kind == KEY_FLAG     ? "true or false"
                           : key->kind == KEY_NUMBER ? "a number"
                           : key->kind == KEY_AXIS   ? "an i32"
                           : key->kind == KEY_LIST   ? "an array of i64"
                                                     : op_key_choice(key, true, choice);
    if (!found)
        return refuse(op, "attribute %s is missing; it must be %s%s", key->name, expected,
                      old_name(key));
    const bool word = found->kind == TOSA_WORD;
    return refuse(op, "attribute %s must be %s%s%s", key->name, expected, word ? ", not " : "",
                  word ? found->text : "");
}

/* True for MLIR's name of a type: ui8 is u8. */
static bool is_name_of(const char *text, const char *type) {
    if (*type == 'u' && strncmp(text, "ui", 2) == 0) text += 2, type++;
    return strcmp(text, type) == 0;
}

/* A number has the elements' type. */
static tosajit_status read_number(const tosa_op *op, const op_key *key, const tosa_attribute *found,
                                  tosajit_type element, tosajit_attributes *attributes) {
    const char *expected = tosajit_type_name(element);
    if (!is_name_of(found->text, expected))
        return refuse(op, "attribute %s has type %s, the elements have %s", key->name, found->text,
                      expected);
    *op_key_number(key, attributes) = found->value;
    return TOSAJIT_OK;
}

/* A dimension has TOSA's type of it, whatever the elements have. */
static tosajit_status read_axis(const tosa_op *op, const op_key *key, const tosa_attribute *found,
                                tosajit_attributes *attributes) {
    const char *expected = tosajit_type_name(TOSAJIT_I32);
    const tosa_attribute *joined = is_custom(op) ? tosa_attribute_find(op, "joined") : NULL;
    if (strcmp(found->text, expected) != 0)
        return refuse(op, "attribute %s has type %s, it must be an %s", key->name, found->text,
                      expected);
    *op_key_number(key, attributes) = found->value;
    if (!joined) return TOSAJIT_OK;
    if (joined->kind != TOSA_NUMBER || strcmp(joined->text, expected) != 0)
        return refuse(op, "attribute joined must be an %s", expected);
    attributes->joined = (int32_t)joined->value.i;
    return TOSAJIT_OK;
}

static tosajit_status read_attribute(const tosa_op *op, const op_key *key, tosajit_type element,
                                     tosajit_attributes *attributes) {
    static const tosa_kind kinds[] = {[KEY_NUMBER] = TOSA_NUMBER,
                                      [KEY_FLAG] = TOSA_FLAG,
                                      [KEY_WORD] = TOSA_WORD,
                                      [KEY_AXIS] = TOSA_NUMBER,
                                      [KEY_LIST] = TOSA_LIST};
    const tosa_attribute *found = tosa_attribute_find(op, key->name);
    if (!found && has_default(key)) return TOSAJIT_OK;
    const bool text = found && found->kind == TOSA_TEXT && key->feature == ATTRIBUTE_INDEX_MODE;
    if (!found || (found->kind != kinds[key->kind] && !text))
        return refuse_attribute(op, key, found);
    if (key->kind == KEY_AXIS) return read_axis(op, key, found, attributes);
    if (key->kind == KEY_LIST) {
        attributes->numbers = found->numbers;
        attributes->number_count = found->number_count;
        return TOSAJIT_OK;
    }
    if (key->kind == KEY_NUMBER) return read_number(op, key, found, element, attributes);
    const int32_t what = key->kind == KEY_FLAG ? found->value.i != 0
                                               : op_key_word(key, found->text, strlen(found->text));
    if (what < 0) return refuse_attribute(op, key, found);
    op_key_set(key, attributes, what);
    return TOSAJIT_OK;
}

static tosajit_status read_attributes(const tosa_function *function, const tosa_op *op,
                                      int64_t numbers[TOSA_MOST_NUMBERS],
                                      tosajit_attributes *attributes) {
    tosajit_tensor_type type;
    const op_key *key;
    if (view_form_shapes(op) > 0) return view_form_list(op, numbers, attributes);
    tosajit_status status = tosajit_expr_type(function->expr, op->operands[0], &type);
    for (size_t k = 0; !status && (key = op_key_at(op->op, k)) != NULL; k++)
        if (op_key_is_attribute(key)) status = read_attribute(op, key, type.element, attributes);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Ops */

/* Name `index` of the parameters or shapes behind the data; null behind the last one. */
static const char *name_behind(const tosa_op *op, size_t index) {
    const op_key *key;
    const char *shape = tosa_shape_name(op, index + 1);
    for (size_t k = 0; !shape && (key = op_key_at(op->op, k)) != NULL; k++)
        if (key->kind == KEY_PARAMETER && index-- == 0) return key->name;
    return shape;
}

/* " and 2 parameters (input_zp, output_zp)": before TOSA 1.0 some were attributes, or not there. */
static void name_all_behind(const tosa_op *op, int count, char *text, size_t capacity) {
    const char *kind = view_form_is(op) ? "shape" : "parameter", *before = " (", *name;
    size_t used = (size_t)snprintf(text, capacity, " and %d %s%s", count, kind, plural(count));
    for (size_t k = 0; used < capacity && (name = name_behind(op, k)) != NULL; k++) {
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", before, name);
        before = ", ";
    }
    if (used + 1 < capacity) snprintf(text + used, capacity - used, ")");
}

static bool is_variadic(const tosa_op *op) {
    return op->op == TOSAJIT_OP_concat && view_form_is(op);
}

tosajit_status tosa_check_counts(const tosa_op *op) {
    const int arity = tosajit_op_arity(op->op),
              more = tosajit_op_parameters(op->op, NULL) + view_form_shapes(op);
    char behind[128] = "";
    if (op->op == TOSAJIT_OP_COUNT && op->operand_count > 0)
        return refuse(op, "a constant has no operands, this one has %zu", op->operand_count);
    if (is_variadic(op) && (op->operand_count < 1 || op->operand_count > TOSAJIT_MAX_TENSORS))
        return refuse(op, "has %zu operands; 1 to %d expected", op->operand_count,
                      TOSAJIT_MAX_TENSORS);
    if (more > 0) name_all_behind(op, more, behind, sizeof behind);
    if (!is_variadic(op) && op->operand_count != (size_t)(arity + more))
        return refuse(op, "has %zu operand%s; %d expected: %d tensor%s%s", op->operand_count,
                      plural(op->operand_count), arity + more, arity, plural(arity), behind);
    if (op->result_count == 1) return TOSAJIT_OK;
    return refuse(op, "has %zu result%s, 1 expected", op->result_count, plural(op->result_count));
}

/* A list becomes the step's own. */
static tosajit_status keep_numbers(tosa_step *step) {
    const size_t count = step->attributes.number_count;
    if (!count) return TOSAJIT_OK;
    step->numbers = malloc(count * sizeof *step->numbers);
    if (!step->numbers) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a list");
    step->attributes.numbers =
        memcpy(step->numbers, step->attributes.numbers, count * sizeof *step->numbers);
    return TOSAJIT_OK;
}

/* The step's value is of the expression, and then the step is of the function. */
static tosajit_status add_step(tosa_function *function, tosa_step *step) {
    tosajit_status status =
        step->data ? tosajit_expr_constant(function->expr, &step->type, step->data, &step->value)
                   : tosajit_expr_op(function->expr, step->op, step->operands, step->operand_count,
                                     &step->attributes, &step->type, &step->value);
    if (status) return status;
    status = keep_numbers(step);
    if (!status) status = tosa_function_append(function, step);
    if (status) free(step->numbers);
    return status;
}

/* A tensor that has nothing behind it stays as it is. */
static tosajit_status add_single(tosa_function *function, const tosa_op *op, int64_t axis,
                                 tosajit_value *value) {
    tosajit_tensor_type type;
    tosa_step step = {.op = TOSAJIT_OP_identity,
                      .operand_count = 1,
                      .operands = {op->operands[0]},
                      .type = op->result,
                      .number = op->number};
    tosajit_status status = tosajit_expr_type(function->expr, op->operands[0], &type);
    if (!status && type.rank != TOSAJIT_UNRANKED && (axis < 0 || axis >= type.rank))
        return refuse(op, "axis %" PRId64 " is no dimension of operand 0, of rank %d", axis,
                      (int)type.rank);
    if (!status) status = repeat(op, add_step(function, &step));
    *value = step.value;
    return status;
}

/* One behind the other, two by two. */
static tosajit_status add_concat(tosa_function *function, const tosa_op *op, const tosa_step *as,
                                 tosajit_value *value) {
    const size_t count = op->operand_count;
    tosajit_status status = TOSAJIT_OK;
    if (count == 1) return add_single(function, op, as->attributes.axis, value);
    *value = op->operands[0];
    for (size_t k = 1; !status && k < count; k++) {
        tosa_step step = *as;
        step.operand_count = 2;
        step.operands[0] = *value;
        step.operands[1] = op->operands[k];
        if (k + 1 < count)
            step.type = (tosajit_tensor_type){op->result.element, TOSAJIT_UNRANKED, {0}};
        status = add_step(function, &step);
        if (status && k > 1)
            diag_prefix(status, "operand %zu as operand 1, behind those before it: ", k);
        status = repeat(op, status);
        *value = step.value;
    }
    return status;
}

/* TOSA's argmax has no dimension where the axis was: it is ours, reshaped. */
static tosajit_status add_position(tosa_function *function, const tosa_op *op, tosa_step *step) {
    tosajit_tensor_type type;
    int64_t shape[TOSAJIT_MAX_RANK];
    int32_t rank = 0;
    const bool is_wide = op->result.element == TOSAJIT_I64; /* as TOSA has it, too */
    step->type =
        (tosajit_tensor_type){is_wide ? TOSAJIT_I32 : op->result.element, TOSAJIT_UNRANKED, {0}};
    tosajit_status status = tosajit_expr_type(function->expr, step->operands[0], &type);
    if (!status && type.rank == TOSAJIT_UNRANKED)
        return refuse(op, "operand 0 has no rank, which says the shape of the result");
    if (!status) status = add_step(function, step);
    if (status) return status;
    for (int32_t d = 0; d < type.rank; d++)
        if (d != step->attributes.axis) shape[rank++] = -2 - (int64_t)d;
    tosa_step drop = {.op = TOSAJIT_OP_reshape,
                      .operand_count = 1,
                      .operands = {step->value},
                      .type = op->result,
                      .number = op->number,
                      .attributes = {.numbers = shape, .number_count = (size_t)rank}};
    if (is_wide) drop.type.element = TOSAJIT_I32;
    status = add_step(function, &drop);
    tosa_step widen = {.op = TOSAJIT_OP_cast,
                       .operand_count = 1,
                       .operands = {drop.value},
                       .type = op->result,
                       .number = op->number};
    if (!status && is_wide) status = add_step(function, &widen);
    step->value = is_wide ? widen.value : drop.value;
    return status;
}

/* A view of an operand, in its place. */
typedef struct form_view {
    tosajit_op op;
    int operand;
    const int64_t *numbers;
    size_t count;
} form_view;

static tosajit_status add_views(tosa_function *function, const tosa_op *op, tosa_step *step,
                                const form_view *views, size_t count) {
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; !status && k < count; k++) {
        tosajit_tensor_type type;
        tosajit_value *operand = &step->operands[views[k].operand];
        status = tosajit_expr_type(function->expr, *operand, &type);
        tosa_step view = {
            .op = views[k].op,
            .operand_count = 1,
            .operands = {*operand},
            .type = {type.element, TOSAJIT_UNRANKED, {0}},
            .number = op->number,
            .attributes = {.numbers = views[k].numbers, .number_count = views[k].count}};
        if (!status) status = add_step(function, &view);
        *operand = view.value;
    }
    return status;
}

/* TOSA's gather, of values NxKxC at indices NxW: for each n rows of C. Here K comes first, and
 * where it was is a size of 1; so it is for the indices where C is. */
static tosajit_status add_gather(tosa_function *function, const tosa_op *op, tosa_step *step) {
    static const int64_t kn[] = {1, 0, 2}, kn1c[] = {-2, -3, 1, -4}, nw1[] = {-2, -3, 1};
    tosajit_tensor_type values, indices;
    tosajit_status status = tosajit_expr_type(function->expr, step->operands[0], &values);
    if (!status) status = tosajit_expr_type(function->expr, step->operands[1], &indices);
    if (status) return status;
    if (values.rank != 3 || indices.rank != 2)
        return refuse(op, "values must have 3 dimensions and indices 2, they have %d and %d",
                      (int)values.rank, (int)indices.rank);
    if (values.dims[0] != indices.dims[0] && values.dims[0] > 0 && indices.dims[0] > 0)
        return refuse(op, "values have %lld elements along dimension 0, and indices %lld",
                      (long long)values.dims[0], (long long)indices.dims[0]);
    const form_view views[] = {{TOSAJIT_OP_transpose, 0, kn, 3},
                               {TOSAJIT_OP_reshape, 0, kn1c, 4},
                               {TOSAJIT_OP_reshape, 1, nw1, 3}};
    status = add_views(function, op, step, views, sizeof views / sizeof *views);
    return status ? status : add_step(function, step);
}

/* A size of an operand of scatter, NxKxC, NxW and NxWxC, must be that of another one, where both
 * are known. */
static tosajit_status check_scatter_size(const tosa_op *op, const tosajit_tensor_type *types, int a,
                                         int32_t d, int b, int32_t e) {
    static const char *const names[] = {"values_in", "indices", "input"};
    const int64_t first = types[a].dims[d], second = types[b].dims[e];
    if (first == second || first == TOSAJIT_DYNAMIC || second == TOSAJIT_DYNAMIC) return TOSAJIT_OK;
    return refuse(op, "%s has %lld elements along dimension %d, and %s %lld along dimension %d",
                  names[a], (long long)first, (int)d, names[b], (long long)second, (int)e);
}

static tosajit_status check_scatter(const tosa_op *op, const tosajit_tensor_type *types) {
    tosajit_status status = TOSAJIT_OK;
    if (types[0].rank != 3 || types[1].rank != 2 || types[2].rank != 3)
        return refuse(op,
                      "values_in and input must have 3 dimensions and indices 2, they have %d, %d "
                      "and %d",
                      (int)types[0].rank, (int)types[2].rank, (int)types[1].rank);
    status = check_scatter_size(op, types, 1, 0, 0, 0);
    if (!status) status = check_scatter_size(op, types, 2, 0, 0, 0);
    if (!status) status = check_scatter_size(op, types, 2, 1, 1, 1);
    if (!status) status = check_scatter_size(op, types, 2, 2, 0, 2);
    if (status || types[0].dims[1] == TOSAJIT_DYNAMIC || types[1].dims[1] <= types[0].dims[1])
        return status;
    return refuse(op, "indices name %lld of %lld elements, and none may occur twice",
                  (long long)types[1].dims[1], (long long)types[0].dims[1]);
}

/* TOSA's scatter, into values NxKxC, at indices NxW, of updates NxWxC. Here K and W come first. */
static tosajit_status add_scatter(tosa_function *function, const tosa_op *op, tosa_step *step) {
    static const int64_t swapped[] = {1, 0, 2}, wn[] = {1, 0}, wn1[] = {-2, -3, 1};
    static const form_view views[] = {{TOSAJIT_OP_transpose, 0, swapped, 3},
                                      {TOSAJIT_OP_transpose, 1, wn, 2},
                                      {TOSAJIT_OP_reshape, 1, wn1, 3},
                                      {TOSAJIT_OP_transpose, 2, swapped, 3}};
    tosajit_tensor_type types[3];
    tosajit_status status = TOSAJIT_OK;
    for (int o = 0; !status && o < 3; o++)
        status = tosajit_expr_type(function->expr, step->operands[o], &types[o]);
    if (!status) status = check_scatter(op, types);
    if (!status) status = add_views(function, op, step, views, sizeof views / sizeof *views);
    step->type = (tosajit_tensor_type){op->result.element, TOSAJIT_UNRANKED, {0}};
    if (!status) status = add_step(function, step);
    tosa_step back = {.op = TOSAJIT_OP_transpose,
                      .operand_count = 1,
                      .operands = {step->value},
                      .type = op->result,
                      .number = op->number,
                      .attributes = {.numbers = swapped, .number_count = 3}};
    if (!status) status = add_step(function, &back);
    step->value = back.value;
    return status;
}

/* An op that TOSA's files have in another form than the library. */
static tosajit_status add_formed(tosa_function *function, const tosa_op *op, tosa_step *step) {
    const op_columns *columns = &op_columns_of[op->op];
    if (!is_custom(op) && columns->drops) return add_position(function, op, step);
    if (!is_custom(op) && columns->gathers)
        return (op->op == TOSAJIT_OP_gather ? add_gather : add_scatter)(function, op, step);
    return add_step(function, step);
}

tosajit_status tosa_add(tosa_function *function, const tosa_op *op, tosajit_value *value) {
    int64_t numbers[TOSA_MOST_NUMBERS];
    tosa_step step = {.op = op->op, .type = op->result, .number = op->number};
    tosajit_status status = tosa_check_counts(op);
    if (!status) status = read_attributes(function, op, numbers, &step.attributes);
    if (status) return status;
    if (is_variadic(op)) return add_concat(function, op, &step, value);
    step.operand_count = op->operand_count - (size_t)view_form_shapes(op);
    memcpy(step.operands, op->operands, step.operand_count * sizeof *step.operands);
    status = repeat(op, add_formed(function, op, &step));
    *value = step.value;
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Constants */

/* True if a result may be declared so: as the elements' type, or less precisely, as tensor<?xf32>.
 */
static bool declares(const tosajit_tensor_type *declared, const tosajit_tensor_type *type,
                     bool *same) {
    *same = declared->rank == type->rank;
    bool fine = *same;
    for (int32_t d = 0; fine && d < type->rank; d++) {
        const bool equal = declared->dims[d] == type->dims[d];
        fine = equal || declared->dims[d] == TOSAJIT_DYNAMIC;
        *same = *same && equal;
    }
    return declared->element == type->element && (fine || declared->rank == TOSAJIT_UNRANKED);
}

static tosajit_status check_constant(const tosa_op *op, const tosajit_tensor_type *type,
                                     bool *same) {
    char result[512], found[512]; /* 16 dimensions of 20 characters fit */
    tosajit_status status = tosa_check_counts(op);
    if (status || declares(&op->result, type, same)) return status;
    tosajit_type_print(&op->result, result, sizeof result);
    tosajit_type_print(type, found, sizeof found);
    return refuse(op, "the values are %s, but the result is %s", found, result);
}

tosajit_status tosa_add_constant(tosa_function *function, const tosa_op *op,
                                 const tosajit_tensor_type *type, void *elements,
                                 tosajit_value *value) {
    tosa_step step = {
        .op = TOSAJIT_OP_COUNT, .type = *type, .data = elements, .number = op->number};
    bool same = false;
    tosajit_status status = check_constant(op, type, &same);
    if (!status) status = repeat(op, add_step(function, &step));
    if (status) {
        free(elements);
        return status;
    }
    *value = step.value;
    if (same) return status;
    /* A result declared less precisely than the elements is a change of type only. */
    tosa_step change = {.op = TOSAJIT_OP_identity,
                        .operand_count = 1,
                        .operands = {step.value},
                        .type = op->result,
                        .number = op->number};
    status = repeat(op, add_step(function, &change));
    *value = change.value;
    return status;
}
