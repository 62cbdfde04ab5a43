/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Coefficients of the f32 math emitters, in ascending order of power. Errors are those of the
 * polynomial, without rounding. Generated: do not edit.
 *     sollya jit/math/fit/coefficients.sollya > jit/math/coefficients.h */
#ifndef TOSAJIT_JIT_MATH_COEFFICIENTS_H
#define TOSAJIT_JIT_MATH_COEFFICIENTS_H

/* e^r = 1 + r + r^2 (c0 + c1 r + ...), abs(r) <= 0.3467.
 * Relative error 2^-57.9. */
static const double exp_coefficients[] = {
    0x1.000000000000ap-1,
    0x1.55555555554fep-3,
    0x1.55555555506acp-5,
    0x1.1111111126b2ep-7,
    0x1.6c16c1847c94ap-10,
    0x1.a01a012ffa313p-13,
    0x1.a019994c1319bp-16,
    0x1.71df18b9a77afp-19,
    0x1.28ae10fc92d74p-22,
    0x1.ad9371fbf06c3p-26,
};

/* e^r = 1 + r + r^2 (c0 + c1 r + ...), abs(r) <= 0.04333.
 * Relative error 2^-58.3. */
static const double exp_short_coefficients[] = {
    0x1.000000000010bp-1,
    0x1.5555555555131p-3,
    0x1.555555480d13dp-5,
    0x1.11111125d7dc6p-7,
    0x1.6c1cbdda4c017p-10,
    0x1.a0163a8a89169p-13,
};

/* 2^(j/8). */
static const double exp_eighths[] = {
    0x1p0,
    0x1.172b83c7d517bp0,
    0x1.306fe0a31b715p0,
    0x1.4bfdad5362a27p0,
    0x1.6a09e667f3bcdp0,
    0x1.8ace5422aa0dbp0,
    0x1.ae89f995ad3adp0,
    0x1.d5818dcfba487p0,
};

/* The rests that they lack, in parts of themselves. */
static const double exp_eighths_rests[] = {
    0,
    -0x1.01b15eaa59348p-55,
    0x1.34d754db0abb6p-55,
    0x1.690cebb7aafbp-56,
    -0x1.3b3efbf5e2228p-54,
    0x1.db72fc1f0eab4p-55,
    0x1.c1a7792cb3387p-55,
    0x1.4a385a63d07a7p-56,
};

/* e^r - 1 = r + r^2 (c0 + c1 r + ...), abs(r) <= 0.3467.
 * Relative error 2^-61.5. */
static const double expm1_coefficients[] = {
    0x1p-1,
    0x1.5555555555559p-3,
    0x1.555555555554dp-5,
    0x1.111111110f655p-7,
    0x1.6c16c16c1aafep-10,
    0x1.a01a01b0036dap-13,
    0x1.a01a018e0f1e3p-16,
    0x1.71ddf80f866f9p-19,
    0x1.27e5133984a14p-22,
    0x1.af5f2c4710ad4p-26,
    0x1.1f1a36b916fb2p-29,
};

/* 2^r = 1 + r (c0 + c1 r + ...), abs(r) <= 0.5005.
 * Relative error 2^-57.3. */
static const double exp2_coefficients[] = {
    0x1.62e42fefa39efp-1,
    0x1.ebfbdff82c5a6p-3,
    0x1.c6b08d704a12ap-5,
    0x1.3b2ab6fb9fd79p-7,
    0x1.5d87fe789f11dp-10,
    0x1.4309130f7bdb8p-13,
    0x1.ffcbfc641948p-17,
    0x1.62bfc627a9258p-20,
    0x1.b52527b1cfbp-24,
    0x1.e61da9b9ba7e9p-28,
    0x1.e96c004418111p-32,
};

/* ln((1+s)/(1-s)) = 2s + s^3 (c0 + c1 s^2 + ...), abs(s) <= 0.1717.
 * Relative error 2^-59.5. */
