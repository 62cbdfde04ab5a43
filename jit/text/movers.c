/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "jit/text/movers.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/types.h"

/* A number of a shape that stands for the operand's dimension d. */
static int64_t size_of(int32_t d) { return -2 - (int64_t)d; }

/* Behind an op that was refused none is added: its first operand stands for it. */
static tosajit_value apply(mover_call *c, tosajit_op op, const tosajit_value *operands,
                           size_t count, const tosajit_attributes *a) {
    tosajit_value value = operands[0];
    if (!c->status) c->status = tosajit_expr_op(c->expr, op, operands, count, a, NULL, &value);
    return value;
}

static tosajit_value view(mover_call *c, tosajit_op op, tosajit_value x, const int64_t *numbers,
                          size_t count) {
    return apply(c, op, &x, 1, &(tosajit_attributes){.numbers = numbers, .number_count = count});
}

/* A dimension among so many, which counts from the end where it is negative. */
static int64_t to_dimension(mover_call *c, int64_t number, int32_t rank) {
    const int64_t dimension = number < 0 ? number + rank : number;
    if (dimension >= 0 && dimension < rank) return dimension;
    if (!c->status)
        c->status = diag_error(TOSAJIT_SHAPE_MISMATCH, "dimension %" PRId64 " is not in %d..%d",
                               number, (int)-rank, (int)rank - 1);
    return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Functions */

static tosajit_value transpose(mover_call *c) {
    int64_t perms[TOSAJIT_MAX_RANK];
    for (size_t d = 0; d < c->count; d++) perms[d] = to_dimension(c, c->numbers[d], c->type.rank);
    for (int32_t d = 0; c->count == 0 && d < c->type.rank; d++) perms[d] = c->type.rank - 1 - d;
    return view(c, TOSAJIT_OP_transpose, c->operand, perms,
                c->count ? c->count : (size_t)c->type.rank);
}

static tosajit_value swapaxes(mover_call *c) {
    int64_t perms[TOSAJIT_MAX_RANK];
    const int64_t a = to_dimension(c, c->numbers[0], c->type.rank),
                  b = to_dimension(c, c->numbers[1], c->type.rank);
    for (int32_t d = 0; d < c->type.rank; d++) perms[d] = d == a ? b : d == b ? a : d;
    return view(c, TOSAJIT_OP_transpose, c->operand, perms, (size_t)c->type.rank);
}

static tosajit_value reshape(mover_call *c) {
    int64_t shape[TOSAJIT_MAX_RANK];
    for (size_t d = 0; d < c->count; d++) {
        shape[d] = c->numbers[d] ? c->numbers[d] : size_of((int32_t)d);
        if (c->numbers[d] < -1 && !c->status)
            c->status = diag_error(
                TOSAJIT_BAD_ATTRIBUTE,
                "%" PRId64 " is no size; -1 is what is left, 0 the operand's own", c->numbers[d]);
    }
    return view(c, TOSAJIT_OP_reshape, c->operand, shape, c->count);
}

static tosajit_value flip(mover_call *c) {
    const size_t all = c->count ? c->count : (size_t)c->type.rank;
    tosajit_value value = c->operand;
    for (size_t k = 0; k < all; k++) {
        const int64_t axis = c->count ? to_dimension(c, c->numbers[k], c->type.rank) : (int64_t)k;
        value = apply(c, TOSAJIT_OP_reverse, &value, 1, &(tosajit_attributes){.axis = axis});
    }
    return value;
}

static tosajit_value tile(mover_call *c) {
    return view(c, TOSAJIT_OP_tile, c->operand, c->numbers, c->count);
}

/* The effect of broadcast_to on dimension d of the result. */
typedef struct broadcasting {
    int64_t shape[TOSAJIT_MAX_RANK], multiples[TOSAJIT_MAX_RANK];
    tosajit_tensor_type beside; /* what a size that may be 1 repeats beside */
    bool reshapes, open;
} broadcasting;

static tosajit_status broadcast_dimension(const mover_call *c, int32_t d, broadcasting *b) {
    const int32_t lead = b->beside.rank - c->type.rank;
    const int64_t own = d < lead ? 1 : c->type.dims[d - lead], wanted = c->numbers[d];
    const bool open = own == TOSAJIT_DYNAMIC && wanted > 0, one = open && wanted == 1;
    if (wanted == 0 || wanted < -1)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                          "%" PRId64 " is no size that dimension %d can have; it is at least 1, or "
                          "-1, which leaves it as it is",
                          wanted, (int)d);
    if (own > 1 && own != wanted && wanted != -1)
        return diag_error(TOSAJIT_SHAPE_MISMATCH,
                          "dimension %d of %s does not become %" PRId64
                          "; only a size of 1 repeats",
                          (int)(d - lead), type_print(&c->type).text, wanted);
    b->shape[d] = d < lead || one ? 1 : size_of(d - lead);
    b->multiples[d] = own == 1 && wanted > 0 ? wanted : 1;
    b->beside.dims[d] = open ? wanted : 1;
    b->reshapes |= d < lead || one;
    b->open |= open && !one;
    return TOSAJIT_OK;
}

