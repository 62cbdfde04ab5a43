/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/check/check.h"

#include <inttypes.h>

#include "runtime/base/diag.h"
#include "runtime/base/types.h"

/* The type of a tensor of the call, for messages. */
static type_text print_dims(const tosajit_tensor *tensor) {
    tosajit_tensor_type type = tosajit_ranked(tensor->element, tensor->rank, tensor->dims);
    return type_print(&type);
}

/* The error is about this tensor. */
static tosajit_status at(tosajit_status status, tensor_id id, int64_t dimension, int64_t found,
                         int64_t expected) {
    return (*id.kind == 'r' ? diag_result : diag_operand)(status, (int64_t)id.index, dimension,
                                                          found, expected);
}

tosajit_status check_type(const tosajit_tensor *tensor, const tosajit_tensor_type *type,
                          tensor_id id) {
    if (tensor->element != type->element) {
        const char *given = tosajit_type_name(tensor->element);
        return at(diag_error(TOSAJIT_TYPE_MISMATCH,
                             "%s %zu has elements of %s, but the kernel was compiled for %s",
                             id.kind, id.index, given ? given : "no known type",
                             type_print(type).text),
                  id, -1, DIAG_NONE, DIAG_NONE);
    }
    if (tensor->rank != type->rank)
        return at(diag_error(TOSAJIT_SHAPE_MISMATCH,
                             "%s %zu has rank %d, but the kernel was compiled for %s of rank %d",
                             id.kind, id.index, (int)tensor->rank, type_print(type).text,
                             (int)type->rank),
                  id, -1, tensor->rank, type->rank);
    if (tensor->rank > 0 && !tensor->dims)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s %zu: dims is a null pointer", id.kind,
                          id.index);
    for (int32_t d = 0; d < tensor->rank; d++) {
        if (tensor->dims[d] < 0)
            return at(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                 "%s %zu dimension %d: %" PRId64 " is not a size", id.kind,
                                 id.index, (int)d, tensor->dims[d]),
                      id, d, tensor->dims[d], DIAG_NONE);
        if (type->dims[d] != TOSAJIT_DYNAMIC && tensor->dims[d] != type->dims[d])
            return at(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                 "%s %zu dimension %d is %" PRId64
                                 ", but the kernel was compiled for %s",
                                 id.kind, id.index, (int)d, tensor->dims[d], type_print(type).text),
                      id, d, tensor->dims[d], type->dims[d]);
    }
    return TOSAJIT_OK;
}

/* Strides that were counted in elements would compute something else without a word. */
static tosajit_status refuse_stride(const tosajit_tensor *tensor, tensor_id id, int32_t d) {
    return diag_error(TOSAJIT_INVALID_ARGUMENT,
                      "%s %zu dimension %d: a stride of %" PRId64
                      " is no multiple of the %zu bytes of an %s; strides are in bytes "
                      "(the option any_strides allows any)",
                      id.kind, id.index, (int)d, tensor->strides[d],
                      tosajit_type_size(tensor->element), tosajit_type_name(tensor->element));
}

tosajit_status check_strides(const tosajit_tensor *tensor, tensor_id id, bool any_strides,
                             view *v) {
    const int64_t size = (int64_t)tosajit_type_size(tensor->element), unit = any_strides ? 1 : size;
    int64_t dense = size;
    v->tensor = *tensor;
    v->tensor.strides = v->strides;
    v->low = 0;
    v->empty = false;
    for (int32_t d = 0; d < tensor->rank; d++) {
        v->strides[d] = 0;
        v->empty |= tensor->dims[d] == 0;
    }
    v->high = v->empty ? 0 : size;
    for (int32_t d = v->empty ? 0 : tensor->rank; d-- > 0;) {
        const int64_t stride = tensor->strides ? tensor->strides[d] : dense,
                      steps = tensor->dims[d] - 1;
        int64_t span;
        if (steps == 0) continue; /* the stride of a single index is not used */
        if (stride == INT64_MIN || !size_multiply(steps, size_without_sign(stride), &span) ||
            span > INT64_MAX / 4 - v->high + v->low)
            return at(diag_error(TOSAJIT_OVERFLOW,
                                 "%s %zu dimension %d: %" PRId64
                                 " elements with a stride of %" PRId64
                                 " bytes exceed the address space",
                                 id.kind, id.index, (int)d, tensor->dims[d], stride),
                      id, d, tensor->dims[d], DIAG_NONE);
        if (stride & (unit - 1)) return refuse_stride(tensor, id, d);
        v->strides[d] = stride;
        *(stride < 0 ? &v->low : &v->high) += stride < 0 ? -span : span;
        if (!tensor->strides) dense *= tensor->dims[d];
    }
    return TOSAJIT_OK;
}

tosajit_status check_result_sizes(const view *result, tensor_id id, int32_t rank,
                                  const int64_t *sizes) {
    for (int32_t d = 0; d < rank; d++) {
        if (result->tensor.dims[d] == sizes[d]) continue;
        tosajit_tensor_type expected = tosajit_ranked(result->tensor.element, rank, sizes);
        return at(diag_error(TOSAJIT_SHAPE_MISMATCH,
                             "%s %zu dimension %d: the given size is %" PRId64
                             ", but the operands give %" PRId64 " (result %s, expected %s)",
                             id.kind, id.index, (int)d, result->tensor.dims[d], sizes[d],
                             print_dims(&result->tensor).text, type_print(&expected).text),
                  id, d, result->tensor.dims[d], sizes[d]);
    }
    return TOSAJIT_OK;
}

/* True if a size keeps a contract. */
static bool meets_contract(const tosajit_contract *c, int64_t size) {
    return size >= c->smallest && (!c->largest || size <= c->largest) &&
           (c->multiple < 2 || size % c->multiple == 0);
}

tosajit_status check_contracts(const tosajit_expr *program, const tosajit_tensor *operands) {
    for (size_t k = 0; k < program->contract_count; k++) {
        const expr_contract *promise = &program->contracts[k];
        const tosajit_contract *c = &promise->contract;
        int32_t operand = program->nodes[promise->input].tensor;
        int64_t size = operands[operand].dims[promise->dimension];
        if (!meets_contract(c, size))
            return diag_operand(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                           "operand %d dimension %d is %" PRId64
                                           ", against the contract: at least %" PRId64
                                           ", at most %" PRId64 ", a multiple of %" PRId64,
                                           (int)operand, (int)promise->dimension, size, c->smallest,
                                           c->largest ? c->largest : INT64_MAX,
                                           c->multiple ? c->multiple : 1),
                                operand, promise->dimension, size, DIAG_NONE);
    }
    return TOSAJIT_OK;
}
