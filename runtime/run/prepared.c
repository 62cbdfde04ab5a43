/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prepared calls: making them, and what few of them need. */
#include "runtime/run/prepared.h"

#include "runtime/expr/ops.h"
#include "runtime/run/parallel.h"

/* The pointers of a call are to be those of the part, in the same order. */
bool prepared_serves(const tosajit_kernel *kernel, prepared_counts *n) {
    const plan_part *part = &kernel->plan.parts[0];
    bool serves = kernel->plan.part_count == 1 &&
                  part->operand_count == kernel->program->input_count &&
                  part->leaf_count + part->result_count <= PREPARED_TENSORS;
    for (int32_t k = 0; serves && k < part->operand_count; k++) serves = part->operands[k] == k;
    for (int32_t r = 0; serves && r < part->result_count; r++) serves = part->results[r] == r;
    *n = (prepared_counts){part->operand_count, part->leaf_count, part->result_count};
    return serves;
}

/* What a call's pointers are compared with. False if one is not where its tensor's bytes begin. */
static bool measure(const plan_part *part, const view *operands, const view *results, prepared *p) {
    p->in_place = 0;
    for (int32_t k = 0; k < part->operand_count; k++) {
        bool fits = !part->leaves[k].table;
        for (int32_t r = 0; r < part->result_count; r++)
            fits &= operands[k].high != results[r].high ||
                    overlap_same_places(&operands[k], &results[r]);
        p->in_place |= (uint64_t)fits << k;
        p->bytes[k] = operands[k].high;
        if (operands[k].low < 0) return false;
    }
    for (int32_t r = 0; r < part->result_count; r++) {
        p->bytes[part->operand_count + r] = results[r].high;
        if (results[r].low < 0 || results[r].empty) return false;
    }
    return true;
}

bool prepared_make(const tosajit_kernel *kernel, const view *operands, const view *results,
                   bool shared, prepared *p) {
    const plan_part *part = &kernel->plan.parts[0];
    tile_tensors tensors; /* not cleared: see walk.h */
    if (!measure(part, operands, results, p)) return false;
    tile_walk(part, operands, results, &p->w, &tensors);
    p->choice = tile_choose(part, &p->w, tensors.element_sizes, shared);
    p->divided = parallel_pays(&kernel->parallel, part, walk_elements(&p->w));
    p->single =
        p->choice.way == TILE_DIRECT && p->choice.phases == 1 && !p->choice.outer && !p->divided;
    for (int32_t t = 0; t < p->w.tensors; t++) p->element_sizes[t] = tensors.element_sizes[t];
    tile_strides(&p->choice, &p->w, &tensors, p->strides);
    return true;
}

bool prepared_shares(const prepared *p, prepared_counts n, void *const *pointers) {
    for (int32_t r = 0; r < n.results; r++) {
        const void *const own = pointers[n.leaves + r];
        const int64_t own_bytes = p->bytes[n.operands + r];
        for (int32_t k = 0; k < n.operands; k++)
            if (prepared_meet(pointers[k], p->bytes[k], own, own_bytes) &&
                !(pointers[k] == own && p->bytes[k] == own_bytes && p->in_place >> k & 1))
                return false;
        for (int32_t other = 0; other < r; other++)
            if (prepared_meet(pointers[n.leaves + other], p->bytes[n.operands + other], own,
                              own_bytes))
                return false;
    }
    return true;
}

void prepared_walk(const prepared *p, const tosajit_kernel *kernel, tosajit_entry entry,
                   void **pointers) {
    const plan_part *part = &kernel->plan.parts[0];
    if (!p->divided) {
        tile_take(
            &(tile_job){part, entry, &p->w, pointers, p->element_sizes, &p->choice, p->strides});
        return;
    }
    tile_tensors tensors; /* not cleared: see walk.h */
    for (int32_t t = 0; t < p->w.tensors; t++) {
        tensors.pointers[t] = pointers[t];
        tensors.element_sizes[t] = p->element_sizes[t];
        const bool table = t < part->leaf_count && part->leaves[t].table;
        tensors.splat_strides[t] = table ? p->strides[2 * t + 1] : 0;
    }
    parallel_run(&kernel->parallel, part, entry, &p->w, &tensors);
}

bool prepared_floats(const tosajit_expr *program) {
    bool found = false;
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (node->kind != NODE_OP) continue;
        const tosajit_value last = node->operands[tosajit_op_arity(node->op) - 1];
        found |= op_is_float_code(node->op, program->nodes[last].type.element, node->type.element);
    }
    return found;
}
