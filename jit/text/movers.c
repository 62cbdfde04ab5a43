/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "jit/text/movers.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/types.h"

/* A number of a shape that stands for the operand's dimension d. */
static int64_t size_of(int32_t d) { return -2 - (int64_t)d; }

static tosajit_status view(tosajit_expr *expr, tosajit_op op, tosajit_value x,
                           const int64_t *numbers, size_t count, tosajit_value *value) {
    const tosajit_attributes a = {.numbers = numbers, .number_count = count};
    return tosajit_expr_op(expr, op, &x, 1, &a, NULL, value);
}

/* A dimension among so many, which counts from the end where it is negative. */
static tosajit_status to_dimension(int64_t number, int32_t rank, int64_t *dimension) {
    *dimension = number < 0 ? number + rank : number;
    if (*dimension >= 0 && *dimension < rank) return TOSAJIT_OK;
    return diag_error(TOSAJIT_SHAPE_MISMATCH, "dimension %" PRId64 " is not in %d..%d", number,
                      (int)-rank, (int)rank - 1);
}

/* ---------------------------------------------------------------------------------------------
 * Functions */

static tosajit_status transpose(const mover_call *c, tosajit_value *value) {
    int64_t perms[TOSAJIT_MAX_RANK];
    tosajit_status status = TOSAJIT_OK;
    for (size_t d = 0; !status && d < c->count; d++)
        status = to_dimension(c->numbers[d], c->type.rank, &perms[d]);
    for (int32_t d = 0; c->count == 0 && d < c->type.rank; d++) perms[d] = c->type.rank - 1 - d;
    return status ? status
                  : view(c->expr, TOSAJIT_OP_transpose, c->operand, perms,
                         c->count ? c->count : (size_t)c->type.rank, value);
}

static tosajit_status swapaxes(const mover_call *c, tosajit_value *value) {
    int64_t perms[TOSAJIT_MAX_RANK], a, b;
    tosajit_status status = to_dimension(c->numbers[0], c->type.rank, &a);
    if (!status) status = to_dimension(c->numbers[1], c->type.rank, &b);
    for (int32_t d = 0; !status && d < c->type.rank; d++) perms[d] = d == a ? b : d == b ? a : d;
    return status ? status
                  : view(c->expr, TOSAJIT_OP_transpose, c->operand, perms, (size_t)c->type.rank,
                         value);
}

static tosajit_status reshape(const mover_call *c, tosajit_value *value) {
    int64_t shape[TOSAJIT_MAX_RANK];
    for (size_t d = 0; d < c->count; d++) {
        shape[d] = c->numbers[d] ? c->numbers[d] : size_of((int32_t)d);
        if (c->numbers[d] < -1)
            return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                              "%" PRId64 " is no size; -1 is what is left, 0 the operand's own",
                              c->numbers[d]);
    }
    return view(c->expr, TOSAJIT_OP_reshape, c->operand, shape, c->count, value);
}

static tosajit_status flip(const mover_call *c, tosajit_value *value) {
    tosajit_status status = TOSAJIT_OK;
    const size_t all = c->count ? c->count : (size_t)c->type.rank;
    *value = c->operand;
    for (size_t k = 0; !status && k < all; k++) {
        tosajit_attributes a = {.axis = (int64_t)k};
        if (c->count) status = to_dimension(c->numbers[k], c->type.rank, &a.axis);
        if (!status)
            status = tosajit_expr_op(c->expr, TOSAJIT_OP_reverse, value, 1, &a, NULL, value);
    }
    return status;
}

static tosajit_status tile(const mover_call *c, tosajit_value *value) {
    return view(c->expr, TOSAJIT_OP_tile, c->operand, c->numbers, c->count, value);
}

/* What broadcast_to makes of dimension d of the result. */
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

/* x, beside so many zeros that are not chosen. */
static tosajit_status repeat_beside(const mover_call *c, const tosajit_tensor_type *type,
                                    tosajit_value *value) {
    static const uint8_t yes = 1;
    static const uint64_t zero = 0;
    tosajit_tensor_type flag = {TOSAJIT_I1, type->rank, {0}}, element = flag;
    tosajit_value chosen[3] = {0, *value, 0};
    element.element = type->element;
    for (int32_t d = 0; d < type->rank; d++) flag.dims[d] = element.dims[d] = 1;
    tosajit_status status = tosajit_expr_constant(c->expr, &flag, &yes, &chosen[0]);
    if (!status) status = tosajit_expr_constant(c->expr, &element, &zero, &chosen[2]);
    if (!status)
        status =
            view(c->expr, TOSAJIT_OP_tile, chosen[2], type->dims, (size_t)type->rank, &chosen[2]);
    return status ? status
                  : tosajit_expr_op(c->expr, TOSAJIT_OP_select, chosen, 3, NULL, NULL, value);
}

/* New dimensions in front, and sizes of 1 repeated. A size that is only known when called is 1 or
 * the wanted one. */
