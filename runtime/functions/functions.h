/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of f64 as the interpreter calls them: f64_exp, f64_pow, ..., of one operand or two.
 * In: round to nearest even, as after fpenv_hold. Out: at most 1 ulp off, the bits that kernels
 * have. */
#ifndef TOSAJIT_RUNTIME_FUNCTIONS_FUNCTIONS_H
#define TOSAJIT_RUNTIME_FUNCTIONS_FUNCTIONS_H

#define F64_FUNCTION(name) double f64_##name(const double *x);
#include "runtime/functions/list.h"
#undef F64_FUNCTION

#endif
