/* Emitter of pow on f32, with the special values of C99 Annex F. abs(x)^y = 2^(y log2 abs(x)) in f64 with the logarithm as a
 * sum of two doubles, rounded once. Only operations with one defined result are used. */
#include <math.h>

#include "jit/emit.h"
#include "jit/math_coefficients.h"

#define COUNT(array) (unsigned)(sizeof(array) / sizeof(*(array)))

/* log2 x = k + high + low, abs(high) <= 1/2, low below its rounding error. */
typedef struct log2_parts {
    LLVMValueRef k, high, low;
} log2_parts;

/* x = 2^k m, m in sqrt(1/2)..sqrt(2); s = (m - 1) / (m + 1) with its error, log2 m = (2 / ln 2) s + s^3 P(s^2). x > 0, f64. */
static log2_parts log2_f64(const lane *l, LLVMValueRef x) {
    const int64_t lowest = 0x3fe6a09e667f3bcd, one_bits = 0x3ff0000000000000, fraction = 0x000fffffffffffff;
    LLVMValueRef bits = lane_bitcast(l, x, lane_int_type(l, 64)), one = lane_f64(l, 1.0);
    LLVMValueRef offset = lane_add(l, bits, lane_int(l, 64, one_bits - lowest));
    LLVMValueRef m_bits = lane_add(l, lane_and(l, offset, lane_int(l, 64, fraction)), lane_int(l, 64, lowest));
    /* The biased exponent below the bits of 2^52 is the double 2^52 + 1023 + k; 64-bit conversions are slow before AVX-512. */
    LLVMValueRef exponent = lane_or(l, lane_lshr(l, offset, lane_int(l, 64, 52)), lane_int(l, 64, 0x4330000000000000));
    LLVMValueRef k = lane_fsub(l, lane_bitcast(l, exponent, lane_f64_type(l)), lane_f64(l, 0x1p52 + 1023));
    LLVMValueRef m = lane_bitcast(l, m_bits, lane_f64_type(l)), f = lane_fsub(l, m, one), g = lane_fadd(l, m, one);
    LLVMValueRef inverse = lane_fdiv(l, one, g), s = lane_fmul(l, f, inverse);
    LLVMValueRef s_low = lane_fmul(l, lane_fma(l, lane_fneg(l, s), g, f), inverse);
    LLVMValueRef scale = lane_f64(l, two_over_ln2_parts[0]), z = lane_fmul(l, s, s), lead = lane_fmul(l, s, scale);
    LLVMValueRef low = lane_fma(l, s, scale, lane_fneg(l, lead));
    low = lane_fma(l, s, lane_f64(l, two_over_ln2_parts[1]), low);
    low = lane_fma(l, s_low, scale, low);
    low = lane_fma(l, lane_fmul(l, z, s), lane_polynomial(l, log2_coefficients, COUNT(log2_coefficients), z), low);
    LLVMValueRef high = lane_fadd(l, lead, low);
    return (log2_parts){k, high, lane_fadd(l, lane_fsub(l, lead, high), low)};
}

/* x^y in f64 for finite x > 0 and any y: infinity above 2^199, 0 below 2^-199. k y and y high enter exactly. */
static LLVMValueRef power_f64(const lane *l, LLVMValueRef x, LLVMValueRef y) {
    log2_parts log = log2_f64(l, x);
    LLVMValueRef t = lane_fmul(l, y, lane_fadd(l, log.k, log.high)), magic = lane_f64(l, 0x1.8p52);
    LLVMValueRef under = lane_fcmp(l, LLVMRealOLT, t, lane_f64(l, -199.0));
    LLVMValueRef over = lane_fcmp(l, LLVMRealOGT, t, lane_f64(l, 199.0));
    LLVMValueRef shifted = lane_fadd(l, t, magic), n = lane_fsub(l, shifted, magic);
    LLVMValueRef product = lane_fmul(l, y, log.high);
    LLVMValueRef product_low = lane_fma(l, y, log.low, lane_fma(l, y, log.high, lane_fneg(l, product)));
    LLVMValueRef leading = lane_fadd(l, lane_fma(l, y, log.k, lane_fneg(l, n)), product);
    LLVMValueRef r = lane_fadd(l, leading, product_low);
    LLVMValueRef p = lane_fma(l, r, lane_polynomial(l, exp2_coefficients, COUNT(exp2_coefficients), r), lane_f64(l, 1.0));
    LLVMValueRef exponent = lane_shl(l, lane_bitcast(l, shifted, lane_int_type(l, 64)), lane_int(l, 64, 52));
    LLVMValueRef scaled = lane_add(l, lane_bitcast(l, p, lane_int_type(l, 64)), exponent);
    LLVMValueRef result = lane_bitcast(l, scaled, lane_f64_type(l));
    return lane_select(l, under, lane_f64(l, 0.0), lane_select(l, over, lane_f64(l, (double)INFINITY), result));
}

