/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Level: the CPU level of everything that this program compares, set by the build. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "bench/level.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const bench_level = TOSAJIT_BENCH_LEVEL;

bool level_enter(void) {
    if (!*bench_level) return true;
    const bool wide = strcmp(bench_level, "x86-64-v3") == 0;
#if defined(__x86_64__)
    if (wide && !__builtin_cpu_supports("avx2"))
        return puts("*** NOT TESTED: this machine has no AVX2"), false;
#endif
    return setenv("TOSAJIT_CPU", bench_level, 1) == 0 &&
           setenv("ONEDNN_MAX_CPU_ISA", wide ? "AVX2" : "SSE41", 1) == 0;
}
