/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expressions: building, with every node checked when it is added. */
#include "runtime/expr/expr.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/scatter.h"
#include "runtime/expr/view_shape.h"
#include "runtime/base/options.h"
#include "runtime/base/types.h"
#include "runtime/base/words.h"
#include "tosajit/inspect.h"

static const tosajit_attributes no_attributes;

tosajit_status tosajit_expr_create(const tosajit_expr_options *options, tosajit_expr **expr) {
    if (!expr) return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_create: expr is a null pointer");
    tosajit_expr_options known;
    tosajit_status status = options_take(&known, sizeof known, options, "tosajit_expr_options");
    if (!status) status = options_check_allocator(known.allocator);
    if (status) return status;
    if ((unsigned)known.accuracy > TOSAJIT_CONTRACTED)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_create: there is no accuracy %d",
                          (int)known.accuracy);
    tosajit_allocator allocator = memory_allocator(known.allocator);
    tosajit_expr *made = memory_new(&allocator, 1, sizeof *made);
    if (!made) return diag_error(TOSAJIT_OUT_OF_MEMORY, "expr_create: out of memory");
    made->allocator = allocator;
    made->strict = known.strict != 0;
    made->fast = known.accuracy >= TOSAJIT_REPRODUCIBLE;
    made->contraction = known.accuracy == TOSAJIT_CONTRACTED;
    *expr = made;
    return TOSAJIT_OK;
}

void expr_widen(tosajit_expr *expr, tosajit_accuracy accuracy) {
    expr->fast |= accuracy >= TOSAJIT_REPRODUCIBLE;
    expr->contraction |= accuracy == TOSAJIT_CONTRACTED;
}

void tosajit_expr_destroy(tosajit_expr *expr) {
    if (!expr) return;
    tosajit_allocator allocator = expr->allocator;
    for (size_t k = 0; k < expr->count; k++)
        memory_free(&allocator, expr->nodes[k].data, expr->nodes[k].data_size, 1);
    memory_free(&allocator, expr->nodes, expr->capacity, sizeof *expr->nodes);
    memory_free(&allocator, expr->contracts, expr->contract_capacity, sizeof *expr->contracts);
    memory_free(&allocator, expr->names, expr->names_capacity, 1);
    memory_free(&allocator, expr, 1, sizeof *expr);
}

const char *expr_given_name(const tosajit_expr *expr, tosajit_value value) {
    const uint32_t at = expr->nodes[value].name;
    return at ? expr->names + at : NULL;
}

value_name expr_value_name(const tosajit_expr *expr, tosajit_value value) {
    value_name name;
    const expr_node *node = &expr->nodes[value];
    const bool input = node->kind == NODE_INPUT;
    const char *given = expr_given_name(expr, value),
               *op = node->kind == NODE_OP ? op_table[node->op].name : "const";
    char number[16];
    snprintf(number, sizeof number, "%s%d", input ? "arg" : "",
             (int)(input ? node->tensor : node->number));
    snprintf(name.text, sizeof name.text, "%%%s%s%s", given ? given : number,
             input ? "" : " = tosa.", input ? "" : op);
    return name;
}

value_name expr_value_mention(const tosajit_expr *expr, tosajit_value value) {
    const char *given = expr_given_name(expr, value);
    value_name name;
    if (!given) return expr_value_name(expr, value);
    snprintf(name.text, sizeof name.text, "%%%s", given);
    return name;
}

static bool is_name(const char *name, size_t length) {
    for (size_t k = 0; k < length; k++) {
        const char c = name[k], letter = (char)(c | 0x20);
        const bool first = (letter >= 'a' && letter <= 'z') || c == '_';
        if (!first && (k == 0 || !((c >= '0' && c <= '9') || c == '$' || c == '.'))) return false;
    }
    return length > 0 && length <= EXPR_NAME_LENGTH;
}

/* Put a name behind the others; *at says where. */
static tosajit_status keep_name(tosajit_expr *expr, const char *name, size_t length, uint32_t *at) {
    const size_t begin = expr->names_size ? expr->names_size : 1, end = begin + length + 1;
    if (end > INT32_MAX)
        return diag_error(TOSAJIT_LIMIT_EXCEEDED, "expr_name: the names take more than 2^31 bytes");
    if (!memory_grow(&expr->allocator, (void **)&expr->names, &expr->names_capacity, end, 1))
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "expr_name: out of memory");
    expr->names[0] = '\0';
    memcpy(expr->names + begin, name, length);
    expr->names[end - 1] = '\0';
    expr->names_size = end;
    *at = (uint32_t)begin;
    return TOSAJIT_OK;
}

tosajit_status tosajit_expr_name(tosajit_expr *expr, tosajit_value value, const char *name) {
    if (!expr) return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_name: expr is a null pointer");
    if (value < 0 || (size_t)value >= expr->count)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_name: %d is not a value of this expression", (int)value);
    const size_t length = name ? strlen(name) : 0;
    uint32_t at = 0;
    if (name && !is_name(name, length))
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_name: a name is a letter or _, then letters, digits, _, $ or ., "
                          "and has at most %d characters",
                          EXPR_NAME_LENGTH);
    tosajit_status status = name ? keep_name(expr, name, length, &at) : TOSAJIT_OK;
    if (!status) expr->nodes[value].name = at;
    return status;
}

