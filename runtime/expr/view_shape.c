/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/expr/view_shape.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/base/diag.h"
#include "runtime/base/types.h"
#include "runtime/base/words.h"

/* A use of a view, for those who look at a part of it. */
typedef struct view_use {
    const tosajit_tensor_type *operand;
    const tosajit_attributes *attributes;
    tosajit_tensor_type *view;
} view_use;

static tosajit_status check_list(const view_use *u, const char *name, size_t expected) {
    const tosajit_attributes *a = u->attributes;
    if (a->number_count && !a->numbers)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s is a null pointer", name);
    if (a->number_count == expected) return TOSAJIT_OK;
    return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                      "%s has %zu number%s, but operand 0, %s of rank %d, needs %zu", name,
                      a->number_count, plural(a->number_count), type_print(u->operand).text,
                      (int)u->operand->rank, expected);
}

/* ---------------------------------------------------------------------------------------------
 * reshape */

/* A number of the list that says a size, or whose; false if it says neither. -1 is left open. */
static bool size_of(const view_use *u, int64_t number, int64_t *size) {
    const int64_t d = -2 - number;
    if (number <= -2 && d < u->operand->rank)
        *size = u->operand->dims[d];
    else
        *size = number;
    return number >= -1 || d < u->operand->rank;
}

/* The size that -1 stands for: the operand's elements, divided among the rest. Sizes that both
 * sides have, dynamic ones too, need not be known. */
static tosajit_status find_rest(const view_use *u, int32_t open) {
    const int64_t *numbers = u->attributes->numbers;
    int64_t have = 1, need = 1;
    uint32_t taken = 0;
    bool known = true, fits = true;
    for (int32_t d = 0; d < u->view->rank; d++) {
        const int64_t own = -2 - numbers[d];
        if (d == open) continue;
        if (own >= 0 && !(taken >> own & 1))
            taken |= 1u << own;
        else if (u->view->dims[d] == TOSAJIT_DYNAMIC)
            known = false;
        else
            fits &= size_multiply(need, u->view->dims[d], &need);
    }
    for (int32_t d = 0; d < u->operand->rank; d++) {
        if (taken >> d & 1) continue;
        if (u->operand->dims[d] == TOSAJIT_DYNAMIC)
            known = false;
        else
            fits &= size_multiply(have, u->operand->dims[d], &have);
    }
    if (!known) {
        if (open >= 0) u->view->dims[open] = TOSAJIT_DYNAMIC;
        return TOSAJIT_OK;
    }
    if (open >= 0) u->view->dims[open] = need ? have / need : 0;
    if (fits && (open < 0 ? have == need : need && have % need == 0)) return TOSAJIT_OK;
    return diag_error(
        TOSAJIT_SHAPE_MISMATCH, "operand 0, %s, has another number of elements than %s%s",
        type_print(u->operand).text, open < 0 ? "" : "any ", type_print(u->view).text);
}

static tosajit_status infer_reshape(const view_use *u) {
    const size_t count = u->attributes->number_count;
    int32_t open = -1;
    if (count > TOSAJIT_MAX_RANK)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE, "shape has %zu dimensions, more than %d", count,
                          TOSAJIT_MAX_RANK);
    tosajit_status status = check_list(u, "shape", count);
    if (status) return status;
    u->view->rank = (int32_t)count;
    for (int32_t d = 0; d < u->view->rank; d++) {
        const int64_t number = u->attributes->numbers[d];
        if (!size_of(u, number, &u->view->dims[d]) || number == 0)
            return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                              "shape[%d] is %" PRId64
                              ", which is no size, nor -1 for what is left, nor -2 - d for the "
                              "size of a dimension d of operand 0, %s",
                              (int)d, number, type_print(u->operand).text);
        if (number != -1) continue;
        if (open >= 0)
            return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                              "shape has -1 twice, at %d and %d; only one size can be what is left",
                              (int)open, (int)d);
        open = d;
        u->view->dims[d] = TOSAJIT_DYNAMIC;
    }
    return find_rest(u, open);
}

/* ---------------------------------------------------------------------------------------------
 * transpose, reverse, tile */

static tosajit_status infer_transpose(const view_use *u) {
    const int32_t rank = u->operand->rank;
    const int64_t *perms = u->attributes->numbers;
    uint32_t seen = 0;
    tosajit_status status = check_list(u, "perms", (size_t)rank);
    for (int32_t d = 0; !status && d < rank; d++) {
        if (perms[d] < 0 || perms[d] >= rank || seen >> perms[d] & 1)
            return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                              "perms[%d] is %" PRId64
                              ", but perms has each of the %d dimensions of operand 0, %s, once",
                              (int)d, perms[d], (int)rank, type_print(u->operand).text);
        seen |= 1u << perms[d];
        u->view->dims[d] = u->operand->dims[perms[d]];
    }
    return status;
}

