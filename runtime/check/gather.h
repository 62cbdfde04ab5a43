/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gather and scatter: checks the indices of a call before anything is written. An operand's indices
 * are checked here; computed ones are checked after the first pass, which computes them
 * (runtime/run/stages.c, runtime/interpret). */
#ifndef TOSAJIT_RUNTIME_CHECK_GATHER_H
#define TOSAJIT_RUNTIME_CHECK_GATHER_H

#include "runtime/check/overlap.h"

/* Facts of a call about a part that gathers or scatters. */
typedef struct gather_call {
    tosajit_index_mode mode;
    bool once;             /* no index may occur twice */
    tosajit_type element;  /* of what is gathered, or scattered into */
    tosajit_type index;    /* of the indices: i32 or i64 */
    int64_t count, stride; /* of the indexed dimension: elements, and bytes between them */
} gather_call;
gather_call gather_call_of(const callee *kernel, const plan_part *part, const view *tensors);

/* True if all indices are legal that a walk of one tensor finds, which is coalesced here. Else *bad
 * is one that is not. Of those that may occur once dimension 0 is the one along which. */
bool gather_are_legal(const callee *kernel, const gather_call *call, walk *w, const void *first,
                      int64_t *bad);

/* INDEX_OUT_OF_RANGE, in words. */
tosajit_status gather_refuse(const callee *kernel, const plan_part *part, const view *tensors,
                             int64_t bad);

/* INDEX_OUT_OF_RANGE if an index that no part computes is illegal; or any, of a dimension that has
 * no elements. */
tosajit_status gather_check(const callee *kernel, const view *tensors);

#endif
