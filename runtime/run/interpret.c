/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interpreter's walk over the elements: every index of the iteration space, every node, in
 * order. It shares no walking code with the kernels, so that each is a check of the other. */
#include "runtime/run/interpret.h"

#include "runtime/expr/ops.h"
#include "runtime/base/types.h"

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
                                        const tosajit_tensor *leaves) {
    for (int32_t k = 0; op_has_table(node->op) && k < part->leaf_count; k++)
        if (part->leaves[k].table && part->leaves[k].value == node->operands[1]) return &leaves[k];
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
static void evaluate(const tosajit_kernel *kernel, int32_t part_index, const tosajit_tensor *leaves,
                     uint64_t *bits) {
    const tosajit_expr *program = kernel->program;
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (!(kernel->plan.node_parts[k] >> part_index & 1)) continue;
        if (node->kind == NODE_CONSTANT && node->splat)
            bits[k] = convert_load(node->type.element, node->data);
        if (node->kind == NODE_OP)
            bits[k] = evaluate_op(program, node,
                                  find_table(&kernel->plan.parts[part_index], node, leaves), bits);
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

void interpret_part(const tosajit_kernel *kernel, int32_t part_index, const tosajit_tensor *leaves,
                    const tosajit_tensor *results, uint64_t *bits) {
    const plan_part *part = &kernel->plan.parts[part_index];
    const tosajit_expr *program = kernel->program;
    int64_t count, index[TOSAJIT_MAX_RANK] = {0};
    /* Sizes were checked: empty. */
    if (!size_count(part->rank, results[0].dims, &count) || count == 0) return;
    do {
        for (int32_t k = 0; k < part->leaf_count; k++)
            if (!part->leaves[k].table)
                bits[part->leaves[k].value] =
                    convert_load(leaves[k].element, element(&leaves[k], part->rank, index));
        evaluate(kernel, part_index, leaves, bits);
        for (int32_t r = 0; r < part->result_count; r++) {
            /* i1 is stored as 0 or 1, whatever its bits were as an operand. */
            uint64_t result = bits[program->results[part->results[r]]];
            if (results[r].element == TOSAJIT_I1) result = (result & 0xff) != 0;
            convert_store(results[r].element, element(&results[r], part->rank, index), result);
        }
    } while (next(part->rank, results[0].dims, index));
}
