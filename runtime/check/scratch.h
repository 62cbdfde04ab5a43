/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scratch: what parts of a kernel compute for later ones alone. */
#ifndef TOSAJIT_RUNTIME_CHECK_SCRATCH_H
#define TOSAJIT_RUNTIME_CHECK_SCRATCH_H

#include "runtime/check/overlap.h"

/* How scratch lies: dense, one value behind the other. */
typedef struct scratch_value {
    int64_t dims[TOSAJIT_MAX_RANK], offset;
} scratch_value;
/* Which values are placed: all; those that one phase leaves to another; or the others, of a block,
 * of some parts. */
typedef enum scratch_choice { SCRATCH_ALL, SCRATCH_WHOLE, SCRATCH_BLOCK } scratch_choice;
typedef struct scratch {
    scratch_value *values; /* of whoever asks: plan.scratch_count, behind those of results */
    bool results;          /* those are scratch, too: of a pass that writes nothing */
    scratch_choice choice;
    int32_t begin, end; /* the parts, of a block */
    int64_t bytes;
} scratch;

/* The views of scratch values, behind those of operands, constants and results. `limits` are the
 * sizes of a block in `rank` dimensions; a part's dimensions align with the last of them. null: the
 * whole call at once. OVERFLOW. */
tosajit_status scratch_make(const callee *kernel, view *tensors, int32_t rank,
                            const int64_t *limits, scratch *s);
/* Where their memory is. */
void scratch_place(const callee *kernel, view *tensors, const scratch *s, char *memory);

#endif
