/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of regions: copies of their ops, and of the constants that these read. */
#include "tools/mlir/region_function.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/mlir/build.h"
#include "tools/mlir/describe.h"
#include "tools/mlir/graph.h"
#include "tools/mlir/pointer_map.h"

static MlirStringRef word(const char *text) { return mlirStringRefCreateFromCString(text); }

/* ---------------------------------------------------------------------------------------------
 * What members read and give */

/* Tensors, and shapes that are constants of the op's form; described is null for none of that. */
static bool has_tensors_only(MlirOperation op, const tosa_op *described) {
    if (mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumRegions(op) ||
        mlirOperationGetNumSuccessors(op))
        return false;
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++) {
        const MlirValue operand = mlirOperationGetOperand(op, k);
        const char *shape = described ? tosa_shape_name(described, (size_t)k) : NULL;
        if (shape ? tosa_attribute_find(described, shape)->kind != TOSA_LIST
                  : !mlirTypeIsATensor(mlirValueGetType(operand)))
            return false;
    }
    return mlirTypeIsATensor(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

/* What is not verified may be called a constant and read something. */
bool region_is_constant(MlirOperation op) {
    bool constant = graph_is_called(op, "tosa.const") || graph_is_called(op, "arith.constant");
    return mlir_is_shape(op) ||
           (constant && has_tensors_only(op, NULL) && mlirOperationGetNumOperands(op) == 0);
}

bool region_may_have(MlirOperation op) {
    tosa_op described;
    mlir_describe(op, &described);
    return described.op != TOSAJIT_OP_COUNT && has_tensors_only(op, &described);
}

bool region_is_view(MlirOperation op) {
    tosa_op described;
    mlir_describe(op, &described);
    return tosa_is_view(&described);
}

static bool is_inside(const pointer_map *own, MlirOperation op) {
    return pointer_map_find(own, op.ptr, NULL);
}

/* Whether an op reads a value that no other op gives and that has not been listed. */
static bool is_new_input(const pointer_map *own, const pointer_map *listed, MlirValue value) {
    bool result = mlirValueIsAOpResult(value);
    bool given = result && (is_inside(own, mlirOpResultGetOwner(value)) ||
                            region_is_constant(mlirOpResultGetOwner(value)));
    return !given && !pointer_map_find(listed, value.ptr, NULL);
}

static bool is_output(const pointer_map *own, MlirValue result) {
    MlirOpOperand use = mlirValueGetFirstUse(result);
    bool used = !mlirOpOperandIsNull(use);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        if (!is_inside(own, mlirOpOperandGetOwner(use))) return true;
    return !used;
}

static bool list_values(const members *m, const pointer_map *own, pointer_map *listed,
                        interface *i) {
    for (int32_t k = 0; k < m->count; k++) {
        MlirOperation op = m->ops[k];
        for (intptr_t p = 0; p < mlirOperationGetNumOperands(op); p++) {
            MlirValue value = mlirOperationGetOperand(op, p);
            if (!is_new_input(own, listed, value)) continue;
            if (!pointer_map_add(listed, value.ptr, 0)) return false;
            i->inputs[i->input_count++] = value;
        }
        MlirValue result = mlirOperationGetResult(op, 0);
        if (is_output(own, result)) i->outputs[i->output_count++] = result;
    }
    return true;
}

bool interface_open(const members *m, interface *i) {
    pointer_map own = {0}, listed = {0};
    size_t operands = 1;
    bool fine = true;
    memset(i, 0, sizeof *i);
    for (int32_t k = 0; fine && k < m->count; k++) {
        operands += (size_t)mlirOperationGetNumOperands(m->ops[k]);
        fine = pointer_map_add(&own, m->ops[k].ptr, k);
    }
    i->inputs = malloc(operands * sizeof *i->inputs);
    i->outputs = malloc((size_t)(m->count + 1) * sizeof *i->outputs);
    fine = fine && i->inputs && i->outputs && list_values(m, &own, &listed, i);
    pointer_map_release(&own);
    pointer_map_release(&listed);
    return fine;
}

void interface_release(interface *i) {
    free(i->inputs);
    free(i->outputs);
    memset(i, 0, sizeof *i);
}

/* ---------------------------------------------------------------------------------------------
 * The function */

/* Which value of the function stands for which one outside. */
typedef struct copies {
    pointer_map index; /* from the old value to its number in new */
    MlirValue *made;
    int32_t count, capacity;
} copies;

static bool add_copy(copies *c, MlirValue from, MlirValue to) {
    if (c->count == c->capacity) {
        int32_t larger = 2 * c->capacity + 16;
        MlirValue *made = realloc(c->made, (size_t)larger * sizeof *made);
        if (!made) return false;
        c->made = made;
        c->capacity = larger;
    }
    c->made[c->count] = to;
    return pointer_map_add(&c->index, from.ptr, c->count++);
}

static bool find_copy(const copies *c, MlirValue from, MlirValue *to) {
    int32_t k;
    bool found = pointer_map_find(&c->index, from.ptr, &k);
    if (found) *to = c->made[k];
    return found;
}

/* A copy of op at the end of block, which reads copies. */
static bool copy_op(MlirOperation op, MlirBlock block, copies *c) {
    MlirOperation copy = mlirOperationClone(op);
    bool fine = true;
    for (intptr_t k = 0; fine && k < mlirOperationGetNumOperands(op); k++) {
        MlirValue old = mlirOperationGetOperand(op, k), made = {NULL};
        fine = find_copy(c, old, &made) ||
               (copy_op(mlirOpResultGetOwner(old), block, c) && find_copy(c, old, &made));
        if (fine) mlirOperationSetOperand(copy, k, made);
    }
    mlirBlockAppendOwnedOperation(block, copy);
    return fine && add_copy(c, mlirOperationGetResult(op, 0), mlirOperationGetResult(copy, 0));
}

static void append_return(MlirBlock block, MlirLocation place, const copies *c,
                          const interface *i) {
    MlirOperationState end = mlirOperationStateGet(word("func.return"), place);
    for (intptr_t k = 0; k < i->output_count; k++) {
        MlirValue made;
        if (find_copy(c, i->outputs[k], &made)) mlirOperationStateAddOperands(&end, 1, &made);
    }
    mlirBlockAppendOwnedOperation(block, mlirOperationCreate(&end));
}

/* The body. Its copies do not outlast it, so that what fails half way is destroyed with the
 * function. */
static bool fill(MlirBlock block, MlirLocation place, const members *m, const interface *i) {
    copies c = {0};
    bool fine = true;
    for (intptr_t k = 0; fine && k < i->input_count; k++)
        fine = add_copy(&c, i->inputs[k], mlirBlockGetArgument(block, k));
    for (int32_t k = 0; fine && k < m->count; k++) fine = copy_op(m->ops[k], block, &c);
    append_return(block, place, &c, i);
    pointer_map_release(&c.index);
    free(c.made);
    return fine;
}

/* Types of values, and as many times the place; null if out of memory. */
static MlirType *list_types(const interface *i, MlirLocation place, MlirLocation **places) {
    const intptr_t all = i->input_count + i->output_count;
    MlirType *types = malloc((size_t)(all + 1) * sizeof *types);
    *places = malloc((size_t)(all + 1) * sizeof **places);
    for (intptr_t k = 0; types && *places && k < all; k++) {
        bool input = k < i->input_count;
        types[k] = mlirValueGetType(input ? i->inputs[k] : i->outputs[k - i->input_count]);
        (*places)[k] = place;
    }
    return types;
}

/* With a block that has the inputs as arguments. */
static MlirOperation make_empty(const interface *i, const char *name, MlirLocation place,
                                const MlirType *types, const MlirLocation *places,
                                MlirBlock *block) {
    MlirContext context = mlirLocationGetContext(place);
    MlirType type = mlirFunctionTypeGet(context, i->input_count, types, i->output_count,
                                        types + i->input_count);
    MlirNamedAttribute attributes[2] = {
        mlirNamedAttributeGet(mlirIdentifierGet(context, word("sym_name")),
                              mlirStringAttrGet(context, word(name))),
        mlirNamedAttributeGet(mlirIdentifierGet(context, word("function_type")),
                              mlirTypeAttrGet(type))};
    *block = mlirBlockCreate(i->input_count, types, places);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, *block);
    MlirOperationState state = mlirOperationStateGet(word("func.func"), place);
    mlirOperationStateAddAttributes(&state, 2, attributes);
    mlirOperationStateAddOwnedRegions(&state, 1, &region);
    return mlirOperationCreate(&state);
}

