/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outlining: regions are found in the graph of the function's ops; then regions and the rest are
 * put into an order in which each stands behind what it reads, as near to the old one as can be. */
#include "tools/mlir/outline.h"

#include <mlir-c/BuiltinAttributes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/mlir/graph.h"
#include "tools/mlir/describe.h"
#include "tools/mlir/regions.h"

enum { NAME_LIMIT = 400 }; /* bytes of a function's name */

typedef struct outliner {
    mlir_report *report;
    MlirOperation function, last; /* last: the function behind which the next one goes */
    MlirBlock block;
    pointer_map *names;
    int number; /* of the next region's name */
    graph g;
    regions r;
    int32_t *waiting;        /* per head: edges from what has not been placed */
    int32_t *ready, readied; /* a heap of heads that wait for nothing; the first one in the old
                                order is on top */
    tosajit_mlir_outlined *counted;
    tosa_epilogues *epilogues;
} outliner;

static MlirStringRef word(const char *text) { return mlirStringRefCreateFromCString(text); }

static bool fail_outline(const outliner *o, tosajit_status status, const char *text) {
    mlir_report_error(o->report, status, mlirOperationGetLocation(o->function), "outline: %s",
                      text);
    return false;
}

static bool fail_module(const outliner *o, const char *text) {
    return fail_outline(o, TOSAJIT_BAD_MODULE, text);
}

static void fail_early(const outliner *o) {
    mlir_report_error(o->report, TOSAJIT_BAD_MODULE, mlirOperationGetLocation(o->g.ops[o->g.early]),
                      "outline: an operand is used before it is defined");
}

static bool fail_memory(const outliner *o) {
    return fail_outline(o, TOSAJIT_OUT_OF_MEMORY, "out of memory");
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

static MlirStringRef own_name(const outliner *o) {
    return mlirStringAttrGetValue(mlirOperationGetAttributeByName(o->function, word("sym_name")));
}

/* "main_region_0", with a number that is free. False if out of memory. */
static bool name_region(outliner *o, char *name, size_t capacity) {
    MlirStringRef own = own_name(o);
    const void *key;
    do {
        snprintf(name, capacity, "%.*s_region_%d", (int)own.length, own.data, o->number++);
        key = name_key(mlirOperationGetContext(o->function), word(name));
    } while (pointer_map_find(o->names, key, NULL));
    return pointer_map_add(o->names, key, 0);
}

/* ---------------------------------------------------------------------------------------------
 * The new order */

static void push_ready(outliner *o, int32_t head) {
    int32_t at = o->readied++;
    for (; at > 0 && o->ready[(at - 1) / 2] > head; at = (at - 1) / 2)
        o->ready[at] = o->ready[(at - 1) / 2];
    o->ready[at] = head;
}

static int32_t pop_ready(outliner *o) {
    int32_t top = o->ready[0], moved = o->ready[--o->readied], at = 0;
    for (int32_t child; (child = 2 * at + 1) < o->readied; at = child) {
        if (child + 1 < o->readied && o->ready[child + 1] < o->ready[child]) child++;
        if (o->ready[child] >= moved) break;
        o->ready[at] = o->ready[child];
    }
    o->ready[at] = moved;
    return top;
}

static bool begin_order(outliner *o) {
    const graph *g = &o->g;
    o->waiting = calloc((size_t)g->count + 1, sizeof *o->waiting);
    o->ready = malloc(((size_t)g->count + 1) * sizeof *o->ready);
    if (!o->waiting || !o->ready) return false;
    for (int32_t k = 0; k < g->count; k++)
        for (int32_t e = g->first[k]; e < g->first[k + 1]; e++)
            o->waiting[o->r.heads[k]] += o->r.heads[g->producers[e]] != o->r.heads[k];
    for (int32_t k = 0; k < g->count; k++)
        if (o->r.heads[k] == k && o->waiting[k] == 0) push_ready(o, k);
    return true;
}

/* What follows an op, or a region, waits for it no longer. */
static void release_followers(outliner *o, int32_t head) {
    const graph *g = &o->g;
    for (int32_t k = head; k >= 0; k = o->r.next[k])
        for (int32_t e = g->first_follower[k]; e < g->first_follower[k + 1]; e++) {
            int32_t follower = o->r.heads[g->followers[e]];
            if (follower != head && --o->waiting[follower] == 0) push_ready(o, follower);
        }
}

/* ---------------------------------------------------------------------------------------------
 * Regions become calls */

/* func.call @name(inputs), in front of end. */
static MlirOperation insert_call(const outliner *o, const interface *i, const char *name,
                                 MlirOperation made, MlirOperation end) {
    MlirContext context = mlirOperationGetContext(o->function);
    MlirNamedAttribute callee = mlirNamedAttributeGet(
        mlirIdentifierGet(context, word("callee")), mlirFlatSymbolRefAttrGet(context, word(name)));
    MlirOperationState state =
        mlirOperationStateGet(word("func.call"), mlirOperationGetLocation(made));
    mlirOperationStateAddAttributes(&state, 1, &callee);
    mlirOperationStateAddOperands(&state, i->input_count, i->inputs);
    for (intptr_t k = 0; k < i->output_count; k++) {
        MlirType type = mlirValueGetType(i->outputs[k]);
        mlirOperationStateAddResults(&state, 1, &type);
    }
    MlirOperation call = mlirOperationCreate(&state);
    mlirBlockInsertOwnedOperationBefore(o->block, end, call);
    return call;
}

/* Operands that a product gives; the call has taken the place of the region's ops. */
static bool add_epilogues(const outliner *o, const interface *i, char *region) {
    for (intptr_t k = 0; o->epilogues && k < i->input_count; k++) {
        if (!mlirValueIsAOpResult(i->inputs[k])) continue;
        MlirOperation producer = mlirOpResultGetOwner(i->inputs[k]);
        const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(producer));
        const char *product = tosa_product(name.data, name.length);
        const MlirOpOperand use = mlirValueGetFirstUse(i->inputs[k]);
        const bool alone = mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
        const tosa_epilogue found = {product, region, (size_t)k, alone};
        if (product && !tosa_epilogues_add(o->epilogues, &found)) return false;
    }
    return true;
}

