/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The graph as tosajit_partition wants it. Behind the graph's values come some that nobody sees: an
 * operation with effects gives one to the next operation with effects, so that these stay in order.
 * Constants have no producer there, because each region has copies of the constants that it reads.
 */
#include "tools/tosa/divide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tosajit/graph.h"
#include "tosajit/inspect.h"

typedef struct division_work {
    int32_t ops, values;                           /* values with those of effects */
    int32_t *fates, *heads;                        /* per operation */
    int32_t *operands, *first_operand, *producers; /* of the graph, with effects */
    int32_t *readers, *first_reader;               /* per value: operations, once for each read */
    uint8_t *members, *views;                      /* per operation */
    uint8_t *kept, *constants;                     /* per value */
    int32_t stamp, *inside, *listed;  /* of the part at hand: per operation, and per value */
    int32_t *part, *inputs, *outputs; /* the same as lists */
    tosajit_value *built;             /* tosa_part.values */
    int32_t *storage;                 /* of regions */
    int32_t *all;                     /* memory of all lists of such numbers */
} division_work;

static tosa_numbers numbers_of(const int32_t *all, const int32_t *first, int32_t k) {
    return (tosa_numbers){all + first[k], (size_t)(first[k + 1] - first[k])};
}

static tosa_numbers operands_of(const division_work *w, int32_t op) {
    return numbers_of(w->operands, w->first_operand, op);
}

/* ---------------------------------------------------------------------------------------------
 * Parts */

/* Constants stand in front of the first operation that reads them. */
static void list_operand(division_work *w, tosa_part *part, int32_t value) {
    const int32_t producer = w->producers[value];
    if (producer >= 0 && w->inside[producer] == w->stamp) return;
    if (producer >= 0 && w->fates[producer] == TOSA_COPIED) {
        w->inside[producer] = w->stamp;
        w->part[part->ops.count++] = producer;
    } else if (w->listed[value] != w->stamp) {
        w->listed[value] = w->stamp;
        w->inputs[part->inputs.count++] = value;
    }
}

bool tosa_division_is_alone(const tosa_division *d, int32_t value) {
    const division_work *w = d->work;
    const tosa_numbers readers = numbers_of(w->readers, w->first_reader, value);
    if (w->kept[value]) return false;
    for (size_t k = 0; k < readers.count; k++)
        if (w->inside[readers.at[k]] != w->stamp) return false;
    return true;
}

tosa_part tosa_division_part(tosa_division *d, const tosa_region *region) {
    division_work *w = d->work;
    tosa_part part = {.ops = {w->part, 0},
                      .inputs = {w->inputs, 0},
                      .outputs = {w->outputs, 0},
                      .values = w->built};
    w->stamp++;
    for (size_t k = 0; k < region->count; k++) w->inside[region->ops[k]] = w->stamp;
    for (size_t k = 0; k < region->count; k++) {
        const tosa_numbers operands = operands_of(w, region->ops[k]);
        for (size_t o = 0; o < operands.count; o++) list_operand(w, &part, operands.at[o]);
        w->part[part.ops.count++] = region->ops[k];
    }
    for (size_t k = 0; k < region->count; k++) { /* read by others, or by nobody */
        const int32_t value = tosa_graph_results(d->g, region->ops[k]).at[0];
        const bool unread = w->first_reader[value] == w->first_reader[value + 1];
        if (unread || !tosa_division_is_alone(d, value)) w->outputs[part.outputs.count++] = value;
    }
    return part;
}

