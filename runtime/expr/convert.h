/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Conversion: elements of any type as they lie in memory, and the values that ops compute with. */
#ifndef TOSAJIT_RUNTIME_EXPR_CONVERT_H
#define TOSAJIT_RUNTIME_EXPR_CONVERT_H

#include "tosajit/tosajit.h"

/* A value: `i` for integers (sign-extended) and i1 (0 or 1), `f` for floating point. */
typedef tosajit_scalar cell;

/* The value of an element's bits; bits above its size are ignored. */
cell convert_decode(tosajit_type type, uint64_t bits);
/* The bits of a value. Integers keep their low bits. Floating point is rounded to nearest even; a
 * number beyond the largest becomes infinity, or NaN where the type has no infinity. NaN becomes a
 * quiet NaN of the same sign. */
uint64_t convert_encode(tosajit_type type, cell value);

/* The bits of an element in memory, and back. */
uint64_t convert_load(tosajit_type type, const void *address);
void convert_store(tosajit_type type, void *address, uint64_t bits);

#endif
