/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Perf: names and instructions of code that Linux's profiler finds in no file. In: a function in
 * memory. Out: a record in a file that perf knows. (runtime/code/perf_map.h has names alone.) */
#ifndef TOSAJIT_JIT_SHOW_PERF_H
#define TOSAJIT_JIT_SHOW_PERF_H

#include <stdint.h>

typedef struct perf_code {
    const char *name;
    uint64_t address;  /* where it runs */
    const void *bytes; /* a copy of the code */
    uint64_t size;
    uint16_t machine; /* MACHINE_* of runtime/base/features.h */
} perf_code;

/* A record in DIRECTORY/jit-PID.dump, for `perf record -k mono`, then `perf inject --jit`, which
 * shows instructions, too. Source: Linux, tools/perf/Documentation/jitdump-specification.txt.
 * Thread-safe. */
void perf_jitdump_add(const perf_code *code);

#endif
