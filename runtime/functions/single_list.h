/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of f32 for TOSAJIT_REPRODUCIBLE, a row each. First TOSA's own, of single_tosa.h:
 * F32_TOSA(name) of all operands; F32_TOSA_BUT(name, rare): where rare(x) holds, the result is the
 * exact tier's. pow is not here, since its special values are no steps. Then those of single.h:
 * F32_FUNCTION(name); F32_FUNCTION_BUT(name, rare), where the function of f64 is rounded instead;
 * and F32_OF_TWO_BUT(name, rare), the same of two operands.
 * Of these the narrower types are rounded once more; TOSA's have ways of their own there. */
#ifndef F32_OF_TWO_BUT
#define F32_OF_TWO_BUT F32_FUNCTION_BUT
#endif
#ifndef F32_TOSA
#define F32_TOSA(name)
#define F32_TOSA_BUT(name, rare)
#endif
F32_TOSA(exp)
F32_TOSA(log)
F32_TOSA(tanh)
F32_TOSA(sigmoid)
F32_TOSA(erf)
F32_TOSA_BUT(sin, single_is_turned_far)
F32_TOSA_BUT(cos, single_is_turned_far)
F32_TOSA_BUT(rsqrt, single_rsqrt_rare)
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
F32_OF_TWO_BUT(atan2, single_atan2_rare)
F32_OF_TWO_BUT(hypot, single_hypot_rare)
#undef F32_TOSA
#undef F32_TOSA_BUT
#undef F32_FUNCTION
#undef F32_OF_TWO_BUT
#undef F32_FUNCTION_BUT
