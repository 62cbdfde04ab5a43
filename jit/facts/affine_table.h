/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Affine tables: tables of bytes that a product of 16 bits gives as well, such as a rescale of i8
 * to i8. In: 256 entries, from index -128 on. Out: the function, the same for every index. Knows no
 * LLVM. */
#ifndef TOSAJIT_JIT_FACTS_AFFINE_TABLE_H
#define TOSAJIT_JIT_FACTS_AFFINE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* entry(x) = limited to low..high: (floor(x * multiplier / 2^8) + addend) >> shift; the sum
 * saturates in 16 bits. */
typedef struct affine_table {
    int multiplier, addend, shift, low, high;
} affine_table;

/* False if there is none. */
bool find_affine(const int8_t *entries, affine_table *affine);

/* The same entries for unsigned bytes, as signed numbers that are 128 less: operands, results, or
 * both. Kernels turn the upper bit of either. */
enum { TABLE_BYTES = 256, TABLE_TURN = 0x80 };
void turn_entries(const int8_t *entries, bool operand, bool result, int8_t *turned);

#endif
