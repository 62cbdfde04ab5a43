/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every member begins as a region of its own. All regions and other ops stand in an order in which
 * each follows what it reads. Two regions a and b become one along an edge from a to b, unless b
 * reads by way of others what lies behind a. Those others would stand behind a: so a search goes
 * back from b, among what stands behind a in the order. If it does not meet a, what it has seen
 * moves in front of a, and both stand where a stood. For instance
 *
 *     e = exp a        order: e x r
 *     x = abs b
 *     r = add e, x     join e and r: x moves, order: x er
 *
 * Looking at the numbers of ops instead of an order would not do. In a region of an early and a
 * late op, what reads the early one stands behind all that the late one reads.
 *
 * Each step costs little however large regions are, so that the whole is linear in ops and uses: a
 * region knows what it reads and gives, which are few values; the smaller region takes the number
 * of the larger; and a search has an end. */
#include "jit/graph/partition.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/diag.h"

enum {
    MOST_ROUNDS = 8,      /* a path that was in the way may be inside a region after a round */
    SEARCH_LIMIT = 4096,  /* edges of a search; a path that is not found by then is taken for one */
    STEP = 1 << 16,       /* between places of what moves; at first there are 2^31 */
    MOST_RENUMBERED = 64, /* how often all places are given anew */
    CAREFUL_LIMIT = 256,  /* ops of a region of which the host is asked each time it grows */
    MOST_VALUES = 2 * (TOSAJIT_MAX_TENSORS + 1), /* of two regions */
};

static tosajit_status no_memory(void) {
    return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for regions of a graph");
}

/* ---------------------------------------------------------------------------------------------
 * What a region reads and gives */

typedef struct values {
    region_value list[MOST_VALUES];
    int32_t count;
} values;

static region_value *find_value(region_value *list, int32_t count, int32_t value) {
    for (int32_t k = 0; k < count; k++)
        if (list[k].value == value) return &list[k];
    return NULL;
}

static void add_input(values *v, region_value input) {
    region_value *known = find_value(v->list, v->count, input.value);
    if (known)
        known->uses += input.uses;
    else
        v->list[v->count++] = input;
}

/* A region's inputs that the other one does not give. */
static void add_inputs(const partition *p, values *v, const region *from, int32_t other) {
    for (int32_t k = 0; k < from->input_count; k++) {
        const int32_t producer = p->g->producers[from->values[k].value];
        if (producer < 0 || p->heads[producer] != other) add_input(v, from->values[k]);
    }
}

/* A region's outputs that are not read by the other one alone. */
static void add_outputs(values *v, const region *from, const region *other) {
    for (int32_t k = 0; k < from->output_count; k++) {
        region_value output = from->values[from->input_count + k];
        const region_value *read = find_value(other->values, other->input_count, output.value);
        const bool only = read && read->uses == output.uses;
        if (read) output.uses -= read->uses;
        if (!only) v->list[v->count++] = output;
    }
}

/* Two regions as one, without their values. */
static region unite(const partition *p, int32_t a, int32_t b, values *inputs, values *outputs) {
    const region *x = &p->list[a], *y = &p->list[b];
    inputs->count = outputs->count = 0;
    add_inputs(p, inputs, x, b);
    add_inputs(p, inputs, y, a);
    add_outputs(outputs, x, y);
    add_outputs(outputs, y, x);
    return (region){.size = x->size + y->size,
                    .first = x->first < y->first ? x->first : y->first,
                    .input_count = inputs->count,
                    .output_count = outputs->count,
                    .careful = x->careful || y->careful,
                    .constant = x->constant && y->constant,
                    .views = x->views && y->views};
}

static bool set_values(region *r, const values *inputs, const values *outputs) {
    const size_t count = (size_t)(inputs->count + outputs->count);
    region_value *own = malloc((count + 1) * sizeof *own);
    if (!own) return false;
    memcpy(own, inputs->list, (size_t)inputs->count * sizeof *own);
    memcpy(own + inputs->count, outputs->list, (size_t)outputs->count * sizeof *own);
    free(r->values);
    r->values = own;
    return true;
}

/* The region of one op. One that has too many values stays alone: of these only so many are listed
 * as show it. */
