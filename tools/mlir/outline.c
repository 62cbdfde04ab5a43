/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The function is written anew in place: the calls and the operations outside of regions go to its
 * end, in order. A region's function has copies of its operations, and of the constants that these
 * read. */
#include "tools/mlir/outline.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/mlir/describe.h"
#include "tools/tosa/outline.h"

typedef struct writer {
    mlir_graph g;
    MlirBlock block;
    MlirOperation end, last; /* last: the function behind which the next one goes */
    MlirValue *copies;       /* per value: what stands for it in the function that is made */
    MlirType *types;         /* scratch: of inputs, then of outputs */
    MlirLocation *places;    /* as many */
    pointer_map *names;
} writer;

static MlirStringRef word(const char *text) { return mlirStringRefCreateFromCString(text); }

static bool fail(const writer *w, tosajit_status status, MlirOperation op, const char *text) {
    mlir_report_error(w->g.report, status, mlirOperationGetLocation(op), "outline: %s", text);
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * Names */

/* Equal strings of a context are one attribute. */
static const void *name_key(MlirContext context, MlirStringRef name) {
    return mlirStringAttrGet(context, name).ptr;
}

bool mlir_outline_names(MlirBlock block, pointer_map *names) {
    MlirOperation op = mlirBlockGetFirstOperation(block);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        MlirAttribute own = mlirOperationGetAttributeByName(op, word("sym_name"));
        if (mlirAttributeIsNull(own) || !mlirAttributeIsAString(own)) continue;
        const void *key = name_key(mlirOperationGetContext(op), mlirStringAttrGetValue(own));
        if (!pointer_map_find(names, key, NULL) && !pointer_map_add(names, key, 0)) return false;
    }
    return true;
}

static bool take_name(void *context, const char *name, bool *free) {
    const writer *w = context;
    const void *key = name_key(mlirOperationGetContext(w->g.function), word(name));
    *free = !pointer_map_find(w->names, key, NULL);
    return !*free || pointer_map_add(w->names, key, 0);
}

/* ---------------------------------------------------------------------------------------------
 * Regions become functions and calls */

static void list_types(const writer *w, const tosa_part *part, MlirLocation place) {
    const size_t inputs = part->inputs.count;
    for (size_t k = 0; k < inputs + part->outputs.count; k++) {
        const int32_t value = k < inputs ? part->inputs.at[k] : part->outputs.at[k - inputs];
        w->types[k] = mlirValueGetType(w->g.values[value]);
        w->places[k] = place;
    }
}

/* func.func @name(inputs) -> outputs, with a block that has the inputs as arguments. */
static MlirOperation make_function(const writer *w, const tosa_part *part, const char *name,
                                   MlirLocation place, MlirBlock *block) {
    const MlirContext context = mlirLocationGetContext(place);
    const intptr_t inputs = (intptr_t)part->inputs.count;
    const MlirType type = mlirFunctionTypeGet(context, inputs, w->types,
                                              (intptr_t)part->outputs.count, w->types + inputs);
    const MlirNamedAttribute attributes[2] = {
        mlirNamedAttributeGet(mlirIdentifierGet(context, word("sym_name")),
                              mlirStringAttrGet(context, word(name))),
        mlirNamedAttributeGet(mlirIdentifierGet(context, word("function_type")),
                              mlirTypeAttrGet(type))};
    *block = mlirBlockCreate(inputs, w->types, w->places);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, *block);
    MlirOperationState state = mlirOperationStateGet(word("func.func"), place);
    mlirOperationStateAddAttributes(&state, 2, attributes);
    mlirOperationStateAddOwnedRegions(&state, 1, &region);
    return mlirOperationCreate(&state);
}