MlirOperation region_function(const members *m, const interface *i, const char *name) {
    MlirLocation place = mlirOperationGetLocation(m->ops[0]), *places;
    MlirType *types = list_types(i, place, &places);
    MlirOperation made = {NULL};
    if (types && places) {
        MlirBlock block;
        made = make_empty(i, name, place, types, places, &block);
        if (!fill(block, place, m, i)) {
            mlirOperationDestroy(made);
            made.ptr = NULL;
        }
    }
    free(types);
    free(places);
    return made;
}

static void keep_message(void *why, const tosajit_mlir_finding *finding) {
    mlir_phrase *p = why;
    if (p->length == 0) mlir_phrase_append(word(finding->message), p);
}

/* OK: a kernel can be made of it; why not may be null. */
static tosajit_status build(MlirOperation function, mlir_phrase *why) {
    mlir_report silent = {
        .file = "", .silent = true, .say = why ? keep_message : NULL, .context = why};
    tosa_function built;
    if (!mlir_build(function, NULL, &silent, &built)) return mlir_report_end(&silent);
    tosajit_status status = tosajit_expr_verify(built.expr);
    if (status && why) mlir_phrase_append(word(tosa_bare_error()), why);
    tosa_function_release(&built);
    return status;
}

static tosajit_status try_members(const members *m, mlir_phrase *why) {
    interface i;
    MlirOperation trial = {NULL};
    if (interface_open(m, &i)) trial = region_function(m, &i, "trial");
    interface_release(&i);
    if (mlirOperationIsNull(trial)) return TOSAJIT_OUT_OF_MEMORY;
    tosajit_status status = build(trial, why);
    mlirOperationDestroy(trial);
    return status;
}

bool region_makes_kernel(const members *m, bool *kernel) {
    const tosajit_status status = try_members(m, NULL);
    *kernel = status == TOSAJIT_OK;
    return status != TOSAJIT_OUT_OF_MEMORY;
}

void region_refusal(MlirOperation op, mlir_phrase *why) {
    const members single = {&op, 1};
    if (region_may_have(op)) {
        (void)try_members(&single, why);
        return;
    }
    mlir_phrase_append(mlirIdentifierStr(mlirOperationGetName(op)), why);
    mlir_phrase_append(word(": not an elementwise operation of TOSA on tensors"), why);
}