static tosajit_status infer_reverse(const view_use *u) {
    const int64_t axis = u->attributes->axis;
    if (axis >= 0 && axis < u->operand->rank) return TOSAJIT_OK;
    return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                      "axis %" PRId64 " is no dimension of operand 0, %s of rank %d", axis,
                      type_print(u->operand).text, (int)u->operand->rank);
}

static tosajit_status infer_tile(const view_use *u) {
    const int64_t *multiples = u->attributes->numbers;
    tosajit_status status = check_list(u, "multiples", (size_t)u->operand->rank);
    for (int32_t d = 0; !status && d < u->operand->rank; d++) {
        int64_t *size = &u->view->dims[d];
        if (multiples[d] < 1)
            return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                              "multiples[%d] is %" PRId64
                              ", but a tensor is repeated once at least",
                              (int)d, multiples[d]);
        if (*size != TOSAJIT_DYNAMIC && !size_multiply(*size, multiples[d], size))
            return diag_error(TOSAJIT_OVERFLOW,
                              "dimension %d: %" PRId64 " times %" PRId64 " is beyond 2^63 - 1",
                              (int)d, u->operand->dims[d], multiples[d]);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * slice */

bool view_find_range(const int64_t numbers[3], int64_t n, view_range *range) {
    const bool rises = numbers[2] > 0;
    const int64_t pace = rises ? numbers[2] : -numbers[2];
    int64_t begin = numbers[0], end = numbers[1];
    if (begin == TOSAJIT_DYNAMIC)
        begin = rises ? 0 : n - 1;
    else if (begin < 0)
        begin += n;
    if (end == TOSAJIT_DYNAMIC)
        end = rises ? n : -1;
    else if (end < 0 && (end += n) < 0)
        return false;
    if (rises ? begin < 0 || end < begin || end > n : begin >= n || end > begin || end < -1)
        return false;
    const int64_t span = rises ? end - begin : begin - end;
    *range = (view_range){begin, span ? (span - 1) / pace + 1 : 0, numbers[2]};
    return true;
}

/* True if a position counts from the end. */
static bool is_from_end(int64_t position, bool open_end) {
    return position == TOSAJIT_DYNAMIC ? open_end : position < 0;
}

/* The size that a slice of a dynamic dimension has: known if both of its ends count from the same
 * one. */
static int64_t size_of_range(const int64_t numbers[3]) {
    const bool rises = numbers[2] > 0, from_end = is_from_end(numbers[0], !rises);
    view_range range;
    if (from_end != is_from_end(numbers[1], rises)) return TOSAJIT_DYNAMIC;
    /* On a dimension that is long enough. */
    const int64_t enough = INT64_MAX / 4;
    return view_find_range(numbers, enough, &range) && range.count > 0 ? range.count
                                                                       : TOSAJIT_DYNAMIC;
}

static tosajit_status infer_slice(const view_use *u) {
    const int32_t rank = u->operand->rank;
    tosajit_status status = check_list(u, "ranges", 3 * (size_t)rank);
    for (int32_t d = 0; !status && d < rank; d++) {
        const int64_t *numbers = u->attributes->numbers + 3 * d, n = u->operand->dims[d];
        view_range range;
        if (numbers[2] == 0 || numbers[2] == INT64_MIN)
            return diag_error(TOSAJIT_BAD_ATTRIBUTE, "dimension %d: the step is %s", (int)d,
                              numbers[2] ? "no distance" : "0");
        if (n == TOSAJIT_DYNAMIC) {
            u->view->dims[d] = size_of_range(numbers);
            continue;
        }
        if (!view_find_range(numbers, n, &range))
            return diag_operand(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                           "dimension %d: begin %" PRId64 ", end %" PRId64
                                           ", step %" PRId64 " leave the %" PRId64
                                           " ind%s of operand 0, %s",
                                           (int)d, numbers[0], numbers[1], numbers[2], n,
                                           n == 1 ? "ex" : "ices", type_print(u->operand).text),
                                0, d, n, DIAG_NONE);
        u->view->dims[d] = range.count;
        if (range.count == 0)
            return diag_operand(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                           "dimension %d: nothing is left of the %" PRId64
                                           " ind%s of operand 0, %s; a static size is at least 1",
                                           (int)d, n, n == 1 ? "ex" : "ices",
                                           type_print(u->operand).text),
                                0, d, n, DIAG_NONE);
    }
    return status;
}

