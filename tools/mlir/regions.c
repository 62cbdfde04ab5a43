/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every op that makes a kernel begins as a region of its own; two regions become one along an edge
 * between them, unless a path through other ops leads from the one to the other, or the library
 * refuses them together. For instance `add` cannot join `exp` here, because `matmul` would stand
 * behind and before their region:
 *
 *     %e = tosa.exp %a
 *     %m = tosa.matmul %e, ...
 *     %r = tosa.add %e, %m
 *
 * Each of these costs little however large regions are, so that the whole is linear in ops and
 * uses: a region knows what it reads and gives, which are few values; the smaller region takes the
 * number of the larger; and a search has an end. */
#include "tools/mlir/regions.h"

#include <stdlib.h>
#include <string.h>

#include "tosajit/tosajit.h"

enum {
    SEARCH_LIMIT = 4096, /* edges of a search; a path that is not found by then is taken for one */
    CAREFUL_LIMIT = 256, /* ops of a region that is built each time it grows */
    MOST_VALUES = 2 * (TOSAJIT_MAX_TENSORS + TOSAJIT_MAX_OPERANDS + 1), /* of two regions */
};

/* ---------------------------------------------------------------------------------------------
 * What a region reads and gives */

typedef struct values {
    region_value list[MOST_VALUES];
    int32_t count;
} values;

static region_value *find_value(region_value *list, int32_t count, MlirValue value) {
    for (int32_t k = 0; k < count; k++)
        if (mlirValueEqual(list[k].value, value)) return &list[k];
    return NULL;
}

static void add_input(values *v, const region_value *input) {
    region_value *known = find_value(v->list, v->count, input->value);
    if (known)
        known->uses += input->uses;
    else
        v->list[v->count++] = *input;
}

static region_value *outputs_of(const region *g) { return g->values + g->input_count; }

/* A region's inputs that the other one does not give. */
static void add_inputs(const regions *r, values *v, const region *from, int32_t other) {
    for (int32_t k = 0; k < from->input_count; k++) {
        int32_t producer = from->values[k].producer;
        if (producer < 0 || r->heads[producer] != other) add_input(v, &from->values[k]);
    }
}

/* A region's outputs that are not read by the other one alone. */
static void add_outputs(values *v, const region *from, const region *other) {
    for (int32_t k = 0; k < from->output_count; k++) {
        region_value output = outputs_of(from)[k];
        const region_value *read = find_value(other->values, other->input_count, output.value);
        bool only = read && read->uses == output.uses;
        if (read) output.uses -= read->uses;
        if (!only) v->list[v->count++] = output;
    }
}

/* What two regions are together, without their values. */
static region unite(const regions *r, int32_t a, int32_t b, values *inputs, values *outputs) {
    const region *x = &r->list[a], *y = &r->list[b];
    inputs->count = outputs->count = 0;
    add_inputs(r, inputs, x, b);
    add_inputs(r, inputs, y, a);
    add_outputs(outputs, x, y);
    add_outputs(outputs, y, x);
    return (region){.size = x->size + y->size,
                    .first = x->first < y->first ? x->first : y->first,
                    .latest = x->latest > y->latest ? x->latest : y->latest,
                    .constants = x->constants + y->constants,
                    .input_count = inputs->count,
                    .output_count = outputs->count,
                    .careful = x->careful || y->careful};
}

static bool set_values(region *g, const values *inputs, const values *outputs) {
    size_t count = (size_t)(inputs->count + outputs->count);
    region_value *own = malloc((count + 1) * sizeof *own);
    if (!own) return false;
    memcpy(own, inputs->list, (size_t)inputs->count * sizeof *own);
    memcpy(own + inputs->count, outputs->list, (size_t)outputs->count * sizeof *own);
    free(g->values);
    g->values = own;
    return true;
}

