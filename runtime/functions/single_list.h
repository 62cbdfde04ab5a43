/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of single.h, a row each. F32_FUNCTION(name): of all operands.
 * F32_FUNCTION_BUT(name, rare): where rare(x) holds, the function of f64 is rounded instead. */
F32_FUNCTION(exp2)
F32_FUNCTION(expm1)
F32_FUNCTION(log1p)
F32_FUNCTION(log2)
F32_FUNCTION(log10)
F32_FUNCTION(sinh)
F32_FUNCTION(cosh)
F32_FUNCTION(asin)
F32_FUNCTION(acos)
F32_FUNCTION(atan)
F32_FUNCTION(asinh)
F32_FUNCTION(acosh)
F32_FUNCTION(atanh)
F32_FUNCTION(cbrt)
F32_FUNCTION_BUT(tan, single_tan_rare)
F32_FUNCTION_BUT(atan2, single_atan2_rare)
F32_FUNCTION_BUT(hypot, single_hypot_rare)
#undef F32_FUNCTION
#undef F32_FUNCTION_BUT
