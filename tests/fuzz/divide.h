/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels whose every run is divided among threads, one after the other. */
#ifndef TOSAJIT_TESTS_FUZZ_DIVIDE_H
#define TOSAJIT_TESTS_FUZZ_DIVIDE_H

#include "runtime/run/kernel.h"

/* The host's pool: in turn backwards, which no thread order would be. */
static inline void divide_backwards(void *context, size_t count,
                                    void (*task)(void *argument, size_t index), void *argument) {
    (void)context;
    for (size_t k = count; k-- > 0;) task(argument, k);
}

static inline void divide_runs(tosajit_kernel *kernel) {
    kernel->parallel = (tosajit_parallel){divide_backwards, NULL, 3};
    for (int32_t p = 0; p < kernel->plan.part_count; p++) kernel->plan.parts[p].element_ns = 1e5;
}

#endif
