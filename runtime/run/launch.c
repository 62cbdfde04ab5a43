/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launch plans: making them, and what few of them need. */
#include "runtime/run/launch.h"

#include "runtime/expr/ops.h"
#include "runtime/run/parallel.h"

/* The pointers of a call are to be those of the part, in the same order. */
static bool serves(const tosajit_kernel *kernel) {
    const plan_part *part = &kernel->plan.parts[0];
    bool serves = kernel->plan.part_count == 1 && !kernel->staged &&
                  part->operand_count == kernel->program->input_count &&
                  part->leaf_count + part->result_count <= LAUNCH_TENSORS;
    for (int32_t k = 0; serves && k < part->operand_count; k++) serves = part->operands[k] == k;
    for (int32_t r = 0; serves && r < part->result_count; r++) serves = part->results[r] == r;
    return serves;
}

static bool is_float_code(const expr_node *nodes, const expr_node *node) {
    if (node->kind != NODE_OP) return false;
    const tosajit_value last = node->operands[tosajit_op_arity(node->op) - 1];
    return op_is_float_code(node->op, nodes[last].type.element, node->type.element);
}

void launch_analyse(tosajit_kernel *kernel) {
    const plan_part *part = &kernel->plan.parts[0];
    const tosajit_expr *program = kernel->program;
    if (serves(kernel))
        kernel->counts = (kernel_counts){part->operand_count, part->leaf_count, part->result_count};
    for (size_t k = 0; k < program->count; k++)
        kernel->floats |= is_float_code(program->nodes, &program->nodes[k]);
}

/* What a call's pointers are compared with. False if one is not where its tensor's bytes begin. */
static bool measure(const plan_part *part, const view *operands, const view *results, launch *p) {
    p->in_place = 0;
    for (int32_t k = 0; k < part->operand_count; k++) {
        p->bytes[k] = operands[k].high;
        if (operands[k].low < 0) return false;
    }
    for (int32_t r = 0; r < part->result_count; r++) {
        p->bytes[part->operand_count + r] = results[r].high;
        if (results[r].low < 0 || results[r].empty) return false;
        for (int32_t k = 0; k < part->operand_count; k++)
            if (!part->leaves[k].table && overlap_same_places(&operands[k], &results[r]))
                p->in_place |= UINT64_C(1) << (r * LAUNCH_TENSORS + k);
    }
    return true;
}

bool launch_make(const tosajit_kernel *kernel, const code_part *code, const view *operands,
                 const view *results, bool shared, launch *p) {
    const plan_part *part = &kernel->plan.parts[0];
    tile_tensors tensors; /* not cleared: see walk.h */
    if (!measure(part, operands, results, p)) return false;
    tile_walk(part, operands, results, &p->w, &tensors);
    tile_choose(part, code, &p->w, shared, &p->choice);
    p->divided = parallel_pays(&kernel->parallel, part, walk_elements(&p->w));
    p->single = p->choice.strategy == TILE_DIRECT && p->choice.interleave == 1 &&
                !p->choice.outer && !p->divided;
    tile_strides(part, &p->choice, &p->w, &tensors, p->strides);
    return true;
}

void launch_walk(const launch *p, const tosajit_kernel *kernel, const code_part *code,
                 void **pointers) {
    const plan_part *part = &kernel->plan.parts[0];
    if (!p->divided) {
        tile_run_choice(&(tile_job){part, code, &p->w, pointers, &p->choice, p->strides});
        return;
    }
    tile_tensors tensors; /* not cleared: see walk.h */
    for (int32_t t = 0; t < p->w.tensors; t++) {
        tensors.pointers[t] = pointers[t];
        const bool table = t < part->leaf_count && part->leaves[t].table;
        tensors.splat_strides[t] = table ? p->strides[2 * t + 1] : 0;
    }
    parallel_run(&kernel->parallel, part, code, &p->w, &tensors);
}
