/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Spaces: what is known of the sizes of each value before a call, for the files that make a plan.
 */
#ifndef TOSAJIT_RUNTIME_PLAN_SPACES_H
#define TOSAJIT_RUNTIME_PLAN_SPACES_H

#include "runtime/plan/plan.h"

typedef struct dim_info {
    int64_t size;     /* static, or TOSAJIT_DYNAMIC */
    uint64_t dynamic; /* bit t: the dynamic size of tensor t takes part */
    uint64_t firm;    /* of these: tensors whose size is never 1, by contract */
    bool stretched;   /* a static size above 1 takes part */
} dim_info;

typedef struct value_info {
    int32_t rank;
    dim_info dims[TOSAJIT_MAX_RANK];
} value_info;

/* True if two values are certain to have the same sizes in every call. */
bool plan_same_space(const value_info *a, const value_info *b);

/* The value whose sizes a part has that computes this one: of a reduction its operand, of a scatter
 * its updates. */
static inline tosajit_value plan_space_of(const tosajit_expr *program, tosajit_value value) {
    const expr_node *node = &program->nodes[value];
    return node_reduces(node)    ? node->operands[0]
           : node_scatters(node) ? (tosajit_value)program->count + value
                                 : value;
}

/* Finds the parts, the results of each, and the part that computes each node; the first value
 * of a part's iteration space goes to spaces[]. infos: per node, and behind these per node that
 * scatters, of its updates. OUT_OF_MEMORY, LIMIT_EXCEEDED. */
tosajit_status plan_assign(plan *p, const tosajit_expr *program, const value_info *infos,
                           tosajit_value *spaces);

#endif
