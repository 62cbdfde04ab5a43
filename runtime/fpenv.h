/* Floating-point environment: results do not depend on what the calling thread has set. Flush-to-zero, another rounding mode or
 * unmasked exceptions are put aside for the run and come back after it. */
#ifndef TOSAJIT_RUNTIME_FPENV_H
#define TOSAJIT_RUNTIME_FPENV_H

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

enum { FPENV_DEFAULT = 0x1f80, FPENV_FLAGS = 0x3f }; /* MXCSR: all masked, nearest even, subnormals kept; sticky flags */
static inline uint64_t fpenv_get(void) { return _mm_getcsr(); }
static inline void fpenv_set(uint64_t word) { _mm_setcsr((unsigned)word); }

#elif defined(__aarch64__)

enum { FPENV_DEFAULT = 0, FPENV_FLAGS = 0 }; /* FPCR; the flags are elsewhere */
static inline uint64_t fpenv_get(void) {
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}
static inline void fpenv_set(uint64_t word) { __asm__ volatile("msr fpcr, %0" : : "r"(word)); }

#else
#error "tosajit runs on x86-64 and AArch64"
#endif

/* Enter the default environment; the word is for fpenv_leave. */
static inline uint64_t fpenv_enter(void) {
    uint64_t word = fpenv_get();
    if ((word & ~(uint64_t)FPENV_FLAGS) != FPENV_DEFAULT) fpenv_set(FPENV_DEFAULT);
    return word;
}

static inline void fpenv_leave(uint64_t word) {
    if ((word & ~(uint64_t)FPENV_FLAGS) != FPENV_DEFAULT) fpenv_set(word);
}

#endif
