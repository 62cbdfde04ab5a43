/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prepared calls: making them, and what few of them need. */
#include "runtime/run/prepared.h"

#include "runtime/expr/ops.h"

bool prepared_make(const plan_part *part, const walk *w, const tile_tensors *tensors, prepared *p) {
    if (w->tensors > PREPARED_TENSORS) return false;
    const tile_choice choice = tile_choose(part, w, tensors->element_sizes, false);
    if (choice.way != TILE_DIRECT || (choice.outer & (choice.outer - 1))) return false;
    p->outer = 1;
    p->planes = choice.planes;
    p->rows = choice.rows;
    p->cols = choice.cols;
    tile_strides(&choice, w, tensors->element_sizes, tensors->splat_strides, p->strides);
    for (int32_t d = 0; d < w->rank; d++) {
        if (!(choice.outer >> d & 1)) continue;
        p->outer = w->sizes[d];
        for (int32_t t = 0; t < w->tensors; t++)
            p->strides[3 * w->tensors + t] = walk_steps(w, d)[t];
    }
    return true;
}

void prepared_in_place(const plan_part *part, const walk *w, const uint8_t *element_sizes,
                       uint64_t operands, prepared *p) {
    p->phases = 1;
    p->in_place = (int64_t)operands;
    if (w->rank == 1) return;
    const tile_choice choice = tile_choose(part, w, element_sizes, true);
    p->phases = choice.phases;
    if (choice.way != TILE_DIRECT || (p->phases > 1 && p->outer * p->planes > 1)) p->in_place = 0;
}

void prepared_phases(const prepared *p, tosajit_entry entry, void *const *pointers,
                     int32_t tensors) {
    int64_t strides[2 * PREPARED_TENSORS];
    for (int32_t t = 0; t < tensors; t++) {
        strides[2 * t] = p->phases * p->strides[2 * t];
        strides[2 * t + 1] = p->strides[2 * t + 1];
    }
    tile_phases(entry, pointers, strides, tensors, p->phases, p->rows, p->cols);
}

bool prepared_shares(prepared_counts n, void *const *pointers, const int64_t *bytes,
                     uint64_t in_place) {
    for (int32_t r = 0; r < n.results; r++) {
        const void *const own = pointers[n.leaves + r];
        const int64_t own_bytes = bytes[n.operands + r];
        for (int32_t k = 0; k < n.operands; k++)
            if (prepared_meet(pointers[k], bytes[k], own, own_bytes) &&
                !(pointers[k] == own && bytes[k] == own_bytes && in_place >> k & 1))
                return false;
        for (int32_t other = 0; other < r; other++)
            if (prepared_meet(pointers[n.leaves + other], bytes[n.operands + other], own,
                              own_bytes))
                return false;
    }
    return true;
}

void prepared_walk(const prepared *p, tosajit_entry entry, void **pointers, int32_t tensors) {
    for (int64_t left = p->outer; left > 0; left--) {
        entry(pointers, p->strides, p->planes, p->rows, p->cols);
        for (int32_t t = 0; t < tensors; t++)
            pointers[t] = (char *)pointers[t] + p->strides[3 * tensors + t];
    }
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
