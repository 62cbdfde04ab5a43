/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Double-float: exact functions from pairs of f32, a result and what it lacks, of which a register
 * holds twice as many as of f64. The pair is not exact, either. So the least and the most that it
 * may stand for are rounded. Where both give the same f32, that is the result. Elsewhere, rarely,
 * f64 is asked: no bit depends on the way. The errors are not derived: tests/numbers/exhaustive.c
 * tries all operands. */
#ifndef TOSAJIT_JIT_MATH_DOUBLE_FLOAT_H
#define TOSAJIT_JIT_MATH_DOUBLE_FLOAT_H

#include "jit/lane/lane.h"

/* True if that pays: with AVX2 and AVX-512, where registers hold tables. */
bool has_double_float(const lane *l);

/* `value`, but `wide` of x where a lane is in doubt. */
LLVMValueRef decide(const lane *l, LLVMValueRef value, LLVMValueRef in_doubt,
                    const lane_vector_function *wide, LLVMValueRef x);

LLVMValueRef exp_by_double_float(const lane *l, const lane_vector_function *wide, LLVMValueRef x);
LLVMValueRef sigmoid_by_double_float(const lane *l, const lane_vector_function *wide,
                                     LLVMValueRef x);

#endif
