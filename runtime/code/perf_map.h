/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Perf map: names for code that Linux's profiler finds in no file. In: a function in memory. Out: a
 * line in the file that perf reads. */
#ifndef TOSAJIT_RUNTIME_CODE_PERF_MAP_H
#define TOSAJIT_RUNTIME_CODE_PERF_MAP_H

#include <stdint.h>

/* A line in /tmp/perf-PID.map, which `perf report` reads. Thread-safe. */
void perf_map_add(const char *name, uint64_t address, uint64_t size);

#endif
