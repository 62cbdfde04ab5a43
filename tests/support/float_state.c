/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floating-point settings: see float_state.h. */
#define _GNU_SOURCE /* feenableexcept */
#include "tests/support/float_state.h"

#include <fenv.h>

typedef struct setting {
    const char *name;
    int rounding, unmasked;
    unsigned control, x87; /* bits of MXCSR or FPCR to set; of x87's control word to clear */
} setting;

#if defined(__x86_64__)
#include <xmmintrin.h>
enum {
    FLUSH = 0x8040, /* FTZ and DAZ */
    USUAL = 0x1f80,
    FLAGS = 0x3f,
    DENORMALS = 0x0100, /* masked in MXCSR; fenv.h has no name for it */
};
#else
enum { FLUSH = 1 << 24, USUAL = 0, FLAGS = 0, DENORMALS = 0 }; /* FZ */
#endif

static const setting settings[] = {
    {"as programs start", FE_TONEAREST, 0, 0, 0},
    {"invalid, division by zero and overflow unmasked", FE_TONEAREST,
     FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW, 0, 0},
    {"all exceptions unmasked", FE_TONEAREST, FE_ALL_EXCEPT, 0, 0},
    {"upward", FE_UPWARD, 0, 0, 0},
    {"downward", FE_DOWNWARD, 0, 0, 0},
    {"toward zero", FE_TOWARDZERO, 0, 0, 0},
    {"FTZ and DAZ", FE_TONEAREST, 0, FLUSH, 0},
    {"FTZ, DAZ, upward, all unmasked", FE_UPWARD, FE_ALL_EXCEPT, FLUSH, 0},
#if defined(__x86_64__)
    {"x87 of 24 bits", FE_TONEAREST, 0, 0, 0x300},
    {"x87 of 53 bits, all unmasked", FE_TONEAREST, FE_ALL_EXCEPT, 0, 0x100},
#endif
};

const char *float_state_name(size_t k) {
    return k < sizeof settings / sizeof *settings ? settings[k].name : NULL;
}

#if defined(__x86_64__)
static uint64_t control(void) { return _mm_getcsr(); }
static void set_control(uint64_t word) { _mm_setcsr((unsigned)word); }
static uint16_t x87_control(void) {
    uint16_t word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}
static void set_x87_control(uint16_t word) { __asm__ volatile("fldcw %0" : : "m"(word)); }
static uint64_t flags(void) {
    uint16_t status;
    __asm__ volatile("fnstsw %0" : "=m"(status));
    return (control() & FLAGS) | (uint64_t)(status & FLAGS) << 8;
}
#else
static uint64_t control(void) {
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}
static void set_control(uint64_t word) { __asm__ volatile("msr fpcr, %0" : : "r"(word)); }
static uint16_t x87_control(void) { return 0; }
static void set_x87_control(uint16_t word) { (void)word; }
static uint64_t flags(void) {
    uint64_t word;
    __asm__ volatile("mrs %0, fpsr" : "=r"(word));
    return word;
}
#endif

/* Let these exceptions trap; the ones that do. */
static int unmask(int exceptions) {
#if defined(_WIN32)     /* where C's library cannot */
    enum { MASKS = 7 }; /* bits of MXCSR from a flag to its mask */
    set_control(control() & ~((uint64_t)exceptions << MASKS));
    set_x87_control((uint16_t)(x87_control() & ~exceptions));
    return exceptions;
#else
    return feenableexcept(exceptions) == -1 ? 0 : fegetexcept();
#endif
}

bool float_state_set(size_t k) {
    const setting *s = &settings[k];
    float_state_reset();
    fesetround(s->rounding);
    set_control(control() | s->control);
    if (s->x87) set_x87_control((uint16_t)(x87_control() & ~s->x87));
    if (!s->unmasked) return true;
    const int trapping = unmask(s->unmasked);
    if (trapping && s->unmasked == FE_ALL_EXCEPT) set_control(control() & ~(uint64_t)DENORMALS);
    return (trapping & s->unmasked) == s->unmasked; /* AArch64 need not have traps */
}

void float_state_reset(void) {
    fesetenv(FE_DFL_ENV);
    feclearexcept(FE_ALL_EXCEPT);
    set_control(USUAL);
#if defined(__x86_64__)
    set_x87_control(0x37f);
#endif
}

float_state float_state_get(void) {
    return (float_state){control() & ~(uint64_t)FLAGS, x87_control(), flags()};
}

const char *float_state_compare(const float_state *before) {
    const float_state now = float_state_get();
    const bool usual = before->control == USUAL;
    if (now.control != before->control) return "the settings";
    if (now.x87 != before->x87) return "x87's control word";
    if (before->flags & ~now.flags) return "exception flags, which are cleared,";
    return !usual && now.flags != before->flags ? "exception flags" : NULL;
}
