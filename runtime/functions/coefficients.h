/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Coefficients of the functions of f64 and f32, in ascending order of power. Errors are those of the
 * polynomial, without rounding. Generated: do not edit.
 *     sollya jit/math/fit/f64.sollya > runtime/functions/coefficients.h */
#ifndef TOSAJIT_RUNTIME_FUNCTIONS_COEFFICIENTS_H
#define TOSAJIT_RUNTIME_FUNCTIONS_COEFFICIENTS_H

/* e^r = 1 + r + r^2/2 + r^3 (c0 + c1 r + ...), abs(r) <= (ln 2)/2. Of e^r - 1:
 * Relative error 2^-61.5. */
static const double f64_exp_terms[] = {
    0x1.5555555555559p-3,
    0x1.555555555554ap-5,
    0x1.111111110f656p-7,
    0x1.6c16c16c1c0d5p-10,
    0x1.a01a01b0025b1p-13,
    0x1.a01a01872a83ep-16,
    0x1.71ddf81414414p-19,
    0x1.27e521d133e91p-22,
    0x1.af5f2122bb6c4p-26,
    0x1.1f0412e865abp-29,
};

/* ln((1+s)/(1-s)) = 2 s + 2/3 s^3 + s^5 (c0 + c1 s^2 + ...), abs(s) <= 3 - sqrt(8).
 * Relative error 2^-73.5. */
static const double f64_log_terms[] = {
    0x1.9999999999996p-2,
    0x1.2492492492f4bp-2,
    0x1.c71c71c59796ap-3,
    0x1.745d1828c79ebp-3,
    0x1.3b1364f1016b4p-3,
    0x1.1120692f23eb2p-3,
    0x1.de3e606605b35p-4,
    0x1.eabe236a2466ap-4,
};

/* sin r = r + r^3 (c0 + c1 r^2 + ...), abs(r) <= pi/4.
 * Relative error 2^-57.9. */
static const double f64_sin_terms[] = {
    -0x1.5555555555548p-3,
    0x1.111111110f75ep-7,
    -0x1.a01a019bf2583p-13,
    0x1.71de355f414e6p-19,
    -0x1.ae5e54a96fb8ap-26,
    0x1.5d8e47357d1a2p-33,
};

/* cos r = 1 - r^2/2 + r^4 (c0 + c1 r^2 + ...), abs(r) <= pi/4.
 * Relative error 2^-63.9. */
static const double f64_cos_terms[] = {
    0x1.555555555554bp-5,
    -0x1.6c16c16c15017p-10,
    0x1.a01a019c8f698p-16,
    -0x1.27e4f7f1c5c5dp-22,
    0x1.1ee9dbf1a38b8p-29,
    -0x1.8fa695257fafdp-37,
};

/* atan t = t + t^3 (c0 + c1 t^2 + ...), abs(t) <= sqrt(2) - 1.
 * Relative error 2^-63.8. */
static const double f64_atan_terms[] = {
    -0x1.5555555555554p-2,
    0x1.99999999995bfp-3,
    -0x1.24924924721cp-3,
    0x1.c71c71b5f9437p-4,
    -0x1.745d1491a3921p-4,
    0x1.3b136b1e00fb6p-4,
    -0x1.110c4aff8f51dp-4,
    0x1.e16f47dc5bb8ap-5,
    -0x1.ab6db1afa4518p-5,
    0x1.70b2b5c134398p-5,
    -0x1.11ba8d32f5fd9p-5,
    0x1.f012cbb9e4ee4p-7,
};

/* asin x = x + x^3 (c0 + c1 x^2 + ...), abs(x) <= 1/2.
 * Relative error 2^-59.9. */
static const double f64_asin_terms[] = {
    0x1.5555555555577p-3,
    0x1.333333332e133p-4,
    0x1.6db6db721247bp-5,
    0x1.f1c71a95002fbp-6,
    0x1.6e8bdedebf9dfp-6,
    0x1.1c49f077d5bc7p-6,
    0x1.ca1f8af1f0a39p-7,
    0x1.75859dad05d9ap-7,
    0x1.613c1e6ed7236p-7,
    0x1.e5fbe88dfeb2cp-9,
    0x1.639a894e21126p-6,
    -0x1.57fad0dea93ccp-6,
    0x1.0b45e9f72d94bp-5,
};

/* m^(-1/3) = c0 + c1 m + ..., sqrt(1/2) <= m <= sqrt(2).
 * Relative error 2^-20.1. */
