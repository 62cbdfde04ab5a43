/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPUID: what an x86 tells of its features, on every system. */
#ifndef TOSAJIT_RUNTIME_SYSTEM_CPUID_H
#define TOSAJIT_RUNTIME_SYSTEM_CPUID_H

#if defined(__x86_64__)
#include <cpuid.h>

#include "runtime/system/system.h"

/* Registers that the system saves: XCR0, or nothing. */
static inline uint32_t cpuid_saved_state(uint32_t leaf1_c) {
    enum { OSXSAVE = 1 << 27 };
    uint32_t low = 0, high;
    if (leaf1_c & OSXSAVE) __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* Into words that are 0. */
static inline void cpuid_read(uint32_t words[CPU_WORDS]) {
    uint32_t unused;
    __get_cpuid(1, &unused, &unused, &words[CPU_LEAF1_C], &unused);
    __get_cpuid(0x80000001, &unused, &unused, &words[CPU_EXTENDED_C], &unused);
    if (__get_cpuid_count(7, 0, &unused, &words[CPU_LEAF7_B], &words[CPU_LEAF7_C],
                          &words[CPU_LEAF7_D]))
        __get_cpuid_count(7, 1, &words[CPU_LEAF71_A], &unused, &unused, &words[CPU_LEAF71_D]);
    words[CPU_XCR0] = cpuid_saved_state(words[CPU_LEAF1_C]);
}
#endif

#endif
