/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Work: counted node by node. */
#include "jit/facts/work.h"

#include "runtime/base/types.h"

/* Bytes per lane of a node at work. Narrow floating point is computed in f32, integers in what the
 * op table says; a table of bytes in registers is an exception. Bytes that come from memory count
 * as the ops that read them do. Bytes that are only moved count as bytes. */
static unsigned working_size(const expr_node *node) {
    const unsigned size = (unsigned)tosajit_type_size(node->type.element);
    const bool reads =
        size > 1 || (node->kind == NODE_OP && op_table[node->op].result != RESULT_MOVED);
    unsigned least = type_is_float(node->type.element) && reads ? 4 : 1;
    if (node->kind == NODE_OP && op_lane_bytes(node->op) > least) least = op_lane_bytes(node->op);
    if (node->kind == NODE_OP && op_has_table(node->op) && size == 1) least = 1;
    return size < least ? least : size;
}

/* The effect of parameters on integers is never one instruction. */
op_work node_work(const expr_node *node) {
    tosajit_type element = node->type.element;
    bool is_integer = element == TOSAJIT_I8 || element == TOSAJIT_I16 || element == TOSAJIT_I32;
    if (!is_integer && element != TOSAJIT_F32 && element != TOSAJIT_F64) return WORK_SOME;
    if (node->kind != NODE_OP) return WORK_ONE;
    if (is_integer && tosajit_op_parameters(node->op, NULL) > 0) return WORK_SOME;
    return op_table[node->op].work;
}

/* One limit, as relu has it, is an instruction. It is the commonest op behind a sum. */
static bool is_limit(const tosajit_expr *program, const expr_node *node) {
    if (node->kind != NODE_OP) return false;
    if (node->op != TOSAJIT_OP_maximum && node->op != TOSAJIT_OP_minimum) return false;
    const expr_node *limit = &program->nodes[node->operands[1]];
    return limit->kind == NODE_CONSTANT && limit->splat;
}

bool op_is_on_bits(tosajit_op op) {
    const op_result kind = op_table[op].result;
    return kind == RESULT_MOVED || kind == RESULT_MASKED || op_has_table(op);
}

/* An op between bf16 and another type needs lanes in their order. Putting them so after each op
 * takes longer than what any order gains. */
static bool keeps_any_order(const tosajit_expr *program, const expr_node *node) {
    bool keeps = true;
    if (op_is_on_bits(node->op)) return true;
    for (int o = 0; o < node->operand_count; o++) {
        const tosajit_type type = program->nodes[node->operands[o]].type.element;
        keeps &= expr_role(node, o) != ROLE_DATA || type == node->type.element ||
                 (type != TOSAJIT_BF16 && node->type.element != TOSAJIT_BF16);
    }
    return keeps;
}

static void count_op(const tosajit_expr *program, const expr_node *node, part_work *w) {
    const bool exact = node->type.element == TOSAJIT_F32 && !program->fast;
    w->erf += exact && node->op == TOSAJIT_OP_erf;
    w->exp_double_float += exact && (node->op == TOSAJIT_OP_exp || node->op == TOSAJIT_OP_sigmoid);
    w->is_long |= op_is_long(node->op);
    w->any_order &= keeps_any_order(program, node);
    if (op_is_heavy(node->op))
        w->heavy++;
    else
        w->light++;
}

static void count_node(const tosajit_expr *program, const expr_node *node, part_work *w) {
    const unsigned size = working_size(node),
                   stored = (unsigned)tosajit_type_size(node->type.element);
    op_work own = node_work(node);
    if (own == WORK_FEW && is_limit(program, node)) own = WORK_ONE;
    if (own > w->most) w->most = own;
    if (size > w->widest) w->widest = size;
    if (stored < w->narrowest) w->narrowest = stored;
    if (stored > w->largest) w->largest = stored;
    w->f16 |= node->type.element == TOSAJIT_F16 && size == 4;
    w->bf16 |= node->type.element == TOSAJIT_BF16 && size == 4;
    if (node_is_computed(node)) count_op(program, node, w);
}

static bool is_byte(tosajit_type type) { return type == TOSAJIT_I8 || type == TOSAJIT_U8; }

/* Also where the byte is read as a signed one then. */
static bool rounds_to_byte(const tosajit_expr *program, const expr_node *node) {
    for (;;) {
        if (node->kind != NODE_OP || node->op != TOSAJIT_OP_cast || !is_byte(node->type.element))
            return false;
        node = &program->nodes[node->operands[0]];
        if (!is_byte(node->type.element)) return node->type.element == TOSAJIT_F32;
    }
}

part_work find_work(const plan *p, int32_t part, const tosajit_expr *program) {
    part_work w = {.widest = 1,
                   .narrowest = 8,
                   .largest = 1,
                   .least_result = 8,
                   .most = WORK_ONE,
                   .to_bytes = true,
                   .rounds_to_bytes = true,
                   .any_order = true};
    for (size_t k = 0; k < program->count; k++)
        if (p->node_parts[k] >> part & 1) count_node(program, &program->nodes[k], &w);
    for (int32_t r = 0; r < p->parts[part].result_count; r++) {
        const expr_node *result = &program->nodes[p->parts[part].values[r]];
        const tosajit_type element = result->type.element;
        const unsigned size = (unsigned)tosajit_type_size(element);
        if (size < w.least_result) w.least_result = size;
        if (size > w.most_result) w.most_result = size;
        w.to_bytes &= element == TOSAJIT_I8;
        w.rounds_to_bytes &= rounds_to_byte(program, result);
    }
    return w;
}