static const double f64_cbrt_terms[] = {
    0x1.0e13583661feap1,
    -0x1.9363ac555bd6cp1,
    0x1.1c0676139fedp2,
    -0x1.02b49169110edp2,
    0x1.2074bc440dabdp1,
    -0x1.66e143bcb1c67p-1,
    0x1.7e04b94dae14ap-4,
};

/* erf x = x + x (c0 + c1 x^2 + ...), abs(x) <= 9/8. In the parentheses:
 * Absolute error 2^-56.2. */
static const double f64_erf_terms[] = {
    0x1.06eba8214db69p-3,
    -0x1.812746b0379fcp-2,
    0x1.ce2f21a043538p-4,
    -0x1.b82ce312a737dp-6,
    0x1.565bcd11ea74ap-8,
    -0x1.c02db47ff994cp-11,
    0x1.f9a332f2538d4p-14,
    -0x1.f4d31efaab8bfp-17,
    0x1.b9ef42716c2ffp-20,
    -0x1.5fb3f4100802ep-23,
    0x1.ff2ff69d05f22p-27,
    -0x1.58612d5884596p-30,
    0x1.a691fd64dfa1dp-34,
    -0x1.6decd5536193ap-38,
};

/* erfc a = e^(-a^2) / (a + 3) (c0 + c1 t + ...), t = (a - 3)/(a + 3),
 * 1.125 <= a <= 6.
 * Relative error 2^-56.1. */
static const double f64_erfc_near_terms[] = {
    0x1.12f21ddd9f5e2p0,
    -0x1.c44c471baa377p-1,
    0x1.2e326945de2c2p-1,
    -0x1.3deb21415db6dp-2,
    0x1.e995f11b1486dp-4,
    -0x1.b78993d71aed6p-6,
    -0x1.3dd3e6f6459fbp-10,
    0x1.8dae3aa760297p-9,
    -0x1.1f78e4a91f266p-11,
    -0x1.223951abe21ep-12,
    0x1.c3257de0120dep-14,
    0x1.fe3a435d6597cp-16,
    -0x1.24eb20cf20b54p-16,
    -0x1.43c400925347ap-18,
    0x1.625d89d00c6d5p-19,
    0x1.2e04318e8a493p-20,
};

/* The rest that c0 lacks, which the error takes as added. */
static const double f64_erfc_near_terms_low = -0x1.9c71c8b8fb862p-54;

/* erfc a = e^(-a^2) / (1 + 2 a) (c0 + c1 t + ...), t = (a - 3)/(a + 3),
 * 0.5 <= a <= 27.5.
 * Relative error 2^-56. */
static const double f64_erfc_terms[] = {
    0x1.40c522d7e4987p0,
    -0x1.15c084bb9e8f3p-3,
    -0x1.85a15c58aa5d1p-5,
    0x1.098366a5b4699p-3,
    -0x1.e88b803a492d3p-4,
    0x1.17ca2877f1dbep-4,
    -0x1.8574c40bce8eap-6,
    0x1.4b884e422d3d2p-9,
    0x1.ef1bdd44b77e9p-10,
    -0x1.98db50c253f34p-11,
    -0x1.b91270ee54ffap-14,
    0x1.065a2f12fa747p-13,
    0x1.4c22d48a1ea0ap-18,
    -0x1.513a414a20123p-16,
    -0x1.88053c307fd04p-21,
    0x1.d1efaf0ada5d8p-19,
    0x1.7b078dbe52102p-22,
    -0x1.49e0d02cfff2ap-21,
    -0x1.215a53d25af98p-23,
    0x1.a7877751a81efp-24,
    0x1.28d8e29cf37f1p-25,
    -0x1.6c2ceaec91b16p-27,
    -0x1.30c8bdff9798ep-28,
};

/* The rest that c0 lacks, which the error takes as added. */
static const double f64_erfc_terms_low = 0x1.9871dca873a97p-55;

/* Constants as sums of doubles; the first parts of ln 2 and log10 2 are so short that an integer
 * of 11 bits times them is exact. */
static const double f64_ln2[] = {
    0x1.62e42fefa4p-1,
    -0x1.8432a1b0e2634p-43,
    0x1.f97b57a079a19p-103,
};

static const double f64_log10_2[] = {
    0x1.34413509f8p-2,
    -0x1.80433b83b532ap-44,
};

