/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One pass over the source, front to back. A value of it becomes a value of the program and the
 * views outward that it is still to be seen through. */
#include "runtime/expr/views.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/reduce.h"
#include "runtime/expr/view_names.h"

/* The form that a value of the source has taken. Inputs and constants, and views of them, are
 * values of the program only once something reads them as they are. */
enum { UNREAD = -1, NO_LEAF = -1 };
typedef struct lowered {
    tosajit_value value;
    view_chain outward;
    tosajit_value leaf; /* the input or constant that it is, through `inward`, then `outward` */
    view_chain inward;
} lowered;

typedef struct lowering {
    const tosajit_expr *source;
    tosajit_expr *program;
    expr_views *views;
    lowered *values; /* per node of the source */
} lowering;

static const expr_node *node_of(const lowering *l, tosajit_value value) {
    return &l->program->nodes[value];
}

/* ---------------------------------------------------------------------------------------------
 * Chains */

static const view_step *step_of(const lowering *l, view_chain chain, int32_t k) {
    return &l->views->steps[chain.first + k];
}

static bool is_view(const lowering *l, const view_step *step, tosajit_op op) {
    return l->source->nodes[step->view].op == op;
}

static const view_sizes *before(const lowering *l, const view_step *step) {
    return view_before(l->views, step);
}
static const view_sizes *behind(const lowering *l, const view_step *step) {
    return view_behind(l->views, step);
}

static bool same_sizes(const view_sizes *a, const view_sizes *b) {
    return a->rank == b->rank &&
           memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof *a->sizes) == 0;
}

/* True if two transposes lead each dimension back to its place. */
static bool undo_each_other(const lowering *l, const view_step *a, const view_step *b) {
    const int64_t *p = l->source->nodes[a->view].attributes.numbers,
                  *q = l->source->nodes[b->view].attributes.numbers;
    const int32_t rank = before(l, a)->rank;
    for (int32_t d = 0; d < rank; d++) {
        const bool same = a->backwards == b->backwards ? p[q[d]] == d : p[d] == q[d];
        if (!same) return false;
    }
    return true;
}

/* True if a step behind another one leads back. */
static bool cancels(const lowering *l, const view_step *a, const view_step *b) {
    if (a->view == b->view && a->backwards != b->backwards) return true;
    if (is_view(l, a, TOSAJIT_OP_reshape) && is_view(l, b, TOSAJIT_OP_reshape))
        return same_sizes(before(l, a), behind(l, b)) && same_sizes(behind(l, a), before(l, b));
    return is_view(l, a, TOSAJIT_OP_transpose) && is_view(l, b, TOSAJIT_OP_transpose) &&
           before(l, a)->rank == before(l, b)->rank && undo_each_other(l, a, b);
}

/* A step at the end of a chain, which is the last one of all. */
static tosajit_status push(lowering *l, view_chain *chain, const view_step *step) {
    expr_views *v = l->views;
    if (chain->count > 0 && cancels(l, &v->steps[v->step_count - 1], step)) {
        v->step_count--;
        chain->count--;
        return TOSAJIT_OK;
    }
    if (chain->count == VIEW_MOST_STEPS)
        return diag_error(TOSAJIT_LIMIT_EXCEEDED, "more than %d views, one of the other",
                          VIEW_MOST_STEPS);
    if (!memory_grow(&v->allocator, (void **)&v->steps, &v->step_capacity, v->step_count + 1,
                     sizeof *v->steps))
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the views of an expression");
    v->steps[v->step_count++] = *step;
    chain->count++;
    return TOSAJIT_OK;
}

/* A new chain: one, then another one, forwards or backwards. */
static tosajit_status join(lowering *l, view_chain a, view_chain b, bool backwards,
                           view_chain *joined) {
    tosajit_status status = TOSAJIT_OK;
    view_chain made = {(int32_t)l->views->step_count, 0};
    for (int32_t k = 0; !status && k < a.count; k++) {
        const view_step step = *step_of(l, a, k);
        status = push(l, &made, &step);
    }
    for (int32_t k = 0; !status && k < b.count; k++) {
        view_step step = *step_of(l, b, backwards ? b.count - 1 - k : k);
        step.backwards ^= backwards;
        status = push(l, &made, &step);
    }
    *joined = made;
    return status;
}

