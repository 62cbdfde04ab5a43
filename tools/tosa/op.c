/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From an operation's description to a step. Nobody has verified it, so nothing is taken for
 * granted: counts and kinds of attributes are checked here, by the table of names; shapes, element
 * types and values by the library. */
#include "tools/tosa/op.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/words.h"
#include "runtime/expr/keys.h"
#include "tools/tosa/op_columns.h"

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

const char *tosa_attribute_name(const tosa_op *op, size_t index) {
    static const char *const custom[] = {"domain_name", "operator_name", "axis",      "shape",
                                         "perms",       "ranges",        "multiples", NULL};
    if (is_custom(op)) return custom[index];
    const tosajit_op known = tosajit_op_find(op->name);
    const op_key *key = known == TOSAJIT_OP_COUNT ? NULL : op_key_at(known, 0);
    for (size_t k = 0; key && (!op_key_is_attribute(key) || index-- > 0);)
        key = op_key_at(known, ++k);
    return key ? key->name : NULL;
}

static const tosa_attribute *find_attribute(const tosa_op *op, const char *name) {
    for (size_t k = 0; k < op->attribute_count; k++)
        if (strcmp(op->attributes[k].name, name) == 0) return &op->attributes[k];
    return NULL;
}

static const char *text_of(const tosa_op *op, const char *name) {
    const tosa_attribute *attribute = find_attribute(op, name);
    return attribute && attribute->kind == TOSA_TEXT ? attribute->text : "";
}

tosajit_op tosa_op_of(const tosa_op *op) {
    const bool custom = is_custom(op);
    if (strncmp(op->name, "tosa.", 5) != 0) return TOSAJIT_OP_COUNT;
    if (custom && strcmp(text_of(op, "domain_name"), "tosajit") != 0) return TOSAJIT_OP_COUNT;
    const tosajit_op found = tosajit_op_find(custom ? text_of(op, "operator_name") : op->name);
    const bool known = found != TOSAJIT_OP_COUNT && op_columns_of[found].extension == custom;
    return known ? found : TOSAJIT_OP_COUNT;
}

/* ---------------------------------------------------------------------------------------------
 * Attributes */

/* In TOSA flags are false, and NaNs propagate, where an op does not say so; all else it must say.
 */
static bool has_default(const op_key *key) {
    return key->kind == KEY_FLAG || key->feature == ATTRIBUTE_NAN_MODE;
}

static tosajit_status refuse_attribute(const tosa_op *op, const op_key *key,
                                       const tosa_attribute *found) {
    char choice[OP_KEY_CHOICE];
    const char *expected = key->kind == KEY_FLAG     ? "true or false"
                           : key->kind == KEY_NUMBER ? "a number"
                           : key->kind == KEY_AXIS   ? "an i32"
                           : key->kind == KEY_LIST   ? "an array of i64"
                                                     : op_key_choice(key, true, choice);
    if (!found) return refuse(op, "attribute %s is missing; it must be %s", key->name, expected);
    const bool word = found->kind == TOSA_WORD;
    return refuse(op, "attribute %s must be %s%s%s", key->name, expected, word ? ", not " : "",
                  word ? found->text : "");
}

/* What MLIR calls ui8 is u8. */
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
    if (*expected == 'u') /* MLIR says 200 : ui8 as it says -56 : i8 */
        op_key_number(key, attributes)->i &= (INT64_C(1) << 8 * tosajit_type_size(element)) - 1;
    return TOSAJIT_OK;
}

/* A dimension has TOSA's type of it, whatever the elements have. */
static tosajit_status read_axis(const tosa_op *op, const op_key *key, const tosa_attribute *found,
                                tosajit_attributes *attributes) {
    const char *expected = tosajit_type_name(TOSAJIT_I32);
    if (strcmp(found->text, expected) != 0)
        return refuse(op, "attribute %s has type %s, it must be an %s", key->name, found->text,
                      expected);
    *op_key_number(key, attributes) = found->value;
    return TOSAJIT_OK;
}

static tosajit_status read_attribute(const tosa_op *op, const op_key *key, tosajit_type element,
                                     tosajit_attributes *attributes) {
    static const tosa_kind kinds[] = {[KEY_NUMBER] = TOSA_NUMBER,
                                      [KEY_FLAG] = TOSA_FLAG,
                                      [KEY_WORD] = TOSA_WORD,
                                      [KEY_AXIS] = TOSA_NUMBER,
                                      [KEY_LIST] = TOSA_LIST};
    const tosa_attribute *found = find_attribute(op, key->name);
    if (!found && has_default(key)) return TOSAJIT_OK;
    if (!found || found->kind != kinds[key->kind]) return refuse_attribute(op, key, found);
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
                                      tosajit_attributes *attributes) {
    tosajit_tensor_type type;
    const op_key *key;
    tosajit_status status = tosajit_expr_type(function->expr, op->operands[0], &type);
    for (size_t k = 0; !status && (key = op_key_at(op->op, k)) != NULL; k++)
        if (op_key_is_attribute(key)) status = read_attribute(op, key, type.element, attributes);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Ops */

/* " and 2 parameters (input_zp, output_zp)": before TOSA 1.0 some were attributes, or not there. */
static void name_parameters(tosajit_op op, int count, char *text, size_t capacity) {
    const op_key *key;
    size_t used = (size_t)snprintf(text, capacity, " and %d parameter%s", count, plural(count));
    const char *before = " (";
    for (size_t k = 0; (key = op_key_at(op, k)) != NULL; k++) {
        if (key->kind != KEY_PARAMETER || used >= capacity) continue;
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", before, key->name);
        before = ", ";
    }
    if (used + 1 < capacity) snprintf(text + used, capacity - used, ")");
}

tosajit_status tosa_check_counts(const tosa_op *op) {
    const int arity = tosajit_op_arity(op->op), parameters = tosajit_op_parameters(op->op, NULL);
    char behind[128] = "";
    if (op->op == TOSAJIT_OP_COUNT && op->operand_count > 0)
        return refuse(op, "a constant has no operands, this one has %zu", op->operand_count);
    if (parameters > 0) name_parameters(op->op, parameters, behind, sizeof behind);
    if (op->operand_count != (size_t)(arity + parameters))
        return refuse(op, "has %zu operand%s; %d expected: %d tensor%s%s", op->operand_count,
                      plural(op->operand_count), arity + parameters, arity, plural(arity), behind);
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

tosajit_status tosa_add(tosa_function *function, const tosa_op *op, tosajit_value *value) {
    tosa_step step = {
        .op = op->op, .operand_count = op->operand_count, .type = op->result, .origin = op->origin};
    tosajit_status status = tosa_check_counts(op);
    if (!status) status = read_attributes(function, op, &step.attributes);
    if (status) return status;
    memcpy(step.operands, op->operands, sizeof step.operands);
    status = repeat(op, add_step(function, &step));
    *value = step.value;
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Constants */

/* Whether a result may be declared so: as the elements' type, or less precisely, as tensor<?xf32>.
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
        .op = TOSAJIT_OP_COUNT, .type = *type, .data = elements, .origin = op->origin};
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
                        .origin = op->origin};
    status = repeat(op, add_step(function, &change));
    *value = change.value;
    return status;
}
