/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads: see threads.h. */
#define _POSIX_C_SOURCE 200809L
#include "jit/engine/threads.h"

#include <signal.h>

/* The calling thread's, whose mask its threads inherit; faults of a thread itself are its own, and
 * a profiler's signal is for everybody. */
static void refuse_signals(sigset_t *before) {
    static const int taken[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF};
    sigset_t refused;
    sigfillset(&refused);
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) sigdelset(&refused, taken[k]);
    pthread_sigmask(SIG_BLOCK, &refused, before);
}

bool threads_start(pthread_t *thread, void *(*work)(void *argument), void *argument) {
    sigset_t before;
    refuse_signals(&before);
    int failed = pthread_create(thread, NULL, work, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}