static const double log_coefficients[] = {
    0x1.5555555555593p-1,
    0x1.999999997fa39p-2,
    0x1.2492494224e8ap-2,
    0x1.c71c51dcf77abp-3,
    0x1.74664887e8376p-3,
    0x1.39a0b4d914bdfp-3,
    0x1.2f103aea38f07p-3,
};

/* log2((1+s)/(1-s)) = (2 / ln 2) s + s^3 (c0 + c1 s^2 + ...), abs(s) <= 0.1717.
 * Relative error 2^-66.6. */
static const double log2_coefficients[] = {
    0x1.ec709dc3a03fdp-1,
    0x1.2776c50ef9e6dp-1,
    0x1.a61762a72fe97p-2,
    0x1.484b14363c8dep-2,
    0x1.0c9a5e3e67439p-2,
    0x1.c6a13d420d5eap-3,
    0x1.878e7297c5b98p-3,
    0x1.870520c2e270cp-3,
};

/* log2((1+s)/(1-s)) = s (c0 + c1 s^2 + ...), abs(s) <= 0.1717.
 * Relative error 2^-52.3. */
static const double short_log2_coefficients[] = {
    0x1.71547652b82ffp1,
    0x1.ec709dc39ccafp-1,
    0x1.2776c5167ff16p-1,
    0x1.a617569746dcp-2,
    0x1.484fa6388e3b1p-2,
    0x1.0bb83da51e71ap-2,
    0x1.f17d02e6a013ep-3,
};

/* 2^r = 1 + r (c0 + c1 r + ...), abs(r) <= 0.5005.
 * Relative error 2^-45.9. */
static const double short_exp2_coefficients[] = {
    0x1.62e42fefa37ccp-1,
    0x1.ebfbdff81bbecp-3,
    0x1.c6b08d70c985dp-5,
    0x1.3b2ab72450011p-7,
    0x1.5d87fd9225edcp-10,
    0x1.43089775aab33p-13,
    0x1.ffce3207a1c1bp-17,
    0x1.63e72ca68716fp-20,
    0x1.b3dd84f60c1fdp-24,
};

/* 2^r = 1 + r (c0 + c1 r + ...), abs(r) <= 0.0626.
 * Relative error 2^-50. */
static const double eighth_exp2_coefficients[] = {
    0x1.62e42fefa3d69p-1,
    0x1.ebfbdff82b699p-3,
    0x1.c6b08d544c362p-5,
    0x1.3b2ab72420a0ap-7,
    0x1.5d8eff885c703p-10,
    0x1.430521af098fbp-13,
};

/* sin r = r + r^3 (c0 + c1 r^2 + ...), abs(r) <= 1.571.
 * Relative error 2^-61.6. */
static const double sin_coefficients[] = {
    -0x1.5555555555555p-3,
    0x1.11111111110c9p-7,
    -0x1.a01a01a014eb4p-13,
    0x1.71de3a52aa9abp-19,
    -0x1.ae6454d94abc6p-26,
    0x1.6123ce49d0d2cp-33,
    -0x1.ae43da36da269p-41,
    0x1.883bd0166d823p-49,
};

/* erf(a) = a (c0 + c1 u + ...), u = a^2 - 7.7, abs(a) <= 3.937.
 * Relative error 2^-55.2. */
