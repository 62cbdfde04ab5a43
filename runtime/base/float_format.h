/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floating-point elements: their bits as a number, and back. Written from the definitions of the
 * formats, without bit tricks: this is what kernels are compared with. */
#ifndef TOSAJIT_RUNTIME_BASE_FLOAT_FORMAT_H
#define TOSAJIT_RUNTIME_BASE_FLOAT_FORMAT_H

#include "tosajit/tosajit.h"

/* Of a floating-point type; bits above its size are ignored. */
double float_decode(tosajit_type type, uint64_t bits);
/* Rounded to nearest even; beyond the largest value infinity, or NaN where the type has no
 * infinity. NaN becomes a quiet NaN of the same sign. */
uint64_t float_encode(tosajit_type type, double value);

#endif
