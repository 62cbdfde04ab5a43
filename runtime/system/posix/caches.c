/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Caches: from Linux's /sys, or macOS's sysctl. The C library's sysconf multiplies by processors
 * that a virtual machine does not have: it says 320 MiB where 32 are. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/system/system.h"
#if defined(__APPLE__)
#include "runtime/system/posix/apple.h"
#endif

static system_once once = SYSTEM_ONCE;
static int64_t largest;

#if defined(__APPLE__)
static void find_largest(void) {
    static const char *const names[] = {"hw.l2cachesize", "hw.perflevel0.l2cachesize",
                                        "hw.l3cachesize"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const int64_t size = (int64_t)apple_number(names[k]);
        if (size > largest) largest = size;
    }
}
#else

/* The file says 32768K. What is not such a number counts as 0. */
static int64_t read_size(int index) {
    char path[64], text[32];
    size_t length;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
    const system_file file = system_file_open(SYSTEM_NO_FILE, path, SYSTEM_READ);
    if (file == SYSTEM_NO_FILE) return 0;
    if (!system_file_read(file, text, sizeof text - 1, &length)) length = 0;
    system_file_close(file);
    text[length] = 0;
    char *unit = text;
    const long long number = strtoll(text, &unit, 10);
    const int shift = *unit == 'K' ? 10 : *unit == 'M' ? 20 : 0;
    return number > 0 && number < 1 << 30 ? (int64_t)number << shift : 0;
}

static void find_largest(void) {
    enum { CACHES = 5 }; /* L1 has two, and there is an L4 on some */
    for (int k = 0; k < CACHES; k++) {
        const int64_t size = read_size(k);
        if (size > largest) largest = size;
    }
}
#endif

int64_t system_cache_bytes(void) {
    system_call_once(&once, find_largest);
    return largest;
}