/* --------------------------------------------------------------------------------------------- */

static tosajit_status infer_concat(const view_use *u) {
    const int64_t axis = u->attributes->axis;
    const tosajit_tensor_type *a = u->operand, *b = a + 1;
    tosajit_status status = infer_reverse(u);
    if (status) return status;
    if (b->rank != a->rank)
        return diag_error(b->rank == TOSAJIT_UNRANKED ? TOSAJIT_UNRANKED_SHAPE
                                                      : TOSAJIT_SHAPE_MISMATCH,
                          "operand 1, %s, must have the rank of operand 0, %s", type_print(b).text,
                          type_print(a).text);
    for (int32_t d = 0; d < a->rank; d++) {
        const int64_t x = a->dims[d], y = b->dims[d];
        const bool open = x == TOSAJIT_DYNAMIC || y == TOSAJIT_DYNAMIC;
        int64_t *size = &u->view->dims[d];
        *size = x == TOSAJIT_DYNAMIC ? y : x;
        if (d == axis && open) *size = TOSAJIT_DYNAMIC;
        if (d == axis && !open && (x > INT64_MAX - y))
            return diag_error(TOSAJIT_OVERFLOW, "dimension %d is beyond 2^63 - 1", (int)d);
        if (d == axis && !open) *size = x + y;
        if (d != axis && !open && x != y)
            return diag_operand(
                diag_error(TOSAJIT_SHAPE_MISMATCH,
                           "dimension %d: operand 0, %s, and operand 1, %s, have other sizes; "
                           "only along axis %d they may",
                           (int)d, type_print(a).text, type_print(b).text, (int)axis),
                1, d, b->dims[d], a->dims[d]);
    }
    return TOSAJIT_OK;
}

static tosajit_status infer_pad(const view_use *u) {
    const int64_t *padding = u->attributes->numbers;
    const tosajit_tensor_type *a = u->operand, *b = a + 1;
    bool one = b->rank != TOSAJIT_UNRANKED;
    for (int32_t d = 0; d < b->rank; d++) one = one && b->dims[d] == 1;
    tosajit_status status = check_list(u, "padding", 2 * (size_t)a->rank);
    if (!status && !one)
        return diag_error(
            b->rank == TOSAJIT_UNRANKED ? TOSAJIT_UNRANKED_SHAPE : TOSAJIT_SHAPE_MISMATCH,
            "operand 1, %s, must have one element, which pads operand 0", type_print(b).text);
    for (int32_t d = 0; !status && d < 2 * a->rank; d++) {
        int64_t *size = &u->view->dims[d / 2];
        if (padding[d] < 0)
            return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                              "padding[%d] is %" PRId64 ", for dimension %d of operand 0, %s; it "
                              "is a number of elements",
                              (int)d, padding[d], (int)d / 2, type_print(a).text);
        if (*size == TOSAJIT_DYNAMIC) continue;
        if (*size > INT64_MAX - padding[d])
            return diag_error(TOSAJIT_OVERFLOW,
                              "dimension %d: %" PRId64 " and padding[%d], %" PRId64
                              ", are beyond 2^63 - 1",
                              (int)d / 2, *size, (int)d, padding[d]);
        *size += padding[d];
    }
    return status;
}

tosajit_status view_infer(tosajit_op op, const tosajit_tensor_type *operands,
                          const tosajit_attributes *attributes, tosajit_tensor_type *view) {
    const tosajit_tensor_type *operand = operands;
    const view_use u = {operand, attributes, view};
    if (operand->rank == TOSAJIT_UNRANKED)
        return diag_error(TOSAJIT_UNRANKED_SHAPE, "operand 0, %s, must have a rank",
                          type_print(operand).text);
    *view = *operand;
    switch (op) {
    case TOSAJIT_OP_reshape: return infer_reshape(&u);
    case TOSAJIT_OP_transpose: return infer_transpose(&u);
    case TOSAJIT_OP_slice: return infer_slice(&u);
    case TOSAJIT_OP_reverse: return infer_reverse(&u);
    case TOSAJIT_OP_concat: return infer_concat(&u);
    case TOSAJIT_OP_pad: return infer_pad(&u);
    default: return infer_tile(&u);
    }
}
