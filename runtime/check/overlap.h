/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Overlap: which bytes the tensors of a call share. A result may lie exactly on an operand, or
 * interleave with other tensors without a common byte; anything else is refused before a byte is
 * written.
 *
 * When may an operand be written over? When nothing reads it any more. Who reads is asked at three
 * depths, and each answers for itself:
 *
 *     parts     in their order: a result of a part may lie on what this part or an earlier one
 *               reads, and on nothing that a later one does (overlap_check)
 *     blocks    of all parts, in any order: they are cut along dimensions that every part has in
 *               full, so that no other block reads those bytes (may_cut in stages.c)
 *     elements  of a part: loads, of reductions too, come before the store of the same places
 *               (step.c in jit/emit; first_writer in precompiled/make.c; op by op in interpret.c)
 */
#ifndef TOSAJIT_RUNTIME_CHECK_OVERLAP_H
#define TOSAJIT_RUNTIME_CHECK_OVERLAP_H

#include "runtime/check/callee.h"

/* A tensor of the call with strides filled in and the bytes that it touches, relative to data:
 * [low, high). Not to be copied: tensor.strides is this struct's own array. */
typedef struct view {
    tosajit_tensor tensor;
    int64_t strides[TOSAJIT_MAX_RANK];
    int64_t low, high;
    bool empty;
} view;

/* OVERLAP if an operand that is still read, or another result, shares a byte with a result in
 * another way than exactly in place. */
tosajit_status overlap_check(const callee *kernel, const view *operands, const view *results);

/* True if the operand's element for every index is as far from its first as the result's own, so
 * that one may lie on the other. */
bool overlap_same_places(const view *operand, const view *result);

/* OVERLAP if a strided result hits a byte twice. */
tosajit_status overlap_check_result(const view *result, size_t index);

#endif
