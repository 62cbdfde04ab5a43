/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every member begins as a region of its own; two regions become one along an edge between them,
 * unless a path through other ops leads from the one to the other. For instance `add` cannot join
 * `exp` here, because `matmul` would stand behind and before their region:
 *
 *     e = exp a
 *     m = matmul e, ...
 *     r = add e, m
 *
 * Each step costs little however large regions are, so that the whole is linear in ops and uses: a
 * region knows what it reads and gives, which are few values; the smaller region takes the number
 * of the larger; and a search has an end. */
#include "tools/partition/partition.h"

#include <stdlib.h>
#include <string.h>

enum {
    SEARCH_LIMIT = 4096, /* edges of a search; a path that is not found by then is taken for one */
    MOST_VALUES = 512,   /* of two regions */
};

/* ---------------------------------------------------------------------------------------------
 * What a region reads and gives */

typedef struct values {
    partition_value list[MOST_VALUES];
    int32_t count;
} values;

static partition_value *find_value(partition_value *list, int32_t count, int32_t value) {
    for (int32_t k = 0; k < count; k++)
        if (list[k].value == value) return &list[k];
    return NULL;
}

static void add_input(values *v, partition_value input) {
    partition_value *known = find_value(v->list, v->count, input.value);
    if (known)
        known->uses += input.uses;
    else
        v->list[v->count++] = input;
}

/* A region's inputs that the other one does not give. */
static void add_inputs(const partition *p, values *v, const partition_region *from, int32_t other) {
    for (int32_t k = 0; k < from->input_count; k++) {
        int32_t producer = p->g->producers[from->values[k].value];
        if (producer < 0 || p->heads[producer] != other) add_input(v, from->values[k]);
    }
}

/* A region's outputs that are not read by the other one alone. */
static void add_outputs(values *v, const partition_region *from, const partition_region *other) {
    for (int32_t k = 0; k < from->output_count; k++) {
        partition_value output = from->values[from->input_count + k];
        const partition_value *read = find_value(other->values, other->input_count, output.value);
        bool only = read && read->uses == output.uses;
        if (read) output.uses -= read->uses;
        if (!only) v->list[v->count++] = output;
    }
}

/* What two regions are together, without their values. */
static partition_region unite(const partition *p, int32_t a, int32_t b, values *inputs,
                              values *outputs) {
    const partition_region *x = &p->list[a], *y = &p->list[b];
    inputs->count = outputs->count = 0;
    add_inputs(p, inputs, x, b);
    add_inputs(p, inputs, y, a);
    add_outputs(outputs, x, y);
    add_outputs(outputs, y, x);
    return (partition_region){.size = x->size + y->size,
                              .first = x->first < y->first ? x->first : y->first,
                              .latest = x->latest > y->latest ? x->latest : y->latest,
                              .input_count = inputs->count,
                              .output_count = outputs->count};
}

static bool set_values(partition_region *r, const values *inputs, const values *outputs) {
    size_t count = (size_t)(inputs->count + outputs->count);
    partition_value *own = malloc((count + 1) * sizeof *own);
    if (!own) return false;
    memcpy(own, inputs->list, (size_t)inputs->count * sizeof *own);
    memcpy(own + inputs->count, outputs->list, (size_t)outputs->count * sizeof *own);
    free(r->values);
    r->values = own;
    return true;
}

/* The region of one op. One that reads more than a region may stays alone: it has no values, and
 * its size is beyond every limit. */
static bool begin(partition *p, int32_t op) {
    const partition_graph *g = p->g;
    values inputs = {.count = 0}, outputs = {.count = 1};
    int32_t first = g->first_operand[op], behind = g->first_operand[op + 1];
    for (int32_t k = first; k < behind && inputs.count < MOST_VALUES; k++)
        add_input(&inputs, (partition_value){g->operands[k], 1});
    outputs.list[0] = (partition_value){g->results[op], g->uses[g->results[op]]};
    p->list[op].size = 1;
    p->list[op].input_count = inputs.count;
    p->list[op].output_count = outputs.count;
    return set_values(&p->list[op], &inputs, &outputs);
}

/* ---------------------------------------------------------------------------------------------
 * Searches */

typedef struct search {
    int32_t from, to;
    int32_t steps, stacked;
    bool outside, found; /* outside: the steps now are from something else */
} search;

