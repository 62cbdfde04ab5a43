/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Element types and shapes. */
#include "runtime/base/types.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "tosajit/inspect.h"

static const struct {
    const char *name;
    uint8_t size, width;
    bool is_unsigned;
} elements[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_I1] = {"i1", 1, 1, false},         [TOSAJIT_I8] = {"i8", 1, 8, false},
    [TOSAJIT_I16] = {"i16", 2, 16, false},      [TOSAJIT_I32] = {"i32", 4, 32, false},
    [TOSAJIT_I48] = {"i48", 8, 48, false},      [TOSAJIT_I64] = {"i64", 8, 64, false},
    [TOSAJIT_F16] = {"f16", 2, 16, false},      [TOSAJIT_BF16] = {"bf16", 2, 16, false},
    [TOSAJIT_F32] = {"f32", 4, 32, false},      [TOSAJIT_F8E4M3FN] = {"f8E4M3FN", 1, 8, false},
    [TOSAJIT_F8E5M2] = {"f8E5M2", 1, 8, false}, [TOSAJIT_F64] = {"f64", 8, 64, false},
    [TOSAJIT_U8] = {"u8", 1, 8, true},          [TOSAJIT_U16] = {"u16", 2, 16, true},
    [TOSAJIT_U32] = {"u32", 4, 32, true},       [TOSAJIT_U64] = {"u64", 8, 64, true},
};

const char *tosajit_type_name(tosajit_type type) {
    return type_is_valid(type) ? elements[type].name : NULL;
}
size_t tosajit_type_size(tosajit_type type) {
    return type_is_valid(type) ? elements[type].size : 0;
}
int type_width(tosajit_type type) { return elements[type].width; }
bool type_is_unsigned(tosajit_type type) { return elements[type].is_unsigned; }

int64_t type_least(tosajit_type type) {
    return type_is_unsigned(type) ? 0 : type_min(type_width(type));
}
int64_t type_greatest(tosajit_type type) {
    return type_is_unsigned(type) ? type_wrap(type, UINT64_MAX) : type_max(type_width(type));
}
bool type_has(tosajit_type type, int64_t value) {
    return type_wrap(type, (uint64_t)value) == value;
}
double type_number(tosajit_type type, int64_t value) {
    return type_is_unsigned(type) ? (double)(uint64_t)value : (double)value;
}

integer_text type_print_integer(tosajit_type type, int64_t value) {
    integer_text t;
    snprintf(t.text, sizeof t.text, type_is_unsigned(type) ? "%" PRIu64 : "%" PRId64, value);
    return t;
}

int64_t type_wrap(tosajit_type type, uint64_t bits) {
    const int unused = 64 - type_width(type);
    return type_is_unsigned(type) ? (int64_t)(bits << unused >> unused)
                                  : (int64_t)(bits << unused) >> unused;
}

tosajit_type tosajit_type_find(const char *name) {
    for (int t = 0; name && t < TOSAJIT_TYPE_COUNT; t++)
        if (strcmp(elements[t].name, name) == 0) return (tosajit_type)t;
    return TOSAJIT_TYPE_COUNT;
}

size_t tosajit_type_print(const tosajit_tensor_type *type, char *text, size_t capacity) {
    char whole[TYPE_TEXT_CAPACITY];
    size_t used = (size_t)snprintf(whole, sizeof whole, "tensor<");
    if (type->rank < TOSAJIT_UNRANKED || type->rank > TOSAJIT_MAX_RANK)
        used +=
            (size_t)snprintf(whole + used, sizeof whole - used, "of rank %d: ", (int)type->rank);
    if (type->rank == TOSAJIT_UNRANKED)
        used += (size_t)snprintf(whole + used, sizeof whole - used, "*x");
    for (int32_t d = 0; d < type->rank && d < TOSAJIT_MAX_RANK; d++) {
        if (type->dims[d] == TOSAJIT_DYNAMIC)
            used += (size_t)snprintf(whole + used, sizeof whole - used, "?x");
        else
            used +=
                (size_t)snprintf(whole + used, sizeof whole - used, "%" PRId64 "x", type->dims[d]);
    }
    const char *element = tosajit_type_name(type->element);
    used +=
        (size_t)snprintf(whole + used, sizeof whole - used, "%s>", element ? element : "invalid");
    if (capacity) snprintf(text, capacity, "%s", whole);
    return used;
}

type_text type_print(const tosajit_tensor_type *type) {
    type_text t;
    tosajit_type_print(type, t.text, sizeof t.text);
    return t;
}

tosajit_status type_check(const tosajit_tensor_type *type, const char *what) {
    if (!type) return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s: the type is a null pointer", what);
    if (!type_is_valid(type->element))
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s: %d is not an element type", what,
                          (int)type->element);
    if (type->rank == TOSAJIT_UNRANKED) return TOSAJIT_OK;
    if (type->rank < 0 || type->rank > TOSAJIT_MAX_RANK)
        return diag_error(TOSAJIT_LIMIT_EXCEEDED, "%s: rank %d is not in 0..%d", what,
                          (int)type->rank, TOSAJIT_MAX_RANK);
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] != TOSAJIT_DYNAMIC && type->dims[d] < 1)
            return diag_error(TOSAJIT_SHAPE_MISMATCH,
                              "%s dimension %d: a static size is at least 1, not %" PRId64
                              "; a size that may be 0 is dynamic",
                              what, (int)d, type->dims[d]);
    return type_check_size(type->element, type->rank, type->dims, what);
}

tosajit_status type_check_operands(const tosajit_tensor_type *operands, size_t count) {
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; !status && k < count; k++) {
        char what[32];
        snprintf(what, sizeof what, "operand %zu", k);
        status = type_check(&operands[k], what);
    }
    return status;
}

tosajit_status type_check_size(tosajit_type element, int32_t rank, const int64_t *dims,
                               const char *what) {
    int64_t bytes = (int64_t)tosajit_type_size(element);
    for (int32_t d = 0; d < rank; d++)
        if (dims[d] != TOSAJIT_DYNAMIC && !size_multiply(bytes, dims[d], &bytes)) {
            tosajit_tensor_type type = tosajit_ranked(element, rank, dims);
            return diag_error(TOSAJIT_OVERFLOW, "%s: %s has more than 2^63 - 1 bytes", what,
                              type_print(&type).text);
        }
    return TOSAJIT_OK;
}

bool size_count(int32_t rank, const int64_t *dims, int64_t *count) {
    /* A zero anywhere makes the tensor empty, however large the other sizes are. */
    *count = 1;
    for (int32_t d = 0; d < rank; d++)
        if (dims[d] == 0) return *count = 0, true;
    for (int32_t d = 0; d < rank; d++)
        if (!size_multiply(*count, dims[d], count)) return false;
    return true;
}
