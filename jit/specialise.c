/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Specialise: every node is built again by the functions that check what a user builds. */
#include "jit/specialise.h"

bool specialise_helps(const tosajit_expr *program) {
    bool dynamic = false;
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        for (int32_t d = 0; node->kind == NODE_INPUT && d < node->type.rank; d++)
            dynamic |= node->type.dims[d] == TOSAJIT_DYNAMIC;
    }
    return dynamic;
}

/* A declared size that is static was a check of each call. Here it is one of the inferred size. */
static tosajit_status add_op(tosajit_expr *expr, const expr_node *node) {
    const tosajit_tensor_type inferred = {node->type.element, TOSAJIT_UNRANKED, {0}};
    tosajit_value value;
    tosajit_status status =
        tosajit_expr_op(expr, node->op, node->operands, (size_t)node->operand_count,
                        &node->attributes, &inferred, &value);
    return status ? status
                  : tosajit_verify_result(&expr->nodes[value].type, &node->type, expr->strict);
}

static tosajit_status add_node(tosajit_expr *expr, const expr_node *node,
                               const tosajit_tensor_type *operands) {
    tosajit_value value;
    switch (node->kind) {
    case NODE_INPUT: return tosajit_expr_input(expr, &operands[node->tensor], &value);
    case NODE_CONSTANT:
        return expr_constant_bytes(expr, &node->type, node->data, node->data_size, node->splat,
                                   &value);
    default: return add_op(expr, node);
    }
}

/* Values keep their places, so operands and results are the same. */
static tosajit_status add_nodes(tosajit_expr *expr, const tosajit_expr *program,
                                const tosajit_tensor_type *operands) {
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; !status && k < program->count; k++) {
        const char *name = expr_given_name(program, (tosajit_value)k);
        status = add_node(expr, &program->nodes[k], operands);
        if (!status && name) status = tosajit_expr_name(expr, (tosajit_value)k, name);
    }
    for (int32_t r = 0; !status && r < program->result_count; r++)
        status = tosajit_expr_result(expr, program->results[r]);
    return status;
}

tosajit_status specialise(const tosajit_expr *program, const tosajit_tensor_type *operands,
                          const tosajit_allocator *allocator, tosajit_expr **expr) {
    const tosajit_expr_options options = {.size = sizeof options,
                                          .allocator = allocator,
                                          .strict = program->strict,
                                          .accuracy = program->fast ? TOSAJIT_FAST : TOSAJIT_EXACT};
    tosajit_expr *made;
    tosajit_status status = tosajit_expr_create(&options, &made);
    if (status) return status;
    made->maps_bytes = program->maps_bytes;
    status = add_nodes(made, program, operands);
    if (status)
        tosajit_expr_destroy(made);
    else
        *expr = made;
    return status;
}