/* Room for one more node: then appending it cannot fail. */
static tosajit_status make_room(tosajit_expr *expr) {
    if (expr->count >= TOSAJIT_MAX_NODES)
        return diag_error(TOSAJIT_LIMIT_EXCEEDED,
                          "an expression has at most %d inputs, constants and ops",
                          TOSAJIT_MAX_NODES);
    if (memory_grow(&expr->allocator, (void **)&expr->nodes, &expr->capacity, expr->count + 1,
                    sizeof *expr->nodes))
        return TOSAJIT_OK;
    return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for expression node %zu", expr->count);
}

tosajit_status expr_append(tosajit_expr *expr, const expr_node *node, tosajit_value *value) {
    tosajit_status status = make_room(expr);
    if (status) return status;
    expr->nodes[expr->count] = *node;
    expr->nodes[expr->count].number = (tosajit_value)expr->count;
    *value = (tosajit_value)expr->count++;
    return TOSAJIT_OK;
}

/* Inputs, non-splat constants, tables and results are the kernel's tensors; their number is
 * bounded. Whether there may be so many more. */
static tosajit_status check_tensor_limit(const tosajit_expr *expr, int32_t more) {
    if (expr->input_count + expr->constant_count + expr->result_count + expr->table_count + more <=
        TOSAJIT_MAX_TENSORS)
        return TOSAJIT_OK;
    return diag_error(
        TOSAJIT_LIMIT_EXCEEDED,
        "an expression has at most %d inputs, non-splat constants, tables and results together",
        TOSAJIT_MAX_TENSORS);
}

tosajit_status tosajit_expr_input(tosajit_expr *expr, const tosajit_tensor_type *type,
                                  tosajit_value *value) {
    if (!expr || !value)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_input: expr or value is a null pointer");
    char what[32];
    snprintf(what, sizeof what, "operand %d", (int)expr->input_count);
    tosajit_status status = type_check(type, what);
    if (!status) status = check_tensor_limit(expr, 1);
    if (status) return status;
    expr_node node = {.kind = NODE_INPUT, .type = *type, .tensor = expr->input_count};
    status = expr_append(expr, &node, value);
    if (!status) expr->input_count++;
    return status;
}

const tosajit_contract *expr_contract_of(const tosajit_expr *expr, tosajit_value input,
                                         int32_t dimension) {
    for (size_t k = 0; k < expr->contract_count; k++)
        if (expr->contracts[k].input == input && expr->contracts[k].dimension == dimension)
            return &expr->contracts[k].contract;
    return NULL;
}

static tosajit_status check_contract(const tosajit_contract *c) {
    if (c->smallest < 0 || c->largest < 0 || c->multiple < 0)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_contract: a size or multiple is negative");
    if (c->reserved[0] || c->reserved[1] || c->reserved[2])
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_contract: a reserved member is not 0; begin with "
                          "tosajit_contract c = {0}");
    int64_t multiple = c->multiple ? c->multiple : 1, largest = c->largest ? c->largest : INT64_MAX;
    if (largest - largest % multiple < c->smallest) /* the largest multiple that is allowed */
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_contract: no multiple of %" PRId64 " is in %" PRId64 "..%" PRId64,
                          multiple, c->smallest, largest);
    return TOSAJIT_OK;
}

/* Put a promise at the end, or in the place of an older one. */
static tosajit_status set_contract(tosajit_expr *expr, const expr_contract *promise) {
    for (size_t k = 0; k < expr->contract_count; k++)
        if (expr->contracts[k].input == promise->input &&
            expr->contracts[k].dimension == promise->dimension)
            return expr->contracts[k] = *promise, TOSAJIT_OK;
    if (!memory_grow(&expr->allocator, (void **)&expr->contracts, &expr->contract_capacity,
                     expr->contract_count + 1, sizeof *expr->contracts))
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a contract");
    expr->contracts[expr->contract_count++] = *promise;
    return TOSAJIT_OK;
}

tosajit_status tosajit_expr_contract(tosajit_expr *expr, tosajit_value input, int32_t dimension,
                                     const tosajit_contract *contract) {
    if (!expr || !contract)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_contract: expr or contract is a null pointer");
    if (input < 0 || (size_t)input >= expr->count || expr->nodes[input].kind != NODE_INPUT)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_contract: %d is not an input of this expression", (int)input);
    const tosajit_tensor_type *type = &expr->nodes[input].type;
    if (dimension < 0 || dimension >= type->rank || type->dims[dimension] != TOSAJIT_DYNAMIC)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_contract: %s has no dynamic dimension %d",
                          type_print(type).text, (int)dimension);
    tosajit_status status = check_contract(contract);
    return status ? status : set_contract(expr, &(expr_contract){input, dimension, *contract});
}

