/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* FastISel: the tricks that please LLVM's fast instruction selection, all in one place.
 *
 * That selection is the one of unoptimised code. It takes one instruction after the other, knows
 * nothing beyond the block that it is in, and so needs a third of the time. Of parts whose vectors
 * become few instructions it makes the loops that the full selection makes, if it is handed them
 * the way it wants. What it wants, and what is lost without it; instructions are those of the code
 * for add of f32, ?x? + ?x?, in all its loops, on AVX2 and AVX-512:
 *
 *     what it is given                 without it                                    AVX2  AVX-512
 *     `optnone`                        the full selection: 6.8 ms instead of 2.3        -        -
 *     a wide step of single vectors    a load apart from its op, for every vector    + 14     + 16
 *     splats where their scalar is     a vmovss beside the vbroadcastss              +  4     +  6
 *     frozen constants                 a vbroadcastss in every step (a + 3)          +  6     +  5
 *     a freeze before a lonely jump    a jmp around nothing, before and after loops  + 21     + 12
 *     the tail's column in bytes       a shift per tensor in every row                  -     + 12
 *     frozen induction variables       no instruction, but a sixth of LLVM's time       -        -
 *
 * Where it is not asked for, each of these does nothing, but for fast_isel_hide. */
#ifndef TOSAJIT_JIT_EMIT_FAST_ISEL_H
#define TOSAJIT_JIT_EMIT_FAST_ISEL_H

#include "jit/emit/part.h"

/* The scalar of a value that is about to be splat. A known constant would be loaded anew in every
 * step; a frozen one is a value like others, and stays in a register. But then ops cannot see the
 * constant, so this is only for values whose ops gain nothing by it. */
LLVMValueRef fast_isel_scalar(const part_emitter *e, size_t value, LLVMValueRef scalar);

/* Branch to the next block, from a block that holds nothing else. */
void fast_isel_fall_into(const part_emitter *e, LLVMBasicBlockRef next);

/* Multiply the column of a last single step with the sizes of elements, once for all rows; and the
 * address of a tensor's element there. */
void fast_isel_tail(part_emitter *e, LLVMValueRef column);
LLVMValueRef fast_isel_tail_address(const part_emitter *e, int32_t t, LLVMValueRef base);

/* A counter or pointer for the next turn of a loop, hidden from LLVM's analysis of such variables.
 * That takes time even where no pass makes use of it, a sixth of all. So it is also for peeled
 * rows, whose loops are several and short, with FastISel or without. */
LLVMValueRef fast_isel_hide(const part_emitter *e, LLVMValueRef induction);

/* Ask for FastISel, once the part is emitted. */
void fast_isel_finish(const part_emitter *e);

#endif