/* Where a slice begins in a dimension of this size. */
static int64_t slice_begin(const int64_t range[3], int64_t size) {
    if (range[0] == TOSAJIT_DYNAMIC) return range[2] > 0 ? 0 : size - 1;
    return range[0] < 0 ? range[0] + size : range[0];
}

/* True if two slices of tensors of the same sizes, which are static, take the same: x[32:] and
 * x[32:64] of 64. */
static bool same_slices(const lowering *l, const view_step *a, const view_step *b) {
    const int64_t *p = l->source->nodes[a->view].attributes.numbers,
                  *q = l->source->nodes[b->view].attributes.numbers;
    const view_sizes *in = a->backwards ? behind(l, a) : before(l, a),
                     *out = a->backwards ? before(l, a) : behind(l, a);
    bool same = is_view(l, a, TOSAJIT_OP_slice) && is_view(l, b, TOSAJIT_OP_slice) &&
                same_sizes(before(l, a), before(l, b)) && same_sizes(behind(l, a), behind(l, b));
    for (int32_t d = 0; same && d < in->rank; d++)
        same = memcmp(p + 3 * d, q + 3 * d, 3 * sizeof *p) == 0 ||
               (p[3 * d + 2] == 1 && q[3 * d + 2] == 1 && in->sizes[d] == out->sizes[d]) ||
               (in->sizes[d] > 0 && out->sizes[d] > 0 && p[3 * d + 2] == q[3 * d + 2] &&
                slice_begin(p + 3 * d, in->sizes[d]) == slice_begin(q + 3 * d, in->sizes[d]));
    return same;
}

static bool same_chain(const lowering *l, view_chain a, view_chain b) {
    bool same = a.count == b.count;
    for (int32_t k = 0; same && k < a.count; k++) {
        const view_step *s = step_of(l, a, k), *t = step_of(l, b, k);
        same = s->backwards == t->backwards && (s->view == t->view || same_slices(l, s, t));
    }
    return same;
}