static bool all_equal(const char *data, size_t element, int64_t count) {
    for (int64_t k = 1; k < count; k++)
        if (memcmp(data, data + (size_t)k * element, element) != 0) return false;
    return true;
}

/* Append a constant of a checked type; data is one element if splat, else all of them. */
static tosajit_status add_constant(tosajit_expr *expr, const tosajit_tensor_type *type,
                                   const void *data, size_t size, bool splat,
                                   tosajit_value *value) {
    tosajit_status status = splat ? TOSAJIT_OK : check_tensor_limit(expr, 1);
    if (status) return status;
    expr_node node = {
        .kind = NODE_CONSTANT, .type = *type, .tensor = -1, .splat = splat, .data_size = size};
    node.data = memory_new(&expr->allocator, size, 1);
    if (!node.data)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a constant of %zu bytes", size);
    memcpy(node.data, data, size);
    status = expr_append(expr, &node, value);
    if (status)
        memory_free(&expr->allocator, node.data, size, 1);
    else if (!splat)
        expr->constant_count++;
    return status;
}

/* The type of a constant, and how many elements and bytes it has. */
static tosajit_status check_constant_type(const tosajit_tensor_type *type, int64_t *count,
                                          int64_t *bytes) {
    tosajit_status status = type_check(type, "constant");
    if (status) return status;
    if (type->rank == TOSAJIT_UNRANKED)
        return diag_error(TOSAJIT_UNRANKED_SHAPE, "a constant has a rank");
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] == TOSAJIT_DYNAMIC)
            return diag_error(TOSAJIT_SHAPE_MISMATCH,
                              "constant dimension %d: the size of a constant is static", (int)d);
    if (size_count(type->rank, type->dims, count) &&
        size_multiply(*count, (int64_t)tosajit_type_size(type->element), bytes))
        return TOSAJIT_OK;
    return diag_error(TOSAJIT_OVERFLOW, "a constant %s has more than 2^63 - 1 bytes",
                      type_print(type).text);
}

tosajit_status tosajit_expr_constant(tosajit_expr *expr, const tosajit_tensor_type *type,
                                     const void *data, tosajit_value *value) {
    if (!expr || !value || !data)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_constant: expr, data or value is a null pointer");
    int64_t count, bytes;
    tosajit_status status = check_constant_type(type, &count, &bytes);
    if (status) return status;
    size_t element = tosajit_type_size(type->element);
    bool splat = all_equal(data, element, count);
    return add_constant(expr, type, data, splat ? element : (size_t)bytes, splat, value);
}

tosajit_status expr_constant_bytes(tosajit_expr *expr, const tosajit_tensor_type *type,
                                   const void *data, size_t size, bool splat,
                                   tosajit_value *value) {
    int64_t count, bytes;
    tosajit_status status = check_constant_type(type, &count, &bytes);
    if (status) return status;
    size_t expected = splat ? tosajit_type_size(type->element) : (size_t)bytes;
    if (size != expected)
        return diag_error(TOSAJIT_BAD_IMAGE, "a constant %s has %zu bytes, not %zu",
                          type_print(type).text, expected, size);
    return add_constant(expr, type, data, size, splat, value);
}

operand_role expr_role(const expr_node *node, int operand) {
    const op_row *row = &op_table[node->op];
    int parameter = operand - row->arity;
    if (parameter < 0) return op_has_index(node->op) && operand == 0 ? ROLE_GATHERED : ROLE_DATA;
    if (row->attributes & ATTRIBUTE_TABLE) return ROLE_TABLE;
    bool of_channel = node->attributes.per_channel &&
                      (parameter == PARAMETER_MULTIPLIER || parameter == PARAMETER_SHIFT);
    return of_channel ? ROLE_CHANNEL : ROLE_PARAMETER;
}

static tosajit_status check_op(tosajit_op op, size_t operand_count) {
    if (!op_is_valid(op)) return diag_error(TOSAJIT_INVALID_ARGUMENT, "%d is not an op", (int)op);
    int arity = op_table[op].arity, required, parameters = tosajit_op_parameters(op, &required);
    if (operand_count == (size_t)(arity + parameters) ||
        (!required && operand_count == (size_t)arity))
        return TOSAJIT_OK;
    if (parameters)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "tosa.%s takes %d operand%s and %d parameter%s%s, not %zu values",
                          op_table[op].name, arity, plural(arity), parameters, plural(parameters),
                          required ? "" : " or none", operand_count);
    return diag_error(TOSAJIT_INVALID_ARGUMENT, "tosa.%s takes %d operand%s, not %zu",
                      op_table[op].name, arity, plural(arity), operand_count);
}

/* An op with the types of its operands, before it is a node. */
typedef struct op_use {
    tosajit_op op;
    const tosajit_tensor_type *operands;
    int operand_count;
    const tosajit_attributes *attributes;
    const tosajit_tensor_type *declared; /* or null */
    bool strict, maps_bytes;
} op_use;

