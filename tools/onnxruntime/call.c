/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A call of a region. In: the engine's tensors. Out: results in memory that the engine has
 * allocated, computed on its threads; or the library's sentence as the engine's status. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/onnxruntime/region.h"
#include "tosajit/graph.h"
#include "tosajit/inspect.h"

enum { SENTENCE = 512 };

typedef struct call {
    const region *r;
    ort_context *context;
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    int64_t dims[TOSAJIT_MAX_TENSORS][TOSAJIT_MAX_RANK]; /* of results */
    int64_t own[TOSAJIT_MAX_TENSORS][TOSAJIT_MAX_RANK];  /* of operands, where none are lent */
} call;

static ort_status *refuse(const ort_api *api, const char *text) {
    return ORT(api, CreateStatus)(ORT_CODE_INVALID_ARGUMENT, text);
}

/* The processors that this process may use. The engine does not say how many threads a session has;
 * with fewer of them the pieces of a call come one after the other, which costs nothing to speak
 * of. */
static size_t processors(void) {
    static atomic_size_t known;
    size_t count = atomic_load_explicit(&known, memory_order_relaxed);
    if (count) return count;
    cpu_set_t set;
    count = sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
    atomic_store_explicit(&known, count ? count : 1, memory_order_relaxed);
    return count ? count : 1;
}

/* ---------------------------------------------------------------------------------------------
 * Threads */

/* Tasks of a divided call. */
typedef struct pieces {
    void (*task)(void *argument, size_t index);
    void *argument;
    atomic_size_t begun;
} pieces;

static void run_piece(void *argument, size_t index) {
    pieces *p = argument;
    atomic_fetch_add_explicit(&p->begun, 1, memory_order_relaxed);
    p->task(p->argument, index);
}

/* The engine's pool. Should it refuse, which it does before it has begun, the caller computes. */
static void parallel_for(void *context, size_t count, void (*task)(void *argument, size_t index),
                         void *argument) {
    const call *c = context;
    const ort_api *api = c->r->api;
    pieces p = {task, argument, 0};
    ort_status *status = ORT(api, KernelContext_ParallelFor)(c->context, run_piece, count, 0, &p);
    if (status) ORT(api, ReleaseStatus)(status);
    if (status && atomic_load(&p.begun) == 0)
        for (size_t k = 0; k < count; k++) task(argument, k);
}

/* ---------------------------------------------------------------------------------------------
 * Tensors */

/* Type and sizes of a tensor, from an engine that does not lend them. */
static ort_status *copy_shape(call *c, size_t index, const ort_value *value, int *type,
                              size_t *rank) {
    const ort_api *api = c->r->api;
    ort_tensor_info *info;
    ort_status *status = ORT(api, GetTensorTypeAndShape)(value, &info);
    if (status) return status;
    status = ORT(api, GetTensorElementType)(info, type);
    if (!status) status = ORT(api, GetDimensionsCount)(info, rank);
    if (!status && *rank <= TOSAJIT_MAX_RANK)
        status = ORT(api, GetDimensions)(info, c->own[index], *rank);
    ORT(api, ReleaseTensorTypeAndShapeInfo)(info);
    return status;
}

static ort_status *refuse_type(const call *c, const char *kind, size_t index, const char *name,
                               int type, const tosajit_tensor_type *expected) {
    char text[SENTENCE], shape[256];
    tosajit_type_print(expected, shape, sizeof shape);
    snprintf(text, sizeof text,
             "%s %zu (%s) has elements of %s, but the kernel was compiled for %s", kind, index,
             name ? name : "?", region_type_name(type), shape);
    return refuse(c->r->api, text);
}

static ort_status *take_operand(call *c, size_t index) {
    const ort_api *api = c->r->api;
    const ort_value *value = NULL;
    const int64_t *dims = c->own[index];
    int type = 0;
    size_t rank = 0;
    void *data = NULL;
    ort_status *status = ORT(api, KernelContext_GetInput)(c->context, index, &value);
    if (!status && !value) return refuse(api, "an operand of the region is missing");
    if (!status)
        status =
            c->r->has_shapes
                ? ORT(api, GetTensorElementTypeAndShapeDataReference)(value, &type, &dims, &rank)
                : copy_shape(c, index, value, &type, &rank);
    /* The function is for reading and writing; a kernel only reads its operands. */
    if (!status) status = ORT(api, GetTensorMutableData)((ort_value *)(uintptr_t)value, &data);
    if (status) return status;
    if (rank > TOSAJIT_MAX_RANK)
        return refuse(api, "an operand of the region has over 16 dimensions");
    const tosajit_type element = c->r->elements[index];
    if (!region_takes(element, type)) {
        const tosajit_tensor_type expected = tosajit_kernel_operand_type(c->r->kernel, index);
        return refuse_type(c, "operand", index, tosajit_kernel_operand_name(c->r->kernel, index),
                           type, &expected);
    }
    c->operands[index] = tosajit_dense(element, data, (int32_t)rank, dims);
    return NULL;
}

static ort_status *make_result(call *c, size_t index) {
    const ort_api *api = c->r->api;
    tosajit_tensor *result = &c->results[index];
    ort_value *value = NULL;
    ort_status *status = ORT(api, KernelContext_GetOutput)(c->context, index, result->dims,
                                                           (size_t)result->rank, &value);
    if (!status && !value) return refuse(api, "a result of the region has no place");
    return status ? status : ORT(api, GetTensorMutableData)(value, &result->data);
}

/* ---------------------------------------------------------------------------------------------
 * Running */

static tosajit_status run(call *c) {
    const region *r = c->r;
    const tosajit_parallel threads = {parallel_for, c, processors()};
    return tosajit_run_parallel(r->kernel, c->operands, r->operand_count, c->results,
                                r->result_count, &threads);
}

static size_t bytes_of(const tosajit_tensor *tensor) {
    size_t bytes = tosajit_type_size(tensor->element);
    for (int32_t d = 0; d < tensor->rank; d++) bytes *= (size_t)tensor->dims[d];
    return bytes;
}

/* The engine has put the first result in place of an operand that a later result still reads. It
 * knows nothing of an order among results, so that one is computed elsewhere and copied. */
static ort_status *run_apart(call *c) {
    const size_t bytes = bytes_of(&c->results[0]);
    void *place = c->results[0].data;
    c->results[0].data = malloc(bytes);
    if (!c->results[0].data)
        return ORT(c->r->api, CreateStatus)(ORT_CODE_FAIL, "out of memory for a result");
    const tosajit_status status = run(c);
    if (!status) memcpy(place, c->results[0].data, bytes);
    free(c->results[0].data);
    return status ? refuse(c->r->api, tosajit_last_error()) : NULL;
}

ort_status *region_compute(void *kernel, ort_context *context) {
    region *r = kernel;
    if (region_begin(r)) return refuse(r->api, tosajit_last_error());
    call c; /* large; filled as far as there are tensors */
    c.r = r;
    c.context = context;
    ort_status *status = NULL;
    for (size_t k = 0; !status && k < r->operand_count; k++) status = take_operand(&c, k);
    if (status) return status;
    if (tosajit_kernel_results(r->kernel, c.operands, r->operand_count, c.results, r->result_count,
                               c.dims))
        return refuse(r->api, tosajit_last_error());
    for (size_t k = 0; !status && k < r->result_count; k++) status = make_result(&c, k);
    if (status) return status;
    const tosajit_status ran = run(&c);
    return ran == TOSAJIT_OVERLAP ? run_apart(&c)
           : ran                  ? refuse(r->api, tosajit_last_error())
                                  : NULL;
}
