/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPU: its features as it tells of them, or the system does; and how many there are. */
#if defined(__APPLE__)
#include "runtime/system/posix/apple.h"
#else
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <unistd.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif
#endif

#include "runtime/system/cpuid.h"
#include "runtime/system/system.h"

#if defined(__APPLE__) && defined(__aarch64__)
/* Names of features in macOS, as bits of Linux's words. */
static void read_features(uint32_t words[CPU_WORDS]) {
    static const struct {
        const char *name;
        int word;
        uint32_t bits;
    } features[] = {
        {"hw.optional.arm.FEAT_FP16", CPU_HWCAP, 1u << 9 | 1u << 10},
        {"hw.optional.arm.FEAT_DotProd", CPU_HWCAP, 1u << 20},
        {"hw.optional.arm.FEAT_SHA3", CPU_HWCAP, 1u << 17},
        {"hw.optional.arm.FEAT_I8MM", CPU_HWCAP2, 1u << 13},
        {"hw.optional.arm.FEAT_BF16", CPU_HWCAP2, 1u << 14},
    };
    words[CPU_HWCAP] = 1u << 0 | 1u << 1; /* floating point and NEON, which all have */
    for (size_t k = 0; k < sizeof features / sizeof *features; k++)
        if (apple_number(features[k].name)) words[features[k].word] |= features[k].bits;
}
#elif defined(__aarch64__)
static void read_features(uint32_t words[CPU_WORDS]) {
    words[CPU_HWCAP] = (uint32_t)getauxval(AT_HWCAP);
    words[CPU_HWCAP2] = (uint32_t)getauxval(AT_HWCAP2);
}
#elif defined(__x86_64__)
static void read_features(uint32_t words[CPU_WORDS]) { cpuid_read(words); }
#endif

void system_cpu(uint32_t words[CPU_WORDS]) {
    for (int k = 0; k < CPU_WORDS; k++) words[k] = 0;
    read_features(words);
}

#if defined(__APPLE__)
size_t system_processors(void) { return (size_t)apple_number("hw.activecpu"); }

uint64_t system_memory_bytes(void) { return apple_number("hw.memsize"); }
#else
size_t system_processors(void) {
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? (size_t)CPU_COUNT(&allowed) : 0;
}

uint64_t system_memory_bytes(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}
#endif