/* Which integers y is among. Floats of 2^24 and above, infinity too, count as even. */
static LLVMValueRef is_integer(const lane *l, LLVMValueRef y) {
    return lane_fcmp(l, LLVMRealOEQ, lane_intrinsic(l, "llvm.floor", &y, 1), y);
}

static LLVMValueRef both(const lane *l, LLVMValueRef a, LLVMValueRef b) { return lane_and(l, a, b); }

/* C99, F.9.4.4. `magnitude` is abs(x)^y where both are finite and x is not 0. */
static LLVMValueRef special_values(const lane *l, LLVMValueRef x, LLVMValueRef y, LLVMValueRef magnitude) {
    LLVMValueRef zero = lane_real_like(x, 0.0), one = lane_real_like(x, 1.0), infinity = lane_real_like(x, (double)INFINITY);
    LLVMValueRef size = lane_fabs(l, x), x_zero = lane_fcmp(l, LLVMRealOEQ, x, zero);
    LLVMValueRef x_infinite = lane_fcmp(l, LLVMRealOEQ, size, infinity);
    /* The size of the result: powers of 0 and infinity are 0 or infinity, those of 1 are 1. */
    LLVMValueRef grows = lane_xor(l, lane_fcmp(l, LLVMRealOLT, y, zero), x_infinite);
    LLVMValueRef of_limit = lane_select(l, grows, infinity, zero);
    magnitude = lane_select(l, lane_or(l, x_zero, x_infinite), of_limit, magnitude);
    magnitude = lane_select(l, lane_fcmp(l, LLVMRealOEQ, size, one), one, magnitude);
    /* The sign: that of x where y is odd. */
    LLVMValueRef integer = is_integer(l, y), half = lane_fmul(l, y, lane_real_like(y, 0.5));
    LLVMValueRef odd = both(l, integer, lane_not(l, is_integer(l, half)));
    LLVMValueRef negative = lane_fcmp(l, LLVMRealOLT, x, zero);
    LLVMValueRef sign_source = lane_select(l, odd, x, one);
    LLVMValueRef result = lane_intrinsic(l, "llvm.copysign", (LLVMValueRef[]){magnitude, sign_source}, 2);
    /* Without a value: NaN operands, and roots of finite negative numbers. */
    LLVMValueRef root = both(l, both(l, negative, lane_not(l, integer)), lane_not(l, x_infinite));
    LLVMValueRef invalid = lane_or(l, root, lane_fcmp(l, LLVMRealUNO, x, y));
    result = lane_select(l, invalid, lane_real_like(x, (double)NAN), result);
    /* x^0 and 1^y are 1 even of NaN. */
    LLVMValueRef trivial = lane_or(l, lane_fcmp(l, LLVMRealOEQ, y, zero), lane_fcmp(l, LLVMRealOEQ, x, one));
    return lane_select(l, trivial, one, result);
}

LLVMValueRef emit_pow(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    (void)op;
    LLVMValueRef magnitude = power_f64(l, lane_fpext(l, lane_fabs(l, x[0])), lane_fpext(l, x[1]));
    return special_values(l, x[0], x[1], lane_fptrunc(l, magnitude));
}
