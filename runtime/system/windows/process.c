/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Process: what it was given when it began, and its numbers. */
#include <stdlib.h>
#include <windows.h>

#include "runtime/system/system.h"

/* No program here has another user's rights because its file says so. */
const char *system_variable(const char *name) { return getenv(name); }

long system_process(void) { return (long)GetCurrentProcessId(); }

long system_thread_number(void) { return (long)GetCurrentThreadId(); }
