/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Edges are listed once, in both directions, so that nobody has to walk MLIR's lists of uses again.
 */
#include "tools/mlir/graph.h"

#include <stdlib.h>
#include <string.h>

static MlirStringRef name_of(MlirOperation op) {
    return mlirIdentifierStr(mlirOperationGetName(op));
}

bool graph_is_called(MlirOperation op, const char *name) {
    return mlirStringRefEqual(name_of(op), mlirStringRefCreateFromCString(name));
}

/* Ops of TOSA compute and do nothing else, but for these. */
static bool has_effects(MlirOperation op) {
    MlirStringRef name = name_of(op);
    bool tosa = name.length > 5 && memcmp(name.data, "tosa.", 5) == 0;
    bool variable = name.length > 13 && memcmp(name.data, "tosa.variable", 13) == 0;
    return !tosa || mlirOperationGetNumRegions(op) > 0 || variable;
}

int32_t graph_find(const graph *g, MlirOperation op) {
    int32_t found;
    return pointer_map_find(&g->index, op.ptr, &found) ? found : -1;
}

int32_t graph_producer(const graph *g, MlirValue value) {
    return mlirValueIsAOpResult(value) ? graph_find(g, mlirOpResultGetOwner(value)) : -1;
}

/* The op of the block that holds this one, which may be nested. */
static int32_t find_holder(const graph *g, MlirOperation op) {
    int32_t found = -1;
    for (; found < 0 && !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
        found = graph_find(g, op);
    return found;
}

/* Call visit for each edge from op k; the effects of ops make a chain of edges, too. */
static void each_edge(graph *g, int32_t k, int32_t *last_in_order,
                      void (*visit)(graph *g, int32_t from, int32_t to)) {
    for (intptr_t r = 0; r < mlirOperationGetNumResults(g->ops[k]); r++)
        for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(g->ops[k], r));
             !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
            int32_t user = find_holder(g, mlirOpOperandGetOwner(use));
            if (user >= 0 && user <= k) g->early = user;
            if (user >= 0) visit(g, k, user);
        }
    if (!g->in_order[k]) return;
    if (*last_in_order >= 0) visit(g, *last_in_order, k);
    *last_in_order = k;
}

static void each_edge_of_all(graph *g, void (*visit)(graph *g, int32_t from, int32_t to)) {
    int32_t last_in_order = -1;
    for (int32_t k = 0; k < g->count; k++) each_edge(g, k, &last_in_order, visit);
}

static void count_edge(graph *g, int32_t from, int32_t to) {
    g->first[to + 2]++;
    g->first_follower[from + 2]++;
}

/* Behind the sums, first[k + 1] is where the next one of op k goes; in the end it is where those of
 * op k end. */
static void store_edge(graph *g, int32_t from, int32_t to) {
    g->producers[g->first[to + 1]++] = from;
    g->followers[g->first_follower[from + 1]++] = to;
}

static bool list_edges(graph *g) {
    each_edge_of_all(g, count_edge);
    for (int32_t k = 1; k <= g->count + 1; k++) {
        g->first[k] += g->first[k - 1];
        g->first_follower[k] += g->first_follower[k - 1];
    }
    size_t edges = (size_t)g->first[g->count + 1] + 1;
    g->producers = malloc(edges * sizeof *g->producers);
    g->followers = malloc(edges * sizeof *g->followers);
    if (!g->producers || !g->followers) return false;
    each_edge_of_all(g, store_edge);
    return true;
}

static bool list_ops(graph *g, MlirBlock block) {
    MlirOperation end = mlirBlockGetTerminator(block), op = mlirBlockGetFirstOperation(block);
    for (int32_t k = 0; k < g->count; k++, op = mlirOperationGetNextInBlock(op)) {
        g->ops[k] = op;
        bool constant = graph_is_called(op, "tosa.const") || graph_is_called(op, "arith.constant");
        g->in_order[k] = !constant && has_effects(op);
        if (!pointer_map_add(&g->index, op.ptr, k)) return false;
    }
    return mlirOperationEqual(op, end);
}

bool graph_open(graph *g, MlirBlock block) {
    MlirOperation end = mlirBlockGetTerminator(block), op = mlirBlockGetFirstOperation(block);
    *g = (graph){.early = -1};
    for (; !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) g->count++;
    size_t count = (size_t)g->count;
    g->ops = calloc(count + 1, sizeof *g->ops);
    g->in_order = calloc(count + 1, sizeof *g->in_order);
    g->first = calloc(count + 2, sizeof *g->first);
    g->first_follower = calloc(count + 2, sizeof *g->first_follower);
    bool fine = g->ops && g->in_order && g->first && g->first_follower;
    return fine && list_ops(g, block) && list_edges(g);
}

void graph_release(graph *g) {
    pointer_map_release(&g->index);
    free(g->ops);
    free(g->in_order);
    free(g->producers);
    free(g->first);
    free(g->followers);
    free(g->first_follower);
    memset(g, 0, sizeof *g);
}
