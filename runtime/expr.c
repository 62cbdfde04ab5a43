/* Expressions: building, with every node checked when it is added. */
#include "runtime/expr.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/diag.h"
#include "runtime/memory.h"
#include "runtime/ops.h"
#include "runtime/types.h"

static const tosajit_attributes no_attributes;

tosajit_status tosajit_expr_create(const tosajit_expr_options *options, tosajit_expr **expr) {
    if (!expr) return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_create: expr is a null pointer");
    tosajit_expr_options known = {0};
    if (options) memcpy(&known, options, options->size < sizeof known ? options->size : sizeof known);
    tosajit_allocator allocator = memory_allocator(known.allocator);
    tosajit_expr *made = memory_new(&allocator, 1, sizeof *made);
    if (!made) return diag_error(TOSAJIT_OUT_OF_MEMORY, "expr_create: out of memory");
    made->allocator = allocator;
    made->strict = known.strict != 0;
    *expr = made;
    return TOSAJIT_OK;
}

void tosajit_expr_destroy(tosajit_expr *expr) {
    if (!expr) return;
    tosajit_allocator allocator = expr->allocator;
    for (size_t k = 0; k < expr->count; k++) memory_free(&allocator, expr->nodes[k].data, expr->nodes[k].data_size, 1);
    memory_free(&allocator, expr->nodes, expr->capacity, sizeof *expr->nodes);
    memory_free(&allocator, expr, 1, sizeof *expr);
}

value_name expr_value_name(const tosajit_expr *expr, tosajit_value value) {
    value_name name;
    const expr_node *node = &expr->nodes[value];
    if (node->kind == NODE_INPUT)
        snprintf(name.text, sizeof name.text, "%%arg%d", (int)node->tensor);
    else if (node->kind == NODE_CONSTANT)
        snprintf(name.text, sizeof name.text, "%%%d = tosa.const", (int)value);
    else
        snprintf(name.text, sizeof name.text, "%%%d = tosa.%s", (int)value, op_table[node->op].name);
    return name;
}

/* Append a node; on success it owns node->data. */
static tosajit_status append(tosajit_expr *expr, const expr_node *node, tosajit_value *value) {
    if (expr->count >= TOSAJIT_MAX_NODES)
        return diag_error(TOSAJIT_LIMIT_EXCEEDED, "an expression has at most %d inputs, constants and ops", TOSAJIT_MAX_NODES);
    if (!memory_grow(&expr->allocator, (void **)&expr->nodes, &expr->capacity, expr->count + 1, sizeof *expr->nodes))
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for expression node %zu", expr->count);
    expr->nodes[expr->count] = *node;
    *value = (tosajit_value)expr->count++;
    return TOSAJIT_OK;
}

/* Inputs, non-splat constants and results are the kernel's tensors; their number is bounded. */
static tosajit_status check_tensor_limit(const tosajit_expr *expr) {
    if (expr->input_count + expr->constant_count + expr->result_count < TOSAJIT_MAX_TENSORS) return TOSAJIT_OK;
    return diag_error(TOSAJIT_LIMIT_EXCEEDED, "an expression has at most %d inputs, non-splat constants and results together",
                      TOSAJIT_MAX_TENSORS);
}

tosajit_status tosajit_expr_input(tosajit_expr *expr, const tosajit_tensor_type *type, tosajit_value *value) {
    if (!expr || !value) return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_input: expr or value is a null pointer");
    char what[32];
    snprintf(what, sizeof what, "operand %d", (int)expr->input_count);
    tosajit_status status = type_check(type, what);
    if (!status) status = check_tensor_limit(expr);
    if (status) return status;
    expr_node node = {.kind = NODE_INPUT, .type = *type, .tensor = expr->input_count};
    status = append(expr, &node, value);
    if (!status) expr->input_count++;
    return status;
}

static bool all_equal(const char *data, size_t element, int64_t count) {
    for (int64_t k = 1; k < count; k++)
        if (memcmp(data, data + (size_t)k * element, element) != 0) return false;
    return true;
}

