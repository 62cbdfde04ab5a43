/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of TOSAJIT_REPRODUCIBLE, one element at a time: the steps of
 * runtime/functions/single.h and single_tosa.h on numbers, so the bits that kernels have. Rare
 * operands and other types have the exact tier's results, as there. */
#include "runtime/interpret/interpret.h"

#define STEPS_OF_F32
#include "runtime/functions/scalar.h"

#include "runtime/functions/single.h"
#include "runtime/functions/single_tosa.h"

static cell value_of(float value) { return (cell){.f = (double)value}; }

#define F32_EITHER(name, are_mine, is_rare)                                                        \
    static cell fast_##name(const interpret_op *op, const cell *x) {                               \
        const float v[2] = {(float)x[0].f, (float)x[op->operand_count - 1].f};                     \
        if (!(are_mine) || (is_rare)) return interpret_##name(op, x);                              \
        return value_of(f32_function_##name(NULL, v));                                             \
    }
#define F32_TOSA(name) F32_EITHER(name, op->operand == TOSAJIT_F32, false)
#define F32_TOSA_BUT(name, rare) F32_EITHER(name, op->operand == TOSAJIT_F32, rare(NULL, v))
#define F32_FUNCTION(name) F32_EITHER(name, op->operand != TOSAJIT_F64, false)
#define F32_FUNCTION_BUT(name, rare) F32_EITHER(name, op->operand != TOSAJIT_F64, rare(NULL, v))
#include "runtime/functions/single_list.h"

/* abs(x)^y with the sign of an odd power. The exact tier has roots and special values. */
static cell fast_pow(const interpret_op *op, const cell *x) {
    const float v[2] = {(float)x[0].f, (float)x[1].f};
    const bool whole = trunc(x[1].f) == x[1].f, odd = whole && fmod(x[1].f, 2) != 0,
               special = !isfinite(x[0].f) || !isfinite(x[1].f) || x[0].f == 0 ||
                         fabs(x[1].f) == 0.5 || (x[0].f < 0 && !whole);
    if (op->operand != TOSAJIT_F32 || special) return interpret_pow(op, x);
    const single_power usual = single_pow(NULL, v);
    const float size = usual.rare ? single_power_far(NULL, v) : usual.value;
    return value_of(x[0].f < 0 && odd ? -size : size);
}

interpret_function *const interpret_fast_functions[TOSAJIT_OP_COUNT] = {
#define F32_ROW(name) [TOSAJIT_OP_##name] = fast_##name,
#define F32_TOSA(name) F32_ROW(name)
#define F32_TOSA_BUT(name, rare) F32_ROW(name)
#define F32_FUNCTION(name) F32_ROW(name)
#define F32_FUNCTION_BUT(name, rare) F32_ROW(name)
#include "runtime/functions/single_list.h"
    F32_ROW(pow)};
