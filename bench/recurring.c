/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recurring: when sizes come often is the library's to say. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "bench/recurring.h"

#include <time.h>

enum { MOST_CALLS = 1000000 };
static const double MOST_SECONDS = 2;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t made_by(tosajit_engine *engine) {
    tosajit_stats stats = {.size = sizeof stats};
    tosajit_engine_stats(engine, &stats);
    return stats.specialised;
}

tosajit_status recur(tosajit_engine *engine, tosajit_kernel *kernel, const tosajit_tensor *operands,
                     size_t operand_count, const tosajit_tensor *result) {
    const size_t before = made_by(engine);
    const double end = now() + MOST_SECONDS;
    tosajit_status status = TOSAJIT_OK;
    for (int k = 0; !status && k < MOST_CALLS && now() < end && made_by(engine) == before; k++) {
        status = tosajit_run(kernel, operands, operand_count, result, 1);
        if (!status) status = tosajit_kernel_wait(kernel);
    }
    return status;
}
