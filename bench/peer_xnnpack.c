/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* XNNPACK through its operators, without a thread pool. Binary operators broadcast and clamp; unary
 * ones take one long row. */
#include <math.h>
#include <stdlib.h>
#include <xnnpack.h>

#include "bench/external.h"

typedef enum xnn_status binary_create(float low, float high, uint32_t flags, xnn_operator_t *made);
typedef enum xnn_status binary_setup(xnn_operator_t made, size_t rank_a, const size_t *dims_a,
                                     size_t rank_b, const size_t *dims_b, const float *a,
                                     const float *b, float *result, pthreadpool_t pool);
typedef enum xnn_status unary_create(size_t channels, size_t input_stride, size_t output_stride,
                                     uint32_t flags, xnn_operator_t *made);
typedef enum xnn_status unary_setup(xnn_operator_t made, size_t batch, const float *input,
                                    float *output, pthreadpool_t pool);

typedef struct row {
    binary_create *create_binary;
    binary_setup *setup_binary;
    unary_create *create_unary;
    unary_setup *setup_unary;
} row;

static const row rows[TOSAJIT_OP_COUNT] = {
    [TOSAJIT_OP_add] = {.create_binary = xnn_create_add_nd_f32,
                        .setup_binary = xnn_setup_add_nd_f32},
    [TOSAJIT_OP_sub] = {.create_binary = xnn_create_subtract_nd_f32,
                        .setup_binary = xnn_setup_subtract_nd_f32},
    [TOSAJIT_OP_mul] = {.create_binary = xnn_create_multiply_nd_f32,
                        .setup_binary = xnn_setup_multiply_nd_f32},
    [TOSAJIT_OP_maximum] = {.setup_binary = xnn_setup_maximum_nd_f32},
    [TOSAJIT_OP_minimum] = {.setup_binary = xnn_setup_minimum_nd_f32},
    [TOSAJIT_OP_sigmoid] = {.create_unary = xnn_create_sigmoid_nc_f32,
                            .setup_unary = xnn_setup_sigmoid_nc_f32},
    [TOSAJIT_OP_abs] = {.create_unary = xnn_create_abs_nc_f32, .setup_unary = xnn_setup_abs_nc_f32},
    [TOSAJIT_OP_negate] = {.create_unary = xnn_create_negate_nc_f32,
                           .setup_unary = xnn_setup_negate_nc_f32},
};

typedef struct prepared {
    external_request request;
    xnn_operator_t made;
} prepared;

/* Maximum and minimum are never clamped. */
static enum xnn_status create_operator(const external_request *r, xnn_operator_t *made) {
    const row *row = &rows[r->op];
    if (r->op == TOSAJIT_OP_maximum) return xnn_create_maximum_nd_f32(0, made);
    if (r->op == TOSAJIT_OP_minimum) return xnn_create_minimum_nd_f32(0, made);
    if (row->create_binary) return row->create_binary(r->low, r->high, 0, made);
    return row->create_unary(1, 1, 1, 0, made);
}

static bool supports(const external_request *r) {
    const row *row = &rows[r->op];
    /* This processor is none of its own. */
    if (r->function != EXTERNAL_OP || xnn_initialize(NULL)) return false;
    bool bounded = isfinite(r->low) || isfinite(r->high);
    if (bounded && !row->create_binary) return false;
    return (r->operand_count == 2 && row->setup_binary) ||
           (r->operand_count == 1 && row->setup_unary);
}

static bool setup(void *operator) {
    prepared *p = operator;
    const external_request *r = &p->request;
    if (r->operand_count == 1)
        return rows[r->op].setup_unary(p->made, (size_t)external_count(r), r->pointers[0],
                                       r->pointers[1], NULL) == xnn_status_success;
    size_t dims[2][EXTERNAL_MAX_RANK], rank = (size_t)r->rank;
    for (int k = 0; k < 2; k++)
        for (int32_t d = 0; d < r->rank; d++) dims[k][d] = (size_t)r->dims[k][d];
    return rows[r->op].setup_binary(p->made, rank, dims[0], rank, dims[1], r->pointers[0],
                                    r->pointers[1], r->pointers[2], NULL) == xnn_status_success;
}

static void destroy(void *operator) {
    prepared *p = operator;
    if (p->made) xnn_delete_operator(p->made);
    free(p);
}

static void *create(const external_request *r) {
    prepared *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->request = *r;
    if (!create_operator(r, &p->made) && setup(p)) return p;
    destroy(p);
    return NULL;
}

static void run(void *operator) {
    prepared *p = operator;
    xnn_run_operator(p->made, NULL);
}

const external external_xnnpack = {"xnnpack", false, supports, create, setup, run, destroy, true};
