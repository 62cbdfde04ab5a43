/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Work: what the ops of a part are to a loop: how many bytes their lanes take, and how many
 * instructions they may become. */
#ifndef TOSAJIT_JIT_FACTS_WORK_H
#define TOSAJIT_JIT_FACTS_WORK_H

#include "runtime/expr/ops.h"
#include "runtime/plan/plan.h"

typedef struct part_work {
    unsigned widest;                    /* bytes of a lane in registers, at most */
    unsigned narrowest, largest;        /* bytes of an element in memory */
    unsigned least_result, most_result; /* the same of the results */
    unsigned heavy, light;              /* ops */
    unsigned exp_double_float, erf;     /* of the heavy ones, exact in f32 */
    op_work most;                       /* of one op */
    bool is_long, f16, bf16;            /* some are computed in f32 */
    bool to_bytes;                      /* all results are i8 */
    bool rounds_to_bytes;               /* all are bytes that f32 is cast to */
    bool any_order;                     /* lanes of bf16 may be computed in any order */
} part_work;

part_work find_work(const plan *p, int32_t part, const tosajit_expr *program);

/* Of one node, for FastISel: ONE and FEW are an instruction or two. */
op_work node_work(const expr_node *node);

/* True if an op takes and gives the bits in memory. */
bool op_is_on_bits(tosajit_op op);

#endif