static tosajit_value constant(mover_call *c, const tosajit_tensor_type *type, uint64_t bits) {
    tosajit_value value = 0;
    if (!c->status) c->status = tosajit_expr_constant(c->expr, type, &bits, &value);
    return value;
}

/* x, beside so many zeros that are not chosen. */
static tosajit_value repeat_beside(mover_call *c, const tosajit_tensor_type *type,
                                   tosajit_value x) {
    tosajit_tensor_type flag = {TOSAJIT_I1, type->rank, {0}}, element = flag;
    element.element = type->element;
    for (int32_t d = 0; d < type->rank; d++) flag.dims[d] = element.dims[d] = 1;
    const tosajit_value yes = constant(c, &flag, 1), zero = constant(c, &element, 0),
                        zeros = view(c, TOSAJIT_OP_tile, zero, type->dims, (size_t)type->rank);
    return apply(c, TOSAJIT_OP_select, (tosajit_value[]){yes, x, zeros}, 3, NULL);
}

/* New dimensions in front, and sizes of 1 repeated. A size that is only known when called is 1 or
 * the wanted one. */
static tosajit_value broadcast_to(mover_call *c) {
    broadcasting b = {.beside = {c->type.element, (int32_t)c->count, {0}}};
    tosajit_value value = c->operand;
    if (b.beside.rank < c->type.rank)
        c->status = diag_error(TOSAJIT_SHAPE_MISMATCH, "%s has more dimensions than %zu",
                               type_print(&c->type).text, c->count);
    for (int32_t d = 0; !c->status && d < b.beside.rank; d++)
        c->status = broadcast_dimension(c, d, &b);
    if (b.reshapes) value = view(c, TOSAJIT_OP_reshape, value, b.shape, c->count);
    value = view(c, TOSAJIT_OP_tile, value, b.multiples, c->count);
    return b.open ? repeat_beside(c, &b.beside, value) : value;
}

tosajit_status mover_drop(tosajit_expr *expr, tosajit_value operand, const bool *dropped,
                          tosajit_value *value) {
    mover_call c = {.expr = expr};
    int64_t shape[TOSAJIT_MAX_RANK];
    size_t count = 0;
    c.status = tosajit_expr_type(expr, operand, &c.type);
    for (int32_t d = 0; !c.status && d < c.type.rank; d++)
        if (!dropped[d]) shape[count++] = size_of(d);
    *value = view(&c, TOSAJIT_OP_reshape, operand, shape, count);
    return c.status;
}

static tosajit_value concat(mover_call *c) {
    const tosajit_attributes a = {.axis =
                                      to_dimension(c, c->count ? c->numbers[0] : 0, c->type.rank)};
    tosajit_value value = c->operand;
    for (size_t k = 1; k < c->operand_count; k++)
        value = apply(c, TOSAJIT_OP_concat, (tosajit_value[]){value, c->operands[k]}, 2, &a);
    return value;
}

/* Without an element it is 0; one number is of all sides. */
static tosajit_value pad(mover_call *c) {
    const tosajit_tensor_type element = {c->type.element, 1, {1}}; /* as TOSA has it */
    int64_t padding[2 * TOSAJIT_MAX_RANK];
    const size_t sides = 2 * (size_t)c->type.rank;
    const tosajit_attributes a = {.numbers = padding,
                                  .number_count = c->count == 1 ? sides : c->count};
    if (c->operand_count > 2)
        c->status =
            diag_error(TOSAJIT_INVALID_ARGUMENT,
                       "pad takes 1 to 2 operands, x and the element, found %zu", c->operand_count);
    for (size_t d = 0; d < 2 * TOSAJIT_MAX_RANK; d++)
        padding[d] = c->numbers[c->count == 1 ? 0 : d];
    const tosajit_value filler = c->operand_count < 2 ? constant(c, &element, 0) : c->operands[1];
    return apply(c, TOSAJIT_OP_pad, (tosajit_value[]){c->operand, filler}, 2, &a);
}

