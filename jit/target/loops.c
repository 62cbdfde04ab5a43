/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops: lane counts. Wide vectors, which LLVM splits into several registers, give independent
 * instructions to overlap; the larger the body, the fewer are needed and the sooner they spill. */
#include "jit/target/loops.h"

#include "runtime/expr/ops.h"
#include "runtime/base/types.h"

/* Bytes per lane of a node at work: narrow floating point is computed in f32, integers in what the
 * op table says, but for a table of bytes that is held in registers. */
static unsigned working_size(const expr_node *node, const cpu_level *level) {
    const unsigned size = (unsigned)tosajit_type_size(node->type.element);
    unsigned least = type_is_float(node->type.element) ? 4 : 1;
    if (node->kind == NODE_OP && op_lane_bytes(node->op) > least) least = op_lane_bytes(node->op);
    if (node->kind == NODE_OP && op_has_table(node->op) && level->byte_tables && size == 1)
        least = 1;
    return size < least ? least : size;
}

/* A masked tail pays where masks are free, and where a scalar tail would be long. Up to two vectors
 * remain where the wide loop takes two; then the tail is a loop. Where the columns are known to be
 * whole vectors there is none. */
loop_choice loop_choose(const plan *p, int32_t part, const tosajit_expr *program,
                        const cpu_level *level) {
    unsigned widest = 1, narrowest = 8;
    bool is_long = false;
    loop_choice c = {.tail = TOSAJIT_TAIL_NONE};
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (!(p->node_parts[k] >> part & 1)) continue;
        unsigned size = working_size(node, level),
                 stored = (unsigned)tosajit_type_size(node->type.element);
        if (size > widest) widest = size;
        if (stored < narrowest) narrowest = stored;
        if (node->kind != NODE_OP) continue;
        if (op_is_heavy(node->op))
            c.heavy++;
        else
            c.light++;
        is_long |= op_is_long(node->op);
    }
    c.lanes = level->vector_bytes / widest;
    /* Each op of a chain waits for the one before, so that longer ones need a second vector, too;
     * many operands spill with it. */
    const unsigned most_heavy = 16, most_light = p->parts[part].leaf_count > 8 ? 24 : 96;
    c.unroll = c.heavy > most_heavy || c.light > most_light ? 1 : c.heavy || c.light > 8 ? 2 : 4;
    const int64_t multiple = p->parts[part].cols_multiple;
    if (multiple % (c.lanes * c.unroll) == 0) return c;
    const bool masked =
        level->mask_bytes && level->mask_bytes <= narrowest && (c.heavy || level->mask_bytes == 1);
    if (multiple % c.lanes != 0) c.tail = masked ? TOSAJIT_TAIL_MASKED : TOSAJIT_TAIL_SCALAR;
    c.shared = c.tail == TOSAJIT_TAIL_MASKED && is_long && c.lanes * c.unroll <= LOOP_MAX_MASK;
    c.has_single =
        !c.shared && (c.unroll > 2 || (c.unroll > 1 && (c.tail == TOSAJIT_TAIL_NONE || !masked)));
    return c;
}