static bool begin(partition *p, int32_t op) {
    const tosajit_graph *g = p->g;
    values inputs = {.count = 0}, outputs = {.count = 0};
    for (int32_t k = g->first_operand[op];
         k < g->first_operand[op + 1] && inputs.count <= p->most_tensors; k++)
        add_input(&inputs, (region_value){g->operands[k], 1});
    for (int32_t k = p->first_result[op];
         k < p->first_result[op + 1] && outputs.count <= p->most_tensors; k++)
        outputs.list[outputs.count++] = (region_value){p->results[k], p->uses[p->results[k]]};
    region *own = &p->list[op];
    own->size = 1;
    own->first = op;
    own->constant = p->constant[op];
    own->views = g->views && g->views[op];
    own->input_count = inputs.count;
    own->output_count = outputs.count;
    p->heads[op] = p->tails[op] = op;
    p->next[op] = -1;
    return set_values(own, &inputs, &outputs);
}

/* ---------------------------------------------------------------------------------------------
 * The order. Its end is number op_count. */

static void renumber(partition *p) {
    const int32_t end = p->g->op_count;
    int64_t place = 0;
    p->list[end].place = 0;
    for (int32_t at = p->list[end].behind; at != end; at = p->list[at].behind)
        p->list[at].place = place += INT64_C(1) << 31;
    p->renumbered++;
}

/* The room in front of one, where the first one's is that behind 0. */
static int64_t room_before(const partition *p, int32_t at) {
    const int64_t below = p->list[p->list[at].before].place;
    return at == p->g->op_count ? INT64_C(1) << 31 : p->list[at].place - below;
}

static void take_out(partition *p, int32_t at) {
    p->list[p->list[at].before].behind = p->list[at].behind;
    p->list[p->list[at].behind].before = p->list[at].before;
}

static void put_before(partition *p, int32_t at, int32_t end, int64_t place) {
    region *own = &p->list[at];
    own->behind = end;
    own->before = p->list[end].before;
    own->place = place;
    p->list[own->before].behind = p->list[end].before = at;
}

/* Put them, of which none is in the order, in front of one. */
static void put_all_before(partition *p, const int32_t *list, int32_t count, int32_t end) {
    if (room_before(p, end) <= count) renumber(p);
    int64_t step = room_before(p, end) / (count + 1);
    if (step > STEP) step = STEP;
    for (int32_t k = 0; k < count; k++)
        put_before(p, list[k], end, p->list[p->list[end].before].place + step);
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
    const int32_t producer = p->g->producers[value];
    s->found = s->found || ++s->steps > SEARCH_LIMIT;
    if (producer < 0) return;
    const int32_t at = p->heads[producer];
    const bool found = at == s->from && s->outside;
    s->found = s->found || found;
    const bool ends = at == s->from || at == s->to || p->list[at].place < p->list[s->from].place;
    if (ends || p->reached[at] == p->searches) return;
    p->reached[at] = p->searches;
    p->found[p->found_count++] = (seen){p->list[at].place, at};
    p->stack[s->stacked++] = at;
}

static void visit_producers(partition *p, search *s, int32_t at) {
    const region *own = &p->list[at];
    if (own->size > 1) {
        for (int32_t k = 0; k < own->input_count && !s->found; k++)
            visit(p, s, own->values[k].value);
        return;
    }
    for (int32_t k = p->g->first_operand[at]; k < p->g->first_operand[at + 1] && !s->found; k++)
        visit(p, s, p->g->operands[k]);
}

/* True if a path leads from one region to another that touches something else. */
static bool has_detour(partition *p, int32_t from, int32_t to) {
    search s = {.from = from, .to = to};
    p->searches++;
    p->found_count = 0;
    visit_producers(p, &s, to);
    s.outside = true;
    while (s.stacked > 0 && !s.found) visit_producers(p, &s, p->stack[--s.stacked]);
    return s.found;
}

/* ---------------------------------------------------------------------------------------------
 * Joining */

