/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/check/viewed.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/base/diag.h"
#include "runtime/base/types.h"
#include "runtime/expr/view_names.h"
#include "runtime/expr/view_shape.h"
#include "runtime/check/check.h"

/* Sizes of a call. */
typedef struct call_sizes {
    const expr_views *views;
    const tosajit_tensor *operands;
    int64_t *values; /* of each name; whoever begins has room for name_room() */
} call_sizes;

static size_t name_room(const callee *kernel) {
    return kernel->views->name_count + 1; /* no array has no elements */
}

static int64_t size_in(const call_sizes *c, int64_t size) {
    return size < 0 ? c->values[-1 - size] : size;
}

/* ---------------------------------------------------------------------------------------------
 * Names */

static tosajit_status say(const call_sizes *c, const view_name *name, const char *what, int64_t a,
                          int64_t b) {
    return diag_error(TOSAJIT_SHAPE_MISMATCH, "%s: dimension %d: %s: %" PRId64 " and %" PRId64,
                      expr_value_name(c->views->source, name->node).text, (int)name->dim, what, a,
                      b);
}

/* An index as Python writes it, which leaves an open one out. */
typedef struct index_text {
    char text[24];
} index_text;

static index_text print_index(int64_t index) {
    index_text t = {""};
    if (index != INT64_MIN) snprintf(t.text, sizeof t.text, "%" PRId64, index);
    return t;
}

static tosajit_status refuse_range(const call_sizes *c, const view_name *name,
                                   const int64_t numbers[3], int64_t size) {
    const tosajit_expr *source = c->views->source;
    const tosajit_value from = source->nodes[name->node].operands[0];
    const tosajit_status status =
        diag_error(TOSAJIT_SHAPE_MISMATCH,
                   "%s: dimension %d of %s has the size %" PRId64
                   " in this call, which the slice %s:%s%s%s does not fit",
                   expr_value_name(source, name->node).text, (int)name->dim,
                   expr_value_name(source, from).text, size, print_index(numbers[0]).text,
                   print_index(numbers[1]).text, numbers[2] == 1 ? "" : ":",
                   numbers[2] == 1 ? "" : print_index(numbers[2]).text);
    if (source->nodes[from].kind != NODE_INPUT) return status;
    return diag_operand(status, source->nodes[from].tensor, name->dim, size, DIAG_NONE);
}

static tosajit_status find_range(call_sizes *c, const view_name *name, int64_t *value) {
    const int64_t *numbers = c->views->source->nodes[name->node].attributes.numbers + 3 * name->dim;
    const int64_t n = size_in(c, name->a);
    view_range range;
    if (!view_find_range(numbers, n, &range)) return refuse_range(c, name, numbers, n);
    *value = range.count;
    return TOSAJIT_OK;
}

/* The product of a node's sizes but those of a set; false if it is beyond 2^63 - 1. */
static bool product_of(const call_sizes *c, tosajit_value node, uint32_t but, int64_t *product) {
    const view_sizes *sizes = &c->views->sizes[node];
    int64_t own[TOSAJIT_MAX_RANK];
    for (int32_t d = 0; d < sizes->rank; d++)
        own[d] = but >> d & 1 ? 1 : size_in(c, sizes->sizes[d]);
    return size_count(sizes->rank, own, product);
}

/* The sizes that a reshape takes from its operand, on both sides: of a tensor without elements the
 * others tell what is left. */
static void find_copied(const expr_node *node, int32_t rank, uint32_t *from, uint32_t *to) {
    for (int32_t d = 0; d < rank; d++) {
        const int64_t own = -2 - node->attributes.numbers[d];
        if (own < 0 || *from >> own & 1) continue;
        *from |= 1u << own;
        *to |= 1u << d;
    }
}