static const double f64_ln2_whole[] = {
    0x1.62e42fefa39efp-1,
    0x1.abc9e3b39803fp-56,
};

static const double f64_log2_e[] = {
    0x1.71547652b82fep0,
    0x1.777d0ffda0d24p-56,
};

static const double f64_log10_e[] = {
    0x1.bcb7b1526e50ep-2,
    0x1.95355baaafad3p-57,
};

static const double f64_pi[] = {
    0x1.921fb54442d18p1,
    0x1.1a62633145c07p-53,
    -0x1.f1976b7ed8fbcp-109,
};

static const double f64_two_thirds[] = {
    0x1.5555555555555p-1,
    0x1.5555555555555p-55,
};

static const double f64_cbrt_of_2[] = {
    0x1.965fea53d6e3dp-1,
    0x1.428a2f98d728bp0,
};

/* 2/pi in digits of 24 bits, times 2^200: the sum is exact to 2^-1272 of that. */
static const double f64_inverse_pi_digits[] = {
    0x1.45f306p199,
    0x1.b9391p174,
    0x1.529fcp148,
    0x1.3abe88p125,
    0x1.ea69bap103,
    0x1.81b6c4p79,
    0x1.2b3278p55,
    0x1.0e4104p30,
    0x1.fca2c6p7,
    0x1.57bd76p-17,
    0x1.8ac36ep-41,
    0x1.2371dp-67,
    0x1.093748p-90,
    0x1.c00c92p-113,
    0x1.775048p-139,
    0x1.a32438p-161,
    0x1.fc3bd6p-185,
    0x1.cb129p-212,
    0x1.4e7ddp-233,
    0x1.046beap-257,
    0x1.75da2p-283,
    0x1.09d338p-305,
    0x1.c09adp-330,
    0x1.7df904p-354,
    0x1.cc8ebp-379,
    0x1.cc1a98p-403,
    0x1.cfa4ep-427,
    0x1.08bf16p-449,
    0x1.7bf25p-473,
    0x1.d8ffcp-499,
    0x1.2fffbcp-521,
    0x1.6603cp-550,
    0x1.de5e22p-569,
    0x1.16b414p-593,
    0x1.b47db4p-618,
    0x1.b3f678p-643,
    0x1.3e5848p-667,
    0x1.6e9e8cp-689,
    0x1.fb34fp-715,
    0x1.7fa8b4p-738,
    0x1.d49ee8p-762,
    0x1.8fd7cap-785,
    0x1.e2f67ap-809,
    0x1.ce7dcp-838,
    0x1.14a524p-857,
    0x1.d4d7f6p-881,
    0x1.7ec47cp-906,
    0x1.1aba1p-929,
    0x1.580ccp-954,
    0x1.1bf1ecp-978,
    0x1.aeafcp-1002,
    0x1.9f784p-1025,
    0x1.35e86cp-1049,
};

/* Of f32, whose every number is an f32: e^r - 1 = r + r^2 (c0 + c1 r + ...),
 * abs(r) <= 0.3467.
 * Relative error 2^-31. */
static const double f32_expm1_terms[] = {
    0x1p-1,
    0x1.555554p-3,
    0x1.5554fp-5,
    0x1.111306p-7,
    0x1.6d4372p-10,
    0x1.9e0c28p-13,
};

/* 2^r = 1 + r (c0 + c1 r + ...), abs(r) <= 0.5005.
 * Relative error 2^-28. */
static const double f32_exp2_terms[] = {
    0x1.62e43p-1,
    0x1.ebfbd8p-3,
    0x1.c6af74p-5,
    0x1.3b3098p-7,
    0x1.5f0ccap-10,
    0x1.3fabfep-13,
};

/* sinh r = r + r^3 (c0 + c1 r^2 + ...), abs(r) <= 0.3467.
 * Relative error 2^-34.1. */
static const double f32_sinh_terms[] = {
    0x1.555556p-3,
    0x1.110fe2p-7,
    0x1.a28f3ep-13,
};

/* cosh r = 1 + r^2/2 + r^4 (c0 + c1 r^2 + ...), abs(r) <= 0.3467.
 * Absolute error 2^-33.2. */
static const double f32_cosh_terms[] = {
    0x1.5554e6p-5,
    0x1.6d4f1p-10,
};

/* log2(1 + f) = f log2 e + f^2 (c0 + c1 f + ...), sqrt(1/2) <= 1 + f <= sqrt(2).
 * Relative error 2^-27.7. */