static tosajit_value squeeze(mover_call *c) {
    bool dropped[TOSAJIT_MAX_RANK] = {false};
    tosajit_value value = c->operand;
    for (size_t k = 0; k < c->count; k++) {
        const int64_t d = to_dimension(c, c->numbers[k], c->type.rank);
        if (!c->status && c->type.dims[d] != 1 && c->type.dims[d] != TOSAJIT_DYNAMIC)
            c->status = diag_error(TOSAJIT_SHAPE_MISMATCH, "dimension %d of %s is not 1", (int)d,
                                   type_print(&c->type).text);
        dropped[d] = true;
    }
    for (int32_t d = 0; c->count == 0 && d < c->type.rank; d++) dropped[d] = c->type.dims[d] == 1;
    if (!c->status) c->status = mover_drop(c->expr, c->operand, dropped, &value);
    return value;
}

static tosajit_value unsqueeze(mover_call *c) {
    int64_t shape[TOSAJIT_MAX_RANK + 1];
    const int64_t at = to_dimension(c, c->numbers[0], c->type.rank + 1);
    for (int32_t d = 0; d <= c->type.rank; d++)
        shape[d] = d == at ? 1 : size_of(d < at ? d : d - 1);
    return view(c, TOSAJIT_OP_reshape, c->operand, shape, (size_t)c->type.rank + 1);
}

/* ---------------------------------------------------------------------------------------------
 * What is taken by an index */

tosajit_status mover_index(tosajit_expr *expr, tosajit_value *index) {
    tosajit_tensor_type type, to = {TOSAJIT_I32, TOSAJIT_UNRANKED, {0}};
    const tosajit_status status = tosajit_expr_type(expr, *index, &type);
    if (type.element == TOSAJIT_U32) to.element = TOSAJIT_I64;
    const bool widens =
        type.element == TOSAJIT_I8 || type.element == TOSAJIT_I16 || type_is_unsigned(type.element);
    return status || !widens ? status
                             : tosajit_expr_op(expr, TOSAJIT_OP_cast, index, 1, NULL, &to, index);
}

/* x with dimension `axis` in front, and `ones` of size 1 where it was: as gather takes it. */
static tosajit_value bring_to_front(mover_call *c, int32_t axis, int32_t ones) {
    int64_t perms[TOSAJIT_MAX_RANK] = {axis}, shape[2 * TOSAJIT_MAX_RANK] = {size_of(0)};
    const int32_t rank = c->type.rank;
    tosajit_value value = c->operand;
    size_t count = 1;
    for (int32_t d = 0; d < rank; d++)
        if (d != axis) perms[d < axis ? d + 1 : d] = d;
    if (axis > 0) value = view(c, TOSAJIT_OP_transpose, value, perms, (size_t)rank);
    if (rank == 1 || ones == 0) return value;
    for (int32_t d = 1; d <= axis; d++) shape[count++] = size_of(d);
    for (int32_t k = 0; k < ones; k++) shape[count++] = 1;
    for (int32_t d = axis + 1; d < rank; d++) shape[count++] = size_of(d);
    return view(c, TOSAJIT_OP_reshape, value, shape, count);
}

/* The index, behind the operand, and its type. */
static tosajit_value index_of(mover_call *c, tosajit_tensor_type *type) {
    tosajit_value index = c->operands[c->operand_count - 1];
    if (!c->status && c->operand_count != 2)
        c->status = diag_error(TOSAJIT_INVALID_ARGUMENT,
                               "it takes 2 operands, x and the index, found %zu", c->operand_count);
    if (!c->status) c->status = mover_index(c->expr, &index);
    if (!c->status) c->status = tosajit_expr_type(c->expr, index, type);
    if (!c->status && type->rank == TOSAJIT_UNRANKED)
        c->status = diag_error(TOSAJIT_UNRANKED_SHAPE, "it needs an index whose rank is known");
    return index;
}

static tosajit_value gather(mover_call *c, tosajit_value values, tosajit_value index) {
    const tosajit_attributes a = {.index_mode = TOSAJIT_INDEX_SIGNED};
    return apply(c, TOSAJIT_OP_gather, (tosajit_value[]){values, index}, 2, &a);
}

