/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPU: its features as it tells of them, or the system does; and how many there are. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <unistd.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "runtime/system/cpuid.h"
#include "runtime/system/system.h"

void system_cpu(uint32_t words[CPU_WORDS]) {
    for (int k = 0; k < CPU_WORDS; k++) words[k] = 0;
#if defined(__x86_64__)
    cpuid_read(words);
#elif defined(__aarch64__)
    words[CPU_HWCAP] = (uint32_t)getauxval(AT_HWCAP);
    words[CPU_HWCAP2] = (uint32_t)getauxval(AT_HWCAP2);
#endif
}

size_t system_processors(void) {
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? (size_t)CPU_COUNT(&allowed) : 0;
}

uint64_t system_memory_bytes(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}