static const double f32_log2_terms[] = {
    -0x1.71547p-1,
    0x1.ec7094p-2,
    -0x1.715ac8p-2,
    0x1.277ef2p-2,
    -0x1.eab176p-3,
    0x1.a2e6fcp-3,
    -0x1.877c2ap-3,
    0x1.7e0ad8p-3,
    -0x1.c355f2p-4,
};

/* log10(1 + f) = f log10 e + f^2 (c0 + c1 f + ...), sqrt(1/2) <= 1 + f <= sqrt(2).
 * Relative error 2^-27.7. */
static const double f32_log10_terms[] = {
    -0x1.bcb7aap-3,
    0x1.287a72p-3,
    -0x1.bcbf2ap-4,
    0x1.63cf36p-4,
    -0x1.276f3ep-4,
    0x1.f885a6p-5,
    -0x1.d765dp-5,
    0x1.cb5f34p-5,
    -0x1.0ef116p-5,
};

/* ln(1 + f) = f + f^2 (c0 + c1 f + ...), -0.25 <= f <= 0.5.
 * Relative error 2^-27.6. */
static const double f32_log1p_terms[] = {
    -0x1p-1,
    0x1.5555a6p-2,
    -0x1.00004ep-2,
    0x1.9968eap-3,
    -0x1.54eb3ep-3,
    0x1.288588p-3,
    -0x1.0db768p-3,
    0x1.ad45e2p-4,
    -0x1.721e2ep-5,
};

/* tan r = r + r^3 (c0 + c1 r^2 + ...), abs(r) <= 0.7855.
 * Relative error 2^-29.5. */
static const double f32_tan_terms[] = {
    0x1.55556p-2,
    0x1.110dap-3,
    0x1.bad946p-5,
    0x1.5cc664p-6,
    0x1.62ad1cp-7,
    0x1.af6e06p-14,
    0x1.1e6b6p-8,
};

/* atan t = t + t^3 (c0 + c1 t^2 + ...), abs(t) <= 1.
 * Relative error 2^-28.5. */
static const double f32_atan_terms[] = {
    -0x1.55553ep-2,
    0x1.9991ecp-3,
    -0x1.24211ap-3,
    0x1.c0946cp-4,
    -0x1.5825f2p-4,
    0x1.da9c2ep-5,
    -0x1.fe7d24p-6,
    0x1.6551e2p-7,
    -0x1.d5a1aap-10,
};

/* asin a = a + a^3 (c0 + c1 a^2 + ...), abs(a) <= 1/2.
 * Relative error 2^-27.6. */
static const double f32_asin_terms[] = {
    0x1.5555c8p-3,
    0x1.330206p-4,
    0x1.747b72p-5,
    0x1.8c415ap-6,
    0x1.5959aap-5,
};

/* asinh a = a + a^3 (c0 + c1 a^2 + ...), abs(a) <= 1/2.
 * Relative error 2^-29.6. */
static const double f32_asinh_terms[] = {
    -0x1.555536p-3,
    0x1.3324fap-4,
    -0x1.6b971ep-5,
    0x1.cd748ap-6,
    -0x1.b18ea2p-7,
};

/* atanh a = a + a^3 (c0 + c1 a^2 + ...), abs(a) <= 1/2.
 * Relative error 2^-29.4. */
static const double f32_atanh_terms[] = {
    0x1.55554p-2,
    0x1.99a674p-3,
    0x1.234ddp-3,
    0x1.e3fbcep-4,
    0x1.a6ddeap-5,
    0x1.692dc6p-3,
};

/* ln(1 + f) = f + f^2 (c0 + c1 f + ...), sqrt(1/2) <= 1 + f <= sqrt(2).
 * Relative error 2^-27.8. */
static const double f32_log_terms[] = {
    -0x1.fffff8p-2,
    0x1.55555p-2,
    -0x1.000432p-2,
    0x1.99a416p-3,
    -0x1.5425bap-3,
    0x1.226e72p-3,
    -0x1.0f40c2p-3,
    0x1.085d96p-3,
    -0x1.38378cp-4,
};

/* In f64: log2((1+s)/(1-s)) = s (c0 + c1 s^2 + ...), abs(s) <= 0.1717.
 * Relative error 2^-37.8. */
static const double f64_log2_terms[] = {
    0x1.71547652beeb3p1,
    0x1.ec709d11d001fp-1,
    0x1.277780b3d56bdp-1,
    0x1.a58d2421bf7dap-2,
    0x1.5ceff4d923819p-2,
};

