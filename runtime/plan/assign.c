/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assign: which part computes what. A part is one pass over one iteration space: its elementwise
 * results have its sizes, and its reductions reduce one dimension of it. What needs a reduction's
 * result is computed in a later part, which reads that result as a leaf that repeats. So a value
 * has a depth: how many reductions must have ended before it. Softmax of x along dimension 1:
 *
 *     value                depth   part   computed there                         read there
 *     m = reduce_max(x)    0       0      m                                      x
 *     e = exp(x - m)       1       1      e, into the result's memory; s         x, m
 *     s = reduce_sum(e)    1
 *     y = e * (1 / s)      2       2      y, over e                              e, s
 *
 * What gather gives is read by later parts, too, and so is an index that is computed for it: each
 * gather is a part of its own, and reads its index from memory. So do a scan its operand, and
 * scatter all three.
 *
 * What depends on columns alone is finished once, not in every row: of (x - mean) / std along
 * dimension 0 the quotient mean and the root std are parts of their own, and the rows read both.
 *
 * What parts need in common each computes again, where that is a few light ops. Else the first one
 * keeps it for the others: in the memory of a result of the same sizes and type that is written
 * later, as e is here, or in that of the value itself, if it is a result.
 *
 * To write a result early has a price: it must not lie on an operand that is still to be read. A
 * value that was written twice (runtime/expr/common.c) is not kept at that price, nor where there
 * are too many tensors then. Each part computes it, as it would if it were two. */
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/reduce.h"
#include "runtime/plan/spaces.h"

/* Facts about a node while parts are made. */
typedef struct node_state {
    int32_t depth;
    int32_t carrier;   /* the result, or scratch, that holds it for later parts; -1: none */
    uint64_t readers;  /* parts that read it there */
    uint64_t bases;    /* parts that scatter into a copy of it */
    int32_t inputs;    /* tensors that its computation reads; a second read counts again */
    bool needed;       /* a result depends on its numbers, and not on its sizes alone */
    bool is_long;      /* an op of those that compute it */
    bool stored;       /* computed for gather or a scan, which read it from memory */
    bool finished;     /* it depends on columns alone, and is read from memory by rows */
    bool behind, slow; /* it depends on a reduction; by an op that is worth doing once */
} node_state;

typedef struct assigner {
    plan *p;
    const tosajit_expr *program;
    const value_info *infos;
    node_state *nodes;     /* null: there are no reductions */
    tosajit_value *spaces; /* per part */
    int32_t depths[TOSAJIT_MAX_TENSORS];
    int32_t homes[TOSAJIT_MAX_TENSORS]; /* per result, the part that writes it */
    uint64_t busy;                      /* results whose memory keeps a value */
    bool merged, careful;               /* values that were written twice: kept; none may be */
    bool finishes, finished;            /* columns, if there are such */
    uint64_t behind; /* parts behind the one that keeps a value, up to the part that writes this
                        result */
} assigner;

/* A dynamic size is that of any tensor in it that is never 1. */
static bool same_size(const dim_info *a, const dim_info *b) {
    return a->size == b->size &&
           (a->size != TOSAJIT_DYNAMIC || a->dynamic == b->dynamic || (a->firm & b->firm) != 0);
}

bool plan_same_space(const value_info *a, const value_info *b) {
    bool same = a->rank == b->rank;
    for (int32_t d = 0; same && d < a->rank; d++) same = same_size(&a->dims[d], &b->dims[d]);
    return same;
}

static const expr_node *node_at(const assigner *a, tosajit_value value) {
    return &a->program->nodes[value];
}

static bool reduces(const assigner *a, tosajit_value value) {
    return node_reduces(node_at(a, value));
}

/* True if it is a part of its own, without code. */
static bool is_bare(const assigner *a, tosajit_value value) {
    return node_has_index(node_at(a, value)) || node_scans(node_at(a, value));
}

/* True if others read a value from memory only, in later parts. */
static bool is_apart(const assigner *a, tosajit_value value) {
    return reduces(a, value) || is_bare(a, value);
}

/* The value whose sizes a part has that computes this one. */
static tosajit_value space_of(const assigner *a, tosajit_value value) {
    return plan_space_of(a->program, value);
}

static int32_t axis_of(const assigner *a, tosajit_value value) {
    return reduces(a, value) ? (int32_t)node_at(a, value)->attributes.axis : -1;
}

static int32_t joined_of(const assigner *a, tosajit_value value) {
    return reduces(a, value) ? node_at(a, value)->attributes.joined : 0;
}