static tosajit_status broadcast_to(const mover_call *c, tosajit_value *value) {
    broadcasting b = {.beside = {c->type.element, (int32_t)c->count, {0}}};
    tosajit_status status = TOSAJIT_OK;
    if (b.beside.rank < c->type.rank)
        return diag_error(TOSAJIT_SHAPE_MISMATCH, "%s has more dimensions than %zu",
                          type_print(&c->type).text, c->count);
    for (int32_t d = 0; !status && d < b.beside.rank; d++) status = broadcast_dimension(c, d, &b);
    *value = c->operand;
    if (!status && b.reshapes)
        status = view(c->expr, TOSAJIT_OP_reshape, *value, b.shape, c->count, value);
    if (!status) status = view(c->expr, TOSAJIT_OP_tile, *value, b.multiples, c->count, value);
    return status || !b.open ? status : repeat_beside(c, &b.beside, value);
}

tosajit_status mover_drop(tosajit_expr *expr, tosajit_value operand, const bool *dropped,
                          tosajit_value *value) {
    int64_t shape[TOSAJIT_MAX_RANK];
    tosajit_tensor_type type;
    size_t count = 0;
    tosajit_status status = tosajit_expr_type(expr, operand, &type);
    for (int32_t d = 0; !status && d < type.rank; d++)
        if (!dropped[d]) shape[count++] = size_of(d);
    return status ? status : view(expr, TOSAJIT_OP_reshape, operand, shape, count, value);
}

static tosajit_status concat(const mover_call *c, tosajit_value *value) {
    tosajit_attributes a = {0};
    tosajit_status status = to_dimension(c->count ? c->numbers[0] : 0, c->type.rank, &a.axis);
    *value = c->operand;
    for (size_t k = 1; !status && k < c->operand_count; k++)
        status = tosajit_expr_op(c->expr, TOSAJIT_OP_concat,
                                 (tosajit_value[]){*value, c->operands[k]}, 2, &a, NULL, value);
    return status;
}

/* Without an element it is 0; one number is of all sides. */
static tosajit_status pad(const mover_call *c, tosajit_value *value) {
    static const uint64_t zero = 0;
    const tosajit_tensor_type element = {c->type.element, 1, {1}}; /* as TOSA has it */
    int64_t padding[2 * TOSAJIT_MAX_RANK];
    const size_t sides = 2 * (size_t)c->type.rank;
    const tosajit_attributes a = {.numbers = padding,
                                  .number_count = c->count == 1 ? sides : c->count};
    tosajit_value operands[2] = {c->operand, c->operands[1]};
    if (c->operand_count > 2)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "pad takes 1 to 2 operands, x and the element, found %zu",
                          c->operand_count);
    for (size_t d = 0; d < 2 * TOSAJIT_MAX_RANK; d++)
        padding[d] = c->numbers[c->count == 1 ? 0 : d];
    tosajit_status status = c->operand_count < 2
                                ? tosajit_expr_constant(c->expr, &element, &zero, &operands[1])
                                : TOSAJIT_OK;
    return status ? status : tosajit_expr_op(c->expr, TOSAJIT_OP_pad, operands, 2, &a, NULL, value);
}

static tosajit_status squeeze(const mover_call *c, tosajit_value *value) {
    bool dropped[TOSAJIT_MAX_RANK] = {false};
    for (size_t k = 0; k < c->count; k++) {
        int64_t d;
        tosajit_status status = to_dimension(c->numbers[k], c->type.rank, &d);
        if (status) return status;
        if (c->type.dims[d] != 1 && c->type.dims[d] != TOSAJIT_DYNAMIC)
            return diag_error(TOSAJIT_SHAPE_MISMATCH, "dimension %d of %s is not 1", (int)d,
                              type_print(&c->type).text);
        dropped[d] = true;
    }
    for (int32_t d = 0; c->count == 0 && d < c->type.rank; d++) dropped[d] = c->type.dims[d] == 1;
    return mover_drop(c->expr, c->operand, dropped, value);
}

static tosajit_status unsqueeze(const mover_call *c, tosajit_value *value) {
    int64_t shape[TOSAJIT_MAX_RANK + 1], at;
    tosajit_status status = to_dimension(c->numbers[0], c->type.rank + 1, &at);
    for (int32_t d = 0; !status && d <= c->type.rank; d++)
        shape[d] = d == at ? 1 : size_of(d < at ? d : d - 1);
    return status ? status
                  : view(c->expr, TOSAJIT_OP_reshape, c->operand, shape, (size_t)c->type.rank + 1,
                         value);
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

/* What a list of subscripts makes of an operand: a slice, then another shape. */
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

/* A position as NumPy has it: at most what there is. `open` is the end that is meant without one.
 */
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

tosajit_status subscript_compose(const mover_call *c, const subscript *list, size_t count,
                                 tosajit_value *value) {
    subscripted s = {.kept = 0};
    tosajit_status status = TOSAJIT_OK;
    if (count_dimensions(list, count) > c->type.rank)
        return diag_error(TOSAJIT_SHAPE_MISMATCH, "%d subscripts are more than %s has dimensions",
                          (int)count_dimensions(list, count), type_print(&c->type).text);
    for (size_t k = 0; !status && k < count; k++) {
        switch (list[k].kind) {
        case SUBSCRIPT_RANGE: status = take_range(c, &list[k], &s); break;
        case SUBSCRIPT_INDEX: status = take_index(c, &list[k], &s); break;
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
    *value = c->operand;
    if (!status && s.slices)
        status = view(c->expr, TOSAJIT_OP_slice, *value, s.ranges, 3 * (size_t)c->type.rank, value);
    if (status || !s.shapes) return status;
    return view(c->expr, TOSAJIT_OP_reshape, *value, s.shape, s.kept, value);
}
