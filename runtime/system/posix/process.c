/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Process: what it was given when it began, and its numbers. */
#define _GNU_SOURCE      /* secure_getenv, syscall */
#define _DARWIN_C_SOURCE /* issetugid */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#if !defined(__APPLE__)
#include <sys/syscall.h>
#endif

#include "runtime/system/system.h"

#if defined(__APPLE__)
const char *system_variable(const char *name) { return issetugid() ? NULL : getenv(name); }

long system_thread_number(void) {
    uint64_t number = 0;
    pthread_threadid_np(NULL, &number);
    return (long)number;
}
#else
const char *system_variable(const char *name) { return secure_getenv(name); }

/* glibc has gettid since 2.30. */
long system_thread_number(void) { return syscall(SYS_gettid); }
#endif

long system_process(void) { return getpid(); }