static tosajit_status find_rest(const call_sizes *c, const view_name *name, int64_t *value) {
    const expr_node *node = &c->views->source->nodes[name->node];
    const bool open = name->kind == SIZE_REST;
    int64_t have, need;
    uint32_t from = 0, to = 0;
    if (open) find_copied(node, c->views->sizes[name->node].rank, &from, &to);
    if (open) to |= 1u << name->dim;
    if (!product_of(c, node->operands[0], from, &have) || !product_of(c, name->node, to, &need))
        return say(c, name, "the number of elements is beyond 2^63 - 1", 0, 0);
    if (open ? need == 0 || have % need : have != need)
        return say(c, name, "the operand has another number of elements", have, need);
    *value = open ? have / need : 0;
    return TOSAJIT_OK;
}

static tosajit_status find_name(call_sizes *c, const view_name *name, int64_t *value) {
    const expr_node *node = &c->views->source->nodes[name->node];
    const int64_t a = size_in(c, name->a), b = size_in(c, name->b);
    switch (name->kind) {
    case SIZE_INPUT: *value = c->operands[node->tensor].dims[name->dim]; return TOSAJIT_OK;
    case SIZE_BROADCAST:
        *value = a == 1 ? b : a;
        return a == b || a == 1 || b == 1
                   ? TOSAJIT_OK
                   : say(c, name, "sizes that do not broadcast in this call", a, b);
    case SIZE_RANGE: return find_range(c, name, value);
    case SIZE_REPEATED:
        *value = node->attributes.numbers[name->dim];
        return a == 1
                   ? TOSAJIT_OK
                   : say(c, name, "only a size of 1 can be repeated; size and multiple", a, *value);
    case SIZE_PIECE:
        *value = a;
        return a == b ? TOSAJIT_OK : say(c, name, "what is beside a piece has another size", a, b);
    case SIZE_DECLARED:
        *value = b;
        return a == b ? TOSAJIT_OK
                      : say(c, name, "the size in this call and the declared one", a, b);
    default: return find_rest(c, name, value);
    }
}

static tosajit_status find_names(call_sizes *c) {
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; !status && k < c->views->name_count; k++)
        status = find_name(c, &c->views->names[k], &c->values[k]);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Steps */

/* A tensor on its way through a chain. */
typedef struct sight {
    int32_t rank;
    char *data;
    int64_t dims[TOSAJIT_MAX_RANK], strides[TOSAJIT_MAX_RANK];
} sight;

/* The address of the element that lies `count` strides further. The data may be missing, or wrong
 * for its strides, until the call has checked it; so this is arithmetic of numbers. */
static void *moved(void *data, int64_t count, int64_t stride) {
    const uintptr_t bytes = (uintptr_t)count * (uintptr_t)stride;
    return data ? (void *)((uintptr_t)data + bytes) : NULL;
}

static void align(sight *s, int32_t rank) {
    const int32_t missing = rank - s->rank;
    if (missing <= 0) return;
    for (int32_t d = s->rank; d-- > 0;) {
        s->dims[d + missing] = s->dims[d];
        s->strides[d + missing] = s->strides[d];
    }
    for (int32_t d = 0; d < missing; d++) s->dims[d] = 1, s->strides[d] = 0;
    s->rank = rank;
}