/* The region of one op. */
static bool begin(regions *r, int32_t k) {
    MlirOperation op = r->g->ops[k];
    region own = {.size = 1, .first = k, .latest = k, .values = r->list[k].values};
    values inputs = {.count = 0}, outputs = {.count = 1};
    for (intptr_t p = 0; p < mlirOperationGetNumOperands(op); p++) {
        MlirValue value = mlirOperationGetOperand(op, p);
        region_value input = {value, graph_producer(r->g, value), 1};
        bool constant = input.producer >= 0 && r->kinds[input.producer] == CONSTANT;
        own.constants += constant;
        if (!constant) add_input(&inputs, &input);
    }
    MlirValue result = mlirOperationGetResult(op, 0);
    outputs.list[0] = (region_value){result, k, 0};
    for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        outputs.list[0].uses++;
    own.input_count = inputs.count;
    own.output_count = outputs.count;
    r->heads[k] = r->tails[k] = k;
    r->next[k] = -1;
    r->list[k] = own;
    return set_values(&r->list[k], &inputs, &outputs);
}

/* ---------------------------------------------------------------------------------------------
 * Members */

static int compare(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void list_both(regions *r, int32_t a, int32_t b) {
    int32_t count = 0;
    for (int32_t k = a; k >= 0; k = r->next[k]) r->order[count++] = k;
    for (int32_t k = b; k >= 0; k = r->next[k]) r->order[count++] = k;
    qsort(r->order, (size_t)count, sizeof *r->order, compare);
    for (int32_t k = 0; k < count; k++) r->members.ops[k] = r->g->ops[r->order[k]];
    r->members.count = count;
}

void regions_list(regions *r, int32_t head) { list_both(r, head, -1); }

/* ---------------------------------------------------------------------------------------------
 * Searches */

typedef struct search {
    int32_t from, to;
    int32_t steps, stacked;
    bool outside, found; /* outside: the steps now are from something else */
} search;

/* One step back along an edge. */
static void visit(regions *r, search *s, int32_t producer) {
    int32_t at = r->heads[producer];
    bool found = at == s->from && s->outside;
    s->found = s->found || found || ++s->steps > SEARCH_LIMIT;
    /* Whatever lies behind `from` has an op behind its first one. */
    bool ends = at == s->from || at == s->to || r->list[at].latest < r->list[s->from].first;
    if (ends || r->reached[at] == r->searches) return;
    r->reached[at] = r->searches;
    r->stack[s->stacked++] = at;
}

static void visit_producers(regions *r, search *s, int32_t at) {
    const region *own = &r->list[at];
    if (r->kinds[at] == MEMBER) {
        for (int32_t k = 0; k < own->input_count && !s->found; k++)
            if (own->values[k].producer >= 0) visit(r, s, own->values[k].producer);
        return;
    }
    for (int32_t k = r->g->first[at]; k < r->g->first[at + 1] && !s->found; k++)
        visit(r, s, r->g->producers[k]);
}

/* Whether a path leads from one region to another that touches something else. */
static bool has_detour(regions *r, int32_t from, int32_t to) {
    search s = {.from = from, .to = to};
    r->searches++;
    visit_producers(r, &s, to);
    s.outside = true;
    while (s.stacked > 0 && !s.found) visit_producers(r, &s, r->stack[--s.stacked]);
    return s.found;
}

/* ---------------------------------------------------------------------------------------------
 * Joining */

/* As a rule the library refuses two kernels as one only for their number of tensors and values;
 * trying each time would take quadratic time. False if out of memory. */
static bool may_be_one(regions *r, const region *both, int32_t a, int32_t b, bool *one) {
    int32_t tensors = both->input_count + both->output_count + both->constants;
    bool few = tensors <= TOSAJIT_MAX_TENSORS && both->size + tensors <= TOSAJIT_MAX_NODES;
    *one = few && !both->careful;
    if (!few || !both->careful || both->size > CAREFUL_LIMIT) return true;
    list_both(r, a, b);
    return region_makes_kernel(&r->members, one);
}

/* The ops of the smaller one go over to the larger one. */
static void take_over(regions *r, int32_t larger, int32_t smaller, const region *both) {
    for (int32_t k = smaller; k >= 0; k = r->next[k]) r->heads[k] = larger;
    r->next[r->tails[larger]] = smaller;
    r->tails[larger] = r->tails[smaller];
    free(r->list[smaller].values);
    r->list[smaller].values = NULL;
    r->list[larger] = *both;
}

static bool join(regions *r, int32_t producer, int32_t consumer) {
    int32_t a = r->heads[producer], b = r->heads[consumer];
    values inputs, outputs;
    if (a == b || has_detour(r, a, b)) return true;
    region both = unite(r, a, b, &inputs, &outputs);
    bool one;
    if (!may_be_one(r, &both, a, b, &one)) return false;
    if (!one) return true;
    int32_t larger = r->list[a].size >= r->list[b].size ? a : b;
    both.values = r->list[larger].values;
    if (!set_values(&both, &inputs, &outputs)) return false;
    take_over(r, larger, larger == a ? b : a, &both);
    return true;
}

static bool join_all(regions *r) {
    for (int32_t k = 0; k < r->g->count; k++) {
        MlirOperation op = r->g->ops[k];
        for (intptr_t p = 0; r->kinds[k] == MEMBER && p < mlirOperationGetNumOperands(op); p++) {
            int32_t producer = graph_producer(r->g, mlirOperationGetOperand(op, p));
            bool member = producer >= 0 && r->kinds[producer] == MEMBER;
            if (member && !join(r, producer, k)) return false;
        }
    }
    return true;
}

/* Regions that are no kernels are single ops again. Whether there was one. */
static bool part_refused(regions *r, bool *refused) {
    *refused = false;
    for (int32_t k = 0; k < r->g->count; k++) {
        if (r->kinds[k] != MEMBER || r->heads[k] != k || r->list[k].size == 1) continue;
        regions_list(r, k);
        bool kernel;
        if (!region_makes_kernel(&r->members, &kernel)) return false;
        if (kernel) continue;
        *refused = true;
        for (int32_t m = 0; m < r->members.count; m++) {
            if (!begin(r, r->order[m])) return false;
            r->list[r->order[m]].careful = true;
        }
    }
    return true;
}

static bool classify(regions *r) {
    for (int32_t k = 0; k < r->g->count; k++) {
        MlirOperation op = r->g->ops[k];
        members single = {&op, 1};
        bool kernel = false;
        r->heads[k] = k;
        r->next[k] = -1;
        r->list[k].first = r->list[k].latest = k;
        const bool constant = region_is_constant(op), may = !constant && region_may_have(op);
        if (may && !region_makes_kernel(&single, &kernel)) return false;
        if (constant || kernel) r->kinds[k] = constant ? CONSTANT : MEMBER;
        if (r->kinds[k] == MEMBER && !begin(r, k)) return false;
    }
    return true;
}

/* Rarely the library refuses together what it takes one by one: a table that an op computes, sizes
 * that are declared and cannot be. There every step is tried. */
static bool find(regions *r) {
    bool refused;
    if (!classify(r) || !join_all(r) || !part_refused(r, &refused)) return false;
    return !refused || join_all(r);
}

bool regions_open(regions *r, const graph *g) {
    size_t count = (size_t)g->count + 1;
    memset(r, 0, sizeof *r);
    r->g = g;
    r->kinds = calloc(count, sizeof *r->kinds);
    r->list = calloc(count, sizeof *r->list);
    r->heads = calloc(count, sizeof *r->heads);
    r->next = calloc(count, sizeof *r->next);
    r->tails = calloc(count, sizeof *r->tails);
    r->reached = calloc(count, sizeof *r->reached);
    r->stack = calloc(count, sizeof *r->stack);
    r->order = calloc(count, sizeof *r->order);
    r->members.ops = calloc(count, sizeof *r->members.ops);
    bool fine = r->kinds && r->list && r->heads && r->next && r->tails && r->reached && r->stack &&
                r->order && r->members.ops;
    return fine && find(r);
}

void regions_release(regions *r) {
    for (int32_t k = 0; r->list && k < r->g->count; k++) free(r->list[k].values);
    free(r->kinds);
    free(r->list);
    free(r->heads);
    free(r->next);
    free(r->tails);
    free(r->reached);
    free(r->stack);
    free(r->order);
    free(r->members.ops);
    memset(r, 0, sizeof *r);
}