/* The number of elements that a parameter must have; TOSAJIT_DYNAMIC if that is open. */
static int64_t expected_count(const op_parameter *p, const tosajit_tensor_type *operand) {
    if (p->count) return p->count;
    return operand->rank > 0 ? operand->dims[operand->rank - 1] : TOSAJIT_DYNAMIC;
}

static tosajit_status check_parameter_type(const op_use *use, int k, tosajit_type result) {
    const tosajit_tensor_type *operand = &use->operands[0],
                              *type = &use->operands[op_table[use->op].arity + k];
    op_parameter p = op_describe_parameter(use->op, k, operand->element, result, use->attributes);
    if (type->element != p.element)
        return diag_error(TOSAJIT_TYPE_MISMATCH, "%s has elements of %s, not of %s", p.name,
                          type_print(type).text, tosajit_type_name(p.element));
    if (p.count == 0 && operand->rank == 0)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE, "per_channel needs an operand with a dimension");
    if (type->rank == TOSAJIT_UNRANKED) return TOSAJIT_OK;
    int64_t expected = expected_count(&p, operand);
    bool fits = type->rank == 1 && (type->dims[0] == expected || type->dims[0] == TOSAJIT_DYNAMIC ||
                                    expected == TOSAJIT_DYNAMIC);
    if (fits) return TOSAJIT_OK;
    if (expected == TOSAJIT_DYNAMIC)
        return diag_error(TOSAJIT_SHAPE_MISMATCH, "%s is %s, but a parameter has rank 1", p.name,
                          type_print(type).text);
    return diag_error(TOSAJIT_SHAPE_MISMATCH,
                      "%s is %s, but must have rank 1 and %" PRId64 " element%s", p.name,
                      type_print(type).text, expected, plural(expected));
}

/* A parameter must not be given twice. */
static tosajit_status check_parameters_once(const op_use *use) {
    const tosajit_attributes *a = use->attributes;
    bool has_parameters = use->operand_count > op_table[use->op].arity;
    if (!has_parameters || !(a->shift || a->input_zp || a->output_zp)) return TOSAJIT_OK;
    return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                      "%s is given as attribute and as parameter; leave the attribute 0",
                      a->shift ? "shift" : "a zero point");
}

/* A reduction's result must be declared with its axes, of size 1; also where the operand's rank
 * is not known. */
static tosajit_status check_reduced(const op_use *use) {
    const int64_t last = use->attributes->axis + use->attributes->joined;
    const tosajit_tensor_type *result = use->declared;
    if (!result || result->rank < 0 || type_check(result, "result")) return TOSAJIT_OK;
    if (last >= result->rank)
        return diag_result(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                      "axis %" PRId64
                                      " is no dimension of the result, declared %s of rank %d",
                                      last, type_print(result).text, (int)result->rank),
                           0, -1, result->rank, DIAG_NONE);
    for (int64_t axis = use->attributes->axis; axis <= last; axis++)
        if (result->dims[axis] != 1 && result->dims[axis] != TOSAJIT_DYNAMIC)
            return diag_result(
                diag_error(TOSAJIT_SHAPE_MISMATCH,
                           "result dimension %" PRId64 ": declared %s, but axis %" PRId64
                           " of operand 0, %s, is reduced to size 1",
                           axis, type_print(result).text, axis, type_print(&use->operands[0]).text),
                0, axis, result->dims[axis], 1);
    return TOSAJIT_OK;
}

static tosajit_status check_joined(const op_use *use) {
    const int64_t joined = use->attributes->joined;
    if (joined < 0 || joined >= TOSAJIT_MAX_RANK)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                          "%" PRId64 " joined dimensions are not legal, only 0 to %d", joined,
                          TOSAJIT_MAX_RANK - 1);
    if (joined == 0 || !use->strict) return TOSAJIT_OK;
    return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                      "a reduction of several dimensions at once is an extension of TOSA, which a "
                      "strict expression cannot have; reduce them one after the other");
}

/* The shape of a reduction's result: the operand's, but for the axes. An index has the operand's.
 */
static tosajit_status reduce_shape(const op_use *use, tosajit_tensor_type *inferred) {
    const int32_t rank = inferred->rank, most = rank == TOSAJIT_UNRANKED ? TOSAJIT_MAX_RANK : rank;
    const type_text operand = type_print(&use->operands[0]);
    tosajit_status status = check_joined(use);
    if (status) return status;
    const int64_t first = use->attributes->axis, more = use->attributes->joined,
                  last = first < 0 || first >= most ? first : first + more;
    const bool fits = last >= 0 && last < most;
    if (rank == TOSAJIT_UNRANKED && !fits)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                          "axis %" PRId64 " is no dimension of operand 0, %s, nor of any tensor, "
                          "which has at most %d",
                          last, operand.text, TOSAJIT_MAX_RANK);
    if (!fits)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                          "axis %" PRId64 " is no dimension of operand 0, %s of rank %d", last,
                          operand.text, (int)rank);
    if (rank == TOSAJIT_UNRANKED) return op_reduces(use->op) ? check_reduced(use) : TOSAJIT_OK;
    if (!op_reduces(use->op)) return TOSAJIT_OK;
    for (int64_t axis = first; axis <= last; axis++) inferred->dims[axis] = 1;
    return use->declared && use->declared->rank == rank ? check_reduced(use) : TOSAJIT_OK;
}