/* OK: a kernel can be made of it; why not may be null. */
static tosajit_status try_region(tosa_division *d, const tosa_region *region, char *why) {
    tosa_report report = {.file = "", .trial = true};
    tosa_function built;
    const tosa_part part = tosa_division_part(d, region);
    if (!tosa_build_part(d->g, &part, NULL, &report, &built)) {
        if (why) snprintf(why, TOSA_WHY, "%.*s", TOSA_WHY - 1, report.last);
        return report.status;
    }
    const tosajit_status status = tosajit_expr_verify(built.expr);
    if (status && why) snprintf(why, TOSA_WHY, "%s", tosa_bare_error());
    tosa_function_release(&built);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Numbers */

/* One tensor comes out, and only tensors and constant shapes of the op's form go in. */
static bool has_tensors_only(const tosa_graph *g, int32_t op, const tosa_op *described) {
    const tosa_numbers operands = tosa_graph_operands(g, op), results = tosa_graph_results(g, op);
    for (size_t k = 0; k < described->operand_count; k++) {
        const char *shape = tosa_shape_name(described, k);
        if (shape ? tosa_attribute_find(described, shape)->kind != TOSA_LIST
                  : !tosa_graph_is_tensor(g, operands.at[k]))
            return false;
    }
    return results.count == 1 && tosa_graph_is_tensor(g, results.at[0]) && !described->nests;
}

static bool may_be_member(const tosa_graph *g, int32_t op, const tosa_op *described) {
    return g->roles.at[op] == TOSA_COMPUTES && described->op != TOSAJIT_OP_COUNT &&
           !g->effects.at[op] && has_tensors_only(g, op, described);
}

/* An operation that is not verified may be called a constant and read something; an input may stand
 * for it. */
static bool is_constant(const tosa_graph *g, int32_t op) {
    const tosa_numbers results = tosa_graph_results(g, op);
    const int32_t role = g->roles.at[op], value = results.count == 1 ? results.at[0] : -1;
    return (role == TOSA_CONSTANT || role == TOSA_SHAPE) && tosa_graph_operands(g, op).count == 0 &&
           value >= 0 && g->producers.at[value] == op &&
           (role == TOSA_SHAPE) == (g->kinds.at[value] == TOSA_VALUE_SHAPE) &&
           g->kinds.at[value] != TOSA_VALUE_UNKNOWN;
}

static void number_op(tosa_division *d, int32_t op, int32_t *last_effect) {
    division_work *w = d->work;
    const tosa_numbers operands = tosa_graph_operands(d->g, op);
    tosa_op described;
    tosa_graph_describe(d->g, op, &described);
    int32_t at = w->first_operand[op];
    for (size_t k = 0; k < operands.count; k++)
        if (operands.at[k] >= 0) w->operands[at++] = operands.at[k];
    if (d->g->effects.at[op]) {
        if (*last_effect >= 0) w->operands[at++] = *last_effect;
        *last_effect = d->g->value_count + op;
        w->producers[*last_effect] = op;
    }
    w->first_operand[op + 1] = at;
    w->views[op] = tosa_is_view(&described);
    if (is_constant(d->g, op)) {
        w->fates[op] = TOSA_COPIED;
        w->constants[tosa_graph_results(d->g, op).at[0]] = 1;
    } else if (may_be_member(d->g, op, &described)) {
        w->fates[op] = TOSA_MEMBER;
    }
}

/* Behind the sums, first_reader[v + 1] is where the next one goes; in the end it is where those of
 * value v end. */
static void list_readers(division_work *w) {
    for (int32_t e = 0; e < w->first_operand[w->ops]; e++) w->first_reader[w->operands[e] + 2]++;
    for (int32_t v = 2; v <= w->values; v++) w->first_reader[v] += w->first_reader[v - 1];
    for (int32_t k = 0; k < w->ops; k++) {
        const tosa_numbers operands = operands_of(w, k);
        for (size_t o = 0; o < operands.count; o++)
            w->readers[w->first_reader[operands.at[o] + 1]++] = k;
    }
}

static void number_all(tosa_division *d) {
    division_work *w = d->work;
    const tosa_graph *g = d->g;
    int32_t last_effect = -1;
    for (int32_t v = 0; v < w->values; v++)
        w->producers[v] = v < g->value_count ? g->producers.at[v] : -1;
    for (int32_t k = 0; k < w->ops; k++) number_op(d, k, &last_effect);
    for (size_t k = 0; k < g->outputs.count; k++)
        if (g->outputs.at[k] >= 0) w->kept[g->outputs.at[k]] = 1;
    list_readers(w);
}

static bool classify(tosa_division *d) {
    division_work *w = d->work;
    for (int32_t k = 0; k < w->ops; k++) {
        const tosa_region single = {&k, 1, TOSA_MEMBER};
        if (w->fates[k] != TOSA_MEMBER) continue;
        const tosajit_status status = try_region(d, &single, NULL);
        if (status == TOSAJIT_OUT_OF_MEMORY) return false;
        if (status) w->fates[k] = TOSA_REST;
        w->members[k] = !status;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Regions */

/* The library may accept operations singly and refuse them together: a table that an op computes,
 * declared sizes that contradict each other. */
static tosajit_status accepts(void *context, const int32_t *ops, size_t count, int *accepted) {
    const tosa_region region = {(int32_t *)(uintptr_t)ops, count, TOSA_MEMBER};
    const tosajit_status status = try_region(context, &region, NULL);
    *accepted = status == TOSAJIT_OK;
    return status == TOSAJIT_OUT_OF_MEMORY ? status : TOSAJIT_OK;
}

static bool divide(tosa_division *d) {
    division_work *w = d->work;
    int32_t *nowhere = malloc(((size_t)w->values + 1) * sizeof *nowhere);
    if (!nowhere) return false;
    for (int32_t v = 0; v < w->values; v++) nowhere[v] = w->constants[v] ? -1 : w->producers[v];
    const tosajit_graph graph = {.size = sizeof graph,
                                 .op_count = w->ops,
                                 .value_count = w->values,
                                 .members = w->members,
                                 .operands = w->operands,
                                 .first_operand = w->first_operand,
                                 .producers = nowhere,
                                 .kept = w->kept,
                                 .constants = w->constants,
                                 .views = w->views,
                                 .accepts = accepts,
                                 .context = d};
    const bool fine = !tosajit_partition(&graph, w->heads);
    for (int32_t k = 0; fine && k < w->ops; k++) {
        if (w->heads[k] >= 0) continue;
        w->heads[k] = k;
        if (w->fates[k] == TOSA_MEMBER) w->fates[k] = TOSA_LEFT;
    }
    free(nowhere);
    return fine;
}

/* Regions by their heads, which stand first in them. */
static bool gather(const division_work *w, tosa_region *by_head) {
    int32_t *ends = calloc((size_t)w->ops + 2, sizeof *ends);
    if (!ends) return false;
    for (int32_t k = 0; k < w->ops; k++) ends[w->heads[k] + 1]++;
    for (int32_t k = 0; k < w->ops; k++) ends[k + 1] += ends[k];
    for (int32_t k = 0; k < w->ops; k++) {
        tosa_region *region = &by_head[w->heads[k]];
        if (region->count == 0)
            *region = (tosa_region){w->storage + ends[k], 0, (tosa_fate)w->fates[k]};
        region->ops[region->count++] = k;
    }
    free(ends);
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * The new order */

/* Heads that wait for nothing: a heap, with the first head of the old order on top. */
typedef struct queue {
    int32_t *heads, count;
    int32_t *waiting; /* per head: reads of what has not been placed */
} queue;

static void push_ready(queue *q, int32_t head) {
    int32_t at = q->count++;
    for (; at > 0 && q->heads[(at - 1) / 2] > head; at = (at - 1) / 2)
        q->heads[at] = q->heads[(at - 1) / 2];
    q->heads[at] = head;
}

static int32_t pop_ready(queue *q) {
    const int32_t top = q->heads[0], moved = q->heads[--q->count];
    int32_t at = 0;
    for (int32_t child; (child = 2 * at + 1) < q->count; at = child) {
        if (child + 1 < q->count && q->heads[child + 1] < q->heads[child]) child++;
        if (q->heads[child] >= moved) break;
        q->heads[at] = q->heads[child];
    }
    q->heads[at] = moved;
    return top;
}

static void begin_order(const division_work *w, queue *q) {
    for (int32_t k = 0; k < w->ops; k++) {
        const tosa_numbers operands = operands_of(w, k);
        for (size_t o = 0; o < operands.count; o++) {
            const int32_t producer = w->producers[operands.at[o]];
            q->waiting[w->heads[k]] += producer >= 0 && w->heads[producer] != w->heads[k];
        }
    }
    for (int32_t k = 0; k < w->ops; k++)
        if (w->heads[k] == k && q->waiting[k] == 0) push_ready(q, k);
}

/* Who reads the value that a region gives waits for it no longer. */
static void release_readers(const division_work *w, queue *q, int32_t from, int32_t value) {
    const tosa_numbers readers = numbers_of(w->readers, w->first_reader, value);
    for (size_t k = 0; k < readers.count; k++) {
        const int32_t head = w->heads[readers.at[k]];
        if (head != from && --q->waiting[head] == 0) push_ready(q, head);
    }
}

static void release_region(const tosa_division *d, queue *q, const tosa_region *region) {
    const int32_t head = region->ops[0];
    for (size_t k = 0; k < region->count; k++) {
        const int32_t op = region->ops[k];
        const tosa_numbers results = tosa_graph_results(d->g, op);
        for (size_t r = 0; r < results.count; r++)
            if (results.at[r] >= 0 && d->g->producers.at[results.at[r]] == op)
                release_readers(d->work, q, head, results.at[r]);
        release_readers(d->work, q, head, d->g->value_count + op);
    }
}

/* Each behind what it reads, as near to the old order as can be. No circle leads through regions.
 */
static bool arrange(tosa_division *d) {
    division_work *w = d->work;
    const size_t ops = (size_t)w->ops + 1;
    tosa_region *by_head = calloc(ops, sizeof *by_head);
    queue q = {.heads = malloc(ops * sizeof *q.heads), .waiting = calloc(ops, sizeof *q.waiting)};
    const bool fine = by_head && q.heads && q.waiting && gather(w, by_head);
    if (fine) begin_order(w, &q);
    while (fine && q.count > 0) {
        d->list[d->count] = by_head[pop_ready(&q)];
        release_region(d, &q, &d->list[d->count++]);
    }
    free(by_head);
    free(q.heads);
    free(q.waiting);
    return fine;
}

tosa_fate tosa_division_fate(const tosa_division *d, int32_t op) {
    return (tosa_fate)d->work->fates[op];
}

bool tosa_division_is_wanted(const tosa_division *d, int32_t op) {
    const division_work *w = d->work;
    const int32_t value = tosa_graph_results(d->g, op).at[0];
    const tosa_numbers readers = numbers_of(w->readers, w->first_reader, value);
    if (w->kept[value]) return true;
    for (size_t k = 0; k < readers.count; k++)
        if (w->fates[readers.at[k]] != TOSA_MEMBER) return true;
    return false;
}

void tosa_division_reason(tosa_division *d, const tosa_region *left, char text[TOSA_WHY]) {
    tosa_op described;
    const char *why = "not an elementwise operation of TOSA on tensors";
    const int32_t op = left->ops[0];
    tosa_graph_describe(d->g, op, &described);
    *text = '\0';
    if (left->fate == TOSA_LEFT)
        why = tosa_left_reason(&described);
    else if (tosa_graph_uses_variable(d->g, op))
        why = "reads or writes a variable, which the host keeps";
    else if (may_be_member(d->g, op, &described) && try_region(d, left, text))
        return;
    snprintf(text, TOSA_WHY, "%s: %s", described.name, why);
}

/* ---------------------------------------------------------------------------------------------
 * The whole */

static bool allocate(tosa_division *d, size_t operands) {
    division_work *w = d->work;
    const size_t ops = (size_t)w->ops + 2, values = (size_t)w->values + 3;
    const struct {
        int32_t **list;
        size_t count;
    } lists[] = {{&w->fates, ops},           {&w->heads, ops},
                 {&w->operands, operands},   {&w->first_operand, ops},
                 {&w->producers, values},    {&w->readers, operands},
                 {&w->first_reader, values}, {&w->inside, ops},
                 {&w->listed, values},       {&w->part, ops},
                 {&w->inputs, operands},     {&w->outputs, ops},
                 {&w->storage, ops},         {&w->built, values}};
    size_t total = 0;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) total += lists[k].count;
    d->list = calloc(ops, sizeof *d->list);
    w->members = calloc(2 * (ops + values), sizeof *w->members);
    w->all = calloc(total, sizeof *w->all);
    if (!d->list || !w->members || !w->all) return false;
    for (size_t k = 0, at = 0; k < sizeof lists / sizeof *lists; at += lists[k++].count)
        *lists[k].list = w->all + at;
    w->views = w->members + ops;
    w->kept = w->views + ops;
    w->constants = w->kept + values;
    for (size_t k = 0; k < values; k++) w->built[k] = TOSA_UNDEFINED;
    return true;
}

bool tosa_division_open(tosa_division *d, const tosa_graph *g) {
    *d = (tosa_division){.g = g, .work = calloc(1, sizeof *d->work)};
    if (!d->work) return false;
    d->work->ops = g->op_count;
    d->work->values = g->value_count + g->op_count;
    if (!allocate(d, g->operands.count + (size_t)g->op_count + 1)) return false;
    number_all(d);
    return classify(d) && divide(d) && arrange(d);
}

void tosa_division_close(tosa_division *d) {
    if (d->work) {
        free(d->work->all);
        free(d->work->members);
    }
    free(d->work);
    free(d->list);
    memset(d, 0, sizeof *d);
}