/* Through whatever leaves dimensions apart; the view is about those from `lead` on. */
static void through_dims(const call_sizes *c, const view_step *step, const sight *from,
                         int32_t lead, sight *to) {
    const expr_node *view = &c->views->source->nodes[step->view];
    const view_sizes *before = view_before(c->views, step);
    const int64_t *numbers = view->attributes.numbers;
    for (int32_t d = 0; d < before->rank; d++) {
        const int32_t own = lead + d;
        const bool whole = from->dims[own] == size_in(c, before->sizes[d]);
        view_range range;
        if (view->op == TOSAJIT_OP_transpose) {
            const int32_t in = step->backwards ? own : lead + (int32_t)numbers[d],
                          out = step->backwards ? lead + (int32_t)numbers[d] : own;
            to->dims[out] = from->dims[in];
            to->strides[out] = from->strides[in];
        } else if (view->op == TOSAJIT_OP_reverse) {
            if (d != view->attributes.axis || from->dims[own] < 2 || !whole) continue;
            to->data = moved(to->data, from->dims[own] - 1, from->strides[own]);
            to->strides[own] = -from->strides[own];
        } else if (view->op == TOSAJIT_OP_tile) {
            if (!whole || numbers[d] == 1) continue;
            to->dims[own] = numbers[d];
            to->strides[own] = 0;
        } else if (whole && view_find_range(numbers + 3 * d, from->dims[own], &range)) {
            if (range.count > 0) to->data = moved(to->data, range.begin, from->strides[own]);
            to->dims[own] = range.count;
            to->strides[own] = range.count > 1 ? range.step * from->strides[own] : 0;
        }
    }
}

/* Divide one run of elements, `stride` apart, among dimensions. */
static void split_run(const call_sizes *c, const view_sizes *behind, const view_span *s,
                      int32_t lead, int64_t stride, sight *to) {
    for (int32_t d = s->out_end; d-- > s->out;) {
        to->dims[lead + d] = size_in(c, behind->sizes[d]);
        to->strides[lead + d] = stride;
        stride *= to->dims[lead + d];
    }
}

/* Dimensions of more than one index, from the innermost on. */
static int32_t next_inward(const sight *s, int32_t d, int32_t begin) {
    while (d > begin && s->dims[d - 1] == 1) d--;
    return d;
}

/* A group of which the tensor has all: dimensions are joined where they are one run, and divided.
 * False if they are no run. */
static bool through_whole(const call_sizes *c, const view_sizes *behind, const view_span *s,
                          int32_t lead, const sight *from, sight *to) {
    int32_t d = next_inward(from, lead + s->in_end, lead + s->in), out = s->out_end;
    while (d > lead + s->in) {
        /* As many of both as have one product. */
        int64_t have = from->dims[d - 1], need = 1;
        const int64_t stride = from->strides[d - 1];
        int64_t next = stride * have;
        int32_t first = out;
        d = next_inward(from, d - 1, lead + s->in);
        while (have != need) {
            if (need < have) {
                if (first == s->out) return false;
                need *= size_in(c, behind->sizes[--first]);
            } else {
                if (d == lead + s->in || from->strides[d - 1] != next) return false;
                have *= from->dims[d - 1];
                next = from->strides[d - 1] * from->dims[d - 1];
                d = next_inward(from, d - 1, lead + s->in);
            }
        }
        split_run(c, behind, &(view_span){0, 0, first, out}, lead, stride, to);
        out = first;
    }
    for (; out > s->out; out--) to->dims[lead + out - 1] = 1, to->strides[lead + out - 1] = 0;
    return true;
}

/* The only dimension of [begin, end), or the only one that is not always of size 1; -1 if there is
 * not one. */
static int32_t only_one(const view_sizes *sizes, int32_t begin, int32_t end) {
    int32_t only = -1;
    if (end - begin == 1) return begin;
    for (int32_t d = begin; d < end; d++) {
        if (sizes->sizes[d] == 1) continue;
        if (only >= 0) return -1;
        only = d;
    }
    return only;
}

/* A group that only adds or drops sizes of 1 leaves its one dimension as it is, whatever size the
 * tensor has there: the view's own operand may have the size 1 in this call, and repeat. */
static bool through_one(const view_sizes *before, const view_sizes *behind, const view_span *s,
                        int32_t lead, const sight *from, sight *to) {
    const int32_t in = only_one(before, s->in, s->in_end),
                  out = only_one(behind, s->out, s->out_end);
    if (in < 0 || out < 0) return false;
    for (int32_t d = s->in; d < s->in_end; d++)
        if (d != in && from->dims[lead + d] != 1) return false;
    to->dims[lead + out] = from->dims[lead + in];
    to->strides[lead + out] = from->strides[lead + in];
    return true;
}