static tosajit_status check_index_mode(const op_use *use) {
    if (!use->strict || !use->attributes->index_mode) return TOSAJIT_OK;
    return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                      "indices that TOSA refuses are an extension, which a strict expression "
                      "cannot have; index_mode must be STRICT");
}

/* The shape of what is gathered: that of the index, and of the values but for their first
 * dimension.
 */
static tosajit_status gather_shape(const op_use *use, tosajit_tensor_type *inferred) {
    tosajit_tensor_type both[] = {use->operands[0], use->operands[1]};
    tosajit_status status = type_check_operands(both, 2);
    if (!status) status = check_index_mode(use);
    if (status) return status;
    if (both[0].rank == 0)
        return diag_operand(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                       "operand 0, %s, has no dimension that could be indexed",
                                       type_print(&both[0]).text),
                            0, -1, 0, DIAG_NONE);
    if (both[0].rank > 0) {
        both[0].rank--;
        memmove(both[0].dims, both[0].dims + 1, (size_t)both[0].rank * sizeof *both[0].dims);
    }
    status = tosajit_infer_shape(both, 2, use->strict, inferred);
    return diag_prefix(status, "without its first dimension, which is indexed, operand 0 is %s: ",
                       type_print(&both[0]).text);
}

/* The shape of what is scattered into. The first dimensions of index and updates are their own:
 * they broadcast with each other, and are none of the result's. */
static tosajit_status scatter_shape(const op_use *use, tosajit_tensor_type *inferred) {
    tosajit_tensor_type all[] = {use->operands[0], use->operands[1], use->operands[2]}, updates;
    tosajit_status status = type_check_operands(all, 3);
    if (!status) status = check_index_mode(use);
    for (int o = 0; !status && o < 3; o++) {
        if (all[o].rank == TOSAJIT_UNRANKED)
            return diag_error(TOSAJIT_UNRANKED_SHAPE, "operand %d has no rank", o);
        if (all[o].rank == 0)
            return diag_operand(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                           "operand %d, %s, has no dimension that could be indexed",
                                           o, type_print(&all[o]).text),
                                o, -1, 0, DIAG_NONE);
        if (all[o].rank != all[0].rank)
            return diag_operand(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                           "operand %d, %s, must have as many dimensions as "
                                           "operand 0, %s%s",
                                           o, type_print(&all[o]).text, type_print(&all[0]).text,
                                           o == SCATTER_INDEX && all[o].rank + 1 == all[0].rank
                                               ? "; in texts i[:, None] has one more"
                                               : ""),
                                o, -1, all[o].rank, all[0].rank);
    }
    if (!status) status = tosajit_infer_shape(all + 1, 2, use->strict, &updates);
    const int64_t count = status ? 0 : all[0].dims[0];
    for (int o = 0; o < 3 && !status; o++) all[o].dims[0] = 1;
    if (!status) status = tosajit_infer_shape(all, 3, use->strict, inferred);
    if (!status) inferred->dims[0] = count;
    return status;
}

/* The type of an op's result from the types of its operands, and the legality of everything; the
 * one place that decides. */
static tosajit_status infer(const op_use *use, tosajit_tensor_type *inferred) {
    int arity = op_table[use->op].arity;
    tosajit_type elements[TOSAJIT_MAX_ARITY];
    for (int k = 0; k < arity; k++) elements[k] = use->operands[k].element;
    tosajit_type element = use->declared ? use->declared->element : TOSAJIT_TYPE_COUNT;
    if (!use->declared && op_needs_result(use->op))
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "the result's element type, to convert to, must be given");
    if (!use->declared && !op_result_element(use->op, elements, &element))
        element = elements[op_leading(use->op)];
    tosajit_status status = TOSAJIT_OK;
    if (!use->maps_bytes || !op_maps_bytes(use->op, elements[0], element))
        status = op_check_elements(use->op, elements, element, use->strict);
    if (!status) status = op_check_attributes(use->op, elements[0], element, use->attributes);
    const bool views = op_views(use->op);
    if (!status && views) status = type_check_operands(use->operands, (size_t)arity);
    if (!status && views)
        status = view_infer(use->op, &use->operands[0], use->attributes, inferred);
    else if (!status && op_gathers(use->op))
        status = gather_shape(use, inferred);
    else if (!status && op_scatters(use->op))
        status = scatter_shape(use, inferred);
    else if (!status)
        status = tosajit_infer_shape(use->operands, (size_t)arity, use->strict, inferred);
    if (!status && op_is_along(use->op)) status = reduce_shape(use, inferred);
    if (!status) status = check_parameters_once(use);
    for (int k = 0; !status && k < use->operand_count - arity; k++)
        status = check_parameter_type(use, k, element);
    if (status) return status;
    inferred->element = element;
    status = type_check_size(element, inferred->rank, inferred->dims, "result");
    if (status) return status;
    return use->declared ? tosajit_verify_result(inferred, use->declared, use->strict) : TOSAJIT_OK;
}

