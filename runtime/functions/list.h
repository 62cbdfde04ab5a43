/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of f64, a row each: F64_FUNCTION(name), as the op is called. steps.h says how they
 * are written. */
F64_FUNCTION(cos)
F64_FUNCTION(erf)
F64_FUNCTION(exp)
F64_FUNCTION(log)
F64_FUNCTION(rsqrt)
F64_FUNCTION(sigmoid)
F64_FUNCTION(sin)
F64_FUNCTION(tanh)
F64_FUNCTION(pow)