static bool through_group(const call_sizes *c, const view_step *step, const view_span *s,
                          int32_t lead, const sight *from, sight *to) {
    const view_sizes *before = view_before(c->views, step), *behind = view_behind(c->views, step);
    bool whole = true, ones = true, fits = true, empty = false;
    for (int32_t d = s->in; d < s->in_end; d++) {
        const int64_t size = from->dims[lead + d];
        const bool same = size == size_in(c, before->sizes[d]);
        whole &= same;
        ones &= size == 1;
        fits &= same || size == 1; /* what is reduced has more where the view has 1 */
        empty |= size == 0;
    }
    if (fits && empty) return split_run(c, behind, s, lead, 0, to), true; /* nothing is read */
    if (whole) return through_whole(c, behind, s, lead, from, to);
    for (int32_t d = s->out; d < s->out_end; d++) to->dims[lead + d] = 1, to->strides[lead + d] = 0;
    return ones || through_one(before, behind, s, lead, from, to);
}

static tosajit_status through(const call_sizes *c, const view_step *step, tensor_id id, sight *s) {
    const expr_node *view = &c->views->source->nodes[step->view];
    align(s, view_before(c->views, step)->rank);
    const int32_t lead = s->rank - view_before(c->views, step)->rank;
    const sight from = *s;
    s->rank = lead + view_behind(c->views, step)->rank;
    if (view->op != TOSAJIT_OP_reshape) return through_dims(c, step, &from, lead, s), TOSAJIT_OK;
    for (int32_t k = 0; k < step->group_count; k++) {
        const view_span span = view_group_span(step, k);
        if (through_group(c, step, &span, lead, &from, s)) continue;
        return diag_error(
            TOSAJIT_SHAPE_MISMATCH,
            "%s %zu: %s joins dimensions that do not lie in one run in this call; pass "
            "a dense copy",
            id.kind, id.index, expr_value_name(c->views->source, step->view).text);
    }
    return TOSAJIT_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Tensors */

/* Strides that nobody uses are 0: only the others were checked. */
static void begin(const tosajit_tensor *tensor, sight *s) {
    int64_t dense = (int64_t)tosajit_type_size(tensor->element);
    bool empty = false;
    s->rank = tensor->rank;
    s->data = tensor->data;
    for (int32_t d = 0; d < tensor->rank; d++) empty |= tensor->dims[d] == 0;
    for (int32_t d = tensor->rank; d-- > 0;) {
        s->dims[d] = tensor->dims[d];
        s->strides[d] = 0;
        if (empty || s->dims[d] == 1) continue;
        s->strides[d] = tensor->strides ? tensor->strides[d] : dense;
        dense *= tensor->strides ? 1 : s->dims[d];
    }
}

static tosajit_status see(const call_sizes *c, const view_tensor *t, const tosajit_tensor *tensor,
                          tensor_id id, viewed *v, size_t at) {
    sight s;
    tosajit_status status = TOSAJIT_OK;
    begin(tensor, &s);
    for (int32_t k = 0; !status && k < t->chain.count; k++)
        status = through(c, &c->views->steps[t->chain.first + k], id, &s);
    viewed_numbers *n = &v->numbers[at];
    for (int32_t d = 0; d < s.rank; d++) {
        n->dims[d] = s.dims[d];
        n->strides[d] = s.strides[d];
    }
    v->tensors[at] = (tosajit_tensor){tensor->element, s.rank, s.data, n->dims, n->strides};
    return status;
}

static tosajit_tensor constant_tensor(const expr_node *node) {
    return tosajit_dense(node->type.element, node->data, node->type.rank, node->type.dims);
}

static tosajit_status see_operands(const call_sizes *c, viewed *v) {
    const expr_views *views = c->views;
    tosajit_status status = TOSAJIT_OK;
    v->operand_count = (size_t)views->operand_count;
    v->result_count = 0;
    for (int32_t k = 0; !status && k < views->operand_count; k++) {
        const view_tensor *t = &views->operands[k];
        const expr_node *node = &views->source->nodes[t->value];
        const bool constant = node->kind == NODE_CONSTANT;
        const tosajit_tensor tensor = constant ? constant_tensor(node) : c->operands[node->tensor];
        v->numbers[k].from = constant ? -1 : node->tensor;
        status = see(c, t, &tensor,
                     constant ? (tensor_id){"constant", (size_t)t->value}
                              : (tensor_id){"operand", (size_t)node->tensor},
                     v, (size_t)k);
    }
    return status;
}

/* A place among the pieces of the caller's results: a node, and the source's result that is next.
 */
typedef struct piece_place {
    int32_t node, piece;
} piece_place;

static const piece_node *next_node(const call_sizes *c, piece_place *at) {
    return &c->views->pieces.nodes[at->node++];
}

/* The sizes of a result of the source; of a piece, its own. */
static void piece_sizes(const call_sizes *c, int32_t piece, int64_t *dims) {
    const view_sizes *sizes = &c->views->sizes[c->views->source->results[piece]];
    for (int32_t d = 0; d < sizes->rank; d++) dims[d] = size_in(c, sizes->sizes[d]);
}

static tosajit_status join_sizes(int32_t result, int32_t rank, int32_t axis, const int64_t *own,
                                 int64_t *dims) {
    for (int32_t d = 0; d < rank; d++)
        if (d != axis && own[d] != dims[d])
            return diag_error(TOSAJIT_SHAPE_MISMATCH,
                              "result %d: dimension %d of what is concatenated is %" PRId64
                              " and %" PRId64 " in this call",
                              (int)result, (int)d, dims[d], own[d]);
    if (own[axis] > INT64_MAX - dims[axis])
        return diag_error(TOSAJIT_OVERFLOW, "result %d dimension %d is beyond 2^63 - 1",
                          (int)result, (int)axis);
    dims[axis] += own[axis];
    return TOSAJIT_OK;
}

/* The sizes of what begins at a place, which moves behind it. */
static tosajit_status result_sizes(const call_sizes *c, int32_t result, piece_place *at,
                                   int64_t *dims) {
    const piece_node *node = next_node(c, at);
    const int32_t rank = c->views->sizes[c->views->source->results[at->piece]].rank;
    tosajit_status status = TOSAJIT_OK;
    if (node->axis == PIECE) return piece_sizes(c, at->piece++, dims), TOSAJIT_OK;
    for (int k = 0; !status && k < node->children; k++) {
        int64_t own[TOSAJIT_MAX_RANK];
        status = result_sizes(c, result, at, k ? own : dims);
        if (!status && k) status = join_sizes(result, rank, node->axis, own, dims);
    }
    return status;
}

/* See the pieces of what begins at a place, which is `whole`. */
static tosajit_status see_pieces(const call_sizes *c, const view *whole, int32_t result,
                                 piece_place *at, viewed *v) {
    const piece_node *node = next_node(c, at);
    tosajit_status status = TOSAJIT_OK;
    if (node->axis == PIECE) {
        const int32_t piece = at->piece++;
        v->numbers[v->operand_count + (size_t)piece].from = c->views->source->input_count + result;
        return see(c, &c->views->results[piece], &whole->tensor,
                   (tensor_id){"result", (size_t)result}, v, v->operand_count + (size_t)piece);
    }
    int64_t dims[TOSAJIT_MAX_RANK];
    view part = *whole;
    part.tensor.dims = dims;
    for (int k = 0; !status && k < node->children; k++) {
        piece_place ahead = *at;
        status = result_sizes(c, result, &ahead, dims);
        if (!status) status = see_pieces(c, &part, result, at, v);
        part.tensor.data = moved(part.tensor.data, dims[node->axis], whole->strides[node->axis]);
    }
    return status;
}

static viewed_caller caller_of(const view *own) {
    return (viewed_caller){own->tensor.data, own->low, own->high, own->empty};
}

static tosajit_status see_results(const call_sizes *c, const tosajit_tensor *results,
                                  bool any_strides, viewed *v) {
    const tosajit_expr *caller = c->views->caller;
    tosajit_status status = TOSAJIT_OK;
    piece_place at = {0, 0};
    for (int32_t r = 0; !status && r < caller->result_count; r++) {
        const tosajit_tensor_type *type = &caller->nodes[caller->results[r]].type;
        const tensor_id id = {"result", (size_t)r};
        piece_place ahead = at;
        int64_t dims[TOSAJIT_MAX_RANK];
        view own;
        status = result_sizes(c, r, &ahead, dims);
        if (!status) status = check_type(&results[r], type, id);
        if (!status) status = check_strides(&results[r], id, any_strides, &own);
        if (!status) status = check_result_sizes(&own, id, type->rank, dims);
        if (!status && results[r].strides) status = overlap_check_result(&own, (size_t)r);
        if (!status) v->callers[c->views->source->input_count + r] = caller_of(&own);
        if (!status) status = see_pieces(c, &own, r, &at, v);
    }
    v->result_count = (size_t)at.piece;
    return status;
}

/* v: null where nobody asks where they lie. */
static tosajit_status check_operands(const callee *kernel, const tosajit_tensor *operands,
                                     size_t count, viewed *v) {
    const tosajit_expr *source = kernel->views->source;
    tosajit_status status = TOSAJIT_OK;
    if (count != (size_t)source->input_count)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "the kernel takes %d operands, not %zu",
                          (int)source->input_count, count);
    for (size_t k = 0; !status && k < source->count; k++) {
        const expr_node *node = &source->nodes[k];
        if (node->kind != NODE_INPUT) continue;
        const tensor_id id = {"operand", (size_t)node->tensor};
        view own;
        status = check_type(&operands[node->tensor], &node->type, id);
        if (!status) status = check_strides(&operands[node->tensor], id, kernel->any_strides, &own);
        if (!status && v) v->callers[node->tensor] = caller_of(&own);
    }
    return status ? status : check_contracts(source, operands);
}

