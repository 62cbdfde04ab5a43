/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of f64, a row each, as the op is called; steps.h says how they are written. First
 * F64_FUNCTION(name): f32 and narrower types have ways of their own. Then F64_EXTENSION(name): the
 * narrower types are widened, and the result is rounded once more, unless fast: then they have the
 * function of f32 (single.h). Of F64_WIDE(name) there is none. */
#ifndef F64_EXTENSION
#define F64_EXTENSION F64_FUNCTION
#endif
#ifndef F64_WIDE
#define F64_WIDE F64_EXTENSION
#endif
F64_FUNCTION(cos)
F64_FUNCTION(erf)
F64_FUNCTION(exp)
F64_FUNCTION(log)
F64_FUNCTION(rsqrt)
F64_FUNCTION(sigmoid)
F64_FUNCTION(sin)
F64_FUNCTION(tanh)
F64_FUNCTION(pow)
F64_EXTENSION(exp2)
F64_EXTENSION(expm1)
F64_EXTENSION(log1p)
F64_EXTENSION(log2)
F64_EXTENSION(log10)
F64_EXTENSION(sinh)
F64_EXTENSION(cosh)
F64_EXTENSION(tan)
F64_EXTENSION(asin)
F64_EXTENSION(acos)
F64_EXTENSION(atan)
F64_EXTENSION(asinh)
F64_EXTENSION(acosh)
F64_EXTENSION(atanh)
F64_EXTENSION(cbrt)
F64_EXTENSION(atan2)
F64_EXTENSION(hypot)
F64_WIDE(erfc)
#undef F64_EXTENSION
#undef F64_WIDE
