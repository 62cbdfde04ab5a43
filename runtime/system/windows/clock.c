/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Clock. */
#include <windows.h>

#include "runtime/system/system.h"

enum { SECOND = 1000000000, MILLISECOND = 1000000 };

/* It counts in steps of a frequency that never changes. */
int64_t system_clock(void) {
    LARGE_INTEGER now, frequency;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&frequency);
    const int64_t steps = frequency.QuadPart;
    return now.QuadPart / steps * SECOND + now.QuadPart % steps * SECOND / steps;
}

void system_sleep(int64_t nanoseconds) {
    Sleep((DWORD)((nanoseconds + MILLISECOND - 1) / MILLISECOND));
}