/* A copy of an operation at the end of the block, which reads copies. */
static void copy_op(const writer *w, int32_t op, MlirBlock block) {
    const tosa_numbers operands = tosa_graph_operands(&w->g.graph, op);
    const MlirOperation copy = mlirOperationClone(w->g.ops[op]);
    for (size_t k = 0; k < operands.count; k++)
        mlirOperationSetOperand(copy, (intptr_t)k, w->copies[operands.at[k]]);
    mlirBlockAppendOwnedOperation(block, copy);
    w->copies[tosa_graph_results(&w->g.graph, op).at[0]] = mlirOperationGetResult(copy, 0);
}

static void fill(const writer *w, const tosa_part *part, MlirLocation place, MlirBlock block) {
    MlirOperationState end = mlirOperationStateGet(word("func.return"), place);
    for (size_t k = 0; k < part->inputs.count; k++)
        w->copies[part->inputs.at[k]] = mlirBlockGetArgument(block, (intptr_t)k);
    for (size_t k = 0; k < part->ops.count; k++) copy_op(w, part->ops.at[k], block);
    for (size_t k = 0; k < part->outputs.count; k++)
        mlirOperationStateAddOperands(&end, 1, &w->copies[part->outputs.at[k]]);
    mlirBlockAppendOwnedOperation(block, mlirOperationCreate(&end));
}

/* func.call @name(inputs), whose results take the place of the outputs. */
static void insert_call(const writer *w, const tosa_part *part, const char *name,
                        MlirLocation place) {
    const MlirContext context = mlirLocationGetContext(place);
    const MlirNamedAttribute callee = mlirNamedAttributeGet(
        mlirIdentifierGet(context, word("callee")), mlirFlatSymbolRefAttrGet(context, word(name)));
    MlirOperationState state = mlirOperationStateGet(word("func.call"), place);
    mlirOperationStateAddAttributes(&state, 1, &callee);
    for (size_t k = 0; k < part->inputs.count; k++)
        mlirOperationStateAddOperands(&state, 1, &w->g.values[part->inputs.at[k]]);
    mlirOperationStateAddResults(&state, (intptr_t)part->outputs.count,
                                 w->types + part->inputs.count);
    const MlirOperation call = mlirOperationCreate(&state);
    mlirBlockInsertOwnedOperationBefore(w->block, w->end, call);
    for (size_t k = 0; k < part->outputs.count; k++) {
        MlirValue *output = &w->g.values[part->outputs.at[k]];
        const MlirValue result = mlirOperationGetResult(call, (intptr_t)k);
        mlirValueReplaceAllUsesOfWith(*output, result);
        *output = result;
    }
}

/* Constants stay: others may read them. */
static void destroy_ops(const writer *w, const tosa_part *part) {
    for (size_t k = part->ops.count; k-- > 0;) {
        const int32_t op = part->ops.at[k];
        if (w->g.graph.roles.at[op] == TOSA_COMPUTES) mlirOperationDestroy(w->g.ops[op]);
    }
}

static bool write_region(void *context, const char *name, const tosa_part *part) {
    writer *w = context;
    MlirBlock block;
    int32_t first = 0;
    while (w->g.graph.roles.at[part->ops.at[first]] != TOSA_COMPUTES) first++;
    const MlirLocation place = mlirOperationGetLocation(w->g.ops[part->ops.at[first]]);
    list_types(w, part, place);
    const MlirOperation made = make_function(w, part, name, place, &block);
    fill(w, part, place, block);
    mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(w->g.function), w->last, made);
    w->last = made;
    insert_call(w, part, name, place);
    destroy_ops(w, part);
    return true;
}

static bool keep_op(void *context, int32_t op) {
    const writer *w = context;
    mlirOperationMoveBefore(w->g.ops[op], w->end);
    return true;
}

/* Constants that only regions read. */
static void drop_unused(const writer *w) {
    const tosa_graph *g = &w->g.graph;
    for (int32_t k = 0; k < g->op_count; k++) {
        const tosa_numbers results = tosa_graph_results(g, k);
        if (g->roles.at[k] != TOSA_CONSTANT && g->roles.at[k] != TOSA_SHAPE) continue;
        if (results.count == 1 && tosa_graph_operands(g, k).count == 0 &&
            g->kinds.at[results.at[0]] != TOSA_VALUE_UNKNOWN &&
            mlirOpOperandIsNull(mlirValueGetFirstUse(w->g.values[results.at[0]])))
            mlirOperationDestroy(w->g.ops[k]);
    }
}

