/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tools/mlir/crash_guard.h for the fuzzer: a fault inside MLIR's parser abandons the input, with
 * all that MLIR has allocated, and is counted. The process goes on, so limits of memory are left to
 * the fuzzer. */
#define _XOPEN_SOURCE 700 /* sigaction, sigaltstack */
#include "tests/fuzz/crash_trap.h"

#include <signal.h>
#include <stdio.h>

#include "tools/mlir/crash_guard.h"

static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
enum { SIGNALS = sizeof signals / sizeof *signals, STACK_SIZE = 64 * 1024 };

sigjmp_buf crash_trap;
static struct sigaction former[SIGNALS];
static stack_t former_stack;
static char stack[STACK_SIZE];
static unsigned faults;

static void spring(int number) {
    (void)number;
    faults++;
    crash_guard_leave();
    siglongjmp(crash_trap, 1);
}

void crash_guard_enter(const char *file, size_t size) {
    (void)file;
    (void)size;
    stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = spring, .sa_flags = SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaltstack(&own, &former_stack);
    for (int k = 0; k < SIGNALS; k++) sigaction(signals[k], &action, &former[k]);
}

void crash_guard_leave(void) {
    for (int k = 0; k < SIGNALS; k++) sigaction(signals[k], &former[k], NULL);
    sigaltstack(&former_stack, NULL);
}

__attribute__((destructor)) static void tell(void) {
    if (faults > 0) fprintf(stderr, "faults inside MLIR's parser: %u\n", faults);
}
