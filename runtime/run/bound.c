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
#include "runtime/check/viewed.h"

struct tosajit_bound {
    launch_function *run;      /* null: its launch can't be planned */
    const launch *launches[2]; /* no result lies on an operand; one does */
    tosajit_kernel *kernel;    /* a reference */
    size_t bytes;              /* of all this, with launches, sizes and strides */
    size_t operand_count, result_count;
    tosajit_tensor tensors[]; /* operands, then results */
};

/* ---------------------------------------------------------------------------------------------
 * Running */

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
    if (code && bound->run && !bound->kernel->verbose &&
        bound->run(bound->launches, bound->kernel, code->parts, data))
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
static void prepare(tosajit_bound *b, view *tensors, const viewed *v, int64_t *to) {
    const kernel_code *code = atomic_load_explicit(&b->kernel->code, memory_order_acquire);
    for (int shared = 0; shared < 2; shared++) {
        launch p; /* not cleared: see walk.h */
        if (!launch_make(b->kernel, code ? code->parts : NULL, tensors, v, shared, &p)) return;
        const size_t words = launch_words(&p);
        b->launches[shared] = memcpy(to, &p, words * sizeof *to);
        to += words;
    }
    b->run = launch_function_of(b->kernel);
}

/* The call, as if its tensors had memory: what views see of them is counted from there. */
static run_call lend_memory(const run_call *c, tosajit_tensor *lent) {
    for (size_t t = 0; t < c->operand_count + c->result_count; t++) {
        lent[t] = t < c->operand_count ? c->operands[t] : c->results[t - c->operand_count];
        lent[t].data = (void *)(uintptr_t)CODE_MAX_ALIGNMENT;
    }
    return (run_call){lent, lent + c->operand_count, c->operand_count, c->result_count,
                      c->parallel};
}

/* Checks all but memory. */
static tosajit_status check(const tosajit_kernel *kernel, run_call c, viewed *v, view *tensors) {
    tosajit_tensor lent[LAUNCH_TENSORS];
    const kernel_counts n = kernel->counts;
    if (kernel->views && n.results && c.operand_count == (size_t)n.operands &&
        c.result_count == (size_t)n.results)
        c = lend_memory(&c, lent);
    return run_check(kernel, &c, v, tensors);
}

/* Sizes and strides of the call's tensors, and room for so many words of each launch behind them,
 * which *launches points to; null: no memory. */
static tosajit_bound *new_bound(tosajit_kernel *kernel, const run_call *c, size_t words,
                                int64_t **launches) {
    const size_t count = c->operand_count + c->result_count,
                 each = sizeof(tosajit_tensor) + sizeof(bound_numbers),
                 bytes = sizeof(tosajit_bound) + count * each + 2 * words * sizeof(int64_t);
    tosajit_bound *b = memory_new(&kernel->allocator, 1, bytes);
    if (!b) return NULL;
    tosajit_kernel_retain(b->kernel = kernel);
    b->bytes = bytes;
    b->operand_count = c->operand_count;
    b->result_count = c->result_count;
    bound_numbers *own = (bound_numbers *)(b->tensors + count);
    for (size_t k = 0; k < c->operand_count; k++) keep(&c->operands[k], own++, &b->tensors[k]);
    for (size_t r = 0; r < c->result_count; r++)
        keep(&c->results[r], own++, &b->tensors[c->operand_count + r]);
    *launches = (int64_t *)own;
    return b;
}

tosajit_status tosajit_bind(tosajit_kernel *kernel, const tosajit_tensor *operands,
                            size_t operand_count, const tosajit_tensor *results,
                            size_t result_count, tosajit_bound **bound) {
    if (!kernel || (operand_count && !operands) || !results || !bound)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "bind: kernel, operands, results or bound is a null pointer");
    tosajit_tensor seen[viewed_count(kernel->views)]; /* not cleared, like the next three */
    viewed_numbers numbers[viewed_count(kernel->views)];
    viewed_caller callers[viewed_caller_count(kernel->views)];
    view tensors[kernel_view_count(kernel)];
    viewed v = {.tensors = seen, .numbers = numbers, .callers = callers};
    const run_call c = {operands, results, operand_count, result_count, &kernel->parallel};
    tosajit_status status = check(kernel, c, &v, tensors);
    if (status) return status;
    const size_t words = kernel->counts.results ? launch_most_words(kernel) : 0;
    int64_t *launches;
    tosajit_bound *b = new_bound(kernel, &c, words, &launches);
    if (!b) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a bound call");
    if (words) prepare(b, tensors, kernel->views ? &v : NULL, launches);
    *bound = b;
    return TOSAJIT_OK;
}

void tosajit_bound_release(tosajit_bound *bound) {
    if (!bound) return;
    tosajit_kernel *kernel = bound->kernel;
    memory_free(&kernel->allocator, bound, 1, bound->bytes);
    tosajit_kernel_release(kernel);
}
