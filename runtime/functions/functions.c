/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of f64 on numbers. */
#include "runtime/functions/functions.h"

#include "runtime/functions/scalar.h"

#include "runtime/functions/angle.h"
#include "runtime/functions/error.h"
#include "runtime/functions/power.h"

#define F64_FUNCTION(name)                                                                         \
    double f64_##name(const double *x) { return f64_function_##name(NULL, x); }
#include "runtime/functions/list.h"
