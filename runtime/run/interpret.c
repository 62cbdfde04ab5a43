/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interpreter's walk over the elements: every index of the iteration space, every node, in
 * order. It shares no walking code with the kernels, so that each is a check of the other. */
#include "runtime/run/interpret.h"

#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/memory.h"
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"

/* The address of the element that index of the iteration space reads: dimensions align at the end,
 * size 1 repeats. */
static char *element(const tosajit_tensor *tensor, int32_t rank, const int64_t *index) {
    char *address = tensor->data;
    int32_t shift = rank - tensor->rank;
    for (int32_t d = 0; d < tensor->rank; d++)
        if (tensor->dims[d] != 1) address += index[d + shift] * tensor->strides[d];
    return address;
}

/* The table that a node looks up, among the leaves. */
static const tosajit_tensor *find_table(const plan_part *part, const expr_node *node,
                                        const view *tensors) {
    for (int32_t k = 0; op_has_table(node->op) && k < part->leaf_count; k++)
        if (part->leaves[k].table && part->leaves[k].value == node->operands[1])
            return &tensors[part->leaves[k].tensor].tensor;
    return NULL;
}

static uint64_t evaluate_op(const tosajit_expr *program, const expr_node *node,
                            const tosajit_tensor *table, const uint64_t *bits) {
    const bool moves = op_table[node->op].result == RESULT_MOVED;
    cell operands[TOSAJIT_MAX_OPERANDS];
    for (int o = 0; o < node->operand_count; o++) {
        tosajit_type type = program->nodes[node->operands[o]].type.element;
        if (moves && type != TOSAJIT_I1)
            operands[o].i = (int64_t)bits[node->operands[o]];
        else
            operands[o] = convert_decode(type, bits[node->operands[o]]);
    }
    interpret_op op = {&node->attributes, program->nodes[node->operands[0]].type.element,
                       node->type.element, node->operand_count, table};
    cell value = interpret_functions[node->op](&op, operands);
    return moves ? (uint64_t)value.i : convert_encode(node->type.element, value);
}

/* Evaluate every node of the part for one element. */
static void evaluate(const tosajit_kernel *kernel, int32_t part_index, const view *tensors,
                     uint64_t *bits) {
    const tosajit_expr *program = kernel->program;
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (!(kernel->plan.node_parts[k] >> part_index & 1)) continue;
        if (node->kind == NODE_CONSTANT && node->splat)
            bits[k] = convert_load(node->type.element, node->data);
        if (node->kind == NODE_OP)
            bits[k] = evaluate_op(program, node,
                                  find_table(&kernel->plan.parts[part_index], node, tensors), bits);
    }
}

/* Step to the next index, the last dimension fastest; false after the last one. */
static bool next(int32_t rank, const int64_t *sizes, int64_t *index) {
    for (int32_t d = rank; d-- > 0;) {
        if (++index[d] < sizes[d]) return true;
        index[d] = 0;
    }
    return false;
}

static void interpret_part(const tosajit_kernel *kernel, int32_t part_index, const view *tensors,
                           const view *results, uint64_t *bits) {
    const plan_part *part = &kernel->plan.parts[part_index];
    const view *first = &results[part->results[0]];
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    if (first->empty) return;
    do {
        for (int32_t k = 0; k < part->leaf_count; k++) {
            const tosajit_tensor *leaf = &tensors[part->leaves[k].tensor].tensor;
            if (!part->leaves[k].table)
                bits[part->leaves[k].value] =
                    convert_load(leaf->element, element(leaf, part->rank, index));
        }
        evaluate(kernel, part_index, tensors, bits);
        for (int32_t k = 0; k < part->result_count; k++) {
            const int32_t r = part->results[k];
            const tosajit_tensor *result = &results[r].tensor;
            /* i1 is stored as 0 or 1, whatever its bits were as an operand. */
            uint64_t value = bits[kernel->program->results[r]];
            if (result->element == TOSAJIT_I1) value = (value & 0xff) != 0;
            convert_store(result->element, element(result, part->rank, index), value);
        }
    } while (next(part->rank, first->tensor.dims, index));
}

tosajit_status interpret_run(const tosajit_kernel *kernel, const view *tensors,
                             const view *results) {
    enum { STACK_NODES = 512 };
    uint64_t stack[STACK_NODES], *bits = stack;
    size_t count = kernel->program->count;
    if (count > STACK_NODES && !(bits = memory_new(&kernel->allocator, count, sizeof *bits)))
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for interpreting %zu nodes", count);
    fpenv environment;
    fpenv_hold(&environment);
    for (int32_t p = 0; p < kernel->plan.part_count; p++)
        interpret_part(kernel, p, tensors, results, bits);
    fpenv_restore(&environment);
    if (bits != stack) memory_free(&kernel->allocator, bits, count, sizeof *bits);
    return TOSAJIT_OK;
}
