/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Process: what it was given when it began, and its numbers. */
#define _GNU_SOURCE /* secure_getenv, gettid */
#include <stdlib.h>
#include <unistd.h>

#include "runtime/system/system.h"

const char *system_variable(const char *name) { return secure_getenv(name); }

long system_process(void) { return getpid(); }

long system_thread_number(void) { return gettid(); }