/* The sizes of a tensor at the end of a chain. */
static tosajit_status see(lowering *l, view_chain chain, view_sizes *own) {
    tosajit_status status = TOSAJIT_OK;
    for (int32_t k = 0; !status && k < chain.count; k++) {
        const view_step *step = step_of(l, chain, k);
        status = names_through(l->views, step, own);
        if (status) return diag_prefix(status, "%s: ", expr_value_name(l->source, step->view).text);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Operands */

static tosajit_tensor_type type_of(tosajit_type element, const view_sizes *own) {
    tosajit_tensor_type type = {element, own->rank, {0}};
    for (int32_t d = 0; d < own->rank; d++)
        type.dims[d] = own->sizes[d] > 0 ? own->sizes[d] : TOSAJIT_DYNAMIC;
    return type;
}

static tosajit_status copy_contracts(lowering *l, tosajit_value from, tosajit_value to) {
    tosajit_status status = TOSAJIT_OK;
    for (int32_t d = 0; !status && d < l->source->nodes[from].type.rank; d++) {
        const tosajit_contract *c = expr_contract_of(l->source, from, d);
        if (c) status = tosajit_expr_contract(l->program, to, d, c);
    }
    return status;
}

/* The reshape of a chain, which joins; -1: none. */
static tosajit_value find_reshape(const lowering *l, view_chain chain) {
    tosajit_value found = -1;
    for (int32_t k = 0; k < chain.count; k++)
        if (is_view(l, step_of(l, chain, k), TOSAJIT_OP_reshape))
            found = step_of(l, chain, k)->view;
    return found;
}

static tosajit_status refuse_run(const lowering *l, tosajit_value from, view_chain chain,
                                 view_run run) {
    if (run == RUN_NEVER)
        return diag_error(TOSAJIT_SHAPE_MISMATCH,
                          "%s is repeated along some of the dimensions that are joined, which no "
                          "strides say; make it a result, and view that",
                          expr_value_name(l->source, from).text);
    return diag_error(TOSAJIT_SHAPE_MISMATCH,
                      "%s joins dimensions of %s that lie apart, as a transpose, slice or reversal "
                      "leaves them, which no strides say; make what it joins a result, and view "
                      "that",
                      expr_value_name(l->source, find_reshape(l, chain)).text,
                      expr_value_name(l->source, from).text);
}

/* The operand that is an input or constant of the source, through a chain. */
static tosajit_status find_operand(lowering *l, tosajit_value from, view_chain chain,
                                   tosajit_value *value) {
    expr_views *v = l->views;
    const expr_node *source = &l->source->nodes[from];
    for (size_t k = 0; k < l->program->count; k++) {
        const expr_node *node = node_of(l, (tosajit_value)k);
        if (node->kind == NODE_INPUT && v->operands[node->tensor].value == from &&
            same_chain(l, v->operands[node->tensor].chain, chain))
            return *value = (tosajit_value)k, TOSAJIT_OK;
    }
    view_sizes own = l->views->sizes[from];
    tosajit_status status = see(l, chain, &own);
    const tosajit_tensor_type type = type_of(source->type.element, &own);
    const view_run run = names_run(l->views, l->views->sizes[from], 0, chain);
    if (!status && run != RUN_DENSE) status = refuse_run(l, from, chain, run);
    if (!status) status = tosajit_expr_input(l->program, &type, value);
    if (status) return status;
    l->program->nodes[*value].number = from;
    v->operands[v->operand_count++] = (view_tensor){from, chain};
    return chain.count == 0 && source->kind == NODE_INPUT ? copy_contracts(l, from, *value)
                                                          : TOSAJIT_OK;
}

/* A constant of one element, which has these sizes, through a chain: it stays part of the code.
 * Along a size that only a call knows it repeats. */
static tosajit_status see_splat(lowering *l, tosajit_value leaf, view_sizes own, view_chain chain,
                                tosajit_value *value) {
    const expr_node *node = &l->source->nodes[leaf];
    tosajit_status status = see(l, chain, &own);
    tosajit_tensor_type type = type_of(node->type.element, &own);
    for (int32_t d = 0; d < type.rank; d++)
        if (type.dims[d] == TOSAJIT_DYNAMIC) type.dims[d] = 1;
    if (!status)
        status =
            expr_constant_bytes(l->program, &type, node->data, node->data_size, node->splat, value);
    if (!status) l->program->nodes[*value].number = leaf;
    return status;
}

/* An input or constant through a chain. */
static tosajit_status see_leaf(lowering *l, tosajit_value leaf, view_chain chain,
                               tosajit_value *value) {
    const expr_node *node = &l->source->nodes[leaf];
    if (node->kind == NODE_INPUT || (!node->splat && chain.count > 0))
        return find_operand(l, leaf, chain, value);
    return see_splat(l, leaf, l->views->sizes[leaf], chain, value);
}

/* Make value k of the source one of the program. */
static tosajit_status read_value(lowering *l, tosajit_value k) {
    lowered *own = &l->values[k];
    return own->value == UNREAD ? see_leaf(l, own->leaf, own->inward, &own->value) : TOSAJIT_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Ops */

/* The same op on other operands. */
static tosajit_status append_op(lowering *l, const expr_node *node, const tosajit_value *operands,
                                int64_t axis, tosajit_value *value) {
    tosajit_attributes attributes = node->attributes;
    const tosajit_tensor_type result = {node->type.element, TOSAJIT_UNRANKED, {0}};
    const tosajit_value number = node->number;
    if (op_is_along(node->op)) attributes.axis = axis;
    tosajit_status status = tosajit_expr_op(
        l->program, node->op, operands, (size_t)node->operand_count, &attributes, &result, value);
    if (!status) l->program->nodes[*value].number = number;
    return status;
}

/* True if every size is 1, which repeats along everything. */
static bool is_single(const tosajit_tensor_type *type) {
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] != 1) return false;
    return true;
}

/* Where a chain leaves a dimension of a value of this rank; -1 if it joins it with others. */
static int64_t follow_axis(const lowering *l, view_chain chain, int64_t axis, int32_t *rank) {
    for (int32_t k = 0; k < chain.count && axis >= 0; k++) {
        const view_step *step = step_of(l, chain, k);
        const int32_t in = before(l, step)->rank, lead = *rank > in ? *rank - in : 0;
        if (*rank < in) axis += in - *rank;
        if (axis >= lead) {
            axis = names_follow(l->views, step, axis - lead);
            if (axis >= 0) axis += lead;
        }
        *rank = lead + behind(l, step)->rank;
    }
    return axis;
}

/* The axis that a reduction has inside of a chain. */
static tosajit_status move_axis(lowering *l, const expr_node *node, view_chain chain,
                                int64_t *axis) {
    int32_t rank = node->type.rank;
    const bool reduces = op_is_along(node->op);
    *axis = reduces ? follow_axis(l, chain, node->attributes.axis, &rank) : 0;
    int64_t last = *axis;
    for (int32_t k = 1; reduces && k <= node->attributes.joined; k++) { /* they stay neighbours */
        rank = node->type.rank;
        if (follow_axis(l, chain, node->attributes.axis + k, &rank) != ++last) *axis = -1;
    }
    if (!reduces ||
        (*axis >= 0 && (!op_reduces(node->op) || reduce_is_inner(node) == (last == rank - 1))))
        return TOSAJIT_OK;
    const tosajit_value view = step_of(l, chain, 0)->view;
    return diag_error(TOSAJIT_SHAPE_MISMATCH,
                      "%s: the axis of %s cannot be seen through it, and what follows is no longer "
                      "a view of the result; keep the axis as a size of 1 (keepdims), or make it a "
                      "result, and view that",
                      expr_value_name(l->source, view).text,
                      expr_value_name(l->source, node->number).text);
}

/* True if an operand repeats along everything, behind a chain, too. */
static bool repeats(const lowering *l, const expr_node *node, int k, view_chain chain) {
    const tosajit_tensor_type *type = &node_of(l, node->operands[k])->type;
    const view_step *last = step_of(l, chain, chain.count - 1);
    return is_single(type) && type->rank <= behind(l, last)->rank;
}

/* True if an operand stays as it is where its op moves inside of a chain: a parameter, or an
 * operand that repeats beside another, which has the shape. */
static bool stays(const lowering *l, const expr_node *node, int k, view_chain chain) {
    bool shaped = false;
    if (expr_role(node, k) == ROLE_GATHERED) return node_of(l, node->operands[k])->type.rank == 1;
    if (expr_role(node, k) != ROLE_DATA) return true;
    for (int o = 0; o < node->operand_count; o++)
        shaped |= expr_role(node, o) == ROLE_DATA && !repeats(l, node, o, chain);
    return shaped && repeats(l, node, k, chain);
}

/* A channel's parameters lie along the last dimension, which must stay the last, and whole. */
static tosajit_status check_channels(const lowering *l, const expr_node *node, view_chain chain) {
    const expr_node *view = &l->source->nodes[step_of(l, chain, 0)->view];
    int32_t rank = node->type.rank;
    if (!node->attributes.per_channel) return TOSAJIT_OK;
    bool whole = follow_axis(l, chain, rank - 1, &rank) == rank - 1;
    for (int32_t k = 0; whole && k < chain.count; k++) {
        const view_step *step = step_of(l, chain, k);
        const view_sizes *in = before(l, step), *out = behind(l, step);
        const expr_node *own = &l->source->nodes[step->view];
        whole = in->rank && out->rank && in->sizes[in->rank - 1] == out->sizes[out->rank - 1] &&
                !(own->op == TOSAJIT_OP_reverse && own->attributes.axis == in->rank - 1) &&
                !(own->op == TOSAJIT_OP_slice && own->attributes.numbers[3 * in->rank - 1] < 0);
    }
    if (whole) return TOSAJIT_OK;
    return diag_error(TOSAJIT_SHAPE_MISMATCH,
                      "tosa.%s: the last dimension of a rescale per channel must stay whole and "
                      "last",
                      op_table[view->op].name);
}

/* Gathered values move inside of a chain by the dimensions that broadcast; the indexed dimension
 * stays in front of these. So the values must have one dimension more than the result. */
static tosajit_status check_gathered(const lowering *l, const expr_node *node) {
    if (node_scatters(node))
        return diag_error(TOSAJIT_SHAPE_MISMATCH,
                          "%s: what follows is no view of what is scattered; make that a result, "
                          "and view it in another kernel",
                          expr_value_name(l->source, node->number).text);
    if (!node_gathers(node)) return TOSAJIT_OK;
    const int32_t rank = node_of(l, node->operands[0])->type.rank;
    if (rank == 1 || rank == node->type.rank + 1) return TOSAJIT_OK;
    return diag_error(TOSAJIT_SHAPE_MISMATCH,
                      "%s: a view of it needs values of one dimension, or of %d; give them "
                      "dimensions of size 1, or make the result of gather a result, and view that",
                      expr_value_name(l->source, node->number).text, (int)node->type.rank + 1);
}

/* ---------------------------------------------------------------------------------------------
 * Inward */

/* Mark what a value is computed of and a chain changes. */
static void mark_inside(const lowering *l, tosajit_value value, view_chain chain, uint8_t *inside) {
    inside[value] = 1;
    for (tosajit_value k = value; k >= 0; k--) {
        const expr_node *node = node_of(l, k);
        if (!inside[k] || node->kind != NODE_OP) continue;
        for (int o = 0; o < node->operand_count; o++)
            if (!stays(l, node, o, chain)) inside[node->operands[o]] = 1;
    }
}

/* One of these. */
static tosajit_status move_inside(lowering *l, tosajit_value k, view_chain chain,
                                  const uint8_t *inside, tosajit_value *moved) {
    const expr_node node = *node_of(l, k); /* not where it lies: nodes are added */
    if (node.kind == NODE_CONSTANT && node.splat) {
        view_sizes own = {.rank = node.type.rank}; /* which views may have changed */
        memcpy(own.sizes, node.type.dims, sizeof own.sizes);
        return see_splat(l, node.number, own, chain, &moved[k]);
    }
    if (node.kind == NODE_CONSTANT) return see_leaf(l, node.number, chain, &moved[k]);
    if (node.kind == NODE_INPUT) {
        const view_tensor old = l->views->operands[node.tensor];
        view_chain whole;
        tosajit_status status = join(l, old.chain, chain, false, &whole);
        return status ? status : find_operand(l, old.value, whole, &moved[k]);
    }
    tosajit_value operands[TOSAJIT_MAX_OPERANDS];
    int64_t axis;
    tosajit_status status = move_axis(l, &node, chain, &axis);
    if (!status) status = check_channels(l, &node, chain);
    if (!status) status = check_gathered(l, &node);
    for (int o = 0; o < node.operand_count; o++)
        operands[o] = inside[node.operands[o]] && !stays(l, &node, o, chain)
                          ? moved[node.operands[o]]
                          : node.operands[o];
    return status ? status : append_op(l, &node, operands, axis, &moved[k]);
}

/* A value seen through a chain: its computation is made anew, of operands seen through the chain.
 */
static tosajit_status inward(lowering *l, tosajit_value value, view_chain chain,
                             tosajit_value *seen) {
    if (chain.count == 0) return *seen = value, TOSAJIT_OK;
    const tosajit_allocator *allocator = &l->views->allocator;
    const size_t count = (size_t)value + 1;
    uint8_t *inside = memory_new(allocator, count, 1);
    tosajit_value *moved = memory_new(allocator, count, sizeof *moved);
    tosajit_status status = inside && moved
                                ? TOSAJIT_OK
                                : diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a view");
    if (!status) mark_inside(l, value, chain, inside);
    for (size_t k = 0; !status && k < count; k++)
        if (inside[k]) status = move_inside(l, (tosajit_value)k, chain, inside, moved);
    if (!status) *seen = moved[value];
    memory_free(allocator, inside, count, 1);
    memory_free(allocator, moved, count, sizeof *moved);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Nodes */

/* The state before a try that failed. */
typedef struct try_mark {
    size_t nodes;
    int32_t inputs, constants, tables, operands;
} try_mark;

static try_mark try_begin(const lowering *l) {
    return (try_mark){l->program->count, l->program->input_count, l->program->constant_count,
                      l->program->table_count, l->views->operand_count};
}

static void try_undo(lowering *l, try_mark mark) {
    tosajit_expr *p = l->program;
    for (size_t k = mark.nodes; k < p->count; k++)
        memory_free(&p->allocator, p->nodes[k].data, p->nodes[k].data_size, 1);
    while (p->contract_count && p->contracts[p->contract_count - 1].input >= (int64_t)mark.nodes)
        p->contract_count--;
    p->count = mark.nodes;
    p->input_count = mark.inputs;
    p->constant_count = mark.constants;
    p->table_count = mark.tables;
    l->views->operand_count = mark.operands;
}

/* The rank that a value of the source has before a chain outward, or behind it if that is lower. */
static int32_t lower_rank(const lowering *l, tosajit_value value, view_chain outward) {
    const int32_t rank = l->source->nodes[value].type.rank;
    if (outward.count == 0) return rank;
    const int32_t inner = rank - behind(l, step_of(l, outward, outward.count - 1))->rank +
                          before(l, step_of(l, outward, 0))->rank;
    return inner < rank ? inner : rank;
}

/* True if a computed operand is one element before its views and behind them. Beside the leader it
 * then repeats without them, as sum(x, axis=0) + max(x) does where no dimension is kept. */
static bool is_one(const lowering *l, tosajit_value leader, tosajit_value from) {
    const lowered *own = &l->values[from];
    if (leader < 0 || own->leaf != NO_LEAF || l->values[leader].leaf != NO_LEAF) return false;
    const tosajit_tensor_type *all = &node_of(l, l->values[leader].value)->type,
                              *inner = &node_of(l, own->value)->type,
                              *outer = &l->source->nodes[from].type;
    return is_single(inner) && is_single(outer) && inner->rank <= all->rank &&
           outer->rank <= l->source->nodes[leader].type.rank;
}

/* Operand k, as an op needs it whose value is to be seen through `outward`. */
static tosajit_status bring(lowering *l, const expr_node *node, int k, tosajit_value leader,
                            view_chain outward, tosajit_value *value) {
    const tosajit_value from = node->operands[k];
    const tosajit_tensor_type *type = &l->source->nodes[from].type;
    const lowered own = l->values[from];
    const bool is_data = expr_role(node, k) == ROLE_DATA,
               repeats = own.outward.count == 0 && is_single(type) && leader >= 0 &&
                         type->rank <= lower_rank(l, leader, outward);
    view_chain chain = own.outward;
    tosajit_status status = TOSAJIT_OK;
    if (is_data && (repeats || is_one(l, leader, from) || same_chain(l, own.outward, outward))) {
        status = read_value(l, from);
        return *value = l->values[from].value, status;
    }
    if (own.leaf != NO_LEAF) {
        status = join(l, own.inward, own.outward, false, &chain);
        if (!status && is_data) status = join(l, chain, outward, true, &chain);
        return status ? status : see_leaf(l, own.leaf, chain, value);
    }
    if (is_data) status = join(l, own.outward, outward, true, &chain);
    return status ? status : inward(l, own.value, chain, value);
}

/* The op where every operand is brought to the view that one of them has; no leader: to none. */
static tosajit_status try_leader(lowering *l, const expr_node *node, tosajit_value leader,
                                 lowered *result) {
    const view_chain none = {0, 0}, outward = leader >= 0 ? l->values[leader].outward : none;
    const try_mark mark = try_begin(l);
    tosajit_value operands[TOSAJIT_MAX_OPERANDS];
    tosajit_status status = TOSAJIT_OK;
    for (int k = 0; !status && k < node->operand_count; k++)
        status = bring(l, node, k, leader, outward, &operands[k]);
    if (!status) status = append_op(l, node, operands, node->attributes.axis, &result->value);
    result->outward = outward;
    if (!status || status == TOSAJIT_OUT_OF_MEMORY) return status;
    try_undo(l, mark);
    for (int k = 0; k < node->operand_count; k++) {
        lowered *own = &l->values[node->operands[k]];
        if (own->leaf != NO_LEAF && own->value >= (tosajit_value)mark.nodes) own->value = UNREAD;
    }
    return status;
}

/* True if the op may be computed before the views of an operand: along no axis, into no place that
 * an index says, and of what is gathered from by index alone. */
static bool may_lead(const lowering *l, const expr_node *node) {
    return !op_is_along(node->op) && !op_scatters(node->op) &&
           (!node_gathers(node) || l->source->nodes[node->operands[0]].type.rank == 1);
}

static tosajit_status lower_op(lowering *l, const expr_node *node, lowered *result) {
    tosajit_status status = TOSAJIT_SHAPE_MISMATCH;
    for (int k = 0; k < node->operand_count && may_lead(l, node); k++) {
        const tosajit_value leader = node->operands[k];
        if (expr_role(node, k) != ROLE_DATA || l->values[leader].outward.count == 0) continue;
        status = try_leader(l, node, leader, result);
        if (!status || status == TOSAJIT_OUT_OF_MEMORY) return status;
    }
    return try_leader(l, node, -1, result);
}

/* A view of an input or constant. A reshape may join dimensions that are no run; then the operand
 * keeps them apart, and the view is left to the result: seen outward it divides the result, which
 * is a run. */
static tosajit_status lower_leaf(lowering *l, const view_step *step, bool ends, lowered *result) {
    const lowered own = *result;
    const view_chain none = {0, 0};
    view_chain chain;
    view_sizes sizes = l->views->sizes[own.leaf];
    tosajit_status status;
    if (own.outward.count > 0 && !ends) {
        status = join(l, own.outward, none, false, &result->outward);
        return status ? status : push(l, &result->outward, step);
    }
    *result = (lowered){.value = UNREAD, .leaf = own.leaf, .inward = own.inward};
    status = join(l, own.inward, own.outward, false, &chain);
    if (!status) status = push(l, &chain, step);
    if (status || (!ends && names_run(l->views, sizes, 0, chain) != RUN_DENSE)) {
        if (!status) status = join(l, none, none, false, &result->outward);
        return status ? status : push(l, &result->outward, step);
    }
    result->inward = chain;
    return see(l, chain, &sizes);
}

static tosajit_status lower_view(lowering *l, tosajit_value k, lowered *result) {
    const expr_node *node = &l->source->nodes[k];
    const lowered own = l->values[node->operands[0]];
    const bool ends = node->op == TOSAJIT_OP_slice || node->op == TOSAJIT_OP_tile;
    view_step step = {.view = k};
    view_chain chain;
    names_group(l->views, k, &step);
    *result = own;
    if (own.leaf != NO_LEAF) return lower_leaf(l, &step, ends, result);
    tosajit_status status = join(l, own.outward, (view_chain){0, 0}, false, &chain);
    if (!status) status = push(l, &chain, &step);
    if (status) return status;
    *result = (lowered){.value = own.value, .leaf = NO_LEAF};
    if (ends) return inward(l, own.value, chain, &result->value);
    result->outward = chain;
    return TOSAJIT_OK;
}

static tosajit_status lower_node(lowering *l, tosajit_value k) {
    const expr_node *node = &l->source->nodes[k];
    lowered *result = &l->values[k];
    *result = (lowered){.value = UNREAD, .leaf = k};
    if (node->kind != NODE_OP) return TOSAJIT_OK;
    result->leaf = NO_LEAF;
    return op_views(node->op) ? lower_view(l, k, result) : lower_op(l, node, result);
}

static tosajit_status check_ranks(const tosajit_expr *source) {
    for (size_t k = 0; k < source->count; k++)
        if (source->nodes[k].type.rank == TOSAJIT_UNRANKED)
            return diag_error(TOSAJIT_UNRANKED_SHAPE,
                              "%s has no rank, which an expression with views needs",
                              expr_value_name(source, (tosajit_value)k).text);
    return TOSAJIT_OK;
}

/* A result, or a piece of one, which is cut from it along these axes. Where its own tensor cannot
 * be seen backwards, what it is computed of is seen instead. */
static tosajit_status lower_result(lowering *l, view_tensor *seen, uint32_t cut) {
    const lowered *own = &l->values[seen->value];
    tosajit_value value;
    tosajit_status status = read_value(l, seen->value);
    if (!status) status = join(l, (view_chain){0, 0}, own->outward, true, &seen->chain);
    if (status) return status;
    value = own->value;
    if (names_run(l->views, l->views->sizes[seen->value], cut, seen->chain) != RUN_DENSE) {
        seen->chain = (view_chain){0, 0};
        status = inward(l, own->value, own->outward, &value);
        if (status && status != TOSAJIT_OUT_OF_MEMORY)
            return diag_error(TOSAJIT_SHAPE_MISMATCH,
                              "%s is computed as dimensions that lie apart in it, which no strides "
                              "say, and not through its views either; make what they view a result",
                              expr_value_name(l->source, seen->value).text);
    }
    return status ? status : tosajit_expr_result(l->program, value);
}

/* The axes along which each piece of what begins at a node is cut, behind `pieces` others. */
static const piece_node *find_cuts(const piece_node *node, uint32_t above, uint32_t *cuts,
                                   int32_t *pieces) {
    const piece_node *next = node + 1;
    if (node->axis == PIECE) cuts[(*pieces)++] = above;
    for (int k = 0; node->axis != PIECE && k < node->children; k++)
        next = find_cuts(next, above | 1u << node->axis, cuts, pieces);
    return next;
}

static tosajit_status lower_results(lowering *l) {
    uint32_t cuts[TOSAJIT_MAX_TENSORS];
    const piece_node *node = l->views->pieces.nodes;
    tosajit_status status = TOSAJIT_OK;
    for (int32_t r = 0; r < l->source->result_count;) node = find_cuts(node, 0, cuts, &r);
    for (int32_t r = 0; !status && r < l->source->result_count; r++) {
        l->views->results[r].value = l->source->results[r];
        status = lower_result(l, &l->views->results[r], cuts[r]);
    }
    return status;
}

static tosajit_status lower_all(lowering *l) {
    tosajit_status status = check_ranks(l->source);
    for (size_t k = 0; !status && k < l->source->count; k++) {
        status = names_of_node(l->views, (tosajit_value)k);
        if (!status) status = lower_node(l, (tosajit_value)k);
    }
    return status ? status : lower_results(l);
}

/* ---------------------------------------------------------------------------------------------
 * The whole */

void views_destroy(expr_views *views) {
    if (!views) return;
    const tosajit_allocator allocator = views->allocator;
    const size_t count = views->source ? views->source->count : 0;
    memory_free(&allocator, views->sizes, count, sizeof *views->sizes);
    memory_free(&allocator, views->names, views->name_capacity, sizeof *views->names);
    if (views->source != views->caller) tosajit_expr_destroy(views->source);
    tosajit_expr_destroy(views->caller);
    memory_free(&allocator, views->steps, views->step_capacity, sizeof *views->steps);
    memory_free(&allocator, views, 1, sizeof *views);
}

tosajit_status views_begin(program_made *made) {
    const tosajit_allocator *allocator = &made->program->allocator;
    expr_views *views = made->views = memory_new(allocator, 1, sizeof *views);
    if (!views) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the views");
    views->allocator = *allocator;
    views->caller = made->program;
    made->program = NULL;
    for (int32_t k = 0; k < MOST_PIECE_NODES; k++) views->pieces.nodes[k] = (piece_node){PIECE, 0};
    return TOSAJIT_OK;
}

static tosajit_status lower(lowering *l) {
    expr_views *v = l->views;
    const size_t count = l->source->count;
    const tosajit_expr_options options = {sizeof options, &v->allocator, 0,
                                          expr_accuracy(l->source)};
    l->values = memory_new(&v->allocator, count, sizeof *l->values);
    v->sizes = memory_new(&v->allocator, count, sizeof *v->sizes);
    tosajit_status status = tosajit_expr_create(&options, &l->program);
    if (!status && (!l->values || !v->sizes))
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the views of an expression");
    if (!status) status = lower_all(l);
    memory_free(&v->allocator, l->values, count, sizeof *l->values);
    return status ? status : expr_sweep(l->program, NULL, NULL, NULL);
}

static bool has_views(const tosajit_expr *expr) {
    for (size_t k = 0; k < expr->count; k++)
        if (expr->nodes[k].kind == NODE_OP && op_views(expr->nodes[k].op)) return true;
    return false;
}

tosajit_status views_lower(program_made *made, bool *changed) {
    tosajit_status status = TOSAJIT_OK;
    if (made->views) { /* pieces of what is the caller's */
        made->views->source = made->program;
        made->program = NULL;
    } else {
        if (!has_views(made->program)) return TOSAJIT_OK;
        status = views_begin(made);
        if (!status) made->views->source = made->views->caller;
    }
    if (status) return status;
    *changed = true;
    lowering l = {.source = made->views->source, .views = made->views};
    status = lower(&l);
    made->program = l.program;
    return status;
}
