/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stages: the parts of a kernel that reads its own results, one after the other, block by block. */
#ifndef TOSAJIT_RUNTIME_RUN_STAGES_H
#define TOSAJIT_RUNTIME_RUN_STAGES_H

#include "runtime/code/code.h"
#include "runtime/run/launch.h"
#include "runtime/run/overlap.h"

/* How a call is cut. */
typedef struct stage_blocks {
    int32_t rank;
    int64_t sizes[TOSAJIT_MAX_RANK]; /* of a block */
    int64_t count, tasks;            /* blocks; what threads share: blocks in a row */
    int64_t scratch_bytes;           /* of a task */
} stage_blocks;

/* The same as a run has it, for those who look at it. OVERFLOW. */
tosajit_status stages_explain(const tosajit_kernel *kernel, view *tensors, stage_blocks *b);

/* A call of one block, of which everything is settled but where its tensors lie: a call of the code
 * for each part, on pointers that are `at` bytes from where tensor `base` begins. */
enum { STAGE_PARTS = 6, STAGE_TENSORS = 8, STAGE_SCRATCH = LAUNCH_TENSORS, STAGE_CONSTANT };
typedef struct stage_step {
    int64_t planes, rows, cols;
    int64_t at[STAGE_TENSORS], strides[3 * STAGE_TENSORS];
    int32_t tensors;
    uint8_t base[STAGE_TENSORS]; /* operands, then results; scratch; none, `at` is an address */
} stage_step;
typedef struct stage_launch {
    int64_t bytes[LAUNCH_TENSORS]; /* from the first to the last, of operands, then results */
    int64_t scratch_bytes;         /* on the stack */
    stage_step steps[STAGE_PARTS];
} stage_launch;

/* Words of 64 bits that count of so many parts. */
static inline size_t stage_launch_words(int32_t parts) {
    return (offsetof(stage_launch, steps) + (size_t)parts * sizeof(stage_step)) / sizeof(int64_t);
}

/* Operands and results of a kernel whose calls may be launched so; else 0 results. */
kernel_counts stage_launch_counts(const tosajit_kernel *kernel);
/* False if a call that was checked is none of these. */
bool stage_launch_make(const tosajit_kernel *kernel, const code_part *code, view *tensors,
                       stage_launch *l);
/* False, and nothing done, if tensors share memory. `data`: operands, then results. */
bool stage_launch_run(const stage_launch *l, const tosajit_kernel *kernel, const code_part *code,
                      kernel_counts n, void *const *data);

/* Compute all parts of a call that was checked. OUT_OF_MEMORY before anything is written. */
tosajit_status stages_run(const tosajit_kernel *kernel, const code_part *code,
                          const tosajit_parallel *parallel, view *tensors);

#endif
