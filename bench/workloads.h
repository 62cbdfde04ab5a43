/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Workloads: the expressions that are measured, as tables. In: nothing. Out: programs that can be
 * built as one fused kernel or as one kernel per step, with the peer that computes the same. */
#ifndef TOSAJIT_BENCH_WORKLOADS_H
#define TOSAJIT_BENCH_WORKLOADS_H

#include <stdbool.h>

#include "bench/external.h"
#include "bench/peers.h"
#include "tosajit/tosajit.h"

enum {
    WORKLOAD_MAX_STEPS = 10,
    WORKLOAD_MAX_OPERANDS = 5,
    WORKLOAD_MAX_CONSTANTS = 4,
    /* How a step names its operands: an operand of the workload, a constant, an earlier step. */
    VALUE_OPERAND = 0,
    VALUE_CONSTANT = 16,
    VALUE_STEP = 32,
};

/* How an operand covers a result of rows x cols. */
typedef enum form { FORM_FULL, FORM_SCALAR, FORM_ROW, FORM_COLUMN } form;

typedef struct step {
    tosajit_op op;
    int operands[TOSAJIT_MAX_ARITY];
    int slot; /* result buffer when it runs on its own; the last step's is 0 */
} step;

typedef struct workload {
    const char *name;
    int operand_count;
    tosajit_type types[WORKLOAD_MAX_OPERANDS], result;
    form forms[WORKLOAD_MAX_OPERANDS];
    int step_count;
    step steps[WORKLOAD_MAX_STEPS];
    float constants[WORKLOAD_MAX_CONSTANTS];
    tosajit_attributes attributes; /* of the last step */
    int32_t multiplier, shift;     /* parameters of a rescale */
    external_function
        function;       /* what the whole is called where libraries have it as one operator */
    bool positive;      /* operand 0 is taken from the positive numbers */
    bool widens;        /* intermediate values are i32; else of operand 0's type */
    double tolerance;   /* of f32 results against the peer */
    peer *loop, *copy;  /* copy: null where no copy moves as many bytes */
    peer *const *sleef; /* the same with SLEEF's functions; null: none */
} workload;

extern const workload workload_adds[], workload_broadcasts[], workload_ops[], workload_maths[],
    workload_chains[], workload_offsets[], workload_narrows[];
extern const int workload_add_count, workload_broadcast_count, workload_op_count,
    workload_math_count, workload_chain_count, workload_offset_count, workload_narrow_count;

const workload *workload_find(const char *name);

/* The element type of what a step makes. */
tosajit_type workload_step_type(const workload *w, int step);
/* Whether a step is a function, such as exp, that TOSAJIT_FAST computes in another way; or
 * reciprocal, which is measured with them. */
bool workload_has_function(const workload *w);

/* Bytes that a pass over operands and result has to move. */
int64_t workload_traffic(const workload *w, int64_t rows, int64_t cols);

/* dims receives the two sizes of an operand of that form. */
void workload_dims(form f, int64_t rows, int64_t cols, int64_t *dims);

/* A kernel of the steps first .. first + count - 1, its operands those values that the steps take
 * from outside, in order of first use; sources receives which. Sizes are static unless `dynamic`.
 * Null: tosajit_last_error says why. */
tosajit_kernel *workload_compile(tosajit_engine *engine, const workload *w, int first, int count,
                                 int64_t rows, int64_t cols, int dynamic, int *sources);
/* The whole, with that accuracy. */
tosajit_kernel *workload_compile_all(tosajit_engine *engine, const workload *w,
                                     tosajit_accuracy accuracy, int64_t rows, int64_t cols,
                                     bool dynamic, int *sources);

#endif
