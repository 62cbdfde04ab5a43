/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* oneDNN through its primitives, on one thread. Its second operand broadcasts, its first does not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>
#include <string.h>

#include "bench/external.h"

static const dnnl_alg_kind_t binaries[TOSAJIT_OP_COUNT] = {
    [TOSAJIT_OP_add] = dnnl_binary_add,     [TOSAJIT_OP_sub] = dnnl_binary_sub,
    [TOSAJIT_OP_mul] = dnnl_binary_mul,     [TOSAJIT_OP_maximum] = dnnl_binary_max,
    [TOSAJIT_OP_minimum] = dnnl_binary_min,
};
static const dnnl_alg_kind_t unaries[TOSAJIT_OP_COUNT] = {
    [TOSAJIT_OP_exp] = dnnl_eltwise_exp,   [TOSAJIT_OP_log] = dnnl_eltwise_log,
    [TOSAJIT_OP_tanh] = dnnl_eltwise_tanh, [TOSAJIT_OP_sigmoid] = dnnl_eltwise_logistic,
    [TOSAJIT_OP_abs] = dnnl_eltwise_abs,
};

static const dnnl_alg_kind_t functions[EXTERNAL_FUNCTIONS] = {
    [EXTERNAL_SWISH] = dnnl_eltwise_swish,
    [EXTERNAL_GELU_ERF] = dnnl_eltwise_gelu_erf,
    [EXTERNAL_GELU_TANH] = dnnl_eltwise_gelu_tanh};

/* The kind of a request of one operand; undef where there is none. */
static dnnl_alg_kind_t unary_kind(const external_request *r) {
    return r->function ? functions[r->function] : unaries[r->op];
}

typedef struct prepared {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    dnnl_memory_t memories[3];
    dnnl_exec_arg_t arguments[3];
    int argument_count;
} prepared;

static bool supports(const external_request *r) {
    if (isfinite(r->low) || isfinite(r->high)) return false;
    if (r->operand_count == 1) return unary_kind(r) != dnnl_alg_kind_undef;
    if (r->operand_count != 2 || binaries[r->op] == dnnl_alg_kind_undef) return false;
    for (int32_t d = 0; d < r->rank; d++)
        if (r->dims[0][d] != r->dims[2][d]) return false;
    return true;
}

/* The library's threads are OpenMP's, whose number is otherwise that of the machine before this
 * process was pinned. */
static void use_one_thread(void) {
    void (*set)(int);
    void *found = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
    memcpy(&set, &found, sizeof set);
    if (found) set(1);
}

static bool describe(const external_request *r, int tensor, dnnl_memory_desc_t *made) {
    static const dnnl_format_tag_t dense[] = {dnnl_format_tag_undef, dnnl_a, dnnl_ab, dnnl_abc,
                                              dnnl_abcd};
    dnnl_dims_t dims = {0};
    for (int32_t d = 0; d < r->rank; d++) dims[d] = r->dims[tensor][d];
    return dnnl_memory_desc_init_by_tag(made, r->rank, dims, dnnl_f32, dense[r->rank]) ==
           dnnl_success;
}

static bool make_primitive(prepared *p, const external_request *r) {
    dnnl_memory_desc_t tensors[3];
    dnnl_binary_desc_t binary;
    dnnl_eltwise_desc_t unary;
    const_dnnl_op_desc_t op =
        r->operand_count == 2 ? (const_dnnl_op_desc_t)&binary : (const_dnnl_op_desc_t)&unary;
    for (int k = 0; k <= r->operand_count; k++)
        if (!describe(r, k, &tensors[k])) return false;
    dnnl_status_t status =
        r->operand_count == 2
            ? dnnl_binary_desc_init(&binary, binaries[r->op], &tensors[0], &tensors[1], &tensors[2])
            : dnnl_eltwise_forward_desc_init(&unary, dnnl_forward_inference, unary_kind(r),
                                             &tensors[0], 1, 0);
    if (status || dnnl_primitive_desc_create(&p->description, op, NULL, p->engine, NULL))
        return false;
    if (dnnl_primitive_create(&p->primitive, p->description)) return false;
    const int roles[3] = {DNNL_ARG_SRC_0, r->operand_count == 2 ? DNNL_ARG_SRC_1 : DNNL_ARG_DST,
                          DNNL_ARG_DST};
    for (int k = 0; k <= r->operand_count; k++) {
        if (dnnl_memory_create(&p->memories[k], &tensors[k], p->engine, r->pointers[k]))
            return false;
        p->arguments[k] = (dnnl_exec_arg_t){roles[k], p->memories[k]};
    }
    p->argument_count = r->operand_count + 1;
    return true;
}

static void destroy(void *operator) {
    prepared *p = operator;
    for (int k = 0; k < 3; k++) dnnl_memory_destroy(p->memories[k]);
    dnnl_primitive_destroy(p->primitive);
    dnnl_primitive_desc_destroy(p->description);
    dnnl_stream_destroy(p->stream);
    dnnl_engine_destroy(p->engine);
    free(p);
}

static void *create(const external_request *r) {
    prepared *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    use_one_thread();
    if (!dnnl_engine_create(&p->engine, dnnl_cpu, 0) &&
        !dnnl_stream_create(&p->stream, p->engine, dnnl_stream_default_flags) &&
        make_primitive(p, r))
        return p;
    destroy(p);
    return NULL;
}

static void run(void *operator) {
    prepared *p = operator;
    dnnl_primitive_execute(p->primitive, p->stream, p->argument_count, p->arguments);
    dnnl_stream_wait(p->stream);
}

const external external_onednn = {"onednn", false, supports, create, NULL, run, destroy, false};