/* Along no axis x is one row. */
static tosajit_value take(mover_call *c) {
    tosajit_tensor_type type = {.rank = 0};
    tosajit_value index = index_of(c, &type);
    if (c->status) return c->operand;
    if (c->count == 0) {
        const int64_t all = -1;
        return gather(c, view(c, TOSAJIT_OP_reshape, c->operand, &all, 1), index);
    }
    const int32_t axis = (int32_t)to_dimension(c, c->numbers[0], c->type.rank),
                  behind = c->type.rank - 1 - axis;
    int64_t shape[2 * TOSAJIT_MAX_RANK];
    for (int32_t d = 0; d < type.rank; d++) shape[d] = size_of(d);
    for (int32_t d = 0; d < behind; d++) shape[type.rank + d] = 1;
    if (behind > 0 && type.rank > 0)
        index = view(c, TOSAJIT_OP_reshape, index, shape, (size_t)(type.rank + behind));
    return gather(c, bring_to_front(c, axis, type.rank), index);
}

static tosajit_value take_along_axis(mover_call *c) {
    tosajit_tensor_type type = {.rank = 0};
    const tosajit_value index = index_of(c, &type);
    const int64_t axis = to_dimension(c, c->numbers[0], c->type.rank);
    if (!c->status && type.rank != c->type.rank)
        c->status = diag_error(TOSAJIT_SHAPE_MISMATCH,
                               "the index has %d dimensions, but must have those of x: %d",
                               (int)type.rank, (int)c->type.rank);
    return gather(c, bring_to_front(c, (int32_t)axis, 1), index);
}

static const mover movers[] = {
    {"broadcast_to", "x, of which sizes of 1 repeat; -1: as it is", 0, TOSAJIT_MAX_RANK, false,
     broadcast_to},
    {"cat", "one operand behind the other along an axis, or the first", 0, 1, true, concat},
    {"concat", "the same", 0, 1, true, concat},
    {"concatenate", "the same", 0, 1, true, concat},
    {"expand_dims", "x with a dimension of size 1 more, at that place", 1, 1, false, unsqueeze},
    {"flip", "x backwards along these dimensions, or all", 0, TOSAJIT_MAX_RANK, false, flip},
    {"pad", "x with so many elements before and behind each dimension, 0 or another operand", 1,
     2 * TOSAJIT_MAX_RANK, true, pad},
    {"permute", "x whose dimensions are in this order, or reversed", 0, TOSAJIT_MAX_RANK, false,
     transpose},
    {"reshape", "x in these sizes; -1: what is left, 0: the same size as x there", 0,
     TOSAJIT_MAX_RANK, false, reshape},
    {"squeeze", "x without these dimensions of size 1, or all", 0, TOSAJIT_MAX_RANK, false,
     squeeze},
    {"swapaxes", "x with two dimensions exchanged", 2, 2, false, swapaxes},
    {"take", "elements of x by an index, along a dimension, or of x as one row", 0, 1, true, take},
    {"take_along_axis", "elements of x by an index that has its dimensions, along one of them", 1,
     1, true, take_along_axis},
    {"tile", "x so many times along each dimension", 0, TOSAJIT_MAX_RANK, false, tile},
    {"transpose", "x whose dimensions are in this order, or reversed", 0, TOSAJIT_MAX_RANK, false,
     transpose},
    {"unsqueeze", "x with a dimension of size 1 more, at that place", 1, 1, false, unsqueeze},
};
enum { MOVERS = sizeof movers / sizeof *movers };

const mover *mover_find(const char *name, size_t length) {
    for (size_t k = 0; k < MOVERS; k++)
        if (strlen(movers[k].name) == length && memcmp(movers[k].name, name, length) == 0)
            return &movers[k];
    return NULL;
}

const mover *mover_at(size_t index) { return index < MOVERS ? &movers[index] : NULL; }

/* ---------------------------------------------------------------------------------------------
 * Subscripts */

/* The effect of a list of subscripts on an operand: a slice, then another shape. */
typedef struct subscripted {
    int64_t ranges[3 * TOSAJIT_MAX_RANK], shape[2 * TOSAJIT_MAX_RANK];
    size_t kept;
    int32_t d; /* the next dimension of the operand */
    bool slices, shapes;
} subscripted;