static int32_t depth_of(const assigner *a, tosajit_value value) {
    return a->nodes ? a->nodes[value].depth : 0;
}

static bool shares_space(const assigner *a, tosajit_value x, tosajit_value y) {
    return plan_same_space(&a->infos[x], &a->infos[y]);
}

/* ---------------------------------------------------------------------------------------------
 * Depths */

/* True if operand o of gather, scatter or a scan is computed for it: it is no tensor that is there,
 * nor a number. */
static bool stores(const assigner *a, const expr_node *node, int o) {
    const expr_node *operand = node_at(a, node->operands[o]);
    return (node_gathers(node) ? o == 1 : node_scans(node) || node_scatters(node)) &&
           operand->tensor < 0 && operand->kind != NODE_CONSTANT && !is_apart(a, node->operands[o]);
}

static bool is_slow(tosajit_op op) {
    return op_is_heavy(op) || op == TOSAJIT_OP_divide || op == TOSAJIT_OP_sqrt ||
           op == TOSAJIT_OP_reciprocal;
}

/* True if a value has columns, and each of it is for several rows of another one. */
static bool repeats_in_rows(const value_info *own, const value_info *other) {
    bool repeats = false;
    if (own->rank == 0 || own->dims[own->rank - 1].size == 1) return false;
    for (int32_t d = 0; d < own->rank; d++)
        repeats |= own->dims[d].size == 1 && other->dims[d + other->rank - own->rank].size != 1;
    return repeats;
}

static bool is_result(const assigner *a, tosajit_value value) {
    bool found = false;
    for (int32_t r = 0; r < a->program->result_count; r++) found |= a->program->results[r] == value;
    return found;
}

/* Marks what is finished before node k reads it. */
static void find_finished(assigner *a, size_t k) {
    const expr_node *node = &a->program->nodes[k];
    node_state *n = &a->nodes[k];
    for (int o = 0; o < node->operand_count && !node_is_index(node); o++) {
        const tosajit_value operand = node->operands[o];
        node_state *from = &a->nodes[operand];
        const bool apart = is_apart(a, operand);
        n->behind |= reduces(a, operand) || (!apart && from->behind);
        n->slow |= !apart && from->slow;
        if (!a->finishes || apart || !from->behind || !from->slow ||
            expr_role(node, o) != ROLE_DATA || is_result(a, operand) ||
            !repeats_in_rows(&a->infos[operand], &a->infos[space_of(a, (tosajit_value)k)]))
            continue;
        from->finished = a->finished = true;
    }
    n->slow |= node->kind == NODE_OP && is_slow(node->op);
}

/* From results back to operands. An index needs nothing computed. */
static void find_needed(assigner *a) {
    for (size_t k = 0; k < a->program->count; k++) a->nodes[k] = (node_state){.carrier = -1};
    for (int32_t r = 0; r < a->program->result_count; r++)
        a->nodes[a->program->results[r]].needed = true;
    for (size_t k = a->program->count; k-- > 0;) {
        const expr_node *node = &a->program->nodes[k];
        for (int o = 0; o < node->operand_count && !node_is_index(node); o++)
            a->nodes[node->operands[o]].needed |= a->nodes[k].needed;
    }
}

static void begin_nodes(assigner *a) {
    if (a->nodes) find_needed(a);
    for (size_t k = 0; a->nodes && k < a->program->count; k++) {
        const expr_node *node = &a->program->nodes[k];
        a->nodes[k].inputs = node->tensor >= 0;
        for (int o = 0; o < node->operand_count && a->nodes[k].needed; o++)
            if (stores(a, node, o)) a->nodes[node->operands[o]].stored = true;
        find_finished(a, k);
    }
}

/* True if operand o of a node is in memory when the node is computed. */
static bool is_read(const assigner *a, const expr_node *node, int o) {
    return is_apart(a, node->operands[o]) || stores(a, node, o) ||
           (a->nodes && a->nodes[node->operands[o]].finished);
}

static void find_depths(assigner *a) {
    begin_nodes(a);
    for (size_t k = 0; a->nodes && k < a->program->count; k++) {
        const expr_node *node = &a->program->nodes[k];
        node_state *n = &a->nodes[k];
        for (int o = 0; o < node->operand_count && !node_is_index(node); o++) {
            const node_state *from = &a->nodes[node->operands[o]];
            const bool reduced = is_read(a, node, o);
            const int32_t depth = from->depth + reduced;
            if (depth > n->depth) n->depth = depth;
            n->is_long |= !reduced && from->is_long;
            n->inputs += reduced ? 1 : from->inputs;
            if (n->inputs > TOSAJIT_MAX_TENSORS) n->inputs = TOSAJIT_MAX_TENSORS;
        }
        n->is_long |= node->kind == NODE_OP && op_is_long(node->op);
    }
}

