/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Steps that emitters in f32 share. */
#include "jit/math/f32.h"

#include "jit/math/coefficients.h"

LLVMValueRef scale_far(const lane *l, scaled v) {
    LLVMValueRef n = lane_sub(l, v.shifted, bits_of(l, lane_f32(l, f32_shift))),
                 half = lane_ashr(l, n, lane_int(l, 32, 1));
    LLVMValueRef bias = lane_int(l, 32, 127), rest = lane_sub(l, n, half);
    LLVMValueRef first =
        lane_fmul(l, v.significand, float_of(l, to_exponent(l, lane_add(l, half, bias))));
    return lane_fmul(l, first, float_of(l, to_exponent(l, lane_add(l, rest, bias))));
}

/* The first step is exact. So is first - r, all bits of which lie between those of the product,
 * rounded by itself, and those of first; low takes what the second step lost. */
turns reduce_turns(const lane *l, LLVMValueRef x, unsigned steps) {
    const double scale = steps / 4.0;
    LLVMValueRef magic = lane_f32(l, f32_shift),
                 shifted = lane_fma(l, x, constant(l, 0x1.45f306p-1 * scale), magic);
    LLVMValueRef n = lane_fsub(l, shifted, magic),
                 second = constant(l, -f32_half_pi_short[1] / scale);
    LLVMValueRef first = lane_fma(l, n, constant(l, -f32_half_pi_short[0] / scale), x),
                 r = lane_fadd(l, first, lane_fmul(l, n, second));
    LLVMValueRef low = lane_fma(l, n, second, lane_fsub(l, first, r));
    low = lane_fma(l, n, constant(l, -f32_half_pi_short[2] / scale), low);
    return (turns){bits_of(l, shifted), r, low};
}
