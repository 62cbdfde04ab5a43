/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/expr/view_names.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/reduce.h"

/* ---------------------------------------------------------------------------------------------
 * Products: of static sizes a number, of dynamic ones a list of names */

typedef struct product {
    int64_t number;
    int32_t count;
    int64_t names[TOSAJIT_MAX_RANK];
} product;

static void multiply(product *p, int64_t size) {
    if (size < 0)
        p->names[p->count++] = size;
    else if (!size_multiply(p->number, size, &p->number))
        p->number = INT64_MAX;
}

/* True if p has a name that q lacks. */
static bool has_more(const product *p, const product *q) {
    product rest = *q;
    for (int32_t k = 0; k < p->count; k++) {
        int32_t at = 0;
        while (at < rest.count && rest.names[at] != p->names[k]) at++;
        if (at == rest.count) return true;
        rest.names[at] = rest.names[--rest.count];
    }
    return false;
}

/* p without its factors in q; false if q has others. */
static bool divide(product *p, const product *q) {
    for (int32_t k = 0; k < q->count; k++) {
        int32_t at = 0;
        while (at < p->count && p->names[at] != q->names[k]) at++;
        if (at == p->count) return false;
        p->names[at] = p->names[--p->count];
    }
    if (!q->number || p->number % q->number) return false;
    p->number /= q->number;
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Names */

/* The search for names of one node. */
typedef struct finding {
    expr_views *views;
    const expr_node *node;
    tosajit_value value;
    tosajit_status status;
} finding;

/* A new name. */
static int64_t add_name(finding *f, size_kind kind, int32_t dim, int64_t a, int64_t b) {
    expr_views *v = f->views;
    if (f->status) return VIEW_UNKNOWN;
    if (v->name_count == VIEW_MOST_NAMES)
        f->status = diag_error(TOSAJIT_LIMIT_EXCEEDED,
                               "an expression with views has at most %d different dynamic sizes",
                               VIEW_MOST_NAMES);
    else if (!memory_grow(&v->allocator, (void **)&v->names, &v->name_capacity, v->name_count + 1,
                          sizeof *v->names))
        f->status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the sizes of views");
    if (f->status) return VIEW_UNKNOWN;
    v->names[v->name_count++] = (view_name){kind, dim, f->value, a, b};
    return -(int64_t)v->name_count;
}

/* True if a size was broadcast of others, one of which is this. */
static bool absorbs(const expr_views *v, int64_t size, int64_t other) {
    for (; size != other; size = v->names[-1 - size].a) {
        if (size >= 0 || size == VIEW_UNKNOWN || v->names[-1 - size].kind != SIZE_BROADCAST)
            return false;
        if (v->names[-1 - size].b == other) return true;
    }
    return true;
}

/* The size that two broadcast to. A static one above 1 is the result, and still the other must fit.
 */
static int64_t broadcast(finding *f, int32_t dim, int64_t a, int64_t b) {
    const expr_views *v = f->views;
    if (b == 1 || absorbs(v, a, b)) return a;
    if (a == 1 || absorbs(v, b, a)) return b;
    for (size_t k = 0; k < v->name_count; k++)
        if (v->names[k].kind == SIZE_BROADCAST && ((v->names[k].a == a && v->names[k].b == b) ||
                                                   (v->names[k].a == b && v->names[k].b == a)))
            return a > 0 ? a : b > 0 ? b : -1 - (int64_t)k;
    const int64_t name = add_name(f, SIZE_BROADCAST, dim, a, b);
    return a > 0 ? a : b > 0 ? b : name;
}

/* The dimension that scatter indexes is its base's; those of index and updates are none of the
 * result's. */
static void broadcast_all(finding *f, view_sizes *own) {
    const bool scatters = node_scatters(f->node);
    for (int32_t d = 0; d < own->rank; d++) own->sizes[d] = 1;
    if (scatters) own->sizes[0] = f->views->sizes[f->node->operands[0]].sizes[0];
    for (int k = 0; k < f->node->operand_count; k++) {
        const view_sizes *other = &f->views->sizes[f->node->operands[k]];
        const operand_role role = expr_role(f->node, k);
        if (role != ROLE_DATA && role != ROLE_GATHERED) continue;
        for (int32_t d = scatters || role == ROLE_GATHERED, shift = own->rank - other->rank;
             d < other->rank; d++)
            own->sizes[d + shift] = broadcast(f, d + shift, own->sizes[d + shift], other->sizes[d]);
    }
}

/* Beside a piece an operand has the piece's size. */
static void check_piece(finding *f, int k) {
    const expr_node *slice = &f->views->source->nodes[f->node->operands[k]];
    const view_sizes *own = &f->views->sizes[f->node->operands[k]];
    if (slice->kind != NODE_OP || slice->op != TOSAJIT_OP_slice) return;
    for (int o = 0; o < f->node->operand_count; o++) {
        const view_sizes *other = &f->views->sizes[f->node->operands[o]];
        const int32_t shift = other->rank - own->rank;
        if (o == k || expr_role(f->node, o) != ROLE_DATA) continue;
        for (int32_t d = shift < 0 ? -shift : 0; d < own->rank; d++) {
            const int64_t a = own->sizes[d], b = other->sizes[d + shift];
            if ((slice->rests >> d & 1) && b != 1 && a != b)
                add_name(f, SIZE_PIECE, d + f->node->type.rank - own->rank, a, b);
        }
    }
}

/* ---------------------------------------------------------------------------------------------
 * Sizes of views */

static void multiply_all(product *p, const view_sizes *sizes, int32_t but) {
    *p = (product){.number = 1};
    for (int32_t d = 0; d < sizes->rank; d++)
        if (d != but) multiply(p, sizes->sizes[d]);
}

static void reshape_sizes(finding *f, const view_sizes *in, view_sizes *own) {
    int32_t open = -1;
    product all, known;
    for (int32_t d = 0; d < own->rank; d++) {
        const int64_t number = f->node->attributes.numbers[d];
        own->sizes[d] = number <= -2 ? in->sizes[-2 - number] : number;
        if (number == -1) open = d;
    }
    multiply_all(&all, in, -1);
    multiply_all(&known, own, open);
    const bool divides = divide(&all, &known);
    const bool one = divides && all.count == 0 && all.number > 0;
    if (open < 0) {
        if (!one || all.number != 1) add_name(f, SIZE_PRODUCT, 0, 0, 0);
    } else if (one) {
        own->sizes[open] = all.number;
    } else if (divides && all.count == 1 && all.number == 1) {
        own->sizes[open] = all.names[0];
    } else {
        own->sizes[open] = add_name(f, SIZE_REST, open, 0, 0);
    }
}

/* True if a range is all of a size. A name is no number: an end of -1 is not the first name. */
static bool is_whole(const int64_t range[3], int64_t size) {
    return (range[0] == 0 || range[0] == TOSAJIT_DYNAMIC) && range[2] == 1 &&
           (range[1] == TOSAJIT_DYNAMIC || (size > 0 && range[1] == size));
}

static int64_t range_size(finding *f, int32_t d, int64_t size) {
    const int64_t declared = f->node->type.dims[d];
    if (is_whole(f->node->attributes.numbers + 3 * d, size)) return size;
    if (size > 0 && declared != TOSAJIT_DYNAMIC) return declared;
    return add_name(f, SIZE_RANGE, d, size, 0);
}

static void view_sizes_of(finding *f, view_sizes *own) {
    const view_sizes *in = &f->views->sizes[f->node->operands[0]];
    const int64_t *numbers = f->node->attributes.numbers;
    for (int32_t d = 0; d < own->rank && f->node->op != TOSAJIT_OP_reshape; d++) {
        int64_t size = in->sizes[d];
        if (f->node->op == TOSAJIT_OP_transpose) size = in->sizes[numbers[d]];
        if (f->node->op == TOSAJIT_OP_slice) size = range_size(f, d, size);
        if (f->node->op == TOSAJIT_OP_tile && numbers[d] > 1)
            size = size > 0 ? size * numbers[d] : add_name(f, SIZE_REPEATED, d, size, 0);
        own->sizes[d] = size;
    }
    if (f->node->op == TOSAJIT_OP_reshape) reshape_sizes(f, in, own);
}

tosajit_status names_of_node(expr_views *views, tosajit_value value) {
    const expr_node *node = &views->source->nodes[value];
    finding f = {views, node, value, TOSAJIT_OK};
    view_sizes *own = &views->sizes[value];
    own->rank = node->type.rank;
    for (int32_t d = 0; d < own->rank && node->kind != NODE_OP; d++)
        own->sizes[d] = node->type.dims[d] == TOSAJIT_DYNAMIC ? add_name(&f, SIZE_INPUT, d, 0, 0)
                                                              : node->type.dims[d];
    if (node->kind == NODE_OP && op_views(node->op))
        view_sizes_of(&f, own);
    else if (node->kind == NODE_OP)
        broadcast_all(&f, own);
    for (int k = 0; node->kind == NODE_OP && k < node->operand_count; k++) check_piece(&f, k);
    for (int32_t d = 0; d < own->rank && node_reduces(node); d++)
        if (reduce_has_axis(node, d)) own->sizes[d] = 1;
    for (int32_t d = 0; d < own->rank; d++) {
        const int64_t declared = node->type.dims[d];
        if (declared == TOSAJIT_DYNAMIC || declared == own->sizes[d]) continue;
        add_name(&f, SIZE_DECLARED, d, own->sizes[d], declared);
        own->sizes[d] = declared;
    }
    return f.status;
}

/* ---------------------------------------------------------------------------------------------
 * Groups */

/* Take dimensions to the lighter of two products until they are equal; false: never. */
static bool balance(const view_sizes *in, const view_sizes *out, int32_t *i, int32_t *j) {
    product p = {.number = 1}, q = {.number = 1};
    multiply(&p, in->sizes[(*i)++]);
    multiply(&q, out->sizes[(*j)++]);
    for (;;) {
        const bool p_more = has_more(&p, &q), q_more = has_more(&q, &p);
        if (!p_more && !q_more && p.number == q.number) return true;
        if (q_more || (!p_more && p.number < q.number)) {
            if (*i == in->rank) return false;
            multiply(&p, in->sizes[(*i)++]);
        } else {
            if (*j == out->rank) return false;
            multiply(&q, out->sizes[(*j)++]);
        }
    }
}

void names_group(const expr_views *views, tosajit_value value, view_step *step) {
    const expr_node *view = &views->source->nodes[value];
    const view_sizes *in = &views->sizes[view->operands[0]], *out = &views->sizes[value];
    int32_t i = 0, j = 0;
    if (view->op != TOSAJIT_OP_reshape) return;
    while (i < in->rank && j < out->rank && balance(in, out, &i, &j))
        step->groups[step->group_count++] = (view_group){(uint8_t)i, (uint8_t)j};
    if (i == in->rank && j == out->rank && step->group_count &&
        step->groups[step->group_count - 1].in_end == i &&
        step->groups[step->group_count - 1].out_end == j)
        return;
    /* The rest is sizes of 1, or nothing that is known to fit: all of it is one group. */
    if (step->group_count && step->groups[step->group_count - 1].in_end == i &&
        step->groups[step->group_count - 1].out_end == j)
        step->group_count--;
    step->groups[step->group_count++] = (view_group){(uint8_t)in->rank, (uint8_t)out->rank};
}

view_span view_group_span(const view_step *step, int32_t group) {
    const view_group begin = group ? step->groups[group - 1] : (view_group){0, 0},
                     end = step->groups[group];
    if (step->backwards) return (view_span){begin.out_end, end.out_end, begin.in_end, end.in_end};
    return (view_span){begin.in_end, end.in_end, begin.out_end, end.out_end};
}

const view_sizes *view_before(const expr_views *views, const view_step *step) {
    const expr_node *view = &views->source->nodes[step->view];
    return &views->sizes[step->backwards ? step->view : view->operands[0]];
}
const view_sizes *view_behind(const expr_views *views, const view_step *step) {
    const expr_node *view = &views->source->nodes[step->view];
    return &views->sizes[step->backwards ? view->operands[0] : step->view];
}

static int64_t follow_reshape(const view_step *step, int64_t axis) {
    for (int32_t k = 0; k < step->group_count; k++) {
        const view_span s = view_group_span(step, k);
        if (axis >= s.in && axis < s.in_end)
            return s.in_end - s.in == 1 && s.out_end - s.out == 1 ? s.out : -1;
    }
    return -1;
}

int64_t names_follow(const expr_views *views, const view_step *step, int64_t axis) {
    const expr_node *view = &views->source->nodes[step->view];
    const int64_t *numbers = view->attributes.numbers;
    const int64_t size = view_before(views, step)->sizes[axis];
    const bool single = size == 1;
    switch (view->op) {
    case TOSAJIT_OP_reshape: return follow_reshape(step, axis);
    case TOSAJIT_OP_slice: return single || is_whole(numbers + 3 * axis, size) ? axis : -1;
    case TOSAJIT_OP_reverse: return single || view->attributes.axis != axis ? axis : -1;
    case TOSAJIT_OP_tile: return numbers[axis] == 1 ? axis : -1;
    default: break; /* transpose */
    }
    if (step->backwards) return numbers[axis];
    int64_t d = 0;
    while (numbers[d] != axis) d++;
    return d;
}

/* ---------------------------------------------------------------------------------------------
 * Sizes of tensors that repeat, behind a step */

/* How a tensor stands to the operand of a view, in one dimension or several. */
typedef enum standing { WHOLE, REPEATED, REDUCED, UNKNOWN, MIXED } standing;

static standing stand(int64_t own, int64_t joint) {
    if (own == joint) return WHOLE;
    if (own == 1) return REPEATED;
    if (joint == 1) return REDUCED; /* what a reduction behind makes 1 */
    return UNKNOWN;
}

static standing stand_in(const view_sizes *before, const view_sizes *own, int32_t lead,
                         const view_span *s) {
    bool whole = true, ones = true, unknown = false, more = false;
    if (s->in_end - s->in == 1) return stand(own->sizes[lead + s->in], before->sizes[s->in]);
    for (int32_t d = s->in; d < s->in_end; d++) {
        const int64_t size = own->sizes[lead + d], joint = before->sizes[d];
        whole &= size == joint;
        ones &= size == 1;
        unknown |= size < 0 && size != joint;
        more |= joint == 1 && size != 1; /* the view repeats, beside one that has more */
    }
    return whole ? WHOLE : ones ? REPEATED : unknown && !more ? UNKNOWN : MIXED;
}

static tosajit_status refuse_mixed(tosajit_type element, const view_sizes *before,
                                   const view_sizes *own, int32_t lead, const view_span *s) {
    tosajit_tensor_type given = {element, s->in_end - s->in, {0}}, whole = given;
    for (int32_t d = 0; d < given.rank; d++) {
        const int64_t size = own->sizes[lead + s->in + d], joint = before->sizes[s->in + d];
        given.dims[d] = size > 0 ? size : TOSAJIT_DYNAMIC;
        whole.dims[d] = joint > 0 ? joint : TOSAJIT_DYNAMIC;
    }
    return diag_error(TOSAJIT_SHAPE_MISMATCH,
                      "an operand has %s where others have %s; it repeats along some of the "
                      "dimensions that are joined, which no strides say; keep dimensions as sizes "
                      "of 1 (keepdims), or make it a result, and view that",
                      type_print(&given).text, type_print(&whole).text);
}

static tosajit_status reshape_through(const expr_views *views, const view_step *step, int32_t lead,
                                      const view_sizes *own, view_sizes *made) {
    const view_sizes *before = view_before(views, step), *behind = view_behind(views, step);
    const tosajit_type element = views->source->nodes[step->view].type.element;
    for (int32_t k = 0; k < step->group_count; k++) {
        const view_span s = view_group_span(step, k);
        const standing how = stand_in(before, own, lead, &s);
        if (how == MIXED || (how == REDUCED && s.out_end - s.out != 1))
            return refuse_mixed(element, before, own, lead, &s);
        for (int32_t d = s.out; d < s.out_end; d++)
            made->sizes[lead + d] = how == WHOLE                               ? behind->sizes[d]
                                    : how == REPEATED || behind->sizes[d] == 1 ? 1
                                                                               : VIEW_UNKNOWN;
        if (how == REDUCED) made->sizes[lead + s.out] = own->sizes[lead + s.in];
    }
    return TOSAJIT_OK;
}

/* The same number of dimensions as the operand of a view, at least: more are in front. */
static void align(view_sizes *own, int32_t rank) {
    const int32_t missing = rank - own->rank;
    if (missing <= 0) return;
    for (int32_t d = own->rank; d-- > 0;) own->sizes[d + missing] = own->sizes[d];
    for (int32_t d = 0; d < missing; d++) own->sizes[d] = 1;
    own->rank = rank;
}

static tosajit_status dims_through(const expr_views *views, const view_step *step, int32_t lead,
                                   const view_sizes *own, view_sizes *made) {
    const expr_node *view = &views->source->nodes[step->view];
    const view_sizes *before = view_before(views, step), *behind = view_behind(views, step);
    const int64_t *numbers = view->attributes.numbers;
    for (int32_t d = 0; d < behind->rank; d++) {
        const int64_t size = own->sizes[lead + d];
        const standing how = stand(size, before->sizes[d]);
        /* A call in which all have the size 1 changes this one, too. */
        const bool may_be_whole =
            how == REPEATED && before->sizes[d] < 0 && before->sizes[d] != behind->sizes[d];
        if (view->op == TOSAJIT_OP_tile && numbers[d] > 1 && size != 1 && how != UNKNOWN)
            return diag_error(
                TOSAJIT_SHAPE_MISMATCH,
                "dimension %d is repeated, but only a size of 1 can be, as no strides "
                "say more",
                (int)d);
        if (view->op == TOSAJIT_OP_transpose && step->backwards)
            made->sizes[lead + numbers[d]] = size;
        else if (view->op == TOSAJIT_OP_transpose)
            made->sizes[lead + d] = own->sizes[lead + numbers[d]];
        else if (view->op != TOSAJIT_OP_reverse)
            made->sizes[lead + d] = how == WHOLE                     ? behind->sizes[d]
                                    : how == UNKNOWN || may_be_whole ? VIEW_UNKNOWN
                                                                     : size;
    }
    return TOSAJIT_OK;
}

tosajit_status names_through(const expr_views *views, const view_step *step, view_sizes *own) {
    const bool reshapes = views->source->nodes[step->view].op == TOSAJIT_OP_reshape;
    align(own, view_before(views, step)->rank);
    const int32_t lead = own->rank - view_before(views, step)->rank;
    view_sizes made = *own;
    made.rank = lead + view_behind(views, step)->rank;
    if (made.rank > TOSAJIT_MAX_RANK)
        return diag_error(TOSAJIT_LIMIT_EXCEEDED,
                          "an operand would have %d dimensions, more than %d", (int)made.rank,
                          TOSAJIT_MAX_RANK);
    tosajit_status status = reshapes ? reshape_through(views, step, lead, own, &made)
                                     : dims_through(views, step, lead, own, &made);
    *own = made;
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Runs. Dimensions are counted from the innermost one here, as those in front are not named. */

/* Bit e of `seams`: dimensions e and e + 1 of a dense tensor are no run; of `still`: a tile repeats
 * dimension e. A size of 1 is part of any run: what lies between two others has its seam as well.
 */
typedef struct runs {
    uint32_t seams, still;
} runs;

static bool has_bit(uint32_t bits, int32_t e) { return e >= 0 && (bits >> e & 1); }
static uint32_t bit(int32_t e) { return e >= 0 ? 1u << e : 0; }

/* The dimension that becomes dimension d, both counted as the view does. */
static int32_t origin_of(const expr_node *view, const view_step *step, int32_t d) {
    int32_t in = 0;
    if (!step->backwards) return (int32_t)view->attributes.numbers[d];
    while (view->attributes.numbers[in] != d) in++;
    return in;
}

/* `own` are the sizes before the step, of which the view is about those from `lead` on. */
static void run_transposed(const expr_node *view, const view_step *step, const int64_t *own,
                           int32_t rank, runs *r) {
    const uint32_t front = ~(bit(rank) - 1);
    runs made = {r->seams & front, r->still & front};
    for (int32_t d = 0, before = -1; d < rank; d++) {
        const int32_t in = origin_of(view, step, d), e = rank - 1 - d;
        int32_t next = in;
        if (own[in] == 1) continue;
        bool seam = has_bit(r->seams, rank - 1 - in);
        while (next > 0 && own[next - 1] == 1) seam |= has_bit(r->seams, rank - 1 - --next);
        if (seam || next - 1 != before) made.seams |= bit(e);
        if (has_bit(r->still, rank - 1 - in)) made.still |= bit(e);
        before = in;
    }
    *r = made;
}

static void run_apart(const expr_node *view, const int64_t *own, int32_t rank, runs *r) {
    const int64_t *numbers = view->attributes.numbers;
    for (int32_t d = 0; d < rank; d++) {
        const int32_t e = rank - 1 - d;
        const bool tiled = view->op == TOSAJIT_OP_tile && numbers[d] > 1,
                   turned = view->op == TOSAJIT_OP_reverse && view->attributes.axis == d,
                   cut = view->op == TOSAJIT_OP_slice && !is_whole(numbers + 3 * d, own[d]);
        if (own[d] == 1 && !tiled) continue;
        if (tiled) r->still |= bit(e);
        if (tiled || turned || cut) r->seams |= bit(e);
        if (tiled || turned || (cut && numbers[3 * d + 2] != 1)) r->seams |= bit(e - 1);
    }
}

/* Judge the dimensions of one group, which are joined. `own` are the sizes before the step,
 * `behind` the sizes behind it. */
static view_run join_group(const view_step *step, int32_t group, const view_sizes *own,
                           const view_sizes *behind, const int32_t *ranks, const runs *r,
                           runs *made) {
    const view_span s = view_group_span(step, group);
    const int64_t *in = own->sizes + own->rank - ranks[0],
                  *out = behind->sizes + behind->rank - ranks[1];
    bool whole = true, moves = false, still = false, seam = false;
    for (int32_t d = s.in, before = -1; d < s.in_end; d++) {
        const int32_t e = ranks[0] - 1 - d;
        seam |= has_bit(r->seams, e);
        if (in[d] == 1) continue;
        if (before >= 0 && seam) whole = false;
        if (before < 0 && seam) made->seams |= bit(ranks[1] - 1 - s.out);
        still |= has_bit(r->still, e);
        moves |= !has_bit(r->still, e);
        seam = false;
        before = d;
    }
    if (seam) made->seams |= bit(ranks[1] - 1 - s.out_end);
    for (int32_t d = s.out; still && d < s.out_end; d++)
        if (out[d] != 1) made->still |= bit(ranks[1] - 1 - d);
    return still && moves ? RUN_NEVER : whole ? RUN_DENSE : RUN_APART;
}

static view_run run_reshaped(const expr_views *views, const view_step *step, const view_sizes *own,
                             const view_sizes *behind, runs *r) {
    const int32_t ranks[2] = {view_before(views, step)->rank, view_behind(views, step)->rank};
    view_run worst = RUN_DENSE;
    runs made = {0, 0};
    for (int32_t g = 0; g < step->group_count; g++) {
        const view_run found = join_group(step, g, own, behind, ranks, r, &made);
        if (found > worst) worst = found;
    }
    *r = made;
    return worst;
}

view_run names_run(const expr_views *views, view_sizes own, uint32_t cut, view_chain chain) {
    runs r = {0, 0};
    for (int32_t d = 0; d < own.rank; d++)
        if (has_bit(cut, d)) r.seams |= bit(own.rank - 1 - d);
    view_run worst = RUN_DENSE;
    for (int32_t k = 0; k < chain.count; k++) {
        const view_step *step = &views->steps[chain.first + k];
        const expr_node *view = &views->source->nodes[step->view];
        const int32_t rank = view_before(views, step)->rank;
        align(&own, rank);
        view_sizes behind = own;
        const int64_t *sizes = own.sizes + own.rank - rank;
        if (names_through(views, step, &behind)) break; /* which whoever sees it says, too */
        if (view->op == TOSAJIT_OP_transpose) {
            run_transposed(view, step, sizes, rank, &r);
        } else if (view->op != TOSAJIT_OP_reshape) {
            run_apart(view, sizes, rank, &r);
        } else {
            const view_run found = run_reshaped(views, step, &own, &behind, &r);
            if (found > worst) worst = found;
        }
        own = behind;
    }
    return worst;
}
