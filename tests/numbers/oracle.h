/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The results of any op for any operands, attributes and parameters: the references of
 * exhaustive_reference.c and integer_reference.c, which are written from TOSA's text and
 * docs/semantics.md, with MPFR where rounding is hard. It shares no code with the library, and
 * calls none of its functions: oracle_test looks. In: operands in memory form. Out: the result in
 * memory form. */
#ifndef TOSAJIT_TESTS_NUMBERS_ORACLE_H
#define TOSAJIT_TESTS_NUMBERS_ORACLE_H

#include <stddef.h>

#include "tosajit/tosajit.h"

typedef struct oracle_op {
    tosajit_op op;
    int arity, operand_count; /* parameters are behind `arity` operands */
    tosajit_type operands[TOSAJIT_MAX_OPERANDS], result;
    tosajit_attributes attributes;
} oracle_op;

/* `count` elements. So many have the operands, which are dense, and the multiplier and the shift of
 * a rescale that is per_channel; other parameters have what the op takes. */
void oracle_compute(const oracle_op *op, unsigned char *const *operands, size_t count,
                    unsigned char *result);

#endif