/* An elementwise result may wait for a later pass over its sizes, if there is none at its depth. */
static int32_t wait_for_pass(const assigner *a, tosajit_value value) {
    const int32_t own = depth_of(a, value);
    int32_t best = INT32_MAX;
    for (size_t k = 0; a->nodes && k < a->program->count; k++) {
        const tosajit_value other = (tosajit_value)k;
        const int32_t depth = depth_of(a, other);
        if (reduces(a, other) && depth >= own && depth < best &&
            shares_space(a, space_of(a, other), value))
            best = depth;
    }
    for (int32_t r = 0; a->nodes && r < a->program->result_count; r++) {
        const tosajit_value other = a->program->results[r];
        const int32_t depth = depth_of(a, other);
        if (!is_apart(a, other) && depth > own && depth < best && shares_space(a, other, value))
            best = depth;
    }
    return best == INT32_MAX ? own : best;
}

/* ---------------------------------------------------------------------------------------------
 * Parts */

static tosajit_status too_many(const char *what) {
    return diag_error(TOSAJIT_LIMIT_EXCEEDED,
                      "a kernel has at most %d %s; divide the expression into several kernels",
                      TOSAJIT_MAX_TENSORS, what);
}

/* The part of this depth that computes such values, perhaps a new one. */
static tosajit_status find_part(assigner *a, tosajit_value value, int32_t depth, int32_t *part) {
    const tosajit_value space = space_of(a, value);
    const int32_t axis = axis_of(a, value), joined = joined_of(a, value);
    for (*part = 0; *part < a->p->part_count; ++*part) {
        plan_part *own = &a->p->parts[*part];
        if (plan_is_bare(own) || is_bare(a, value)) continue; /* each is a part of its own */
        if (a->depths[*part] != depth || !shares_space(a, a->spaces[*part], space)) continue;
        if (axis >= 0 && own->axis >= 0 && (own->axis != axis || own->joined != joined)) continue;
        if (axis >= 0) own->axis = axis, own->joined = joined;
        return TOSAJIT_OK;
    }
    if (a->p->part_count == TOSAJIT_MAX_TENSORS) return too_many("passes over its tensors");
    a->p->parts[a->p->part_count].gathers = node_gathers(node_at(a, value));
    a->p->parts[a->p->part_count].scans = node_scans(node_at(a, value));
    a->p->parts[a->p->part_count].scatters = node_scatters(node_at(a, value));
    a->p->parts[a->p->part_count].along = (int32_t)node_at(a, value)->attributes.axis;
    a->p->parts[a->p->part_count].axis = axis;
    a->p->parts[a->p->part_count++].joined = joined;
    a->depths[*part] = depth;
    a->spaces[*part] = space;
    return TOSAJIT_OK;
}

/* The part writes a value into a result of the kernel, or into scratch behind these. */
static tosajit_status add_output(assigner *a, int32_t part, tosajit_value value, int32_t result) {
    plan_part *own = &a->p->parts[part];
    if (own->result_count == TOSAJIT_MAX_TENSORS) return too_many("results of one pass");
    own->reductions |= (uint64_t)reduces(a, value) << own->result_count;
    own->values[own->result_count] = value;
    own->results[own->result_count++] = result;
    a->p->node_parts[value] |= UINT64_C(1) << part;
    return TOSAJIT_OK;
}

static tosajit_status assign_result(assigner *a, int32_t r, int32_t depth) {
    const tosajit_value value = a->program->results[r];
    int32_t part;
    if (!is_apart(a, value) && a->nodes && wait_for_pass(a, value) != depth) return TOSAJIT_OK;
    if (is_apart(a, value) && depth_of(a, value) != depth) return TOSAJIT_OK;
    tosajit_status status = find_part(a, value, depth, &part);
    if (!status) status = add_output(a, part, value, r);
    a->homes[r] = part;
    if (!status && a->nodes && a->nodes[value].carrier < 0) a->nodes[value].carrier = r;
    return status;
}