static const double erf_coefficients[] = {
    0x1.70fdec1b54b33p-2,
    -0x1.7ed317cda2f05p-6,
    0x1.28216404c8a34p-9,
    -0x1.f52ed764236e5p-13,
    0x1.b06d48f825a9bp-16,
    -0x1.6f3ca198f5c11p-19,
    0x1.2c44d3e5c8ba1p-22,
    -0x1.d245299a8b14bp-26,
    0x1.550f99717845ap-29,
    -0x1.d44323663e61ep-33,
    0x1.2d547a6cca654p-36,
    -0x1.6bb6dcb0b69f7p-40,
    0x1.9c537fb4699dap-44,
    -0x1.b7e2e1407b648p-48,
    0x1.ba9d3e1f2bd83p-52,
    -0x1.a50316ddf6acap-56,
    0x1.7b6facb6d7bd4p-60,
    -0x1.44c738db34adep-64,
    0x1.08a402726c512p-68,
    -0x1.9ad37ac505b07p-73,
    0x1.2fbc7d9aed1e7p-77,
    -0x1.b19e15e89026bp-82,
    0x1.2fb98d47db93bp-86,
    -0x1.825a6f2652f42p-91,
    0x1.93cca14c5864dp-96,
    -0x1.148228380d886p-100,
    0x1.165f008e903bap-104,
    -0x1.10005aad28f84p-109,
};

/* 1/(2 i + 1): (1/2) ln((1+s)/(1-s)) / s in powers of s^2.
 * Cut off below 2^-96 for abs(s) <= 0.1717. */
static const double atanh_double_float[][2] = {
    {0x1p0, 0},
    {0x1.5555555555555p-2, 0x1.5555555555555p-56},
    {0x1.999999999999ap-3, -0x1.999999999999ap-57},
    {0x1.2492492492492p-3, 0x1.2492492492492p-57},
    {0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58},
    {0x1.745d1745d1746p-4, -0x1.745d1745d1746p-59},
    {0x1.3b13b13b13b14p-4, -0x1.3b13b13b13b14p-58},
    {0x1.1111111111111p-4, 0x1.1111111111111p-60},
    {0x1.e1e1e1e1e1e1ep-5, 0x1.e1e1e1e1e1e1ep-61},
    {0x1.af286bca1af28p-5, 0x1.af286bca1af28p-59},
    {0x1.8618618618618p-5, 0x1.8618618618618p-59},
    {0x1.642c8590b2164p-5, 0x1.642c8590b2164p-60},
    {0x1.47ae147ae147bp-5, -0x1.eb851eb851eb8p-61},
    {0x1.2f684bda12f68p-5, 0x1.2f684bda12f68p-59},
    {0x1.1a7b9611a7b96p-5, 0x1.1a7b9611a7b96p-61},
    {0x1.0842108421084p-5, 0x1.0842108421084p-60},
    {0x1.f07c1f07c1f08p-6, -0x1.f07c1f07c1f08p-61},
    {0x1.d41d41d41d41dp-6, 0x1.075075075075p-60},
};

