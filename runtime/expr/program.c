/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs as bytes. Written field by field: structs have bytes between their members that nobody
 * set. */
#include "runtime/expr/program.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/expr/ops.h"
#include "runtime/base/types.h"

/* Writing. */

static void put_type(byte_writer *w, const tosajit_tensor_type *type) {
    bytes_put_number(w, type->element);
    bytes_put_number(w, type->rank);
    if (type->rank > 0) bytes_put(w, type->dims, (size_t)type->rank * sizeof *type->dims);
}

static void put_op(byte_writer *w, const expr_node *node) {
    const tosajit_attributes *a = &node->attributes;
    const int64_t numbers[] = {a->min_val.i,       a->max_val.i, a->nan_mode,
                               a->shift,           a->input_zp,  a->output_zp,
                               a->rounding_mode,   a->round,     a->input_unsigned,
                               a->output_unsigned, a->scale32,   a->per_channel};
    bytes_put_number(w, node->op);
    bytes_put_number(w, node->operand_count);
    for (int o = 0; o < node->operand_count; o++) bytes_put_number(w, node->operands[o]);
    bytes_put(w, numbers, sizeof numbers);
    if (op_table[node->op].attributes & ATTRIBUTE_AXIS) bytes_put_number(w, a->axis);
    if (op_is_along(node->op)) bytes_put_number(w, a->joined);
    if (op_has_index(node->op)) bytes_put_number(w, a->index_mode);
    if (op_scans(node->op)) bytes_put_number(w, a->exclusive + 2 * a->reverse);
    if (op_table[node->op].attributes & ATTRIBUTE_LIST) {
        bytes_put_number(w, (int64_t)a->number_count);
        bytes_put(w, a->numbers, a->number_count * sizeof *a->numbers);
    }
}

enum { NAMED = 4, MERGED = 8 }; /* beside a node's kind. NAMED: its name follows */

static void put_name(byte_writer *w, const char *name) {
    bytes_put_number(w, (int64_t)strlen(name));
    bytes_put(w, name, strlen(name));
    bytes_align(w, sizeof(int64_t));
}

void program_write_node(const expr_node *node, const char *name, byte_writer *w) {
    bytes_put_number(w, (int64_t)node->kind + (name ? NAMED : 0) + (node->merged ? MERGED : 0));
    put_type(w, &node->type);
    if (name) put_name(w, name);
    if (node->kind == NODE_OP) put_op(w, node);
    if (node->kind != NODE_CONSTANT) return;
    bytes_put_number(w, node->splat);
    bytes_put_number(w, (int64_t)node->data_size);
    bytes_put(w, node->data, node->data_size);
    bytes_align(w, sizeof(int64_t));
}

void program_write(const tosajit_expr *expr, byte_writer *w) {
    bytes_put_number(w, expr->strict);
    bytes_put_number(w, expr_accuracy(expr));
    bytes_put_number(w, (int64_t)expr->count);
    bytes_put_number(w, (int64_t)expr->contract_count);
    bytes_put_number(w, expr->result_count);
    for (size_t k = 0; k < expr->count; k++)
        program_write_node(&expr->nodes[k], expr_given_name(expr, (tosajit_value)k), w);
    for (size_t k = 0; k < expr->contract_count; k++) {
        const expr_contract *p = &expr->contracts[k];
        const int64_t numbers[] = {p->input, p->dimension, p->contract.smallest,
                                   p->contract.largest, p->contract.multiple};
        bytes_put(w, numbers, sizeof numbers);
    }
    for (int32_t k = 0; k < expr->result_count; k++) bytes_put_number(w, expr->results[k]);
}

/* Reading. */

static tosajit_status damaged_program(void) {
    return diag_error(TOSAJIT_BAD_IMAGE, "the program of a kernel image is damaged");
}

static int32_t take_index(byte_reader *r) {
    return (int32_t)bytes_take_number(r, INT32_MIN, INT32_MAX);
}