/* Replace the region that is listed by a call, at the end of what has been placed. */
static bool replace_region(outliner *o, const interface *i, MlirOperation end) {
    char name[NAME_LIMIT + 32];
    members *m = &o->r.members;
    if (!name_region(o, name, sizeof name)) return false;
    MlirOperation made = region_function(m, i, name);
    if (mlirOperationIsNull(made)) return false;
    mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(o->function), o->last, made);
    o->last = made;
    MlirOperation call = insert_call(o, i, name, made, end);
    for (intptr_t k = 0; k < i->output_count; k++)
        mlirValueReplaceAllUsesOfWith(i->outputs[k], mlirOperationGetResult(call, k));
    for (int32_t k = m->count; k-- > 0;) mlirOperationDestroy(m->ops[k]);
    if (!add_epilogues(o, i, name)) return false;
    o->counted->regions++;
    o->counted->inside += (size_t)m->count;
    return true;
}

static bool place_region(outliner *o, int32_t head, MlirOperation end) {
    interface i;
    regions_list(&o->r, head);
    bool fine = interface_open(&o->r.members, &i) && replace_region(o, &i, end);
    interface_release(&i);
    return fine;
}

/* An op stays where it is; the host may want to know why. */
static void tell_left(outliner *o, int32_t k) {
    mlir_phrase why = {0};
    MlirOperation op = o->g.ops[k];
    if (o->r.kinds[k] == CONSTANT) return;
    o->counted->outside++;
    if (!o->report->say) return;
    if (o->r.kinds[k] == REST) {
        region_refusal(op, &why);
    } else {
        mlir_phrase_append(mlirIdentifierStr(mlirOperationGetName(op)), &why);
        tosa_op described;
        mlir_describe(op, &described);
        mlir_phrase_append(word(": "), &why);
        mlir_phrase_append(word(tosa_left_reason(&described)), &why);
    }
    mlir_report_remark(o->report, mlirOperationGetLocation(op), why.text);
}

static bool place_all(outliner *o) {
    MlirOperation end = mlirBlockGetTerminator(o->block);
    o->last = o->function;
    if (!begin_order(o)) return false;
    while (o->readied > 0) {
        int32_t k = pop_ready(o);
        release_followers(o, k);
        if (o->r.kinds[k] == MEMBER) {
            if (!place_region(o, k, end)) return false;
            continue;
        }
        mlirOperationMoveBefore(o->g.ops[k], end);
        tell_left(o, k);
    }
    return true;
}

/* Constants that only regions use. */
static void drop_unused(const outliner *o) {
    for (int32_t k = 0; k < o->g.count; k++) {
        if (o->r.kinds[k] != CONSTANT) continue;
        MlirValue result = mlirOperationGetResult(o->g.ops[k], 0);
        if (mlirOpOperandIsNull(mlirValueGetFirstUse(result))) mlirOperationDestroy(o->g.ops[k]);
    }
}

/* ---------------------------------------------------------------------------------------------
 * The whole */

static bool check(const outliner *o) {
    MlirStringRef name = own_name(o);
    if (name.length > NAME_LIMIT || memchr(name.data, '\0', name.length))
        return fail_module(o, "the function's name is too long, or has a 0 in it");
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(o->block)))
        return fail_module(o, "has several blocks; straight-line functions only");
    if (mlirOperationIsNull(mlirBlockGetTerminator(o->block)))
        return fail_module(o, "does not end in func.return");
    return true;
}

bool mlir_outline(MlirOperation function, pointer_map *names, mlir_report *report,
                  tosajit_mlir_outlined *count, tosa_epilogues *epilogues) {
    outliner o = {.report = report,
                  .function = function,
                  .names = names,
                  .counted = count,
                  .epilogues = epilogues};
    *count = (tosajit_mlir_outlined){.size = count->size};
    o.block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
    if (!check(&o)) return false;
    bool fine = graph_open(&o.g, o.block), early = fine && o.g.early >= 0;
    if (early) fail_early(&o);
    fine = fine && !early && regions_open(&o.r, &o.g) && place_all(&o);
    if (fine) drop_unused(&o);
    regions_release(&o.r);
    graph_release(&o.g);
    free(o.waiting);
    free(o.ready);
    return fine || (!early && fail_memory(&o));
}
