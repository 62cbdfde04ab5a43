/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A call of a kernel with views: the tensors that its program is about, seen through the views of
 * the caller's own (runtime/expr/views.h). In: operands and results as the caller has them. Out:
 * others of other sizes and strides on the same memory. Nothing is copied, allocated or written. */
#ifndef TOSAJIT_RUNTIME_CHECK_VIEWED_H
#define TOSAJIT_RUNTIME_CHECK_VIEWED_H

#include "runtime/check/callee.h"

/* A tensor of the caller's: where it begins, and the bytes that it touches from there. */
typedef struct viewed_caller {
    void *data;
    int64_t low, high;
    bool empty;
} viewed_caller;

typedef struct viewed_numbers {
    int64_t dims[TOSAJIT_MAX_RANK], strides[TOSAJIT_MAX_RANK];
    int32_t from; /* of which of the caller's it is seen, results behind operands; -1: a constant */
} viewed_numbers;

/* Operands, then results: arrays of whoever asks, of viewed_count(views), and of
 * viewed_caller_count. Tensors refer to numbers. */
typedef struct viewed {
    size_t operand_count, result_count;
    tosajit_tensor *tensors;
    viewed_numbers *numbers;
    viewed_caller *callers;
} viewed;

/* Of a kernel without views there is one of each, which nobody looks at. */
static inline size_t viewed_count(const expr_views *views) {
    return views ? (size_t)(views->operand_count + views->source->result_count) : 1;
}
static inline size_t viewed_caller_count(const expr_views *views) {
    return views ? (size_t)(views->source->input_count + views->caller->result_count) : 1;
}

/* results may be null: then there are none. TYPE_MISMATCH, SHAPE_MISMATCH, INVALID_ARGUMENT, as of
 * tosajit_run; SHAPE_MISMATCH also for a tensor whose strides a reshape cannot join. */
tosajit_status viewed_make(const callee *kernel, const tosajit_tensor *operands,
                           size_t operand_count, const tosajit_tensor *results, size_t result_count,
                           viewed *v);

/* The sizes that result r has, of operands with these shapes: dims[r], of the types' ranks. */
tosajit_status viewed_results(const callee *kernel, const tosajit_tensor *operands,
                              size_t operand_count, int64_t (*dims)[TOSAJIT_MAX_RANK]);

#endif