/* The values of constant parameters; a table must be at hand as a whole. */
static tosajit_status check_parameter_values(const tosajit_expr *expr, const expr_node *node) {
    int arity = op_table[node->op].arity;
    tosajit_type operand = expr->nodes[node->operands[0]].type.element;
    for (int k = 0; k < node->operand_count - arity; k++) {
        const expr_node *value = &expr->nodes[node->operands[arity + k]];
        op_parameter p =
            op_describe_parameter(node->op, k, operand, node->type.element, &node->attributes);
        /* Its elements exist one by one. */
        if (value->kind == NODE_OP && expr_role(node, arity + k) == ROLE_TABLE)
            return diag_error(TOSAJIT_INVALID_ARGUMENT,
                              "%s must be an input or a constant, not the result of tosa.%s",
                              p.name, op_table[value->op].name);
        int64_t count = value->kind == NODE_CONSTANT && !value->splat ? value->type.dims[0] : 1;
        tosajit_status status =
            value->kind == NODE_CONSTANT ? op_check_parameter(&p, value->data, count) : TOSAJIT_OK;
        if (status) return status;
    }
    return TOSAJIT_OK;
}

/* A table is read at any index, as the values of gather are. So are its index and what is scanned
 * read from memory: a constant of equal elements is needed in full length. */
static tosajit_status expand_constant(tosajit_expr *expr, expr_node *node) {
    int64_t count, bytes;
    tosajit_status status = check_constant_type(&node->type, &count, &bytes);
    if (status) return status;
    const size_t element = node->data_size, size = (size_t)bytes;
    char *data = memory_new(&expr->allocator, size, 1);
    if (!data)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a table of %zu bytes", size);
    for (size_t at = 0; at < size; at += element) memcpy(data + at, node->data, element);
    memory_free(&expr->allocator, node->data, node->data_size, 1);
    node->data = data;
    node->data_size = size;
    node->splat = false;
    expr->constant_count++;
    return TOSAJIT_OK;
}

/* Count a value that becomes a table. What may fail comes first. */
static tosajit_status note_table(tosajit_expr *expr, const expr_node *op) {
    expr_node *node = &expr->nodes[op->operands[op->operand_count - 1]];
    if (op_table[op->op].signature != SIGNATURE_LOOKUP || node->table) return TOSAJIT_OK;
    const bool expands = node->kind == NODE_CONSTANT && node->splat;
    tosajit_status status = check_tensor_limit(expr, expands ? 2 : 1); /* a constant, and a table */
    if (!status && expands) status = expand_constant(expr, node);
    if (status) return status;
    node->table = true;
    expr->table_count++;
    return TOSAJIT_OK;
}

static bool is_splat(const expr_node *node) { return node->kind == NODE_CONSTANT && node->splat; }

/* Gather, scatter and scans read memory. What gather indexes is no node's result: a node may be
 * computed after gather reads. Scatter takes a number for base and updates. */
static tosajit_status note_read(tosajit_expr *expr, const expr_node *op) {
    tosajit_status status = TOSAJIT_OK;
    if (!op_has_index(op->op) && !op_scans(op->op)) return status;
    const expr_node *values = &expr->nodes[op->operands[0]];
    if (op_gathers(op->op) && values->kind == NODE_OP && !op_views(values->op))
        return diag_operand(diag_error(TOSAJIT_INVALID_ARGUMENT,
                                       "operand 0 must be an input or a constant, or a view of "
                                       "one, not the result of tosa.%s; make that a result, and "
                                       "gather from it in another kernel",
                                       op_table[values->op].name),
                            0, -1, DIAG_NONE, DIAG_NONE);
    for (int o = 0; !status && o < op->operand_count; o++) {
        expr_node *node = &expr->nodes[op->operands[o]];
        if (!is_splat(node) || (op_scatters(op->op) && o != SCATTER_INDEX)) continue;
        status = check_tensor_limit(expr, 1);
        if (!status) status = expand_constant(expr, node);
    }
    return status;
}

/* Count an index among the tensors. */
static tosajit_status note_index(tosajit_expr *expr, const expr_node *op) {
    if (!node_is_index(op)) return TOSAJIT_OK;
    tosajit_status status = check_tensor_limit(expr, 1);
    if (!status) expr->constant_count++;
    return status;
}

