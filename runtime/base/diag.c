/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Diagnostics: one fixed buffer per thread, so that reporting an error can neither fail nor
 * allocate. The buffer is runtime/base/status.c's; libtosajit-mlir has this file, too, and writes
 * into libtosajit's. */
#include "runtime/base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define message tosajit_private_message

tosajit_status diag_error(tosajit_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

tosajit_status diag_prefix(tosajit_status status, const char *format, ...) {
    char tail[DIAG_CAPACITY];
    memcpy(tail, message, sizeof tail);
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (used < 0) used = 0;
    if ((size_t)used < sizeof message)
        snprintf(message + used, sizeof message - (size_t)used, "%s", tail);
    return status;
}
