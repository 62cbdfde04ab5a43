/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The block as numbers, for tosajit_partition: value k is what op k gives; further values are what
 * members read of others. Constants are copied into each function that reads them: they come from
 * nowhere, so that no path leads through them. */
#include "tools/mlir/regions.h"

#include <stdlib.h>
#include <string.h>

#include "tosajit/tosajit.h"

typedef struct numbers {
    uint8_t *members, *kept, *constants, *views;
    int32_t *operands, *first_operand, *producers;
    int32_t operand_count, value_count;
    pointer_map others; /* values that members read of others */
} numbers;

/* ---------------------------------------------------------------------------------------------
 * Members */

static bool classify(regions *r, const numbers *n) {
    for (int32_t k = 0; k < r->g->count; k++) {
        MlirOperation op = r->g->ops[k];
        members single = {&op, 1};
        bool kernel = false;
        const bool constant = region_is_constant(op), may = !constant && region_may_have(op);
        if (may && !region_makes_kernel(&single, &kernel)) return false;
        if (constant || kernel) r->kinds[k] = constant ? CONSTANT : MEMBER;
        n->members[k] = r->kinds[k] == MEMBER;
        n->views[k] = kernel && region_is_view(op);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Values */

/* The number of what a member reads. False if out of memory. */
static bool find_value(const regions *r, numbers *n, MlirValue value, int32_t *number) {
    const int32_t producer = graph_producer(r->g, value);
    *number = producer;
    if (producer >= 0 && n->members[producer]) return true;
    if (pointer_map_find(&n->others, value.ptr, number)) return true;
    *number = n->value_count++;
    n->producers[*number] = producer >= 0 && r->kinds[producer] == REST ? producer : -1;
    n->constants[*number] = producer >= 0 && r->kinds[producer] == CONSTANT;
    return pointer_map_add(&n->others, value.ptr, *number);
}

static bool list_operands(const regions *r, numbers *n, int32_t k) {
    const graph *g = r->g;
    n->first_operand[k] = n->operand_count;
    for (int32_t e = g->first[k]; !n->members[k] && e < g->first[k + 1]; e++)
        n->operands[n->operand_count++] = g->producers[e];
    const intptr_t count = n->members[k] ? mlirOperationGetNumOperands(g->ops[k]) : 0;
    for (intptr_t p = 0; p < count; p++) {
        MlirValue value = mlirOperationGetOperand(g->ops[k], p);
        if (!find_value(r, n, value, &n->operands[n->operand_count++])) return false;
    }
    return true;
}

/* Whether the op at the block's end reads a member's result, too: it is not in the graph. */
static bool is_kept(const graph *g, int32_t k) {
    int32_t uses = 0;
    MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(g->ops[k], 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) uses++;
    return uses > g->first_follower[k + 1] - g->first_follower[k];
}

static bool number_all(const regions *r, numbers *n) {
    const graph *g = r->g;
    n->value_count = g->count;
    for (int32_t k = 0; k < g->count; k++) n->producers[k] = k;
    for (int32_t k = 0; k < g->count; k++) {
        n->kept[k] = n->members[k] && is_kept(g, k);
        if (!list_operands(r, n, k)) return false;
    }
    n->first_operand[g->count] = n->operand_count;
    return true;
}

static bool open_numbers(const graph *g, numbers *n) {
    const size_t count = (size_t)g->count + 1;
    size_t operands = (size_t)g->first[g->count] + 1;
    for (int32_t k = 0; k < g->count; k++)
        operands += (size_t)mlirOperationGetNumOperands(g->ops[k]);
    *n = (numbers){.members = calloc(count, sizeof *n->members),
                   .kept = calloc(count + operands, sizeof *n->kept),
                   .constants = calloc(count + operands, sizeof *n->constants),
                   .views = calloc(count, sizeof *n->views),
                   .operands = calloc(operands, sizeof *n->operands),
                   .first_operand = calloc(count, sizeof *n->first_operand),
                   .producers = calloc(count + operands, sizeof *n->producers)};
    return n->members && n->kept && n->constants && n->views && n->operands && n->first_operand &&
           n->producers;
}

static void release_numbers(numbers *n) {
    pointer_map_release(&n->others);
    free(n->members);
    free(n->kept);
    free(n->constants);
    free(n->views);
    free(n->operands);
    free(n->first_operand);
    free(n->producers);
}

/* ---------------------------------------------------------------------------------------------
 * Regions */

/* The library may refuse together what it takes one by one: a table that an op computes, sizes that
 * are declared and cannot be. */
static tosajit_status accepts(void *context, const int32_t *ops, size_t count, int *accepted) {
    regions *r = context;
    bool kernel;
    for (size_t k = 0; k < count; k++) r->members.ops[k] = r->g->ops[ops[k]];
    r->members.count = (int32_t)count;
    if (!region_makes_kernel(&r->members, &kernel)) return TOSAJIT_OUT_OF_MEMORY;
    *accepted = kernel;
    return TOSAJIT_OK;
}

/* The last ops first, so that each knows the one behind it; latest is per head. */
static void link(regions *r, int32_t *latest) {
    for (int32_t k = r->g->count; k-- > 0;) {
        if (r->heads[k] < 0) {
            r->heads[k] = k;
            if (r->kinds[k] == MEMBER) r->kinds[k] = LEFT;
        }
        r->next[k] = latest[r->heads[k]] - 1;
        latest[r->heads[k]] = k + 1;
    }
}

static bool divide(regions *r, numbers *n) {
    const tosajit_graph graph = {.size = sizeof graph,
                                 .op_count = r->g->count,
                                 .value_count = n->value_count,
                                 .members = n->members,
                                 .operands = n->operands,
                                 .first_operand = n->first_operand,
                                 .producers = n->producers,
                                 .kept = n->kept,
                                 .constants = n->constants,
                                 .views = n->views,
                                 .accepts = accepts,
                                 .context = r};
    int32_t *latest = calloc((size_t)r->g->count + 1, sizeof *latest);
    const bool fine = latest && !tosajit_partition(&graph, r->heads);
    if (fine) link(r, latest);
    free(latest);
    return fine;
}

void regions_list(regions *r, int32_t head) {
    r->members.count = 0;
    for (int32_t k = head; k >= 0; k = r->next[k])
        r->members.ops[r->members.count++] = r->g->ops[k];
}

bool regions_open(regions *r, const graph *g) {
    const size_t count = (size_t)g->count + 1;
    numbers n;
    *r = (regions){.g = g,
                   .kinds = calloc(count, sizeof *r->kinds),
                   .heads = calloc(count, sizeof *r->heads),
                   .next = calloc(count, sizeof *r->next),
                   .members.ops = calloc(count, sizeof *r->members.ops)};
    bool fine = r->kinds && r->heads && r->next && r->members.ops;
    fine = open_numbers(g, &n) && fine;
    fine = fine && classify(r, &n) && number_all(r, &n) && divide(r, &n);
    release_numbers(&n);
    return fine;
}

void regions_release(regions *r) {
    free(r->kinds);
    free(r->heads);
    free(r->next);
    free(r->members.ops);
    memset(r, 0, sizeof *r);
}