/* tanh a = a - a^3 / (c0 + c1 a^2 + ...), 0.01 <= a <= 1.
 * Relative error 2^-26.6. */
static const double f32_tanh_terms[] = {
    0x1.800008p1,
    0x1.3332bep0,
    -0x1.751562p-8,
    0x1.dbdc4ep-13,
};

/* 2^(j/8) e^-c, rounded. */
static const double f32_exp_eighths[] = {
    0x1.e98e6ap-1,
    0x1.0aeeb6p0,
    0x1.231788p0,
    0x1.3d702p0,
    0x1.5a2b28p0,
    0x1.797fep0,
    0x1.9baa88p0,
    0x1.c0ecd4p0,
};

/* e^(c + r) - 1 = c0 + c1 r + ..., abs(r) <= (ln 2)/16.
 * Absolute error 2^-29.6. */
static const double f32_exp_eighths_rest[] = {
    0x1.778fe4p-5,
    0x1.0bbc7ep0,
    0x1.0bbc4ap-1,
    0x1.651902p-3,
    0x1.6a8858p-5,
};

/* 2^(j/8) / 2k, rounded. */
static const double f32_tanh_eighths[] = {
    0x1.0e6f36p-2,
    0x1.26e92cp-2,
    0x1.419a4p-2,
    0x1.5eb5c6p-2,
    0x1.7e73b8p-2,
    0x1.a1112p-2,
    0x1.c6d08ep-2,
    0x1.effa9ap-2,
};

/* k e^2r = c0 + c1 r + ..., abs(r) <= (ln 2)/32.
 * Relative error 2^-25.2. */
static const double f32_tanh_eighths_powers[] = {
    0x1.e4ac0ap0,
    0x1.e4ac0cp1,
    0x1.e4bf84p1,
    0x1.431592p1,
};

/* sin r = r + r^3 (c0 + c1 r^2 + ...), abs(r) <= pi/16.
 * Relative error 2^-31.1. */
static const double f32_sin_short_terms[] = {
    -0x1.555544p-3,
    0x1.10b712p-7,
};

/* cos r - 1.5e-7 r^2 = 1 + r^2 (c0 + c1 r^2 + ...), abs(r) <= pi/16.
 * Absolute error 2^-28.2. */
static const double f32_cos_short_terms[] = {
    -0x1.ffffcep-2,
    0x1.54b86ap-5,
};

/* sin(2 pi k/16), and what rounding it lost. */
static const double f32_sines[] = {
    0,
    0x1.87de2ap-2,
    0x1.6a09e6p-1,
    0x1.d906bcp-1,
    0x1p0,
    0x1.d906bcp-1,
    0x1.6a09e6p-1,
    0x1.87de2ap-2,
    0,
    -0x1.87de2ap-2,
    -0x1.6a09e6p-1,
    -0x1.d906bcp-1,
    -0x1p0,
    -0x1.d906bcp-1,
    -0x1.6a09e6p-1,
    -0x1.87de2ap-2,
};

static const double f32_sine_lows[] = {
    0,
    0x1.abaa58p-28,
    0x1.9fcef4p-27,
    0x1.e651a8p-26,
    0,
    0x1.e651a8p-26,
    0x1.9fcef4p-27,
    0x1.abaa58p-28,
    0,
    -0x1.abaa58p-28,
    -0x1.9fcef4p-27,
    -0x1.e651a8p-26,
    0,
    -0x1.e651a8p-26,
    -0x1.9fcef4p-27,
    -0x1.abaa58p-28,
};

static const double f32_log2_e[] = {
    0x1.715476p0,
    0x1.4ae0cp-26,
};

static const double f32_log10_e[] = {
    0x1.bcb7b2p-2,
    -0x1.5b235ep-27,
};

static const double f32_log10_2[] = {
    0x1.344p-2,
    0x1.3509f8p-18,
};

static const double f32_ln2[] = {
    0x1.62e4p-1,
    0x1.7f7d1cp-20,
};

static const double f32_half_pi[] = {
    0x1.921fb6p0,
    -0x1.777a5cp-25,
};

/* Cut, not rounded: what a part leaves has its sign. */
static const double f32_half_pi_short[] = {
    0x1.921fb4p0,
    0x1.4442dp-24,
    0x1.84698ap-48,
};

#endif
