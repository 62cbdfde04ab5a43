/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Positions: what argmax and argmin are. The greatest element is a reduction; the first of those
 * that equal it is another one, of numbers, in which an element that does not has the largest:
 *
 *     m = reduce_max(x)    i = index(x)    r = reduce_min(select(x == m, i, 2^31 - 1))
 *
 * The second one reads x when the cache has it still. Both are in any order, so bits depend on no
 * division of the work. TOSA 1.1, ARGMAX: the first of equals, in which -0 equals +0. A NaN wins
 * where they propagate, and the first one does; else it wins over nothing, and of nothing but NaN
 * the first is the result. */
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/passes.h"

/* A position that is being lowered. */
typedef struct position {
    tosajit_expr *program;
    tosajit_status status;
    tosajit_attributes axes; /* of the same dimensions, and no more */
} position;

static tosajit_value apply(position *p, tosajit_op op, const tosajit_value *operands, size_t count,
                           const tosajit_attributes *a) {
    tosajit_value value = 0;
    if (!p->status) p->status = tosajit_expr_op(p->program, op, operands, count, a, NULL, &value);
    return value;
}

static tosajit_value binary(position *p, tosajit_op op, tosajit_value x, tosajit_value y) {
    return apply(p, op, (tosajit_value[]){x, y}, 2, NULL);
}

/* There is no comparison of f8. */
static tosajit_value comparable(position *p, tosajit_value x) {
    const tosajit_type element = p->program->nodes[x].type.element;
    const tosajit_tensor_type half = {TOSAJIT_F16, TOSAJIT_UNRANKED, {0}};
    tosajit_value value = x;
    if (element == TOSAJIT_F8E4M3FN || element == TOSAJIT_F8E5M2)
        p->status = tosajit_expr_op(p->program, TOSAJIT_OP_cast, &x, 1, NULL, &half, &value);
    return value;
}

static tosajit_value is_nan(position *p, tosajit_value x) {
    const tosajit_value number = binary(p, TOSAJIT_OP_equal, x, x);
    return apply(p, TOSAJIT_OP_logical_not, &number, 1, NULL);
}

/* Of an element: whether it is as great as the greatest. */
static tosajit_value is_extreme(position *p, tosajit_value x, tosajit_value extreme,
                                tosajit_nan_mode nan_mode) {
    const tosajit_value equal = binary(p, TOSAJIT_OP_equal, x, extreme);
    if (p->status || !type_is_float(p->program->nodes[x].type.element)) return equal;
    return binary(p, TOSAJIT_OP_logical_or, equal,
                  is_nan(p, nan_mode == TOSAJIT_NAN_IGNORE ? extreme : x));
}

static tosajit_value no_position(position *p, int32_t rank) {
    const int32_t most = INT32_MAX;
    tosajit_tensor_type type = {TOSAJIT_I32, rank, {0}};
    tosajit_value value = 0;
    for (int32_t d = 0; d < rank; d++) type.dims[d] = 1;
    if (!p->status) p->status = tosajit_expr_constant(p->program, &type, &most, &value);
    return value;
}

static tosajit_status lower(void *context, tosajit_expr *program, expr_node *node, tosajit_value k,
                            bool *changed) {
    (void)context, (void)k;
    if (op_table[node->op].signature != SIGNATURE_POSITION) return TOSAJIT_OK;
    position p = {
        program, TOSAJIT_OK, {.axis = node->attributes.axis, .joined = node->attributes.joined}};
    const bool greatest = node->op == TOSAJIT_OP_argmax, strict = program->strict;
    const tosajit_nan_mode nan_mode = node->attributes.nan_mode;
    tosajit_attributes reduced = p.axes;
    reduced.nan_mode = nan_mode;
    program->strict = false; /* an expression that is strict becomes ops that are not */
    const tosajit_value x = comparable(&p, node->operands[0]),
                        extreme =
                            apply(&p, greatest ? TOSAJIT_OP_reduce_max : TOSAJIT_OP_reduce_min, &x,
                                  1, &reduced),
                        index = apply(&p, TOSAJIT_OP_index, &x, 1, &p.axes),
                        chosen[3] = {is_extreme(&p, x, extreme, nan_mode), index,
                                     no_position(&p, node->type.rank)};
    node->operands[0] = apply(&p, TOSAJIT_OP_select, chosen, 3, NULL);
    node->op = TOSAJIT_OP_reduce_min;
    node->attributes = p.axes;
    program->strict = strict;
    *changed = true;
    return p.status;
}

tosajit_status positions_lower(program_made *made, bool *changed) {
    tosajit_expr *program = made->program;
    bool any = false;
    for (size_t k = 0; k < program->count; k++)
        any |= program->nodes[k].kind == NODE_OP &&
               op_table[program->nodes[k].op].signature == SIGNATURE_POSITION;
    return any ? expr_sweep(program, lower, NULL, changed) : TOSAJIT_OK;
}
