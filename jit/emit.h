/* Emitters: one function per op of the table, from operand lanes to result lanes. Values are in computing form: i1 as bool,
 * integers as themselves, f32 as float (runtime rounding rules of each op apply before it returns). */
#ifndef TOSAJIT_JIT_EMIT_H
#define TOSAJIT_JIT_EMIT_H

#include "jit/lane.h"

typedef struct emit_op {
    tosajit_op op;
    const tosajit_attributes *attributes;
    tosajit_type operand, result; /* element types of operand 0 and of the result */
} emit_op;

typedef LLVMValueRef emitter(const lane *l, const emit_op *op, const LLVMValueRef *operands);

/* emit_abs, emit_add, ... */
#define TOSAJIT_OP(name, arity, signature, elements, attributes, formula) emitter emit_##name;
#include "tosajit/ops.def"
#undef TOSAJIT_OP

/* The emitter of each op. */
extern emitter *const emit_table[TOSAJIT_OP_COUNT];

#endif
