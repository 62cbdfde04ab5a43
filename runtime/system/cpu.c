/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPU: its features as it tells of them, or the system does; and how many there are. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "runtime/system/system.h"

#if defined(__x86_64__)
/* What the system saves of the registers: XCR0, or nothing. */
static uint32_t saved_state(uint32_t leaf1_c) {
    enum { OSXSAVE = 1 << 27 };
    uint32_t low = 0, high;
    if (leaf1_c & OSXSAVE) __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

void system_cpu(uint32_t words[CPU_WORDS]) {
    uint32_t unused;
    for (int k = 0; k < CPU_WORDS; k++) words[k] = 0;
    __get_cpuid(1, &unused, &unused, &words[CPU_LEAF1_C], &unused);
    __get_cpuid(0x80000001, &unused, &unused, &words[CPU_EXTENDED_C], &unused);
    if (__get_cpuid_count(7, 0, &unused, &words[CPU_LEAF7_B], &words[CPU_LEAF7_C],
                          &words[CPU_LEAF7_D]))
        __get_cpuid_count(7, 1, &words[CPU_LEAF71_A], &unused, &unused, &words[CPU_LEAF71_D]);
    words[CPU_XCR0] = saved_state(words[CPU_LEAF1_C]);
}
#else
void system_cpu(uint32_t words[CPU_WORDS]) {
    for (int k = 0; k < CPU_WORDS; k++) words[k] = 0;
#if defined(__aarch64__)
    words[CPU_HWCAP] = (uint32_t)getauxval(AT_HWCAP);
    words[CPU_HWCAP2] = (uint32_t)getauxval(AT_HWCAP2);
#endif
}
#endif

size_t system_processors(void) {
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? (size_t)CPU_COUNT(&allowed) : 0;
}
