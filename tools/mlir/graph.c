/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operations may have regions, in which others read values of the block: the one that stands in the
 * block reads them, too. */
#include "tools/mlir/graph.h"

#include <mlir-c/BuiltinTypes.h>
#include <stdlib.h>
#include <string.h>

MlirBlock mlir_block_of(MlirOperation function) {
    return mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
}

static MlirStringRef name_of(MlirOperation op) {
    return mlirIdentifierStr(mlirOperationGetName(op));
}

bool mlir_is_called(MlirOperation op, const char *name) {
    return mlirStringRefEqual(name_of(op), mlirStringRefCreateFromCString(name));
}

bool mlir_is_shape(MlirOperation op) {
    return mlir_is_called(op, "tosa.const_shape") && mlirOperationGetNumOperands(op) == 0 &&
           mlirOperationGetNumResults(op) == 1;
}

/* Ops of TOSA compute and do nothing else, but for these. */
static bool has_effects(MlirOperation op) {
    const MlirStringRef name = name_of(op);
    const bool tosa = name.length > 5 && memcmp(name.data, "tosa.", 5) == 0;
    const bool variable = name.length > 13 && memcmp(name.data, "tosa.variable", 13) == 0;
    return !tosa || mlirOperationGetNumRegions(op) > 0 || variable;
}

static tosa_role role_of(MlirOperation op) {
    static const struct {
        const char *name;
        tosa_role role;
    } roles[] = {{"tosa.const", TOSA_CONSTANT},
                 {"arith.constant", TOSA_CONSTANT},
                 {"tosa.const_shape", TOSA_CONSTANT}, /* one that reads something */
                 {"tensor.cast", TOSA_RETYPES}};
    if (mlir_is_shape(op)) return TOSA_SHAPE;
    for (size_t k = 0; k < sizeof roles / sizeof *roles; k++)
        if (mlir_is_called(op, roles[k].name)) return roles[k].role;
    return TOSA_COMPUTES;
}

/* False if out of memory. */
static bool add_value(mlir_graph *g, MlirValue value, bool shape) {
    const int32_t number = g->graph.value_count;
    tosa_graph_value(&g->graph, shape                                        ? TOSA_VALUE_SHAPE
                                : mlirTypeIsATensor(mlirValueGetType(value)) ? TOSA_TENSOR
                                                                             : TOSA_VALUE_UNKNOWN);
    g->values[number] = value;
    return pointer_map_add(&g->index, value.ptr, number);
}

static int32_t find(const mlir_graph *g, MlirValue value) {
    int32_t number;
    return pointer_map_find(&g->index, value.ptr, &number) ? number : -1;
}

static bool add_values(mlir_graph *g, size_t op_count) {
    const MlirBlock block = mlir_block_of(g->function);
    bool fine = true;
    for (intptr_t k = 0; fine && k < mlirBlockGetNumArguments(block); k++) {
        tosa_list_add(&g->graph.inputs, g->graph.value_count);
        fine = add_value(g, mlirBlockGetArgument(block, k), false);
    }
    for (size_t k = 0; fine && k < op_count; k++)
        for (intptr_t r = 0; fine && r < mlirOperationGetNumResults(g->ops[k]); r++)
            fine = add_value(g, mlirOperationGetResult(g->ops[k], r), mlir_is_shape(g->ops[k]));
    return fine;
}

static MlirWalkResult add_reads(MlirOperation inside, void *graph) {
    mlir_graph *g = graph;
    const MlirOperation op = g->ops[g->graph.op_count - 1];
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(inside); k++) {
        const int32_t value = find(g, mlirOperationGetOperand(inside, k));
        if (value >= 0 && !mlirOperationEqual(op, inside)) tosa_graph_operand(&g->graph, value);
    }
    return MlirWalkResultAdvance;
}

static void add_op(mlir_graph *g, MlirOperation op) {
    const tosa_role role = role_of(op);
    const bool constant = role == TOSA_CONSTANT || role == TOSA_SHAPE;
    tosa_graph_op(&g->graph, role, !constant && has_effects(op));
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++)
        tosa_graph_operand(&g->graph, find(g, mlirOperationGetOperand(op, k)));
    if (mlirOperationGetNumRegions(op) > 0) mlirOperationWalk(op, add_reads, g, MlirWalkPreOrder);
    for (intptr_t k = 0; k < mlirOperationGetNumResults(op); k++)
        tosa_graph_result(&g->graph, find(g, mlirOperationGetResult(op, k)), true);
}

static bool fill(mlir_graph *g, size_t op_count) {
    const MlirOperation end = g->ops[op_count];
    if (!add_values(g, op_count)) return false;
    for (size_t k = 0; k < op_count; k++) add_op(g, g->ops[k]);
    for (intptr_t k = 0; end.ptr && k < mlirOperationGetNumOperands(end); k++)
        tosa_list_add(&g->graph.outputs, find(g, mlirOperationGetOperand(end, k)));
    return tosa_graph_close(&g->graph);
}

bool mlir_graph_open(mlir_graph *g, MlirOperation function, mlir_report *report,
                     const tosa_reader *reader) {
    const MlirBlock block = mlir_block_of(function);
    const MlirOperation end = mlirBlockGetTerminator(block);
    size_t ops = 0, values = (size_t)mlirBlockGetNumArguments(block);
    *g = (mlir_graph){.function = function, .report = report};
    g->graph = (tosa_graph){.reader = reader, .source = g, .end = TOSA_BLOCK};
    MlirOperation op = mlirBlockGetFirstOperation(block);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op), ops++)
        values += (size_t)mlirOperationGetNumResults(op);
    g->ops = calloc(ops + 1, sizeof *g->ops);
    g->values = calloc(values + 1, sizeof *g->values);
    if (!g->ops || !g->values) return false;
    op = mlirBlockGetFirstOperation(block);
    for (size_t k = 0; k < ops; k++, op = mlirOperationGetNextInBlock(op)) g->ops[k] = op;
    return fill(g, ops - !mlirOperationIsNull(end));
}

void mlir_graph_release(mlir_graph *g) {
    pointer_map_release(&g->index);
    free(g->ops);
    free(g->values);
    tosa_graph_release(&g->graph);
    memset(g, 0, sizeof *g);
}