/* ---------------------------------------------------------------------------------------------
 * The whole */

static bool check(const writer *w, MlirStringRef name) {
    const MlirOperation function = w->g.function;
    if (name.length > TOSA_NAME_LIMIT || memchr(name.data, '\0', name.length))
        return fail(w, TOSAJIT_BAD_MODULE, function,
                    "the function's name is too long, or has a 0 in it");
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(w->block)))
        return fail(w, TOSAJIT_BAD_MODULE, function,
                    "has several blocks; straight-line functions only");
    return !mlirOperationIsNull(w->end) ||
           fail(w, TOSAJIT_BAD_MODULE, function, "does not end in func.return");
}

static intptr_t count_uses(MlirValue value) {
    intptr_t count = 0;
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) count++;
    return count;
}

/* In text and bytecode an operation may read its own result or a later operation's, and the end may
 * have regions. */
static bool check_reads(const writer *w) {
    const tosa_graph *g = &w->g.graph;
    intptr_t uses = 0;
    for (int32_t k = 0; k < g->op_count; k++) {
        const tosa_numbers operands = tosa_graph_operands(g, k);
        for (size_t o = 0; o < operands.count; o++)
            if (operands.at[o] >= 0 && g->producers.at[operands.at[o]] >= k)
                return fail(w, TOSAJIT_BAD_MODULE, w->g.ops[k],
                            "an operand is used before it is defined");
    }
    for (int32_t k = 0; k < g->value_count; k++) uses += count_uses(w->g.values[k]);
    return uses == (intptr_t)(g->operands.count + g->outputs.count) ||
           fail(w, TOSAJIT_BAD_MODULE, w->g.function,
                "what an operation gives is read behind the end, or from elsewhere");
}

static bool divide(writer *w, MlirStringRef name, tosajit_mlir_outlined *count,
                   tosa_epilogues *epilogues) {
    char text[TOSA_NAME_LIMIT + 1];
    const tosa_writer writer = {w, take_name, write_region, keep_op};
    const size_t values = (size_t)w->g.graph.value_count + 1;
    snprintf(text, sizeof text, "%.*s", (int)name.length, name.data);
    w->copies = malloc(values * sizeof *w->copies);
    w->types = malloc(2 * values * sizeof *w->types);
    w->places = malloc(2 * values * sizeof *w->places);
    const bool fine = w->copies && w->types && w->places &&
                      tosa_outline(&w->g.graph, text, &writer, w->g.report->base, count, epilogues);
    if (fine) drop_unused(w);
    free(w->copies);
    free(w->types);
    free(w->places);
    return fine;
}

bool mlir_outline(MlirOperation function, pointer_map *names, mlir_report *report,
                  tosajit_mlir_outlined *count, tosa_epilogues *epilogues) {
    const MlirBlock block = mlir_block_of(function);
    writer w = {.block = block, .end = mlirBlockGetTerminator(block), .last = function};
    const MlirStringRef name =
        mlirStringAttrGetValue(mlirOperationGetAttributeByName(function, word("sym_name")));
    w.names = names;
    w.g.function = function;
    w.g.report = report;
    *count = (tosajit_mlir_outlined){.size = count->size};
    if (!check(&w, name)) return false;
    const bool open = mlir_graph_open(&w.g, function, report, &mlir_reader);
    const bool right = open && check_reads(&w);
    const bool fine = right && divide(&w, name, count, epilogues);
    mlir_graph_release(&w.g);
    if (fine || (open && !right)) return fine;
    w.g.report = report;
    return fail(&w, TOSAJIT_OUT_OF_MEMORY, function, "out of memory");
}
