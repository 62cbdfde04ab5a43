/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/expr/expand.h"

#include "runtime/base/diag.h"
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"

static bool repeats(const tosajit_tensor_type *type, const tosajit_attributes *a, int32_t d) {
    return a->numbers[d] > 1 && type->dims[d] != 1;
}

bool expand_repeats(const tosajit_tensor_type *type, tosajit_op op, const tosajit_attributes *a) {
    for (int32_t d = 0; op == TOSAJIT_OP_tile && d < type->rank; d++)
        if (repeats(type, a, d)) return true;
    return false;
}

/* The shapes before and behind the repetition, and how often. */
typedef struct tile_shapes {
    int32_t count,
        open; /* open: the dimension of the result whose size is only known when called */
    int64_t before[TOSAJIT_MAX_RANK], multiples[TOSAJIT_MAX_RANK], behind[TOSAJIT_MAX_RANK];
} tile_shapes;

static tosajit_status find_shapes(const tosajit_tensor_type *type, const tosajit_attributes *a,
                                  tile_shapes *s) {
    for (int32_t d = 0; d < type->rank; d++) {
        const bool own = repeats(type, a, d), open = own && type->dims[d] == TOSAJIT_DYNAMIC;
        if (s->count + own >= TOSAJIT_MAX_RANK)
            return diag_error(TOSAJIT_LIMIT_EXCEEDED,
                              "what is repeated has a dimension more for each size above 1, and "
                              "these are more than %d",
                              TOSAJIT_MAX_RANK);
        if (open && s->open >= 0)
            return diag_error(TOSAJIT_SHAPE_MISMATCH,
                              "dimensions %d and %d are repeated, and both are dynamic; one may be",
                              (int)s->open, (int)d);
        if (open) s->open = d;
        if (own) s->before[s->count] = 1, s->multiples[s->count++] = a->numbers[d];
        s->before[s->count] = -2 - d;
        s->multiples[s->count++] = own ? 1 : a->numbers[d];
        s->behind[d] = open ? -1 : own ? a->numbers[d] * type->dims[d] : -1 - s->count;
    }
    return TOSAJIT_OK;
}

static tosajit_status view(tosajit_expr *expr, tosajit_op op, const int64_t *numbers, int32_t count,
                           tosajit_value *value) {
    const tosajit_attributes a = {.numbers = numbers, .number_count = (size_t)count};
    return tosajit_expr_op(expr, op, value, 1, &a, NULL, value);
}

tosajit_status expand_tile(tosajit_expr *expr, const tosajit_attributes *attributes,
                           tosajit_value x, tosajit_value *value) {
    const tosajit_tensor_type type = expr->nodes[x].type; /* not where it lies: nodes are added */
    tile_shapes s = {.open = -1};
    tosajit_status status = find_shapes(&type, attributes, &s);
    *value = x;
    if (!status) status = view(expr, TOSAJIT_OP_reshape, s.before, s.count, value);
    if (!status) status = view(expr, TOSAJIT_OP_tile, s.multiples, s.count, value);
    return status ? status : view(expr, TOSAJIT_OP_reshape, s.behind, type.rank, value);
}