/* (ln 2)^i / i!: 2^r in powers of r. Cut off below 2^-103 for abs(r) <= 1/32. */
static const double exp2_pairs[][2] = {
    {0x1p0, 0},
    {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
    {0x1.ebfbdff82c58fp-3, -0x1.5e43a53e44da3p-57},
    {0x1.c6b08d704a0cp-5, -0x1.d331627513351p-59},
    {0x1.3b2ab6fba4e77p-7, 0x1.4e65df05a9f75p-62},
    {0x1.5d87fe78a6731p-10, 0x1.0717f69a514bfp-66},
    {0x1.430912f86c787p-13, 0x1.bd2c2a261ac8dp-67},
    {0x1.ffcbfc588b0c7p-17, -0x1.e53ab8cde09c6p-71},
    {0x1.62c0223a5c824p-20, -0x1.3800cfc92c41ep-79},
    {0x1.b5253d395e7c4p-24, -0x1.2dac78d2d8038p-79},
    {0x1.e4cf5158b8ecap-28, -0x1.204bc4d5a312dp-85},
    {0x1.e8cac7351bb25p-32, -0x1.f8543350dc6f6p-87},
    {0x1.c3bd650fc2986p-36, -0x1.d4a9781e85d12p-92},
};

/* Constants as sums of doubles. */
static const double ln2_parts[] = {
    0x1.62e42fefa39efp-1,
    0x1.abc9e3b39803fp-56,
};

static const double pi_parts[] = {
    0x1.921fb54442d18p1,
    0x1.1a62633145c07p-53,
};

static const double two_over_ln2_parts[] = {
    0x1.71547652b82fep1,
    0x1.777d0ffda0d24p-55,
};

/* 1/pi in digits of 24 bits: the sum is exact to 2^-264. */
static const double inverse_pi_digits[] = {
    0x1.45f304p-2,
    0x1.6e4e44p-25,
    0x1.529fcp-53,
    0x1.3abe8p-76,
    0x1.f534dcp-97,
    0x1.c0db62p-121,
    0x1.2b3278p-146,
    0x1.0e41p-171,
    0x1.fe5162p-193,
    0x1.abdebap-217,
    0x1.c561b6p-241,
};

/* ln(1+r) = r - r^2/2 - r^3/2 (c0 + c1 r + ...), abs(r) <= 1/15.
 * Relative error 2^-37.5. */
static const double log_tail[] = {
    -0x1.555554p-1,
    0x1p-1,
    -0x1.99a5d2p-2,
    0x1.5554aep-2,
    -0x1.13b742p-2,
    0x1.01799ap-2,
    -0x1.03cf8cp1,
};

/* 1/c, and ln c as a sum of two. */
static const float log_inverses[] = {
    0x1.5p0,
    0x1.4p0,
    0x1.2p0,
    0x1.1p0,
    0x1p0,
    0x1.cp-1,
    0x1.ap-1,
    0x1.7p-1,
};

static const float log_highs[] = {
    -0x1.1674p-2,
    -0x1.c9p-3,
    -0x1.e27p-4,
    -0x1.f0ap-5,
    0,
    0x1.1178p-3,
    0x1.a94p-3,
    0x1.522cp-2,
};

static const float log_lows[] = {
    -0x1.cababap-18,
    0x1.070cacp-20,
    -0x1.db8abcp-22,
    -0x1.86008cp-20,
    0,
    0x1.d044fcp-20,
    -0x1.2c3752p-19,
    -0x1.1f8c76p-18,
};

/* ln(1+f) = f - f^2/2 + f^3 (c0 + c1 f + ...), -0.293 <= f <= 0.4143.
 * Relative error 2^-30.3. */
static const double half_power_log_f16[] = {
    0x1.555548p-2,
    -0x1.000008p-2,
    0x1.99a47ap-3,
    -0x1.555b92p-3,
    0x1.233ab8p-3,
    -0x1.fc3c88p-4,
    0x1.e6dfep-4,
    -0x1.dda796p-4,
    0x1.13ca2cp-4,
};

/* 2^r = 1 + r (c0 + c1 r + ...), abs(r) <= 0.5005.
 * Relative error 2^-28. */
static const double half_power_exp2_f16[] = {
    0x1.62e43p-1,
    0x1.ebfbd8p-3,
    0x1.c6af74p-5,
    0x1.3b3098p-7,
    0x1.5f0ccap-10,
    0x1.3fabfep-13,
};

/* ln(1+f) = f - f^2/2 + f^3 (c0 + c1 f + ...), -0.293 <= f <= 0.4143.
 * Relative error 2^-26.7. */
static const double half_power_log_bf16[] = {
    0x1.55552ep-2,
    -0x1.000216p-2,
    0x1.99b034p-3,
    -0x1.548186p-3,
    0x1.21cd2cp-3,
    -0x1.0c0eb4p-3,
    0x1.0ae6ep-3,
    -0x1.4c628cp-4,
};

/* 2^r = 1 + r (c0 + c1 r + ...), abs(r) <= 0.5005.
 * Relative error 2^-23.3. */
static const double half_power_exp2_bf16[] = {
    0x1.62e42ap-1,
    0x1.ebf9b8p-3,
    0x1.c6b69ap-5,
    0x1.3cebdp-7,
    0x1.5bfe92p-10,
};

/* e^r = 1 + r + r^2/2 + r^3 (c0 + c1 r + ...), abs(r) <= (ln 2)/(2 n).
 * Absolute error 2^-38.6. */
static const double exp_tail_8[] = {
    0x1.555556p-3,
    0x1.555974p-5,
    0x1.10f676p-7,
};

/* 2^(j/n), rounded, and the logarithm of what that lacks; n is their count. */
static const float exp_steps_8[] = {
    0x1p0,
    0x1.172b84p0,
    0x1.306fep0,
    0x1.4bfdaep0,
    0x1.6a09e6p0,
    0x1.8ace54p0,
    0x1.ae89fap0,
    0x1.d5818ep0,
};

static const float exp_lows_8[] = {
    0,
    -0x1.9c0c22p-27,
    0x1.125002p-25,
    -0x1.0a3552p-25,
    0x1.26055cp-26,
    0x1.67a1cap-28,
    -0x1.f9c306p-27,
    -0x1.a5217cp-28,
};

/* e^r = 1 + r + r^2/2 + r^3 (c0 + c1 r + ...), abs(r) <= (ln 2)/(2 n).
 * Absolute error 2^-40.6. */
static const double exp_tail_32[] = {
    0x1.555598p-3,
    0x1.5555acp-5,
};

/* 2^(j/n), rounded, and the logarithm of what that lacks; n is their count. */
static const float exp_steps_32[] = {
    0x1p0,
    0x1.059b0ep0,
    0x1.0b5586p0,
    0x1.11301ep0,
    0x1.172b84p0,
    0x1.1d4874p0,
    0x1.2387a6p0,
    0x1.29e9ep0,
    0x1.306fep0,
    0x1.371a74p0,
    0x1.3dea64p0,
    0x1.44e086p0,
    0x1.4bfdaep0,
    0x1.5342b6p0,
    0x1.5ab07ep0,
    0x1.6247ecp0,
    0x1.6a09e6p0,
    0x1.71f75ep0,
    0x1.7a1148p0,
    0x1.82589ap0,
    0x1.8ace54p0,
    0x1.93737cp0,
    0x1.9c4918p0,
    0x1.a5503cp0,
    0x1.ae89fap0,
    0x1.b7f77p0,
    0x1.c199bep0,
    0x1.cb720ep0,
    0x1.d5818ep0,
    0x1.dfc974p0,
    0x1.ea4afap0,
    0x1.f50766p0,
};

static const float exp_lows_32[] = {
    0,
    -0x1.947416p-25,
    0x1.8d96d4p-25,
    -0x1.dda2fep-25,
    -0x1.9c0c22p-27,
    -0x1.a2fbb4p-25,
    0x1.964902p-25,
    -0x1.2b0dbcp-25,
    0x1.125002p-25,
    -0x1.cde8cep-26,
    0x1.370be4p-25,
    0x1.336de2p-30,
    -0x1.0a3552p-25,
    -0x1.c541b6p-26,
    -0x1.00d8acp-27,
    -0x1.6cb284p-25,
    0x1.26055cp-26,
    0x1.8b2bb8p-26,
    -0x1.05cb44p-25,
    -0x1.1c2142p-26,
    0x1.67a1cap-28,
    -0x1.348e56p-25,
    0x1.a3b5e4p-28,
    -0x1.0b7ec8p-25,
    -0x1.f9c306p-27,
    -0x1.e4c886p-26,
    -0x1.6961b4p-28,
    -0x1.b5151ep-28,
    -0x1.a5217cp-28,
    -0x1.ab7132p-26,
    0x1.61428ep-28,
    -0x1.2ad5f8p-27,
};

/* ln 2, the nearest f32 and what that lacks. */
static const double exp_ln2_parts[] = {
    0x1.62e43p-1,
    -0x1.05c61p-29,
};

#endif
