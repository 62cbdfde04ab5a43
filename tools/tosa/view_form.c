/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/tosa/view_form.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/words.h"
#include "tools/tosa/op_columns.h"

/* Shapes are operands 1 and, of some, 2. */
static const struct {
    tosajit_op op;
    const char *shapes[2];
} forms[] = {{TOSAJIT_OP_reshape, {"shape", NULL}},
             {TOSAJIT_OP_slice, {"start", "size"}},
             {TOSAJIT_OP_tile, {"multiples", NULL}},
             {TOSAJIT_OP_pad, {"padding", NULL}}}; /* operand 2 is the element that pads */

const tosa_attribute *tosa_attribute_find(const tosa_op *op, const char *name) {
    for (size_t k = 0; k < op->attribute_count; k++)
        if (strcmp(op->attributes[k].name, name) == 0) return &op->attributes[k];
    return NULL;
}

bool tosa_is_view(const tosa_op *op) {
    return op->op != TOSAJIT_OP_COUNT && op_columns_of[op->op].view;
}

bool view_form_is(const tosa_op *op) {
    return tosa_is_view(op) && strcmp(op->name, "tosa.custom") != 0;
}

static const char *name_of(tosajit_op op, size_t operand) {
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (forms[k].op == op && operand >= 1 && operand <= 2) return forms[k].shapes[operand - 1];
    return NULL;
}

bool view_form_has_shapes(tosajit_op op) { return name_of(op, 1) != NULL; }

const char *tosa_shape_name(const tosa_op *op, size_t operand) {
    return view_form_is(op) ? name_of(op->op, operand) : NULL;
}

int view_form_shapes(const tosa_op *op) {
    return (tosa_shape_name(op, 1) != NULL) + (tosa_shape_name(op, 2) != NULL);
}

static tosajit_status find_list(const tosa_op *op, const char *name, const tosa_attribute **list) {
    *list = tosa_attribute_find(op, name);
    if (*list && (*list)->kind == TOSA_LIST) return TOSAJIT_OK;
    return diag_error(TOSAJIT_BAD_MODULE,
                      "%s: %s must be a constant of at most %d dimensions, tosa.const_shape",
                      op->name, name, TOSAJIT_MAX_RANK);
}

/* Sizes are at least 1, or -1: what is left. */
static tosajit_status check_sizes(const tosa_op *op, const tosa_attribute *list) {
    for (size_t k = 0; k < list->number_count; k++)
        if (list->numbers[k] < -1 || list->numbers[k] == 0)
            return diag_error(TOSAJIT_BAD_MODULE,
                              "%s: %s[%zu] is %" PRId64 ", which is no size, nor -1 for the rest",
                              op->name, list->name, k, list->numbers[k]);
    return TOSAJIT_OK;
}

static tosajit_status compose_ranges(const tosa_op *op, int64_t *numbers,
                                     tosajit_attributes *attributes) {
    const tosa_attribute *start, *size;
    tosajit_status status = find_list(op, "start", &start);
    if (!status) status = find_list(op, "size", &size);
    if (!status) status = check_sizes(op, size);
    if (!status && start->number_count != size->number_count)
        return diag_error(TOSAJIT_BAD_MODULE, "%s: start has %zu number%s, but size has %zu",
                          op->name, start->number_count, plural(start->number_count),
                          size->number_count);
    for (size_t d = 0; !status && d < start->number_count; d++) {
        const int64_t first = start->numbers[d], count = size->numbers[d];
        if (first < 0)
            return diag_error(TOSAJIT_BAD_MODULE, "%s: start[%zu] is %" PRId64 "; it counts from 0",
                              op->name, d, first);
        if (count > INT64_MAX - first)
            return diag_error(TOSAJIT_BAD_MODULE,
                              "%s: start[%zu] + size[%zu], %" PRId64 " + %" PRId64
                              ", is beyond 2^63 - 1",
                              op->name, d, d, first, count);
        numbers[3 * d] = first;
        numbers[3 * d + 1] = count < 0 ? TOSAJIT_DYNAMIC : first + count;
        numbers[3 * d + 2] = 1;
    }
    if (status) return status;
    attributes->numbers = numbers;
    attributes->number_count = 3 * start->number_count;
    return TOSAJIT_OK;
}

tosajit_status view_form_list(const tosa_op *op, int64_t numbers[TOSA_MOST_NUMBERS],
                              tosajit_attributes *attributes) {
    const tosa_attribute *list;
    if (op->op == TOSAJIT_OP_slice) return compose_ranges(op, numbers, attributes);
    tosajit_status status = find_list(op, tosa_shape_name(op, 1), &list);
    if (!status && op->op == TOSAJIT_OP_reshape) status = check_sizes(op, list);
    if (status) return status;
    attributes->numbers = list->numbers;
    attributes->number_count = list->number_count;
    return TOSAJIT_OK;
}
