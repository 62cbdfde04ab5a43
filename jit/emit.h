/* Emitters: one function per op of the table, from operand lanes to result lanes. Integers come as themselves, i1 as bool,
 * floating point as f32 or f64; a floating-point result may be f32 or f64 too, unrounded: it is rounded once to its type afterwards.
 * Ops that only move or mask bits (works_on_bits in jit/emit_body.c) see the bits of the types narrower than f32 instead. */
#ifndef TOSAJIT_JIT_EMIT_H
#define TOSAJIT_JIT_EMIT_H

#include <stdbool.h>

#include "jit/lane.h"

typedef struct emit_op {
    tosajit_op op;
    const tosajit_attributes *attributes;
    tosajit_type operand, result; /* element types of operand 0 and of the result */
    int operand_count;            /* parameters included */
    LLVMValueRef table, stride;   /* of the op table: address, and bytes between elements; else null */
    const LLVMValueRef *loaded;   /* the same table in registers, for lane_table_lookup; or null */
} emit_op;

typedef LLVMValueRef emitter(const lane *l, const emit_op *op, const LLVMValueRef *operands);

/* emit_abs, emit_add, ... */
#define TOSAJIT_OP(name, arity, signature, elements, attributes, formula) emitter emit_##name;
#include "tosajit/ops.def"
#undef TOSAJIT_OP

/* The emitter of each op; and the one of TOSAJIT_FAST, null where there is no other. */
extern emitter *const emitters[TOSAJIT_OP_COUNT];
extern emitter *const fast_emitters[TOSAJIT_OP_COUNT];

#endif