static tosajit_status find_sizes(const callee *kernel, const tosajit_tensor *operands,
                                 size_t operand_count, call_sizes *c, viewed *v) {
    c->views = kernel->views;
    c->operands = operands;
    tosajit_status status = check_operands(kernel, operands, operand_count, v);
    return status ? status : find_names(c);
}

tosajit_status viewed_make(const callee *kernel, const tosajit_tensor *operands,
                           size_t operand_count, const tosajit_tensor *results, size_t result_count,
                           viewed *v) {
    const int32_t expected = kernel->views->caller->result_count;
    int64_t names[name_room(kernel)]; /* not cleared: they are found in order */
    call_sizes c = {.values = names};
    if (results && result_count != (size_t)expected)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "the kernel has %d results, not %zu",
                          (int)expected, result_count);
    tosajit_status status = find_sizes(kernel, operands, operand_count, &c, v);
    if (!status) status = see_operands(&c, v);
    return status || !results ? status : see_results(&c, results, kernel->any_strides, v);
}

tosajit_status viewed_results(const callee *kernel, const tosajit_tensor *operands,
                              size_t operand_count, int64_t (*dims)[TOSAJIT_MAX_RANK]) {
    int64_t names[name_room(kernel)];
    call_sizes c = {.values = names};
    tosajit_status status = find_sizes(kernel, operands, operand_count, &c, NULL);
    piece_place at = {0, 0};
    for (int32_t r = 0; !status && r < kernel->views->caller->result_count; r++)
        status = result_sizes(&c, r, &at, dims[r]);
    return status;
}
