/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Peers of bench/math_peers.py: loops around the functions of Highway's contrib/math, compiled by
 * it for one CPU. NAME_s is of f32, NAME_d of f64. */
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

namespace hn = hwy::HWY_NAMESPACE;

#define LOOP(name, function, letter, type)                                                         \
    extern "C" void name##_##letter(const type *x, type *y, long n) {                              \
        const hn::ScalableTag<type> tag;                                                           \
        const long lanes = static_cast<long>(hn::Lanes(tag));                                      \
        long k = 0;                                                                                \
        for (; k + lanes <= n; k += lanes)                                                         \
            hn::StoreU(hn::function(tag, hn::LoadU(tag, x + k)), tag, y + k);                      \
        const hn::CappedTag<type, 1> one;                                                          \
        for (; k < n; k++) hn::StoreU(hn::function(one, hn::LoadU(one, x + k)), one, y + k);       \
    }

#define LOOPS(name, function) LOOP(name, function, s, float) LOOP(name, function, d, double)

LOOPS(exp, Exp)
LOOPS(expm1, Expm1)
LOOPS(log, Log)
LOOPS(log2, Log2)
LOOPS(log10, Log10)
LOOPS(log1p, Log1p)
LOOPS(sin, Sin)
LOOPS(cos, Cos)
LOOPS(sinh, Sinh)
LOOPS(tanh, Tanh)
LOOPS(arcsin, Asin)
LOOPS(arccos, Acos)
LOOPS(arctan, Atan)
LOOPS(arcsinh, Asinh)
LOOPS(arccosh, Acosh)
LOOPS(arctanh, Atanh)
