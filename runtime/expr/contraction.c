/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contraction: a product that one sum or difference alone reads is computed with it, and both are
 * rounded once. Which ones these are is a rule that docs/semantics.md promises. It looks at the
 * expression as it was written, so nothing that is done for speed changes the answer. */
#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/passes.h"
#include "tosajit/inspect.h"

/* The operand of a multiply-add whose sign is changed: a of c - a * b, c of a * b - c. */
enum { SIGN_KEPT, SIGN_OF_FACTOR, SIGN_OF_ADDEND };

/* Facts about a node. */
typedef struct contracted {
    uint8_t reads; /* by ops and results; 2 stands for more, too */
    uint8_t sign;
} contracted;

static void count_read(contracted *of) {
    if (of->reads < 2) of->reads++;
}

static void count_reads(const tosajit_expr *program, contracted *of) {
    for (size_t k = 0; k < program->count; k++)
        for (int o = 0; o < program->nodes[k].operand_count; o++)
            count_read(&of[program->nodes[k].operands[o]]);
    for (int32_t r = 0; r < program->result_count; r++) count_read(&of[program->results[r]]);
}

/* True if a product's type says no more than those of its factors do, and its shift, if it has one,
 * is a constant. What more there is is checked in calls, for which the node must be there. */
static bool is_plain(const tosajit_expr *program, const expr_node *node) {
    const tosajit_tensor_type factors[2] = {program->nodes[node->operands[0]].type,
                                            program->nodes[node->operands[1]].type};
    tosajit_tensor_type inferred;
    if (node->operand_count > 2 && program->nodes[node->operands[2]].kind != NODE_CONSTANT)
        return false;
    if (tosajit_infer_shape(factors, 2, program->strict, &inferred)) return false;
    bool same = inferred.rank == node->type.rank;
    for (int32_t d = 0; same && d < inferred.rank; d++)
        same = inferred.dims[d] == node->type.dims[d];
    return same;
}

static bool is_product(const tosajit_expr *program, const contracted *of, tosajit_value value) {
    const expr_node *node = &program->nodes[value];
    return node->kind == NODE_OP && node->op == TOSAJIT_OP_mul && of[value].reads == 1 &&
           is_plain(program, node);
}

/* Let a sum have the factors of its product as operands. Nobody reads the product any more. */
static bool contract(tosajit_expr *program, contracted *of, tosajit_value k) {
    expr_node *node = &program->nodes[k];
    const bool sum = node->kind == NODE_OP && node->op == TOSAJIT_OP_add,
               difference = node->kind == NODE_OP && node->op == TOSAJIT_OP_sub;
    const tosajit_type element = node->type.element;
    if ((!sum && !difference) || (element != TOSAJIT_F32 && element != TOSAJIT_F64)) return false;
    int o = 0;
    while (o < 2 && !is_product(program, of, node->operands[o])) o++;
    if (o == 2) return false;
    const tosajit_value addend = node->operands[1 - o];
    const tosajit_value *factors = program->nodes[node->operands[o]].operands;
    node->op = TOSAJIT_OP_fma;
    node->operand_count = 3;
    node->operands[0] = factors[0];
    node->operands[1] = factors[1];
    node->operands[2] = addend;
    if (difference) of[k].sign = o == 0 ? SIGN_OF_ADDEND : SIGN_OF_FACTOR;
    return true;
}

/* A change of sign is exact, and part of the instruction where there is one. */
static tosajit_status change_sign(void *context, tosajit_expr *program, expr_node *node,
                                  tosajit_value k, bool *changed) {
    const contracted *of = context;
    (void)changed;
    if (!of[k].sign) return TOSAJIT_OK;
    tosajit_value *operand = &node->operands[of[k].sign == SIGN_OF_ADDEND ? 2 : 0];
    const expr_node negated = {.kind = NODE_OP,
                               .op = TOSAJIT_OP_negate,
                               .operand_count = 1,
                               .operands = {*operand},
                               .type = program->nodes[*operand].type,
                               .tensor = -1};
    return expr_append(program, &negated, operand);
}

tosajit_status contraction(program_made *made, bool *changed) {
    tosajit_expr *program = made->program;
    const tosajit_allocator *allocator = &program->allocator;
    const size_t count = program->count;
    if (!program->contraction) return TOSAJIT_OK;
    program->contraction = false; /* what is done is not done again to parts of it */
    contracted *of = memory_new(allocator, count, sizeof *of);
    if (!of) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for contracted products");
    count_reads(program, of);
    for (size_t k = 0; k < count; k++) *changed |= contract(program, of, (tosajit_value)k);
    tosajit_status status = TOSAJIT_OK;
    if (*changed) {
        program->strict = false; /* TOSA has no multiply-add */
        status = expr_sweep(program, change_sign, of, changed);
    }
    memory_free(allocator, of, count, sizeof *of);
    return status;
}
