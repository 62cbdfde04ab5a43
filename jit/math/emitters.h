/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters: one function per op of the table, from operand lanes to result lanes. Integers come as
 * themselves, i1 as bool, floating point as f32 or f64. A floating-point result may be f32 or f64
 * too, unrounded: it is rounded once to its type afterwards. Ops that only move or mask bits (MOVED
 * and MASKED in ops.def) get types narrower than f32 as bits instead. */
#ifndef TOSAJIT_JIT_MATH_EMITTERS_H
#define TOSAJIT_JIT_MATH_EMITTERS_H

#include <stdbool.h>

#include "jit/facts/real_range.h"
#include "jit/lane/lane.h"

typedef struct emit_op {
    tosajit_op op;
    const tosajit_attributes *attributes;
    tosajit_type operand, result; /* element types of operand 0 and of the result */
    int operand_count;            /* parameters included */
    bool fast;                    /* TOSAJIT_REPRODUCIBLE */
    const range *ranges;          /* of the operands, parameters included */
    const real_range *reals;      /* of the operands, or null */
    /* Of the op `table`: its table's address, and the bytes between elements; else null. */
    LLVMValueRef table, stride;
    const LLVMValueRef *loaded; /* the same table in registers, for lane_table_lookup; or null */
    const affine_table *line;   /* what gives the same as the table; or null */
} emit_op;

typedef LLVMValueRef emitter(const lane *l, const emit_op *op, const LLVMValueRef *operands);

/* emit_abs, emit_add, ...; and for each op that ops.def calls FUNCTION three more. fast_exp,
 * fast_log, ... are at most 1 ulp off, for TOSAJIT_REPRODUCIBLE. half_exp, ... have results of f16
 * and bf16, and double_exp, ... of f64; these are the same in both tiers. */
#define TOSAJIT_OP(name, ...) emitter emit_##name, fast_##name, half_##name, double_##name;
#include "tosajit/ops.def"
#undef TOSAJIT_OP

typedef struct op_emitters {
    emitter *exact, *fast, *half, *f64; /* the same where there is no other */
} op_emitters;

extern const op_emitters emitters[TOSAJIT_OP_COUNT];

#endif
