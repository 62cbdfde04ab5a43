/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Verbose: lines on standard error about what is compiled and what is run. In: a kernel and what
 * happened. Out: one line, that ends in a command which does the same again. */
#ifndef TOSAJIT_RUNTIME_RUN_VERBOSE_H
#define TOSAJIT_RUNTIME_RUN_VERBOSE_H

#include "runtime/run/run.h"

/* How it went. */
typedef struct verbose_run {
    int64_t start; /* on system_clock */
    bool cached;   /* it was remembered */
    tosajit_status status;
} verbose_run;

/* info: of the code, null where it is interpreted; a failure is the thread's last error. */
void verbose_compiled(const tosajit_kernel *kernel, tosajit_status status,
                      const tosajit_kernel_info *info);
/* The kernel came from an image. */
void verbose_loaded(const tosajit_kernel *kernel);
/* code: that the call found, or null. */
void verbose_ran(const tosajit_kernel *kernel, const kernel_code *code, const run_call *call,
                 const verbose_run *how);
/* Milliseconds since a time of system_clock. */
double verbose_since(int64_t start);

#endif