/* One step back along an edge. */
static void visit(partition *p, search *s, int32_t value) {
    int32_t producer = p->g->producers[value];
    if (producer < 0) return;
    int32_t at = p->heads[producer];
    bool found = at == s->from && s->outside;
    s->found = s->found || found || ++s->steps > SEARCH_LIMIT;
    /* Whatever lies behind `from` has an op behind its first one. */
    bool ends = at == s->from || at == s->to || p->list[at].latest < p->list[s->from].first;
    if (ends || p->reached[at] == p->searches) return;
    p->reached[at] = p->searches;
    p->stack[s->stacked++] = at;
}

static void visit_producers(partition *p, search *s, int32_t at) {
    const partition_region *own = &p->list[at];
    if (p->g->members[at]) {
        for (int32_t k = 0; k < own->input_count && !s->found; k++)
            visit(p, s, own->values[k].value);
        return;
    }
    for (int32_t k = p->g->first_operand[at]; k < p->g->first_operand[at + 1] && !s->found; k++)
        visit(p, s, p->g->operands[k]);
}

/* Whether a path leads from one region to another that touches something else. */
static bool has_detour(partition *p, int32_t from, int32_t to) {
    search s = {.from = from, .to = to};
    p->searches++;
    visit_producers(p, &s, to);
    s.outside = true;
    while (s.stacked > 0 && !s.found) visit_producers(p, &s, p->stack[--s.stacked]);
    return s.found;
}

/* ---------------------------------------------------------------------------------------------
 * Joining */

/* The ops of the smaller one go over to the larger one. */
static void take_over(partition *p, int32_t larger, int32_t smaller, const partition_region *both) {
    for (int32_t k = smaller; k >= 0; k = p->next[k]) p->heads[k] = larger;
    p->next[p->tails[larger]] = smaller;
    p->tails[larger] = p->tails[smaller];
    free(p->list[smaller].values);
    p->list[smaller].values = NULL;
    p->list[larger] = *both;
}

static bool small_enough(const partition *p, const partition_region *r) {
    return r->input_count + r->output_count <= p->g->most_tensors && r->size <= p->g->most_ops;
}

static bool join(partition *p, int32_t producer, int32_t consumer) {
    int32_t a = p->heads[producer], b = p->heads[consumer];
    values inputs, outputs;
    bool possible = a != b && small_enough(p, &p->list[a]) && small_enough(p, &p->list[b]);
    if (!possible || has_detour(p, a, b)) return true;
    partition_region both = unite(p, a, b, &inputs, &outputs);
    if (!small_enough(p, &both)) return true;
    int32_t larger = p->list[a].size >= p->list[b].size ? a : b;
    both.values = p->list[larger].values;
    if (!set_values(&both, &inputs, &outputs)) return false;
    take_over(p, larger, larger == a ? b : a, &both);
    return true;
}

static bool join_all(partition *p) {
    const partition_graph *g = p->g;
    for (int32_t op = 0; op < g->op_count; op++)
        for (int32_t k = g->first_operand[op]; g->members[op] && k < g->first_operand[op + 1];
             k++) {
            int32_t producer = g->producers[g->operands[k]];
            if (producer >= 0 && g->members[producer] && !join(p, producer, op)) return false;
        }
    return true;
}

bool partition_open(partition *p, const partition_graph *g) {
    size_t count = (size_t)g->op_count + 1;
    *p = (partition){.g = g,
                     .list = calloc(count, sizeof *p->list),
                     .heads = calloc(count, sizeof *p->heads),
                     .next = calloc(count, sizeof *p->next),
                     .tails = calloc(count, sizeof *p->tails),
                     .reached = calloc(count, sizeof *p->reached),
                     .stack = calloc(count, sizeof *p->stack)};
    if (!p->list || !p->heads || !p->next || !p->tails || !p->reached || !p->stack) return false;
    for (int32_t op = 0; op < g->op_count; op++) {
        p->heads[op] = p->tails[op] = op;
        p->next[op] = -1;
        p->list[op].first = p->list[op].latest = op;
        if (g->members[op] && !begin(p, op)) return false;
    }
    return join_all(p);
}

static int compare(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void partition_list(const partition *p, int32_t head, int32_t *ops) {
    int32_t count = 0;
    for (int32_t k = head; k >= 0; k = p->next[k]) ops[count++] = k;
    qsort(ops, (size_t)count, sizeof *ops, compare);
}

void partition_release(partition *p) {
    for (int32_t k = 0; p->list && k < p->g->op_count; k++) free(p->list[k].values);
    free(p->list);
    free(p->heads);
    free(p->next);
    free(p->tails);
    free(p->reached);
    free(p->stack);
    memset(p, 0, sizeof *p);
}
