/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPU: its features as it tells of them, and how many there are. */
#include <windows.h>

#include "runtime/system/cpuid.h"
#include "runtime/system/system.h"

void system_cpu(uint32_t words[CPU_WORDS]) {
    for (int k = 0; k < CPU_WORDS; k++) words[k] = 0;
    cpuid_read(words);
}

size_t system_processors(void) {
    DWORD_PTR ours, all;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &ours, &all)) return 0;
    size_t count = 0;
    for (; ours; ours &= ours - 1) count++;
    return count;
}

uint64_t system_memory_bytes(void) {
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    return GlobalMemoryStatusEx(&memory) ? memory.ullTotalPhys : 0;
}
