/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels whose every run is divided among threads: one after the other, or at the same time. */
#ifndef TOSAJIT_TESTS_NUMBERS_DIVIDE_H
#define TOSAJIT_TESTS_NUMBERS_DIVIDE_H

#include <pthread.h>
#include <stdbool.h>

#include "runtime/run/kernel.h"

/* The host's pool: in turn backwards, which no thread order would be. */
static inline void divide_backwards(void *context, size_t count,
                                    void (*task)(void *argument, size_t index), void *argument) {
    (void)context;
    for (size_t k = count; k-- > 0;) task(argument, k);
}

enum { DIVIDE_THREADS = 3 };

typedef struct divide_share {
    void (*task)(void *argument, size_t index);
    void *argument;
    size_t first, count;
    bool begun;
    pthread_t thread;
} divide_share;

static inline void *divide_do_share(void *given) {
    const divide_share *s = (const divide_share *)given;
    for (size_t k = s->first; k < s->count; k += DIVIDE_THREADS) s->task(s->argument, k);
    return NULL;
}

/* The host's pool: threads of their own, or the caller where the system gives none. */
static inline void divide_at_once(void *context, size_t count,
                                  void (*task)(void *argument, size_t index), void *argument) {
    divide_share shares[DIVIDE_THREADS];
    (void)context;
    for (size_t k = DIVIDE_THREADS; k-- > 0;) { /* the caller's own is the last */
        shares[k] = (divide_share){.task = task, .argument = argument, .first = k, .count = count};
        shares[k].begun =
            k > 0 && !pthread_create(&shares[k].thread, NULL, divide_do_share, &shares[k]);
        if (!shares[k].begun) divide_do_share(&shares[k]);
    }
    for (size_t k = 0; k < DIVIDE_THREADS; k++)
        if (shares[k].begun) pthread_join(shares[k].thread, NULL);
}

/* Pieces are worth a thread, however small they are. */
static inline void divide_pieces(tosajit_kernel *kernel) {
    for (int32_t p = 0; p < kernel->plan.part_count; p++) kernel->plan.parts[p].piece_elements = 1;
}

static inline void divide_on(tosajit_kernel *kernel, tosajit_parallel pool) {
    kernel->parallel = pool;
    divide_pieces(kernel);
}

/* tosajit_run on the host's threads, which the kernel may not have been told of. */
static inline tosajit_status divide_run(const tosajit_kernel *kernel,
                                        const tosajit_tensor *operands, size_t operand_count,
                                        const tosajit_tensor *results, size_t result_count) {
    const tosajit_parallel pool = {divide_at_once, NULL, DIVIDE_THREADS};
    return tosajit_run_parallel(kernel, operands, operand_count, results, result_count, &pool);
}

static inline void divide_runs(tosajit_kernel *kernel) {
    divide_on(kernel, (tosajit_parallel){divide_backwards, NULL, DIVIDE_THREADS});
}

static inline void divide_among_threads(tosajit_kernel *kernel) {
    divide_on(kernel, (tosajit_parallel){divide_at_once, NULL, DIVIDE_THREADS});
}

#endif
