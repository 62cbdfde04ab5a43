/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Clock. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "runtime/system/system.h"

enum { SECOND = 1000000000 };

int64_t system_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

void system_sleep(int64_t nanoseconds) {
    nanosleep(&(struct timespec){nanoseconds / SECOND, nanoseconds % SECOND}, NULL);
}