tosajit_status tosajit_expr_constant(tosajit_expr *expr, const tosajit_tensor_type *type, const void *data, tosajit_value *value) {
    if (!expr || !value || !data) return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_constant: expr, data or value is a null pointer");
    tosajit_status status = type_check(type, "constant");
    if (status) return status;
    if (type->rank == TOSAJIT_UNRANKED) return diag_error(TOSAJIT_UNRANKED_SHAPE, "a constant has a rank");
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] == TOSAJIT_DYNAMIC)
            return diag_error(TOSAJIT_SHAPE_MISMATCH, "constant dimension %d: the size of a constant is static", (int)d);
    int64_t count, bytes;
    size_t element = tosajit_type_size(type->element);
    if (!size_count(type->rank, type->dims, &count) || !size_multiply(count, (int64_t)element, &bytes))
        return diag_error(TOSAJIT_OVERFLOW, "a constant %s has more than 2^63 - 1 bytes", type_print(type).text);

    expr_node node = {.kind = NODE_CONSTANT, .type = *type, .tensor = -1};
    node.splat = all_equal(data, element, count);
    node.data_size = node.splat ? element : (size_t)bytes;
    if (!node.splat) {
        status = check_tensor_limit(expr);
        if (status) return status;
    }
    node.data = memory_new(&expr->allocator, node.data_size, 1);
    if (!node.data) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a constant of %zu bytes", node.data_size);
    memcpy(node.data, data, node.data_size);
    status = append(expr, &node, value);
    if (status)
        memory_free(&expr->allocator, node.data, node.data_size, 1);
    else if (!node.splat)
        expr->constant_count++;
    return status;
}

static tosajit_status check_op(tosajit_op op, size_t operand_count) {
    if (!op_is_valid(op)) return diag_error(TOSAJIT_INVALID_ARGUMENT, "%d is not an op", (int)op);
    int arity = op_table[op].arity;
    if (operand_count == (size_t)arity) return TOSAJIT_OK;
    return diag_error(TOSAJIT_INVALID_ARGUMENT, "tosa.%s takes %d operand%s, not %zu", op_table[op].name, arity, arity == 1 ? "" : "s",
                      operand_count);
}

/* The type of an op's result from the types of its operands, and the legality of everything; the one place that decides. */
static tosajit_status infer(tosajit_op op, const tosajit_tensor_type *operands, size_t count, const tosajit_attributes *attributes,
                            const tosajit_tensor_type *declared, int strict, tosajit_tensor_type *inferred) {
    tosajit_type elements[TOSAJIT_MAX_ARITY];
    for (size_t k = 0; k < count; k++) elements[k] = operands[k].element;
    tosajit_type element = declared ? declared->element : TOSAJIT_TYPE_COUNT;
    if (!declared && !op_result_element(op, elements, &element)) element = elements[count - 1];
    if (!declared && op_table[op].signature == SIGNATURE_CONVERT)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "tosa.%s needs a result type: the element type to convert to", op_table[op].name);
    tosajit_status status = op_check_elements(op, elements, element);
    if (!status) status = op_check_attributes(op, elements[0], attributes);
    if (!status) status = tosajit_infer_shape(operands, count, strict, inferred);
    if (status) return status;
    inferred->element = element;
    return declared ? tosajit_verify_result(inferred, declared, strict) : TOSAJIT_OK;
}

tosajit_status tosajit_expr_op(tosajit_expr *expr, tosajit_op op, const tosajit_value *operands, size_t operand_count,
                               const tosajit_attributes *attributes, const tosajit_tensor_type *result, tosajit_value *value) {
    if (!expr || !operands || !value) return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_op: expr, operands or value is a null pointer");
    tosajit_status status = check_op(op, operand_count);
    if (status) return status;
    expr_node node = {.kind = NODE_OP, .op = op, .tensor = -1, .attributes = attributes ? *attributes : no_attributes};
    tosajit_tensor_type types[TOSAJIT_MAX_ARITY];
    for (size_t k = 0; k < operand_count; k++) {
        if (operands[k] < 0 || (size_t)operands[k] >= expr->count)
            return diag_error(TOSAJIT_INVALID_ARGUMENT, "tosa.%s operand %zu: %d is not a value of this expression", op_table[op].name, k,
                              (int)operands[k]);
        node.operands[k] = operands[k];
        types[k] = expr->nodes[operands[k]].type;
    }
    status = infer(op, types, operand_count, &node.attributes, result, expr->strict, &node.type);
    if (status) return diag_prefix(status, "%%%zu = tosa.%s: ", expr->count, op_table[op].name);
    if (result && result->rank != TOSAJIT_UNRANKED) node.type = *result;
    return append(expr, &node, value);
}

