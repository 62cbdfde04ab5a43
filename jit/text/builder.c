/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "jit/text/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/types.h"

bool build_fail(builder *b, text_span where, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(b->error->text, sizeof b->error->text, format, arguments);
    va_end(arguments);
    b->error->where = where;
    b->error->status = TOSAJIT_INVALID_ARGUMENT;
    b->error->about = diag_nothing();
    return false;
}

bool build_fail_memory(builder *b, text_span where) {
    build_fail(b, where, "out of memory");
    b->error->status = TOSAJIT_OUT_OF_MEMORY;
    return false;
}

/* The library's message, without the number of the value in front: the place says which it is. */
bool build_fail_status(builder *b, text_span where, tosajit_status status) {
    const char *message = tosajit_last_error(), *rest = message + 1;
    while (*message == '%' && *rest >= '0' && *rest <= '9') rest++;
    const bool numbered = *message == '%' && rest > message + 1 && strncmp(rest, " = ", 3) == 0;
    char copy[TEXT_MESSAGE_CAPACITY];
    snprintf(copy, sizeof copy, "%s", numbered ? rest + 3 : message);
    build_fail(b, where, "%s", copy);
    b->error->status = status;
    b->error->about = diag_about();
    return false;
}

tosajit_tensor_type build_type_of(const builder *b, tosajit_value value) {
    tosajit_tensor_type type = {TOSAJIT_F32, 0, {0}};
    tosajit_expr_type(b->expr, value, &type);
    return type;
}

static bool add_constant(builder *b, text_span where, const tosajit_tensor_type *type,
                         const void *data, tosajit_value *value) {
    tosajit_status status = tosajit_expr_constant(b->expr, type, data, value);
    return !status || build_fail_status(b, where, status);
}

bool build_is_literal(const builder *b, int32_t node) {
    return b->line->nodes[node].kind == TEXT_LITERAL;
}

bool build_use_literal(builder *b, int32_t node, literal_use use, tosajit_value *value) {
    const text_list *list = &b->line->lists[b->line->nodes[node].what];
    text_span where = b->line->nodes[node].span;
    tosajit_tensor_type type = {.element = use.element,
                                .rank = list->rank > use.rank ? list->rank : use.rank};
    size_t size = tosajit_type_size(use.element);
    const size_t room = list->count + 1; /* a list may be empty */
    char *data = memory_new(&b->line->allocator, room, size);
    if (!data) return build_fail_memory(b, where);
    bool fine = true;
    for (int32_t d = 0; d < type.rank; d++) {
        int32_t own = d - (type.rank - list->rank);
        type.dims[d] = own < 0 ? 1 : list->dims[own];
    }
    for (size_t k = 0; fine && k < list->count; k++) {
        fine = text_store(use.element, &b->line->numbers[list->first + k], use.is_unsigned,
                          data + k * size, b->error);
        if (!fine) b->error->where = where;
    }
    fine = fine && add_constant(b, where, &type, data, value);
    memory_free(&b->line->allocator, data, room, size);
    return fine;
}

/* The value of a node; a literal gets the element type and, at least, the rank of `like`. */
bool build_value_like(builder *b, int32_t node, tosajit_value like, tosajit_value *value) {
    *value = b->values[node];
    if (!build_is_literal(b, node)) return true;
    tosajit_tensor_type type = build_type_of(b, like);
    return build_use_literal(
        b, node, (literal_use){type.element, type.rank > 0 ? type.rank : 0, false}, value);
}

bool build_fail_no_type(builder *b, text_span where) {
    return build_fail(
        b, where, "a number takes its type from the other operand, and here is none; write f32(2)");
}

/* A whole number, with its sign. */
bool build_to_integer(const text_number *number, int64_t *integer) {
    if (!number->whole || number->magnitude > INT64_MAX) return false;
    *integer = number->negative ? -(int64_t)number->magnitude : (int64_t)number->magnitude;
    return true;
}

/* A dimension, which counts from the end where it is negative. */
bool build_to_axis(builder *b, text_span where, const char *name, const text_number *number,
                   const tosajit_tensor_type *type, int64_t *axis) {
    if (!number || !number->whole || number->magnitude > TOSAJIT_MAX_RANK)
        return build_fail(b, where, "%s is a dimension: a whole number, from the end if negative",
                          name);
    *axis = number->negative ? type->rank - (int64_t)number->magnitude : (int64_t)number->magnitude;
    if (*axis >= 0 && *axis < type->rank) return true;
    return build_fail(b, where, "%s %s%d is no dimension of %s, which has rank %d", name,
                      number->negative ? "-" : "", (int)number->magnitude, type_print(type).text,
                      (int)type->rank);
}
