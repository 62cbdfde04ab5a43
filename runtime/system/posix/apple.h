/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Apple: what macOS says by name (sysctl). */
#ifndef TOSAJIT_RUNTIME_SYSTEM_POSIX_APPLE_H
#define TOSAJIT_RUNTIME_SYSTEM_POSIX_APPLE_H

#include <stdint.h>
#include <sys/sysctl.h>

/* A number of 4 or 8 bytes; 0 if there is none of that name. */
static inline uint64_t apple_number(const char *name) {
    union {
        uint32_t narrow;
        uint64_t wide;
    } number = {.wide = 0};
    size_t size = sizeof number;
    if (sysctlbyname(name, &number, &size, NULL, 0) != 0) return 0;
    return size == sizeof number.narrow ? number.narrow : number.wide;
}

#endif
