/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit_partition: a host's graph is checked, seen from its values, and divided. */
#include <stdlib.h>

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
                     .order = calloc(ops + 1, sizeof *p->order)};
    if (!p->most_ops) p->most_ops = TOSAJIT_MAX_NODES - TOSAJIT_MAX_TENSORS;
    if (!p->constant || !p->uses || !p->first_result || !p->results || !p->list || !p->heads ||
        !p->next || !p->tails || !p->reached || !p->stack || !p->order || !p->found)
        return false;
    count_uses(p);
    list_results(p);
    return true;
}

static void release(partition *p) {
    void *arrays[] = {p->constant, p->uses,    p->first_result, p->results, p->heads, p->next,
                      p->tails,    p->reached, p->stack,        p->order,   p->found};
    for (int32_t op = 0; p->list && op < p->g->op_count; op++) free(p->list[op].values);
    free(p->list);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
}

tosajit_status tosajit_partition(const tosajit_graph *graph, int32_t *regions) {
    tosajit_graph known;
    partition p;
    tosajit_status status = TOSAJIT_OK;
    if (!graph || !regions)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "tosajit_partition: %s is null",
                          graph ? "regions" : "graph");
    status = options_take(&known, sizeof known, graph, "tosajit_graph");
    if (!status) status = check(&known);
    if (status) return status;
    status = open(&p, &known) ? partition_find(&p)
                              : diag_error(TOSAJIT_OUT_OF_MEMORY,
                                           "out of memory for a graph of %d ops", known.op_count);
    for (int32_t op = 0; !status && op < known.op_count; op++) {
        const region *own = &p.list[p.heads[op]];
        regions[op] = known.members[op] && !own->constant && !own->views ? own->first : -1;
    }
    release(&p);
    return status;
}
