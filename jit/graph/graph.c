/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit_partition: a host's graph is checked, seen from its values, and divided. */
#include <stdlib.h>
#include <string.h>

#include "jit/graph/partition.h"
#include "runtime/base/diag.h"
#include "runtime/base/options.h"

static tosajit_status refuse(const char *format, int32_t at, int32_t number) {
    return diag_error(TOSAJIT_INVALID_ARGUMENT, format, at, number);
}

/* ---------------------------------------------------------------------------------------------
 * Checks */

static tosajit_status check_limits(const tosajit_graph *g) {
    const struct {
        const char *name;
        int32_t number, most;
    } limits[] = {{"op_count", g->op_count, INT32_MAX - 2},
                  {"value_count", g->value_count, INT32_MAX - 2},
                  {"most_ops", g->most_ops, TOSAJIT_MAX_NODES},
                  {"most_tensors", g->most_tensors, TOSAJIT_MAX_TENSORS}};
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
        if (limits[k].number < 0 || limits[k].number > limits[k].most)
            return diag_error(TOSAJIT_INVALID_ARGUMENT, "tosajit_partition: %s is %d, not 0 to %d",
                              limits[k].name, limits[k].number, limits[k].most);
    return TOSAJIT_OK;
}

static tosajit_status check_pointers(const tosajit_graph *g) {
    const bool operands = g->first_operand && g->op_count > 0 && g->first_operand[g->op_count] > 0;
    const struct {
        const char *name;
        const void *pointer;
        bool needed;
    } arrays[] = {{"members", g->members, g->op_count > 0},
                  {"first_operand", g->first_operand, g->op_count > 0},
                  {"operands", g->operands, operands},
                  {"producers", g->producers, g->value_count > 0},
                  {"kept", g->kept, g->value_count > 0}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (arrays[k].needed && !arrays[k].pointer)
            return diag_error(TOSAJIT_INVALID_ARGUMENT, "tosajit_partition: %s is null",
                              arrays[k].name);
    return TOSAJIT_OK;
}

static tosajit_status check_operands(const tosajit_graph *g, int32_t op) {
    for (int32_t k = g->first_operand[op]; k < g->first_operand[op + 1]; k++) {
        const int32_t value = g->operands[k];
        if (value < 0 || value >= g->value_count)
            return refuse("tosajit_partition: op %d reads value %d, which is none", op, value);
        if (g->producers[value] >= op)
            return refuse("tosajit_partition: op %d reads value %d, which only a later op gives",
                          op, value);
    }
    return TOSAJIT_OK;
}

static tosajit_status check(const tosajit_graph *g) {
    tosajit_status status = check_limits(g);
    if (!status) status = check_pointers(g);
    for (int32_t value = 0; !status && value < g->value_count; value++)
        if (g->producers[value] < -1 || g->producers[value] >= g->op_count)
            status = refuse("tosajit_partition: value %d is given by op %d, which is none", value,
                            g->producers[value]);
    if (!status && g->op_count > 0 && g->first_operand[0] != 0)
        status =
            refuse("tosajit_partition: first_operand[%d] is %d, not 0", 0, g->first_operand[0]);
    for (int32_t op = 0; !status && op < g->op_count; op++)
        if (g->first_operand[op + 1] < g->first_operand[op])
            status = refuse("tosajit_partition: first_operand[%d] is %d, less than the one before",
                            op + 1, g->first_operand[op + 1]);
    for (int32_t op = 0; !status && op < g->op_count; op++) status = check_operands(g, op);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Duplicated ops. A reader of their results reads what is behind them instead. */

enum { MOST_BEHIND = 16 }; /* values; beyond, the time would not be linear */

typedef struct number_list {
    int32_t *at, count, room;
} number_list;

typedef struct duplication {
    number_list operands, behind; /* of the ops that remain; behind those that are duplicated */
    int32_t *first_operand;       /* as of the graph */
    int32_t *first, *last;        /* per op: where the values behind it begin and end; -1: none */
    uint8_t *members, *kept;      /* as of the graph */
} duplication;

static bool push(number_list *list, int32_t number) {
    if (list->count == list->room) {
        if (list->room > INT32_MAX / 2) return false;
        const int32_t room = list->room ? 2 * list->room : 64;
        int32_t *at = realloc(list->at, (size_t)room * sizeof *at);
        if (!at) return false;
        list->at = at;
        list->room = room;
    }
    list->at[list->count++] = number;
    return true;
}

/* Append what an op reads, where duplicated ops are seen through. */
static bool list_reads(duplication *d, const tosajit_graph *g, int32_t op, number_list *to) {
    bool fine = true;
    for (int32_t k = g->first_operand[op]; fine && k < g->first_operand[op + 1]; k++) {
        const int32_t value = g->operands[k], producer = g->producers[value];
        if (producer < 0 || d->first[producer] < 0)
            fine = push(to, value);
        else
            for (int32_t b = d->first[producer]; fine && b < d->last[producer]; b++)
                fine = push(to, d->behind.at[b]);
    }
    return fine;
}

/* The values behind a duplicated op, each once. False if out of memory. */
static bool list_behind(duplication *d, const tosajit_graph *g, int32_t op) {
    number_list *list = &d->behind;
    const int32_t first = list->count;
    int32_t last = first;
    if (!list_reads(d, g, op, list)) return false;
    for (int32_t k = first; k < list->count && last - first <= MOST_BEHIND; k++) {
        bool known = false;
        for (int32_t b = first; b < last; b++) known = known || list->at[b] == list->at[k];
        if (!known) list->at[last++] = list->at[k];
    }
    const bool few = last - first <= MOST_BEHIND;
    list->count = few ? last : first;
    if (few) d->first[op] = first, d->last[op] = last;
    return true;
}

static bool duplication_open(duplication *d, const tosajit_graph *g) {
    const size_t ops = (size_t)g->op_count + 1, values = (size_t)g->value_count + 1;
    *d = (duplication){.first_operand = calloc(ops, sizeof *d->first_operand),
                       .first = calloc(ops, sizeof *d->first),
                       .last = calloc(ops, sizeof *d->last),
                       .members = calloc(ops, 1),
                       .kept = calloc(values, 1)};
    return d->first_operand && d->first && d->last && d->members && d->kept;
}

static void duplication_release(duplication *d) {
    void *lists[] = {d->operands.at, d->behind.at, d->first_operand, d->first,
                     d->last,        d->members,   d->kept};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) free(lists[k]);
}

/* The graph without its duplicated ops, which remain as ops that read nothing and that nobody
 * reads. False if out of memory. */
static bool duplicate(duplication *d, tosajit_graph *g) {
    if (!duplication_open(d, g)) return false;
    for (int32_t op = 0; op < g->op_count; op++) {
        d->first[op] = -1;
        if (g->duplicated[op] && !list_behind(d, g, op)) return false;
        d->members[op] = g->members[op] && d->first[op] < 0;
        if (d->first[op] < 0 && !list_reads(d, g, op, &d->operands)) return false;
        d->first_operand[op + 1] = d->operands.count;
    }
    if (g->value_count > 0) memcpy(d->kept, g->kept, (size_t)g->value_count);
    for (int32_t value = 0; value < g->value_count; value++) {
        const int32_t producer = g->producers[value];
        if (!g->kept[value] || producer < 0 || d->first[producer] < 0) continue;
        for (int32_t b = d->first[producer]; b < d->last[producer]; b++)
            d->kept[d->behind.at[b]] = 1;
    }
    g->operands = d->operands.at;
    g->first_operand = d->first_operand;
    g->members = d->members;
    g->kept = d->kept;
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * The graph, seen from its values */

static void count_uses(partition *p) {
    const tosajit_graph *g = p->g;
    for (int32_t value = 0; value < g->value_count; value++) p->uses[value] = g->kept[value] != 0;
    for (int32_t k = 0; g->op_count > 0 && k < g->first_operand[g->op_count]; k++)
        p->uses[g->operands[k]]++;
}

/* Behind the sums, first_result[k + 1] is where the next one of op k goes; in the end it is where
 * those of op k end. */
static void list_results(partition *p) {
    const tosajit_graph *g = p->g;
    for (int32_t value = 0; value < g->value_count; value++)
        if (g->producers[value] >= 0) p->first_result[g->producers[value] + 2]++;
    for (int32_t op = 1; op <= g->op_count + 1; op++)
        p->first_result[op] += p->first_result[op - 1];
    for (int32_t value = 0; value < g->value_count; value++)
        if (g->producers[value] >= 0)
            p->results[p->first_result[g->producers[value] + 1]++] = value;
}

static bool open(partition *p, const tosajit_graph *g) {
    const size_t ops = (size_t)g->op_count, count = (size_t)g->value_count;
    *p = (partition){.g = g,
                     .most_ops = g->most_ops,
                     .most_tensors = g->most_tensors ? g->most_tensors : TOSAJIT_MAX_TENSORS,
                     .constant = calloc(ops + 1, sizeof *p->constant),
                     .uses = calloc(count + 1, sizeof *p->uses),
                     .first_result = calloc(ops + 2, sizeof *p->first_result),
                     .results = calloc(count + 1, sizeof *p->results),
                     .found = calloc(ops + 1, sizeof *p->found),
                     .list = calloc(ops + 1, sizeof *p->list),
                     .heads = calloc(ops + 1, sizeof *p->heads),
                     .next = calloc(ops + 1, sizeof *p->next),
                     .tails = calloc(ops + 1, sizeof *p->tails),
                     .reached = calloc(ops + 1, sizeof *p->reached),
                     .stack = calloc(ops + 1, sizeof *p->stack),
                     .order = calloc(ops + 1, sizeof *p->order),
                     .readers = g->read_once ? calloc(count + 1, sizeof *p->readers) : NULL};
    if (!p->most_ops) p->most_ops = TOSAJIT_MAX_NODES - TOSAJIT_MAX_TENSORS;
    if (!p->constant || !p->uses || !p->first_result || !p->results || !p->list || !p->heads ||
        !p->next || !p->tails || !p->reached || !p->stack || !p->order || !p->found ||
        (g->read_once && !p->readers))
        return false;
    count_uses(p);
    list_results(p);
    return true;
}

static void release(partition *p) {
    void *arrays[] = {p->constant, p->uses,    p->first_result, p->results, p->heads, p->next,
                      p->tails,    p->reached, p->stack,        p->order,   p->found, p->readers};
    for (int32_t op = 0; p->list && op < p->g->op_count; op++) free(p->list[op].values);
    free(p->list);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
}

static tosajit_status divide(const tosajit_graph *g, int32_t *regions) {
    partition p;
    const tosajit_status status =
        open(&p, g)
            ? partition_find(&p)
            : diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a graph of %d ops", g->op_count);
    for (int32_t op = 0; !status && op < g->op_count; op++) {
        const region *own = &p.list[p.heads[op]];
        regions[op] = g->members[op] && !own->constant && !own->views ? own->first : -1;
    }
    release(&p);
    return status;
}

tosajit_status tosajit_partition(const tosajit_graph *graph, int32_t *regions) {
    tosajit_graph known;
    duplication d = {0};
    if (!graph || !regions)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "tosajit_partition: %s is null",
                          graph ? "regions" : "graph");
    tosajit_status status = options_take(&known, sizeof known, graph, "tosajit_graph");
    if (!status) status = check(&known);
    if (!status && known.duplicated && !duplicate(&d, &known))
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a graph of %d ops",
                            known.op_count);
    if (!status) status = divide(&known, regions);
    duplication_release(&d);
    return status;
}