static void take_type(byte_reader *r, tosajit_tensor_type *type) {
    *type = (tosajit_tensor_type){0};
    type->element = (tosajit_type)bytes_take_number(r, 0, TOSAJIT_TYPE_COUNT - 1);
    type->rank = (int32_t)bytes_take_number(r, TOSAJIT_UNRANKED, TOSAJIT_MAX_RANK);
    for (int32_t d = 0; d < type->rank; d++)
        type->dims[d] = bytes_take_number(r, INT64_MIN, INT64_MAX);
}

static void take_attributes(byte_reader *r, tosajit_attributes *a) {
    *a = (tosajit_attributes){0};
    a->min_val.i = bytes_take_number(r, INT64_MIN, INT64_MAX);
    a->max_val.i = bytes_take_number(r, INT64_MIN, INT64_MAX);
    a->nan_mode = (tosajit_nan_mode)bytes_take_number(r, 0, TOSAJIT_NAN_IGNORE);
    a->shift = take_index(r);
    a->input_zp = bytes_take_number(r, INT64_MIN, INT64_MAX);
    a->output_zp = bytes_take_number(r, INT64_MIN, INT64_MAX);
    a->rounding_mode = (tosajit_rounding_mode)bytes_take_number(r, 0, TOSAJIT_DOUBLE_ROUND);
    a->round = (uint8_t)bytes_take_number(r, 0, UINT8_MAX);
    a->input_unsigned = (uint8_t)bytes_take_number(r, 0, UINT8_MAX);
    a->output_unsigned = (uint8_t)bytes_take_number(r, 0, UINT8_MAX);
    a->scale32 = (uint8_t)bytes_take_number(r, 0, UINT8_MAX);
    a->per_channel = (uint8_t)bytes_take_number(r, 0, UINT8_MAX);
}

static tosajit_status take_op(byte_reader *r, tosajit_expr *expr, const tosajit_tensor_type *type) {
    tosajit_value operands[TOSAJIT_MAX_OPERANDS] = {0}, value;
    tosajit_attributes attributes;
    int64_t numbers[3 * TOSAJIT_MAX_RANK];
    tosajit_op op = (tosajit_op)bytes_take_number(r, 0, TOSAJIT_OP_COUNT - 1);
    int count = (int)bytes_take_number(r, 0, TOSAJIT_MAX_OPERANDS);
    for (int o = 0; o < count; o++) operands[o] = take_index(r);
    take_attributes(r, &attributes);
    if (op_table[op].attributes & ATTRIBUTE_AXIS)
        attributes.axis = bytes_take_number(r, 0, TOSAJIT_MAX_RANK - 1);
    if (op_is_along(op)) attributes.joined = (int32_t)bytes_take_number(r, 0, TOSAJIT_MAX_RANK - 1);
    if (op_has_index(op))
        attributes.index_mode =
            (tosajit_index_mode)bytes_take_number(r, TOSAJIT_INDEX_STRICT, TOSAJIT_INDEX_WRAP);
    if (op_scans(op)) {
        const int64_t form = bytes_take_number(r, 0, 3);
        attributes.exclusive = (uint8_t)(form & 1);
        attributes.reverse = (uint8_t)(form >> 1);
    }
    if (op_table[op].attributes & ATTRIBUTE_LIST) {
        attributes.number_count = (size_t)bytes_take_number(r, 0, 3 * TOSAJIT_MAX_RANK);
        for (size_t k = 0; k < attributes.number_count; k++)
            numbers[k] = bytes_take_number(r, INT64_MIN, INT64_MAX);
        attributes.numbers = numbers;
    }
    return r->failed
               ? damaged_program()
               : tosajit_expr_op(expr, op, operands, (size_t)count, &attributes, type, &value);
}