tosajit_status tosajit_expr_result(tosajit_expr *expr, tosajit_value value) {
    if (!expr || value < 0 || (size_t)value >= expr->count)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_result: %d is not a value of this expression", (int)value);
    tosajit_status status = check_tensor_limit(expr);
    if (!status) expr->results[expr->result_count++] = value;
    return status;
}

tosajit_status tosajit_expr_type(const tosajit_expr *expr, tosajit_value value, tosajit_tensor_type *type) {
    if (!expr || !type || value < 0 || (size_t)value >= expr->count)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_type: %d is not a value of this expression", (int)value);
    *type = expr->nodes[value].type;
    return TOSAJIT_OK;
}

tosajit_status tosajit_verify(tosajit_op op, const tosajit_tensor_type *operands, size_t operand_count,
                              const tosajit_attributes *attributes, const tosajit_tensor_type *result, int strict,
                              tosajit_tensor_type *inferred) {
    if (!operands) return diag_error(TOSAJIT_INVALID_ARGUMENT, "verify: operands is a null pointer");
    tosajit_tensor_type shape;
    tosajit_status status = check_op(op, operand_count);
    if (status) return status;
    status = infer(op, operands, operand_count, attributes ? attributes : &no_attributes, result, strict, &shape);
    if (status) return diag_prefix(status, "tosa.%s: ", op_table[op].name);
    if (inferred) *inferred = shape;
    return TOSAJIT_OK;
}

/* Mark what the results reach; operands come before their users, so one pass backwards suffices. */
static void mark_live(const tosajit_expr *expr, uint8_t *live) {
    for (int32_t r = 0; r < expr->result_count; r++) live[expr->results[r]] = 1;
    for (size_t k = expr->count; k-- > 0;) {
        const expr_node *node = &expr->nodes[k];
        if (node->kind == NODE_INPUT) live[k] = 1;
        for (int o = 0; live[k] && node->kind == NODE_OP && o < op_table[node->op].arity; o++) live[node->operands[o]] = 1;
    }
}

/* Copy one live node, renumbered by moved[]. */
static tosajit_status copy_node(const expr_node *source, const tosajit_value *moved, tosajit_expr *program, tosajit_value *value) {
    expr_node node = *source;
    for (int o = 0; node.kind == NODE_OP && o < op_table[node.op].arity; o++) node.operands[o] = moved[node.operands[o]];
    if (node.kind == NODE_INPUT) program->input_count++;
    if (node.kind != NODE_CONSTANT) return append(program, &node, value);
    node.data = memory_new(&program->allocator, node.data_size, 1);
    if (!node.data) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a constant of %zu bytes", node.data_size);
    memcpy(node.data, source->data, node.data_size);
    tosajit_status status = append(program, &node, value);
    if (status)
        memory_free(&program->allocator, node.data, node.data_size, 1);
    else if (!node.splat)
        program->constant_count++;
    return status;
}

/* Tensors are numbered inputs first, so that a kernel's operands keep their positions. */
static void number_constants(tosajit_expr *program) {
    int32_t next = program->input_count;
    for (size_t k = 0; k < program->count; k++)
        if (program->nodes[k].kind == NODE_CONSTANT && !program->nodes[k].splat) program->nodes[k].tensor = next++;
}

tosajit_status expr_compact(const tosajit_expr *expr, const tosajit_allocator *allocator, tosajit_expr **program) {
    tosajit_expr_options options = {sizeof options, allocator, expr->strict};
    tosajit_expr *made = NULL;
    uint8_t *live = memory_new(allocator, expr->count, 1);
    tosajit_value *moved = memory_new(allocator, expr->count, sizeof *moved);
    tosajit_status status = tosajit_expr_create(&options, &made);
    if (!status && (!live || !moved)) status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu expression nodes", expr->count);
    if (!status) mark_live(expr, live);
    for (size_t k = 0; !status && k < expr->count; k++)
        if (live[k]) status = copy_node(&expr->nodes[k], moved, made, &moved[k]);
    for (int32_t r = 0; !status && r < expr->result_count; r++) made->results[made->result_count++] = moved[expr->results[r]];
    memory_free(allocator, live, expr->count, 1);
    memory_free(allocator, moved, expr->count, sizeof *moved);
    if (status) {
        tosajit_expr_destroy(made);
        return status;
    }
    number_constants(made);
    *program = made;
    return TOSAJIT_OK;
}