static int compare(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Ask the host of two regions together, or of one if they are the same. */
static tosajit_status ask(partition *p, int32_t a, int32_t b, bool *accepted) {
    int32_t count = 0;
    int answer = 0;
    for (int32_t k = a; k >= 0; k = p->next[k]) p->order[count++] = k;
    for (int32_t k = a == b ? -1 : b; k >= 0; k = p->next[k]) p->order[count++] = k;
    qsort(p->order, (size_t)count, sizeof *p->order, compare);
    const tosajit_status status = p->g->accepts(p->g->context, p->order, (size_t)count, &answer);
    *accepted = !status && answer;
    return status;
}

static bool small_enough(const partition *p, const region *r) {
    return r->input_count + r->output_count <= p->most_tensors && r->size <= p->most_ops;
}

/* As a rule a host refuses two kernels as one only for their number of ops and tensors; asking each
 * time would take quadratic time. */
static tosajit_status may_be_one(partition *p, const region *both, int32_t a, int32_t b,
                                 bool *one) {
    const bool careful = both->careful || p->asks;
    *one = small_enough(p, both) && !careful;
    const bool asked = small_enough(p, both) && careful && both->size <= CAREFUL_LIMIT;
    return asked ? ask(p, a, b, one) : TOSAJIT_OK;
}

static int compare_places(const void *a, const void *b) {
    const int64_t x = ((const seen *)a)->place, y = ((const seen *)b)->place;
    return (x > y) - (x < y);
}

/* Ops that the search has seen move in front of a region, in its order. */
static void move_found(partition *p, int32_t end) {
    qsort(p->found, (size_t)p->found_count, sizeof *p->found, compare_places);
    for (int32_t k = 0; k < p->found_count; k++) take_out(p, p->order[k] = p->found[k].at);
    put_all_before(p, p->order, p->found_count, end);
}

/* One of two stands where a stood. */
static void stand_as_one(partition *p, int32_t a, int32_t b, int32_t one) {
    const int64_t place = p->list[a].place;
    take_out(p, b);
    if (one == a) return;
    const int32_t end = p->list[a].behind;
    take_out(p, a);
    put_before(p, one, end, place);
}

/* The ops of the smaller one go over to the larger one. */
static void take_over(partition *p, int32_t larger, int32_t smaller, const region *both) {
    for (int32_t k = smaller; k >= 0; k = p->next[k]) p->heads[k] = larger;
    p->next[p->tails[larger]] = smaller;
    p->tails[larger] = p->tails[smaller];
    free(p->list[smaller].values);
    p->list[smaller].values = NULL;
    const region stands = p->list[larger];
    p->list[larger] = *both;
    p->list[larger].before = stands.before;
    p->list[larger].behind = stands.behind;
    p->list[larger].place = stands.place;
}

/* True if a kernel would give others what is the same in all calls. */
static bool repeats_constants(const region *from, const region *to) {
    if (!from->constant || to->constant) return false;
    for (int32_t k = 0; k < from->output_count; k++) {
        const region_value *output = &from->values[from->input_count + k];
        const region_value *read = find_value(to->values, to->input_count, output->value);
        if (!read || read->uses != output->uses) return true;
    }
    return false;
}

static bool may_join(const partition *p, int32_t a, int32_t b) {
    return a != b && small_enough(p, &p->list[a]) && small_enough(p, &p->list[b]) &&
           !repeats_constants(&p->list[a], &p->list[b]);
}

static tosajit_status join(partition *p, int32_t producer, int32_t consumer, bool *joined) {
    const int32_t a = p->heads[producer], b = p->heads[consumer];
    values inputs, outputs;
    bool one;
    if (!may_join(p, a, b)) return TOSAJIT_OK;
    region both = unite(p, a, b, &inputs, &outputs);
    if (!small_enough(p, &both) || has_detour(p, a, b)) return TOSAJIT_OK;
    const tosajit_status status = may_be_one(p, &both, a, b, &one);
    const bool moves = p->found_count > 0;
    if (status || !one || (moves && p->renumbered >= MOST_RENUMBERED)) return status;
    const int32_t larger = p->list[a].size >= p->list[b].size ? a : b;
    both.values = p->list[larger].values;
    if (!set_values(&both, &inputs, &outputs)) return no_memory();
    if (moves) move_found(p, a);
    stand_as_one(p, a, b, larger);
    take_over(p, larger, larger == a ? b : a, &both);
    *joined = true;
    return TOSAJIT_OK;
}

static tosajit_status join_round(partition *p, bool *joined) {
    const tosajit_graph *g = p->g;
    tosajit_status status = TOSAJIT_OK;
    for (int32_t op = 0; op < g->op_count; op++)
        for (int32_t k = g->first_operand[op];
             g->members[op] && !status && k < g->first_operand[op + 1]; k++) {
            const int32_t producer = g->producers[g->operands[k]];
            if (producer >= 0 && g->members[producer]) status = join(p, producer, op, joined);
        }
    return status;
}

static tosajit_status join_all(partition *p) {
    tosajit_status status = TOSAJIT_OK;
    bool joined = true;
    for (int round = 0; !status && joined && round < MOST_ROUNDS; round++) {
        joined = false;
        status = join_round(p, &joined);
    }
    return status;
}

/* The first one in the order does not depend on the second one, so join searches one direction. */
static tosajit_status join_beside(partition *p, int32_t one, int32_t other, bool *joined) {
    const region *a = &p->list[p->heads[one]], *b = &p->list[p->heads[other]];
    if (a->constant != b->constant) return TOSAJIT_OK;
    const bool ordered = a->place < b->place;
    return join(p, ordered ? one : other, ordered ? other : one, joined);
}

static tosajit_status join_readers(partition *p, bool *joined) {
    const tosajit_graph *g = p->g;
    tosajit_status status = TOSAJIT_OK;
    for (int32_t value = 0; value < g->value_count; value++) p->readers[value] = -1;
    for (int32_t op = 0; op < g->op_count; op++)
        for (int32_t k = g->first_operand[op];
             g->members[op] && !status && k < g->first_operand[op + 1]; k++) {
            const int32_t value = g->operands[k], reader = p->readers[value];
            if (!g->read_once[value]) continue;
            if (reader < 0)
                p->readers[value] = op;
            else
                status = join_beside(p, reader, op, joined);
        }
    return status;
}

/* A join along an edge saves a write and a read; a join of two readers saves a read. So edges come
 * first. Each round of readers may put a path inside a region, and so make way for more of both. */
static tosajit_status join_beside_all(partition *p) {
    tosajit_status status = TOSAJIT_OK;
    bool joined = p->readers != NULL;
    p->asks = p->g->accepts != NULL;
    for (int round = 0; !status && joined && round < MOST_ROUNDS; round++) {
        joined = false;
        status = join_readers(p, &joined);
        if (!status && joined) status = join_all(p);
    }
    return status;
}

/* A region that the host refuses is single ops again, where it stood. */
static bool part(partition *p, int32_t head) {
    const int32_t end = p->list[head].behind;
    int32_t count = 0;
    bool fine = true;
    for (int32_t k = head; k >= 0; k = p->next[k]) p->order[count++] = k;
    qsort(p->order, (size_t)count, sizeof *p->order, compare);
    take_out(p, head);
    put_all_before(p, p->order, count, end);
    for (int32_t k = 0; fine && k < count; k++) {
        p->list[p->order[k]].careful = true;
        fine = begin(p, p->order[k]);
    }
    return fine;
}

static tosajit_status part_refused(partition *p, bool *refused) {
    *refused = false;
    for (int32_t k = 0; k < p->g->op_count; k++) {
        bool accepted = true;
        if (!p->g->members[k] || p->heads[k] != k || p->list[k].size == 1) continue;
        const tosajit_status status = ask(p, k, k, &accepted);
        if (status) return status;
        if (accepted) continue;
        *refused = true;
        if (!part(p, k)) return no_memory();
    }
    return TOSAJIT_OK;
}

/* Constancy in all calls follows from constants by way of members: of other ops nobody knows
 * what they do. */
static void find_constants(partition *p) {
    const tosajit_graph *g = p->g;
    for (int32_t op = 0; g->constants && op < g->op_count; op++) {
        bool constant = g->members[op];
        for (int32_t k = g->first_operand[op]; constant && k < g->first_operand[op + 1]; k++) {
            const int32_t value = g->operands[k], producer = g->producers[value];
            constant = g->constants[value] || (producer >= 0 && p->constant[producer]);
        }
        p->constant[op] = constant;
    }
}

/* Rarely a host takes some steps one by one, but not together: declared sizes may exclude each
 * other, for instance. Then the host is asked about every step. */
tosajit_status partition_find(partition *p) {
    const int32_t end = p->g->op_count;
    bool refused = false;
    p->list[end].before = p->list[end].behind = end;
    find_constants(p);
    for (int32_t op = 0; op < end; op++) {
        p->heads[op] = p->tails[op] = op;
        p->next[op] = -1;
        p->list[op] = (region){.size = 1, .first = op};
        put_before(p, op, end, (INT64_C(1) << 31) * (op + 1));
        if (p->g->members[op] && !begin(p, op)) return no_memory();
    }
    tosajit_status status = join_all(p);
    if (!status && p->g->accepts) status = part_refused(p, &refused);
    if (!status && refused) status = join_all(p);
    return status ? status : join_beside_all(p);
}