/* The list that a view takes becomes the node's own. */
static tosajit_status keep_numbers(tosajit_expr *expr, expr_node *node) {
    const size_t count = node->attributes.number_count;
    if (!count) return TOSAJIT_OK;
    node->data_size = count * sizeof(int64_t);
    node->data = memory_new(&expr->allocator, node->data_size, 1);
    if (!node->data)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a list of %zu numbers", count);
    node->attributes.numbers = memcpy(node->data, node->attributes.numbers, node->data_size);
    return TOSAJIT_OK;
}

tosajit_status tosajit_expr_op(tosajit_expr *expr, tosajit_op op, const tosajit_value *operands,
                               size_t operand_count, const tosajit_attributes *attributes,
                               const tosajit_tensor_type *result, tosajit_value *value) {
    if (!expr || !operands || !value)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_op: expr, operands or value is a null pointer");
    tosajit_status status = check_op(op, operand_count);
    if (status) return status;
    expr_node node = {.kind = NODE_OP, .op = op, .tensor = -1, .operand_count = (int)operand_count};
    node.attributes = attributes ? *attributes : no_attributes;
    tosajit_tensor_type types[TOSAJIT_MAX_OPERANDS];
    for (size_t k = 0; k < operand_count; k++) {
        if (operands[k] < 0 || (size_t)operands[k] >= expr->count)
            return diag_error(TOSAJIT_INVALID_ARGUMENT,
                              "tosa.%s operand %zu: %d is not a value of this expression",
                              op_table[op].name, k, (int)operands[k]);
        node.operands[k] = operands[k];
        types[k] = expr->nodes[operands[k]].type;
    }
    op_use use = {op,     types,        node.operand_count, &node.attributes,
                  result, expr->strict, expr->maps_bytes};
    status = infer(&use, &node.type);
    if (!status) status = check_parameter_values(expr, &node);
    if (!status) status = make_room(expr);
    if (!status) status = keep_numbers(expr, &node);
    if (!status) status = note_index(expr, &node);
    if (!status) status = note_read(expr, &node);
    if (!status) status = note_table(expr, &node); /* the last that may fail: it changes a node */
    if (status)
        return diag_op(diag_prefix(status, "%%%zu = tosa.%s: ", expr->count, op_table[op].name),
                       op);
    if (result && result->rank != TOSAJIT_UNRANKED) node.type = *result;
    return expr_append(expr, &node, value);
}

tosajit_status tosajit_expr_result(tosajit_expr *expr, tosajit_value value) {
    if (!expr) return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_result: expr is a null pointer");
    if (value < 0 || (size_t)value >= expr->count)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_result: %d is not a value of this expression", (int)value);
    tosajit_status status = check_tensor_limit(expr, 1);
    if (!status) expr->results[expr->result_count++] = value;
    return status;
}

tosajit_status tosajit_expr_type(const tosajit_expr *expr, tosajit_value value,
                                 tosajit_tensor_type *type) {
    if (!expr || !type)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_type: expr or type is a null pointer");
    if (value < 0 || (size_t)value >= expr->count)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_type: %d is not a value of this expression", (int)value);
    *type = expr->nodes[value].type;
    return TOSAJIT_OK;
}

tosajit_status tosajit_verify(tosajit_op op, const tosajit_tensor_type *operands,
                              size_t operand_count, const tosajit_attributes *attributes,
                              const tosajit_tensor_type *result, int strict,
                              tosajit_tensor_type *inferred) {
    if (!operands)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "verify: operands is a null pointer");
    tosajit_tensor_type shape;
    tosajit_status status = check_op(op, operand_count);
    if (status) return status;
    op_use use = {
        op,          operands, (int)operand_count, attributes ? attributes : &no_attributes, result,
        strict != 0, false};
    status = infer(&use, &shape);
    if (status) return diag_op(diag_prefix(status, "tosa.%s: ", op_table[op].name), op);
    if (inferred) *inferred = shape;
    return TOSAJIT_OK;
}

/* Mark what the results reach; operands come before their users, so one pass backwards suffices.
 * Gives how many nodes that are. */
static size_t mark_live(const tosajit_expr *expr, uint8_t *live) {
    size_t count = 0;
    for (int32_t r = 0; r < expr->result_count; r++) live[expr->results[r]] = 1;
    for (size_t k = expr->count; k-- > 0;) {
        const expr_node *node = &expr->nodes[k];
        if (node->kind == NODE_INPUT) live[k] = 1;
        count += live[k];
        for (int o = 0; live[k] && o < node->operand_count; o++) live[node->operands[o]] = 1;
    }
    return count;
}

/* True if a node is a tensor that no caller gives. */
static bool is_held(const expr_node *node) {
    return (node->kind == NODE_CONSTANT && !node->splat) || node_is_index(node);
}

/* A live node, whose operands are renumbered by moved[], is appended with its data; `moved` becomes
 * where it is now. On failure nobody has the data any more. */