static void put_range(subscripted *s, int64_t begin, int64_t end, int64_t step) {
    int64_t *to = s->ranges + 3 * s->d;
    to[0] = begin;
    to[1] = end;
    to[2] = step;
    s->slices |= begin != TOSAJIT_DYNAMIC || end != TOSAJIT_DYNAMIC || step != 1;
}

/* A position as NumPy has it: at most n. `open` is the end where none is written. */
static int64_t clip(int64_t position, int64_t n, int64_t step, int64_t open) {
    const int64_t least = step > 0 ? 0 : -1, most = step > 0 ? n : n - 1;
    if (position == TOSAJIT_DYNAMIC) return open;
    if (position < 0) position += n;
    return position < least ? least : position > most ? most : position;
}

/* A range of a size that is not known stays as it is. Of a known one an end that is the operand's
 * is left out. */
static tosajit_status take_range(const mover_call *c, const subscript *from, subscripted *s) {
    const int64_t n = c->type.dims[s->d], step = from->step == TOSAJIT_DYNAMIC ? 1 : from->step,
                  far = step > 0 ? n : -1;
    int64_t begin = from->begin, end = from->end;
    if (step == 0) return diag_error(TOSAJIT_BAD_ATTRIBUTE, "the step of a subscript is not 0");
    if (n != TOSAJIT_DYNAMIC) {
        const int64_t first = clip(begin, n, step, step > 0 ? 0 : n - 1);
        end = clip(end, n, step, far);
        if (step > 0 ? end <= first : end >= first)
            return diag_error(TOSAJIT_SHAPE_MISMATCH,
                              "dimension %d: nothing is left of the %" PRId64
                              " ind%s of %s; a static size is at least 1",
                              (int)s->d, n, n == 1 ? "ex" : "ices", type_print(&c->type).text);
        if (begin != TOSAJIT_DYNAMIC) begin = first;
        if (end == far) end = TOSAJIT_DYNAMIC;
    }
    put_range(s, begin, end, step);
    s->shape[s->kept++] = size_of(s->d++);
    return TOSAJIT_OK;
}

static tosajit_status take_index(const mover_call *c, const subscript *from, subscripted *s) {
    const int64_t n = c->type.dims[s->d], index = from->begin;
    if (n == TOSAJIT_DYNAMIC ? index == INT64_MAX : index < -n || index >= n)
        return diag_error(TOSAJIT_SHAPE_MISMATCH, "index %" PRId64 " is none of dimension %d of %s",
                          index, (int)s->d, type_print(&c->type).text);
    put_range(s, index, index == -1 ? TOSAJIT_DYNAMIC : index + 1, 1);
    s->slices = true;
    s->shapes = true;
    s->d++;
    return TOSAJIT_OK;
}

static void take_rest(subscripted *s, int32_t end) {
    while (s->d < end) {
        put_range(s, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, 1);
        s->shape[s->kept++] = size_of(s->d++);
    }
}

/* How many dimensions of the operand some subscripts are about. */
static int32_t count_dimensions(const subscript *list, size_t count) {
    int32_t dimensions = 0;
    for (size_t k = 0; k < count; k++)
        dimensions += list[k].kind == SUBSCRIPT_RANGE || list[k].kind == SUBSCRIPT_INDEX;
    return dimensions;
}

tosajit_value subscript_compose(mover_call *c, const subscript *list, size_t count) {
    subscripted s = {.kept = 0};
    tosajit_value value = c->operand;
    if (count_dimensions(list, count) > c->type.rank)
        c->status =
            diag_error(TOSAJIT_SHAPE_MISMATCH, "%d subscripts are more than %s has dimensions",
                       (int)count_dimensions(list, count), type_print(&c->type).text);
    for (size_t k = 0; !c->status && k < count; k++) {
        switch (list[k].kind) {
        case SUBSCRIPT_RANGE: c->status = take_range(c, &list[k], &s); break;
        case SUBSCRIPT_INDEX: c->status = take_index(c, &list[k], &s); break;
        case SUBSCRIPT_NEW:
            s.shape[s.kept++] = 1;
            s.shapes = true;
            break;
        case SUBSCRIPT_REST:
            take_rest(&s, c->type.rank - count_dimensions(list + k, count - k));
            break;
        }
    }
    take_rest(&s, c->type.rank);
    if (s.slices) value = view(c, TOSAJIT_OP_slice, value, s.ranges, 3 * (size_t)c->type.rank);
    return s.shapes ? view(c, TOSAJIT_OP_reshape, value, s.shape, s.kept) : value;
}
