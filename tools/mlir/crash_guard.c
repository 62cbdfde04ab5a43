/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Signal handlers on a stack of their own, which write one line and leave; a limit of memory, to
 * which MLIR answers with an abort, and a limit of time. Nothing is cleaned up: after a fault in
 * foreign code no state can be trusted. */
#define _XOPEN_SOURCE 700 /* sigaction, sigaltstack, SA_ONSTACK, setrlimit, setitimer */
#include "tools/mlir/crash_guard.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    STACK_SIZE = 64 * 1024,
    EXIT_REFUSED = 1,
    MEMORY_BASE = 512 * 1024 * 1024, /* for what does not depend on the file */
    MEMORY_PER_BYTE = 64,            /* text of many small ops takes about 20 */
    SECONDS_BASE = 5,                /* of the processor; a small file takes milliseconds */
    BYTES_PER_SECOND = 100 * 1000,   /* many times less than MLIR reads in one */
};

static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGVTALRM};
enum { SIGNALS = sizeof signals / sizeof *signals };

static const char *guarded_file;
static struct sigaction former[SIGNALS];
static stack_t former_stack;
static struct rlimit former_limit;
static bool limited;
static char stack[STACK_SIZE];

static void write_text(const char *text) { (void)!write(STDERR_FILENO, text, strlen(text)); }

static void leave_process(int signal_number) {
    (void)signal_number;
    write_text(guarded_file);
    write_text(": error: MLIR's parser fails on this file; it is damaged, nests too deeply, or "
               "asks for too much memory or time\n");
    _exit(EXIT_REFUSED);
}

/* Bytes of address space in use; 0 where the system does not say. */
static uint64_t address_space(void) {
    uint64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%" SCNu64, &pages) != 1) pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit_memory(size_t size) {
    uint64_t used = address_space(), more = MEMORY_BASE + (uint64_t)size * MEMORY_PER_BYTE;
    limited = used > 0 && getrlimit(RLIMIT_AS, &former_limit) == 0;
    if (!limited) return;
    struct rlimit limit = former_limit;
    bool unlimited = limit.rlim_cur == RLIM_INFINITY;
    if (unlimited || limit.rlim_cur > used + more) limit.rlim_cur = used + more;
    limited = setrlimit(RLIMIT_AS, &limit) == 0;
}

/* Of the processor; 0 for none. The reader of bytecode may take exponential time. */
static void limit_seconds(size_t seconds) {
    struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

void crash_guard_enter(const char *file, size_t size) {
    stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = leave_process, .sa_flags = SA_ONSTACK};
    guarded_file = file;
    sigemptyset(&action.sa_mask);
    sigaltstack(&own, &former_stack);
    for (int k = 0; k < SIGNALS; k++) sigaction(signals[k], &action, &former[k]);
    limit_memory(size);
    limit_seconds(SECONDS_BASE + size / BYTES_PER_SECOND);
}

void crash_guard_leave(void) {
    limit_seconds(0);
    if (limited) setrlimit(RLIMIT_AS, &former_limit);
    for (int k = 0; k < SIGNALS; k++) sigaction(signals[k], &former[k], NULL);
    sigaltstack(&former_stack, NULL);
}
