/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Workloads: the expressions that are measured, as tables of texts. In: nothing. Out: kernels, and
 * the peer that computes the same. */
#ifndef TOSAJIT_BENCH_WORKLOADS_H
#define TOSAJIT_BENCH_WORKLOADS_H

#include <stdbool.h>

#include "bench/external.h"
#include "bench/peers.h"
#include "tosajit/tosajit.h"

enum { WORKLOAD_MAX_OPERANDS = 5 };

/* How an operand covers a result of rows x cols. */
typedef enum form { FORM_FULL, FORM_SCALAR, FORM_ROW, FORM_COLUMN } form;

typedef struct workload {
    const char *name, *text; /* of operands x, y, z, u, v; # stands for scales */
    int operand_count;
    tosajit_type types[WORKLOAD_MAX_OPERANDS], result;
    form forms[WORKLOAD_MAX_OPERANDS];
    int64_t channels; /* the innermost size, each with a scale of its own; 0: one scale */
    bool is_op;       /* libraries have it: this op, with bounds if it is bounded */
    tosajit_op op;
    float low, high; /* equal: no bounds */
    external_function
        function;   /* what the whole is called where libraries have it as one operator */
    bool functions; /* it has one, such as exp, that TOSAJIT_REPRODUCIBLE computes in another way */
    bool positive;  /* operand 0 is taken from the positive numbers */
    bool sums;      /* operands of i32 are sums of products of bytes */
    double tolerance;   /* of f32 results against the peer */
    peer *loop, *copy;  /* loop null: precompiled ops judge; copy null: none that is written out */
    peer *const *sleef; /* the same with SLEEF's functions; null: the op's, or none */
} workload;

extern const workload workload_adds[], workload_broadcasts[], workload_ops[], workload_maths[],
    workload_chains[], workload_offsets[], workload_narrows[], workload_bytes[];

/* The end of each list has no name. */
const workload *workload_find(const char *name);

/* Bytes that a pass over operands and result has to move. */
int64_t workload_traffic(const workload *w, int64_t rows, int64_t cols);

/* dims receives the two sizes of an operand of that form. */
void workload_dims(form f, int64_t rows, int64_t cols, int64_t *dims);

/* The kernel, whose operands are in order. Sizes are static unless `dynamic`, but for channels.
 * Null: tosajit_last_error says why. */
tosajit_kernel *workload_compile(tosajit_engine *engine, const workload *w,
                                 tosajit_accuracy accuracy, int64_t rows, int64_t cols,
                                 bool dynamic);

#endif
