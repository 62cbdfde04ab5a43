/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bound calls: what tosajit_run finds out of types, sizes and strides, found out once. In: tensors
 * without memory. Out: a call that looks at pointers only, and at these completely: null pointers,
 * memory that is shared. What can't be planned, and what is wrong, is left to tosajit_run. */
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/run/launch.h"
#include "runtime/run/run.h"
#include "runtime/run/viewed.h"

typedef bool bound_function(const tosajit_bound *bound, const code_part *code, void *const *data);

struct tosajit_bound {
    bound_function *run;    /* null: its launch can't be planned */
    launch *launches[2];    /* no result lies on an operand; one does */
    tosajit_kernel *kernel; /* a reference */
    size_t bytes;           /* of all this, with launch plans, sizes and strides */
    size_t operand_count, result_count;
    tosajit_tensor tensors[]; /* operands, then results */
};

/* ---------------------------------------------------------------------------------------------
 * Running */

/* False if some memory is missing, or shared in a way that needs a closer look. */
SPECIALISED bool run_launch(const tosajit_bound *b, const code_part *code, kernel_counts n,
                            void *const *data) {
    for (int32_t t = 0; t < n.operands + n.results; t++)
        if (!data[t]) return false;
    return launch_run(b->launches[launch_is_shared(n, data)], b->kernel, code, n, data);
}

APART bool run_unary(const tosajit_bound *b, const code_part *code, void *const *data) {
    return run_launch(b, code, (kernel_counts){1, 1, 1}, data);
}

APART bool run_binary(const tosajit_bound *b, const code_part *code, void *const *data) {
    return run_launch(b, code, (kernel_counts){2, 2, 1}, data);
}

APART bool run_any(const tosajit_bound *b, const code_part *code, void *const *data) {
    return run_launch(b, code, b->kernel->counts, data);
}

static tosajit_status run_completely(const tosajit_bound *b, void *const *data) {
    const size_t count = b->operand_count + b->result_count;
    tosajit_tensor tensors[count];
    for (size_t t = 0; t < count; t++) {
        tensors[t] = b->tensors[t];
        tensors[t].data = data[t];
    }
    return tosajit_run(b->kernel, tensors, b->operand_count, tensors + b->operand_count,
                       b->result_count);
}

tosajit_status tosajit_bound_run(const tosajit_bound *bound, void *const *data) {
    if (!bound || !data)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "bound_run: bound or data is a null pointer");
    const kernel_code *code = atomic_load_explicit(&bound->kernel->code, memory_order_acquire);
    if (code && bound->run && !bound->kernel->verbose && bound->run(bound, &code->parts[0], data))
        return TOSAJIT_OK;
    return run_completely(bound, data);
}

/* ---------------------------------------------------------------------------------------------
 * Binding */

/* A tensor's own sizes and strides. */
typedef struct bound_numbers {
    int64_t dims[TOSAJIT_MAX_RANK], strides[TOSAJIT_MAX_RANK];
} bound_numbers;

/* Sizes and strides become the call's own. */
static void keep(const tosajit_tensor *from, bound_numbers *own, tosajit_tensor *to) {
    const size_t bytes = (size_t)from->rank * sizeof(int64_t);
    *to = *from;
    if (bytes && from->dims) to->dims = memcpy(own->dims, from->dims, bytes);
    if (bytes && from->strides) to->strides = memcpy(own->strides, from->strides, bytes);
}

/* Plan the launch of the call for both cases, if it can be. */
static void prepare(tosajit_bound *b, const view *operands, const view *results, int64_t *to) {
    static bound_function *const functions[] = {run_any, run_unary, run_binary};
    static const code_part unknown = {.masked = false};
    const kernel_code *code = atomic_load_explicit(&b->kernel->code, memory_order_acquire);
    for (int shared = 0; shared < 2; shared++) {
        launch p; /* not cleared: see walk.h */
        if (!launch_make(b->kernel, code ? code->parts : &unknown, operands, results, shared, &p))
            return;
        const size_t words = launch_words(p.w.rank, p.w.tensors);
        b->launches[shared] = memcpy(to, &p, words * sizeof *to);
        to += words;
    }
    b->run = functions[launch_arity(b->kernel->counts)];
}

/* What can be wrong but memory. */
static tosajit_status check(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                            size_t operand_count, const tosajit_tensor *results,
                            size_t result_count, view *tensors) {
    if (!kernel->views)
        return run_check(kernel, operands, operand_count, results, result_count, tensors);
    const size_t count = viewed_count(kernel);
    tosajit_tensor seen[count]; /* not cleared, like the next one */
    viewed_numbers numbers[count];
    viewed v = {.tensors = seen, .numbers = numbers};
    tosajit_status status = viewed_make(kernel, operands, operand_count, results, result_count, &v);
    return status ? status
                  : run_check(kernel, v.tensors, v.operand_count, v.tensors + v.operand_count,
                              v.result_count, tensors);
}

tosajit_status tosajit_bind(tosajit_kernel *kernel, const tosajit_tensor *operands,
                            size_t operand_count, const tosajit_tensor *results,
                            size_t result_count, tosajit_bound **bound) {
    if (!kernel || (operand_count && !operands) || !results || !bound)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "bind: kernel, operands, results or bound is a null pointer");
    view tensors[kernel_view_count(kernel)];
    tosajit_status status = check(kernel, operands, operand_count, results, result_count, tensors);
    if (status) return status;
    const size_t count = operand_count + result_count,
                 each = sizeof *operands + sizeof(bound_numbers);
    const kernel_counts n = kernel->counts;
    const size_t words = launch_words(kernel->plan.parts[0].rank, n.leaves + n.results),
                 bytes = sizeof(tosajit_bound) + count * each + 2 * words * sizeof(int64_t);
    tosajit_bound *b = memory_new(&kernel->allocator, 1, bytes);
    if (!b) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a bound call");
    tosajit_kernel_retain(b->kernel = kernel);
    b->bytes = bytes;
    b->operand_count = operand_count;
    b->result_count = result_count;
    bound_numbers *numbers = (bound_numbers *)(b->tensors + count);
    for (size_t k = 0; k < operand_count; k++) keep(&operands[k], numbers++, &b->tensors[k]);
    for (size_t r = 0; r < result_count; r++)
        keep(&results[r], numbers++, &b->tensors[operand_count + r]);
    if (n.results && !kernel->views)
        prepare(b, tensors, tensors + kernel->tensor_count, (int64_t *)numbers);
    *bound = b;
    return TOSAJIT_OK;
}

void tosajit_bound_release(tosajit_bound *bound) {
    if (!bound) return;
    tosajit_kernel *kernel = bound->kernel;
    memory_free(&kernel->allocator, bound, 1, bound->bytes);
    tosajit_kernel_release(kernel);
}
