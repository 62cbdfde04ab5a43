/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stages: the parts of a kernel that reads its own results, one after the other, block by block. */
#ifndef TOSAJIT_RUNTIME_RUN_STAGES_H
#define TOSAJIT_RUNTIME_RUN_STAGES_H

#include "runtime/code/code.h"
#include "runtime/run/launch.h"
#include "runtime/check/overlap.h"

/* How a call is cut: the first of its phases. */
typedef struct stage_blocks {
    int32_t phases, rank;
    int64_t sizes[TOSAJIT_MAX_RANK]; /* of a block */
    int64_t count, tasks;            /* blocks; what threads share: blocks in a row */
    int64_t scratch_bytes;           /* of a task */
} stage_blocks;

/* The same as a run has it, for those who look at it. OVERFLOW. */
tosajit_status stages_explain(const tosajit_kernel *kernel, view *tensors, stage_blocks *b);

/* The steps of a checked call, of one block by one thread, with scratch counted from 0; their
 * tensors are still to be placed. False if the call has several blocks or threads. */
bool stages_launch(const tosajit_kernel *kernel, const code_part *code, view *tensors, launch *p);

/* Compute all parts of a call that was checked. OUT_OF_MEMORY before anything is written. */
tosajit_status stages_run(const tosajit_kernel *kernel, const code_part *code,
                          const tosajit_parallel *parallel, view *tensors);

#endif
