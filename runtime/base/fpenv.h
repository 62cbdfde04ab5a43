/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floating-point environment of the calling thread: a host may have unmasked exceptions, chosen
 * another rounding mode or precision, or have subnormals flushed. Here nothing may trap, and no
 * result may depend on it. So it is put aside, in one of two ways:
 *
 * - fpenv_enter and fpenv_leave around generated code, which computes in vector registers alone.
 * They cost 5 ns where a whole call takes 15, so call_cache.c spares them the code that has no
 *   floating-point instruction. Settings come back exactly; exception flags may have been raised.
 * - fpenv_hold and fpenv_restore around C that computes, LLVM's folding of constants included: with
 *   the x87 registers, in which long double lives. Everything comes back exactly. Flags must: one
 *   that is raised where the host has unmasked it would make the host's next x87 instruction trap.
 */
#ifndef TOSAJIT_RUNTIME_BASE_FPENV_H
#define TOSAJIT_RUNTIME_BASE_FPENV_H

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

/* Of MXCSR: all masked, nearest even, subnormals kept; the flags. */
enum { FPENV_DEFAULT = 0x1f80, FPENV_FLAGS = 0x3f };

/* Enter the default environment; the word is for fpenv_leave. */
static inline uint64_t fpenv_enter(void) {
    const unsigned word = _mm_getcsr();
    if ((word & ~(unsigned)FPENV_FLAGS) != FPENV_DEFAULT) _mm_setcsr(FPENV_DEFAULT);
    return word;
}

static inline void fpenv_leave(uint64_t word) {
    if ((word & ~(uint64_t)FPENV_FLAGS) != FPENV_DEFAULT) _mm_setcsr((unsigned)word);
}

typedef struct fpenv {
    uint32_t x87[7]; /* as fnstenv writes it */
    uint32_t mxcsr;
} fpenv;

static inline void fpenv_hold(fpenv *saved) {
    __asm__ volatile("fnstenv %0\n\tfninit" : "=m"(saved->x87) : : "memory");
    saved->mxcsr = _mm_getcsr();
    _mm_setcsr(FPENV_DEFAULT);
}

static inline void fpenv_restore(const fpenv *saved) {
    __asm__ volatile("fldenv %0" : : "m"(saved->x87) : "memory");
    _mm_setcsr(saved->mxcsr);
}

#elif defined(__aarch64__)

/* FPCR, of which programs start with 0; the flags are in another register, FPSR. */
static inline uint64_t fpenv_control(void) {
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}
static inline void fpenv_set_control(uint64_t word) {
    __asm__ volatile("msr fpcr, %0" : : "r"(word));
}
static inline uint64_t fpenv_flags(void) {
    uint64_t word;
    __asm__ volatile("mrs %0, fpsr" : "=r"(word));
    return word;
}
static inline void fpenv_set_flags(uint64_t word) {
    __asm__ volatile("msr fpsr, %0" : : "r"(word));
}

/* Enter the default environment; the word, the flags in its upper half, is for fpenv_leave. */
static inline uint64_t fpenv_enter(void) {
    const uint64_t control = fpenv_control();
    if (control == 0) return 0;
    fpenv_set_control(0);
    return fpenv_flags() << 32 | control;
}

static inline void fpenv_leave(uint64_t word) {
    if (word == 0) return;
    fpenv_set_control((uint32_t)word);
    fpenv_set_flags(word >> 32);
}

typedef struct fpenv {
    uint64_t fpcr, fpsr;
} fpenv;

static inline void fpenv_hold(fpenv *saved) {
    saved->fpcr = fpenv_control();
    saved->fpsr = fpenv_flags();
    fpenv_set_control(0);
}

static inline void fpenv_restore(const fpenv *saved) {
    fpenv_set_control(saved->fpcr);
    fpenv_set_flags(saved->fpsr);
}

#else
#error "tosajit runs on x86-64 and AArch64"
#endif

/* Let a value be computed before this point. The compiler does not see that arithmetic depends on
 * the environment, and would move it behind its end. */
static inline void fpenv_computed(const void *value) {
    __asm__ volatile("" : : "r"(value) : "memory");
}

#endif
