/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Products, and functions that compute element by element. */
#include "tools/tosa/epilogue.h"

#include <stdlib.h>
#include <string.h>

#include "tools/tosa/op_columns.h"

const char *tosa_product(const char *name, size_t length) {
    static const char *const products[] = {
        "tosa.conv2d",           "tosa.conv2d_block_scaled",   "tosa.conv3d",
        "tosa.depthwise_conv2d", "tosa.fully_connected",       "tosa.matmul",
        "tosa.matmul_t",         "tosa.matmul_t_block_scaled", "tosa.transpose_conv2d"};
    for (size_t k = 0; k < sizeof products / sizeof *products; k++)
        if (strlen(products[k]) == length && memcmp(products[k], name, length) == 0)
            return products[k];
    return NULL;
}

bool tosa_epilogues_add(tosa_epilogues *list, const tosa_epilogue *epilogue) {
    if (!list) return true;
    if (list->count == list->capacity) {
        const size_t larger = 2 * list->capacity + 16;
        tosa_epilogue *made = realloc(list->list, larger * sizeof *made);
        if (!made) return false;
        list->list = made;
        list->capacity = larger;
    }
    tosa_epilogue *added = &list->list[list->count];
    *added = *epilogue;
    added->region = malloc(strlen(epilogue->region) + 1);
    if (!added->region) return false;
    strcpy(added->region, epilogue->region);
    list->count++;
    return true;
}

void tosa_epilogues_release(tosa_epilogues *list) {
    for (size_t k = 0; k < list->count; k++) free(list->list[k].region);
    free(list->list);
    memset(list, 0, sizeof *list);
}

static bool has_shape_of(const tosa_function *function, tosajit_value a, tosajit_value b) {
    tosajit_tensor_type from, to;
    if (tosajit_expr_type(function->expr, a, &from) || tosajit_expr_type(function->expr, b, &to))
        return false;
    const size_t bytes = from.rank > 0 ? (size_t)from.rank * sizeof *from.dims : 0;
    return from.rank >= 0 && from.rank == to.rank && memcmp(from.dims, to.dims, bytes) == 0;
}

bool tosa_function_keeps_tiles(const tosa_function *function, size_t operand) {
    if (operand >= function->input_count) return false;
    for (size_t k = 0; k < function->step_count; k++) {
        const tosajit_op op = function->steps[k].op;
        if (op == TOSAJIT_OP_COUNT) continue;
        if (op_columns_of[op].view || op_columns_of[op].reduces) return false;
    }
    bool same = true;
    for (size_t r = 0; same && r < function->result_count; r++)
        same = has_shape_of(function, function->inputs[operand], function->results[r]);
    return same;
}
