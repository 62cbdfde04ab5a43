/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Single elements in memory: their bits, their value, their text. In: an element type and a pointer
 * that need not be aligned. */
#ifndef TOSAJIT_TOOLS_DATA_ELEMENT_H
#define TOSAJIT_TOOLS_DATA_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

typedef struct element_text {
    char text[40];
} element_text;

bool element_is_float(tosajit_type type);
bool element_is_unsigned(tosajit_type type);
uint64_t element_bits(tosajit_type type, const void *at);
/* The value; exact but for i64 beyond 2^53. */
double element_value(tosajit_type type, const void *at);
/* Store the value of a floating-point type that is nearest, ties to even. A number that is too
 * large becomes infinite, or NaN where the type has no infinity. */
void element_store_float(tosajit_type type, double value, void *at);
/* Store the low bits; i1: whether it is not 0. */
void element_store_integer(tosajit_type type, int64_t value, void *at);
/* "True", "-12", "0.1": as few digits as tell an f32 from its neighbours. */
element_text element_print(tosajit_type type, const void *at);

#endif