/* A value that later parts read and that is no result is scratch. */
static tosajit_status assign_read(assigner *a, tosajit_value value, int32_t depth) {
    node_state *n = &a->nodes[value];
    int32_t part;
    if (n->depth != depth || n->carrier >= 0) return TOSAJIT_OK;
    if (a->p->result_count + a->p->scratch_count == TOSAJIT_MAX_TENSORS)
        return too_many("results and reductions");
    n->carrier = a->p->result_count + a->p->scratch_count++;
    tosajit_status status = find_part(a, value, depth, &part);
    return status ? status : add_output(a, part, value, n->carrier);
}

/* Parts in the order of their depths, in which they run. */
static tosajit_status make_parts(assigner *a) {
    int32_t deepest = 0;
    for (size_t k = 0; a->nodes && k < a->program->count; k++)
        if (a->nodes[k].depth > deepest) deepest = a->nodes[k].depth;
    tosajit_status status = TOSAJIT_OK;
    for (int32_t depth = 0; depth <= deepest; depth++) {
        for (int32_t r = 0; !status && r < a->program->result_count; r++)
            status = assign_result(a, r, depth);
        for (size_t k = 0; !status && a->nodes && k < a->program->count; k++)
            if (a->nodes[k].needed &&
                (is_apart(a, (tosajit_value)k) || a->nodes[k].stored || a->nodes[k].finished))
                status = assign_read(a, (tosajit_value)k, depth);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * What parts read and compute */

static int32_t first_of(uint64_t parts) {
    int32_t first = 0;
    while (!(parts >> first & 1)) first++;
    return first;
}

static int32_t last_of(uint64_t parts) {
    int32_t last = 0;
    while (parts >>= 1) last++;
    return last;
}

/* A result of the same sizes and type that is written by part `last` or later; -1: none. */
static int32_t spare_result(const assigner *a, tosajit_value value, int32_t last) {
    for (int32_t r = 0; r < a->program->result_count; r++) {
        const tosajit_value own = a->program->results[r];
        if (!(a->busy >> r & 1) && a->homes[r] >= last && shares_space(a, own, value) &&
            !node_scatters(node_at(a, own)) && /* which writes anywhere before the last block */
            node_at(a, own)->type.element == node_at(a, value)->type.element)
            return r;
    }
    return -1;
}

/* The later parts that compute a value again, over the same sizes as the part that may keep it. */
static uint64_t computed_again(const assigner *a, tosajit_value value, int32_t first) {
    uint64_t again = 0;
    for (int32_t p = first + 1; p < a->p->part_count; p++)
        if (a->p->node_parts[value] >> p & 1 && shares_space(a, a->spaces[p], value))
            again |= UINT64_C(1) << p;
    return again;
}

/* True if a few light ops make it of one value that an earlier part has computed. To keep that one
 * saves as much in this part, and the earlier part's work, too: layer_norm(gelu(x)) keeps the gelu.
 */
static bool is_nearly_earlier(const assigner *a, tosajit_value value) {
    const expr_node *node = node_at(a, value);
    const node_state *n = &a->nodes[value];
    int32_t long_operands = 0;
    bool earlier = !op_is_long(node->op);
    for (int o = 0; o < node->operand_count; o++) {
        const tosajit_value operand = node->operands[o];
        if (is_apart(a, operand) || !a->nodes[operand].is_long) continue;
        long_operands++;
        earlier &= a->nodes[operand].depth < n->depth && node_at(a, operand)->kind == NODE_OP &&
                   shares_space(a, operand, value) &&
                   node_at(a, operand)->type.element == node->type.element;
    }
    return earlier && long_operands == 1;
}

/* Later parts read the value instead, if that is worth it and there is memory. */
static tosajit_status keep(assigner *a, tosajit_value value) {
    node_state *n = &a->nodes[value];
    uint64_t *parts = &a->p->node_parts[value];
    if (!node_is_computed(node_at(a, value)) || !(*parts & (*parts - 1))) return TOSAJIT_OK;
    const bool merged = node_at(a, value)->merged;
    if ((merged && a->careful) || n->stored || n->finished) return TOSAJIT_OK;
    const bool is_result = n->carrier >= 0;
    const int32_t first = is_result ? a->homes[n->carrier] : first_of(*parts);
    const uint64_t again = computed_again(a, value, first);
    if (!again || !shares_space(a, a->spaces[first], value)) return TOSAJIT_OK;
    if (!n->is_long && !(is_result && n->inputs > 1)) return TOSAJIT_OK;
    if (!is_result && is_nearly_earlier(a, value)) return TOSAJIT_OK;
    const int32_t r = is_result ? n->carrier : spare_result(a, value, last_of(again));
    if (r < 0) return TOSAJIT_OK;
    tosajit_status status = is_result ? TOSAJIT_OK : add_output(a, first, value, r);
    if (status) return status;
    a->busy |= UINT64_C(1) << r;
    a->merged |= merged;
    for (int32_t p = first + 1; merged && !is_result && p <= a->homes[r]; p++)
        a->behind |= UINT64_C(1) << p;
    n->carrier = r;
    n->readers |= again;
    *parts &= ~again;
    return TOSAJIT_OK;
}

/* From results back to operands: users come behind what they use. */
static tosajit_status find_uses(assigner *a) {
    plan *p = a->p;
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = a->program->count; !status && k-- > 0;) {
        const expr_node *node = &a->program->nodes[k];
        if (a->nodes && !is_apart(a, (tosajit_value)k)) status = keep(a, (tosajit_value)k);
        for (int o = 0; o < node->operand_count && !node_is_index(node); o++) {
            const tosajit_value operand = node->operands[o];
            const operand_role role = expr_role(node, o);
            const bool read = is_read(a, node, o), base = role == ROLE_GATHERED;
            if (base && read)
                a->nodes[operand].bases |= p->node_parts[k];
            else if (role == ROLE_TABLE || base)
                p->table_parts[operand] |= p->node_parts[k];
            else if (read)
                a->nodes[operand].readers |= p->node_parts[k];
            else
                p->node_parts[operand] |= p->node_parts[k];
        }
    }
    return status;
}

/* Values that a part reads of earlier ones. */
static tosajit_status carry(assigner *a, int32_t part) {
    plan_part *own = &a->p->parts[part];
    for (size_t k = 0; k < 2 * a->program->count; k++) {
        const node_state *n = &a->nodes[k / 2];
        const bool base = k % 2;
        if (!((base ? n->bases : n->readers) >> part & 1)) continue;
        if (own->carried_count == TOSAJIT_MAX_TENSORS) return too_many("tensors");
        own->leaves[own->carried_count++] = (plan_leaf){.value = (tosajit_value)(k / 2),
                                                        .tensor = a->p->tensor_count + n->carrier,
                                                        .gathered = base};
    }
    int32_t tensors = own->result_count + own->carried_count;
    for (size_t k = 0; k < a->program->count; k++)
        if (a->program->nodes[k].tensor >= 0)
            tensors +=
                (int32_t)((a->p->node_parts[k] >> part & 1) + (a->p->table_parts[k] >> part & 1));
    return tensors > TOSAJIT_MAX_TENSORS ? too_many("tensors of one pass") : TOSAJIT_OK;
}

static tosajit_status assign(assigner *a) {
    find_depths(a);
    tosajit_status status = make_parts(a);
    if (!status) status = find_uses(a);
    for (int32_t k = 0; !status && a->nodes && k < a->p->part_count; k++) status = carry(a, k);
    return status;
}

static tosajit_status assign_again(assigner *a, bool finishes, bool careful) {
    plan *p = a->p;
    memset(p->node_parts, 0, p->node_count * sizeof *p->node_parts);
    memset(p->table_parts, 0, p->node_count * sizeof *p->table_parts);
    memset(p->parts, 0, p->part_capacity * sizeof *p->parts);
    p->part_count = p->scratch_count = 0;
    a->busy = a->behind = 0;
    a->merged = a->finished = false;
    a->finishes = finishes;
    a->careful = careful;
    return assign(a);
}

/* True if an operand is read behind a part that has written over what may lie on it. */
static bool reads_behind(const assigner *a) {
    bool any = false;
    for (size_t k = 0; a->behind && k < a->program->count; k++)
        any |= a->program->nodes[k].kind == NODE_INPUT &&
               (a->p->node_parts[k] | a->p->table_parts[k]) & a->behind;
    return any;
}

tosajit_status plan_assign(plan *p, const tosajit_expr *program, const value_info *infos,
                           tosajit_value *spaces) {
    assigner a = {.p = p, .program = program, .infos = infos, .spaces = spaces, .finishes = true};
    const bool staged = p->part_capacity > (size_t)program->result_count;
    if (staged) a.nodes = memory_new(&p->allocator, program->count, sizeof *a.nodes);
    if (staged && !a.nodes) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the plan");
    tosajit_status status = assign(&a);
    if (status && a.finished) status = assign_again(&a, false, false);
    if (a.merged && (status || reads_behind(&a))) status = assign_again(&a, a.finishes, true);
    if (status && a.finished) status = assign_again(&a, false, true);
    memory_free(&p->allocator, a.nodes, program->count, sizeof *a.nodes);
    return status;
}
