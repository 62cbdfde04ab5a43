/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Diagnostics: the thread's last error message.
 * In: a status and a printf format. Out: the same status, so that `return diag_error(...)` reports
 * and fails at once. */
#ifndef TOSAJIT_RUNTIME_BASE_DIAG_H
#define TOSAJIT_RUNTIME_BASE_DIAG_H

#include "tosajit/tosajit.h"

#if defined(__GNUC__)
#define DIAG_FORMAT(at, first) __attribute__((format(printf, at, first), cold))
#else
#define DIAG_FORMAT(at, first)
#endif

/* The message itself, which every library of a process writes. */
enum { DIAG_CAPACITY = 1024 };
TOSAJIT_API extern _Thread_local char tosajit_private_message[DIAG_CAPACITY];

tosajit_status diag_error(tosajit_status status, const char *format, ...) DIAG_FORMAT(2, 3);

/* Put text in front of the message of an error that is on its way up: the path to where it
 * happened. */
tosajit_status diag_prefix(tosajit_status status, const char *format, ...) DIAG_FORMAT(2, 3);

#endif
