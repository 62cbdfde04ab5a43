/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists that readers fill, and questions about the lists. */
#include "tools/tosa/graph.h"

#include <stdlib.h>
#include <string.h>

void tosa_list_add(tosa_list *list, int32_t number) {
    if (list->count == list->capacity) {
        const size_t larger = 2 * list->capacity + 16;
        int32_t *at = list->failed ? NULL : realloc(list->at, larger * sizeof *at);
        list->failed = !at;
        if (!at) return;
        list->at = at;
        list->capacity = larger;
    }
    list->at[list->count++] = number;
}

void tosa_graph_value(tosa_graph *g, tosa_value_kind kind) {
    tosa_list_add(&g->kinds, (int32_t)kind);
    tosa_list_add(&g->producers, -1);
    g->value_count++;
}

void tosa_graph_op(tosa_graph *g, tosa_role role, bool effects) {
    tosa_list_add(&g->first_operand, (int32_t)g->operands.count);
    tosa_list_add(&g->first_result, (int32_t)g->results.count);
    tosa_list_add(&g->roles, (int32_t)role);
    tosa_list_add(&g->effects, effects);
    g->op_count++;
}

void tosa_graph_operand(tosa_graph *g, int32_t value) { tosa_list_add(&g->operands, value); }

void tosa_graph_result(tosa_graph *g, int32_t value, bool given) {
    tosa_list_add(&g->results, value);
    if (given && !g->producers.failed) g->producers.at[value] = g->op_count - 1;
}

typedef tosa_list *lists_of[10];

static void list_all(tosa_graph *g, lists_of lists) {
    tosa_list *const all[] = {&g->first_operand, &g->operands, &g->first_result, &g->results,
                              &g->roles,         &g->effects,  &g->kinds,        &g->producers,
                              &g->inputs,        &g->outputs};
    memcpy(lists, all, sizeof all);
}

bool tosa_graph_close(tosa_graph *g) {
    lists_of lists;
    bool fine = true;
    tosa_list_add(&g->first_operand, (int32_t)g->operands.count);
    tosa_list_add(&g->first_result, (int32_t)g->results.count);
    list_all(g, lists);
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) fine = fine && !lists[k]->failed;
    return fine;
}

void tosa_graph_release(tosa_graph *g) {
    lists_of lists;
    list_all(g, lists);
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) free(lists[k]->at);
    memset(g, 0, sizeof *g);
}

/* ---------------------------------------------------------------------------------------------
 * Questions */

static tosa_numbers numbers_of(const tosa_list *all, const tosa_list *first, int32_t op) {
    return (tosa_numbers){all->at + first->at[op], (size_t)(first->at[op + 1] - first->at[op])};
}

tosa_numbers tosa_graph_operands(const tosa_graph *g, int32_t op) {
    return numbers_of(&g->operands, &g->first_operand, op);
}

tosa_numbers tosa_graph_results(const tosa_graph *g, int32_t op) {
    return numbers_of(&g->results, &g->first_result, op);
}

bool tosa_graph_is_tensor(const tosa_graph *g, int32_t value) {
    return value >= 0 && g->kinds.at[value] <= TOSA_VARIABLE;
}

static bool has_variable(const tosa_graph *g, tosa_numbers values) {
    for (size_t k = 0; k < values.count; k++)
        if (values.at[k] >= 0 && g->kinds.at[values.at[k]] == TOSA_VARIABLE) return true;
    return false;
}

bool tosa_graph_uses_variable(const tosa_graph *g, int32_t op) {
    return has_variable(g, tosa_graph_operands(g, op)) ||
           has_variable(g, tosa_graph_results(g, op));
}

/* ---------------------------------------------------------------------------------------------
 * Descriptions and places */

void tosa_graph_describe(const tosa_graph *g, int32_t op, tosa_op *description) {
    /* The end is behind all operations: its operands are the outputs. */
    const tosa_numbers operands =
        op < g->op_count ? tosa_graph_operands(g, op) : (tosa_numbers){.at = NULL};
    const char *wanted;
    *description = (tosa_op){.op = TOSAJIT_OP_COUNT, .number = op};
    g->reader->begin(g, op, description);
    for (size_t k = 0; (wanted = tosa_attribute_name(description, k)) != NULL; k++) {
        tosa_attribute found = {.name = wanted}, *place;
        if (g->reader->attribute(g, op, &found) &&
            (place = tosa_attribute_add(description, wanted)) != NULL)
            *place = found;
    }
    description->op = tosa_op_of(description);
    for (size_t k = 0; k < description->operand_count && k < operands.count; k++) {
        wanted = tosa_shape_name(description, k);
        tosa_attribute *shape = wanted ? tosa_attribute_add(description, wanted) : NULL;
        if (shape && operands.at[k] >= 0) g->reader->shape(g, operands.at[k], shape);
    }
}

static void tell(const tosa_graph *g, tosa_report *report, tosajit_mlir_severity severity,
                 tosajit_status status, int32_t op, const char *message) {
    tosa_place place = {.line = 0};
    if (!report->trial) g->reader->place(g, op, &place);
    tosa_report_tell(report, severity, status, &place, message);
}

void tosa_graph_error(const tosa_graph *g, tosa_report *report, tosajit_status status, int32_t op,
                      const char *message) {
    tell(g, report, TOSAJIT_MLIR_ERROR, status, op, message);
}

void tosa_graph_remark(const tosa_graph *g, tosa_report *report, int32_t op, const char *message) {
    tell(g, report, TOSAJIT_MLIR_REMARK, TOSAJIT_OK, op, message);
}