static tosajit_status take_constant(byte_reader *r, tosajit_expr *expr,
                                    const tosajit_tensor_type *type) {
    tosajit_value value;
    bool splat = bytes_take_number(r, 0, 1) != 0;
    uint64_t size = (uint64_t)bytes_take_number(r, 0, INT64_MAX);
    const void *data = bytes_take(r, size);
    bytes_take(r, -size % sizeof(int64_t)); /* padding */
    return r->failed ? damaged_program()
                     : expr_constant_bytes(expr, type, data, (size_t)size, splat, &value);
}

static void take_name(byte_reader *r, char name[EXPR_NAME_LENGTH + 1]) {
    const size_t length = (size_t)bytes_take_number(r, 1, EXPR_NAME_LENGTH);
    const char *bytes = bytes_take(r, length);
    bytes_take(r, -length % sizeof(int64_t)); /* padding */
    if (!r->failed) memcpy(name, bytes, length);
}

static tosajit_status take_node(byte_reader *r, tosajit_expr *expr) {
    tosajit_tensor_type type;
    tosajit_value value;
    char name[EXPR_NAME_LENGTH + 1] = "";
    tosajit_status status;
    const int64_t number = bytes_take_number(r, NODE_INPUT, NODE_OP + NAMED + MERGED);
    const node_kind kind = (node_kind)(number % NAMED);
    take_type(r, &type);
    if (number & NAMED) take_name(r, name);
    if (r->failed || kind > NODE_OP) return damaged_program();
    if (kind == NODE_INPUT)
        status = tosajit_expr_input(expr, &type, &value);
    else
        status = kind == NODE_CONSTANT ? take_constant(r, expr, &type) : take_op(r, expr, &type);
    if (!status) expr->nodes[expr->count - 1].merged = number & MERGED;
    if (status || !(number & NAMED)) return status;
    status = tosajit_expr_name(expr, (tosajit_value)expr->count - 1, name);
    return status == TOSAJIT_INVALID_ARGUMENT ? damaged_program() : status;
}

static tosajit_status take_contract(byte_reader *r, tosajit_expr *expr) {
    tosajit_value input = take_index(r);
    int32_t dimension = take_index(r);
    tosajit_contract c = {0};
    c.smallest = bytes_take_number(r, INT64_MIN, INT64_MAX);
    c.largest = bytes_take_number(r, INT64_MIN, INT64_MAX);
    c.multiple = bytes_take_number(r, INT64_MIN, INT64_MAX);
    return r->failed ? damaged_program() : tosajit_expr_contract(expr, input, dimension, &c);
}

tosajit_status program_read(byte_reader *r, const tosajit_allocator *allocator,
                            tosajit_expr **expr) {
    tosajit_expr_options options = {.size = sizeof options, .allocator = allocator};
    options.strict = (int)bytes_take_number(r, 0, 1);
    options.accuracy = (tosajit_accuracy)bytes_take_number(r, TOSAJIT_EXACT, TOSAJIT_CONTRACTED);
    int64_t nodes = bytes_take_number(r, 1, TOSAJIT_MAX_NODES),
            contracts = bytes_take_number(r, 0, TOSAJIT_MAX_TENSORS * TOSAJIT_MAX_RANK);
    int64_t results = bytes_take_number(r, 1, TOSAJIT_MAX_TENSORS);
    tosajit_expr *made;
    tosajit_status status = r->failed ? damaged_program() : tosajit_expr_create(&options, &made);
    if (status) return status;
    made->maps_bytes = true;
    for (int64_t k = 0; !status && k < nodes; k++) status = take_node(r, made);
    for (int64_t k = 0; !status && k < contracts; k++) status = take_contract(r, made);
    for (int64_t k = 0; !status && k < results; k++) {
        tosajit_value value = take_index(r);
        status = r->failed ? damaged_program() : tosajit_expr_result(made, value);
    }
    if (status)
        tosajit_expr_destroy(made);
    else
        *expr = made;
    return status;
}
