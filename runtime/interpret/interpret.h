/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interpreter: the plain evaluator of expressions, one element at a time, straight from the
 * definitions. It is the reference of the tests, the second opinion of `--check`, and the answer
 * where no native code may run. In: a program and tensors whose shapes have been checked. Out: the
 * results' elements. */
#ifndef TOSAJIT_RUNTIME_INTERPRET_INTERPRET_H
#define TOSAJIT_RUNTIME_INTERPRET_INTERPRET_H

#include "runtime/expr/convert.h"
#include "runtime/check/overlap.h"

typedef struct interpret_op {
    const tosajit_attributes *attributes;
    tosajit_type operand, result; /* element types of operand 0 and of the result */
    int operand_count;            /* parameters included */
    const tosajit_tensor *table;  /* of the op table, else null */
} interpret_op;

/* interpret_add, ...: the op on one element. Floating-point results need not be rounded to the
 * result's type: that is done once, for all ops; every type but f64 is computed in double. Ops
 * that move bits (MOVED in ops.def) see integers, the bits themselves. */
typedef cell interpret_function(const interpret_op *op, const cell *operands);
#define TOSAJIT_OP(name, ...) interpret_function interpret_##name;
#include "tosajit/ops.def"
#undef TOSAJIT_OP
extern interpret_function *const interpret_functions[TOSAJIT_OP_COUNT];
/* Where fast; null where there is no other. */
extern interpret_function *const interpret_fast_functions[TOSAJIT_OP_COUNT];

/* The bits of an op's value, or of a constant's first element; bits: of the nodes before it. */
uint64_t interpret_node(const tosajit_expr *program, const expr_node *node,
                        const tosajit_tensor *table, const uint64_t *bits);

/* Compute every part of a call that was checked; behind the operands and constants are results and
 * scratch. OUT_OF_MEMORY before anything is written. */
tosajit_status interpret_run(const callee *kernel, view *tensors);

#endif
