/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Positions: argmax and argmin compare elements, and there is no comparison of f8. As f16 these
 * have the same order. */
#include "runtime/expr/passes.h"
#include "runtime/expr/reduce.h"

static tosajit_status lower(void *context, tosajit_expr *program, expr_node *node, tosajit_value k,
                            bool *changed) {
    (void)context, (void)k;
    const tosajit_tensor_type half = {TOSAJIT_F16, TOSAJIT_UNRANKED, {0}};
    const tosajit_type element = reduce_element(program, node);
    if (!reduce_is_position(node)) return TOSAJIT_OK;
    if (element != TOSAJIT_F8E4M3FN && element != TOSAJIT_F8E5M2) return TOSAJIT_OK;
    *changed = true;
    return tosajit_expr_op(program, TOSAJIT_OP_cast, &node->operands[0], 1, NULL, &half,
                           &node->operands[0]);
}

tosajit_status positions_lower(program_made *made, bool *changed) {
    tosajit_expr *program = made->program;
    bool any = false;
    for (size_t k = 0; k < program->count; k++) any |= reduce_is_position(&program->nodes[k]);
    return any ? expr_sweep(program, lower, NULL, changed) : TOSAJIT_OK;
}