static tosajit_status move_node(tosajit_expr *program, expr_node node, tosajit_value *moved,
                                expr_rewrite *rewrite, void *context, bool *changed, size_t k) {
    const size_t first = program->count;
    tosajit_status status = TOSAJIT_OK;
    for (int o = 0; o < node.operand_count; o++) node.operands[o] = moved[node.operands[o]];
    if (node.kind == NODE_OP && rewrite)
        status = rewrite(context, program, &node, (tosajit_value)k, changed);
    if (!status) status = expr_append(program, &node, &moved[k]);
    if (status) memory_free(&program->allocator, node.data, node.data_size, 1);
    for (size_t n = first; n < program->count; n++) program->nodes[n].number = node.number;
    program->constant_count += is_held(&node);
    program->table_count += node.table;
    return status;
}

/* Inputs are numbered first, so that a kernel's operands keep their positions. */
static void number_constants(tosajit_expr *program) {
    int32_t next = program->input_count;
    for (size_t k = 0; k < program->count; k++)
        if (is_held(&program->nodes[k])) program->nodes[k].tensor = next++;
}

/* All live nodes; the array of before goes. */
static tosajit_status move_nodes(tosajit_expr *program, const uint8_t *live, tosajit_value *moved,
                                 expr_rewrite *rewrite, void *context, bool *changed) {
    const size_t count = program->count, capacity = program->capacity;
    expr_node *nodes = program->nodes;
    tosajit_status status = TOSAJIT_OK;
    program->nodes = NULL;
    program->count = program->capacity = 0;
    program->constant_count = program->table_count = 0;
    if (!memory_grow(&program->allocator, (void **)&program->nodes, &program->capacity, count,
                     sizeof *nodes))
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu expression nodes", count);
    for (size_t k = 0; k < count; k++)
        if (!status && live[k])
            status = move_node(program, nodes[k], moved, rewrite, context, changed, k);
        else
            memory_free(&program->allocator, nodes[k].data, nodes[k].data_size, 1);
    for (size_t k = 0; !status && k < program->contract_count; k++)
        program->contracts[k].input = moved[program->contracts[k].input];
    for (int32_t r = 0; !status && r < program->result_count; r++)
        program->results[r] = moved[program->results[r]];
    memory_free(&program->allocator, nodes, capacity, sizeof *nodes);
    return status;
}

tosajit_status expr_sweep(tosajit_expr *program, expr_rewrite *rewrite, void *context,
                          bool *changed) {
    const tosajit_allocator *allocator = &program->allocator;
    const size_t count = program->count;
    uint8_t *live = memory_new(allocator, count, 1);
    tosajit_value *moved = memory_new(allocator, count, sizeof *moved);
    tosajit_status status = TOSAJIT_OK;
    if (!live || !moved)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu expression nodes", count);
    else if (mark_live(program, live) < count || rewrite)
        status = move_nodes(program, live, moved, rewrite, context, changed);
    memory_free(allocator, live, count, 1);
    memory_free(allocator, moved, count, sizeof *moved);
    number_constants(program);
    return status;
}

/* All nodes, with data of their own. */
static tosajit_status copy_nodes(const tosajit_expr *expr, tosajit_expr *made) {
    if (!memory_grow(&made->allocator, (void **)&made->nodes, &made->capacity, expr->count,
                     sizeof *made->nodes))
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu expression nodes",
                          expr->count);
    for (; made->count < expr->count; made->count++) {
        expr_node *node = &made->nodes[made->count];
        *node = expr->nodes[made->count];
        if (!node->data) continue;
        node->data = memory_new(&made->allocator, node->data_size, 1);
        if (!node->data)
            return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a constant of %zu bytes",
                              node->data_size);
        memcpy(node->data, expr->nodes[made->count].data, node->data_size);
        if (node->kind == NODE_OP) node->attributes.numbers = node->data;
    }
    return TOSAJIT_OK;
}

tosajit_status expr_compact(const tosajit_expr *expr, const tosajit_allocator *allocator,
                            tosajit_expr **program) {
    tosajit_expr_options options = {sizeof options, allocator, expr->strict, expr_accuracy(expr)};
    tosajit_expr *made = NULL;
    tosajit_status status = tosajit_expr_create(&options, &made);
    if (status) return status;
    made->maps_bytes = expr->maps_bytes;
    made->input_count = expr->input_count;
    made->constant_count = expr->constant_count;
    made->table_count = expr->table_count;
    made->result_count = expr->result_count;
    memcpy(made->results, expr->results, (size_t)expr->result_count * sizeof *expr->results);
    made->names_size = made->names_capacity = expr->names_size;
    if (expr->names_size) made->names = memory_new(allocator, expr->names_size, 1);
    if (made->names) memcpy(made->names, expr->names, expr->names_size);
    if (expr->names_size && !made->names)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the names of an expression");
    for (size_t k = 0; !status && k < expr->contract_count; k++)
        status = set_contract(made, &expr->contracts[k]);
    if (!status) status = copy_nodes(expr, made);
    if (!status) status = expr_sweep(made, NULL, NULL, NULL);
    if (status)
        tosajit_expr_destroy(made);
    else
        *program = made;
    return status;
}
