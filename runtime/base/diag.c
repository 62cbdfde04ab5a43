/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Diagnostics: one fixed record per thread, so that reporting an error can neither fail nor
 * allocate. The record is runtime/base/status.c's; libtosajit-mlir has this file, too, and writes
 * into libtosajit's. */
#include "runtime/base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define last tosajit_private_last

tosajit_status diag_error(tosajit_status status, const char *format, ...) {
    last.status = status;
    last.subject = diag_nothing();
    last.line = last.column = last.sentence = 0;
    last.system_error = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last.message, sizeof last.message, format, arguments);
    va_end(arguments);
    return status;
}

tosajit_status diag_prefix(tosajit_status status, const char *format, ...) {
    char tail[DIAG_CAPACITY];
    memcpy(tail, last.message, sizeof tail);
    last.status = status;
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(last.message, sizeof last.message, format, arguments);
    va_end(arguments);
    if (used < 0) used = 0;
    if ((size_t)used < sizeof last.message)
        snprintf(last.message + used, sizeof last.message - (size_t)used, "%s", tail);
    return status;
}

tosajit_status diag_operand(tosajit_status status, int64_t operand, int64_t dimension,
                            int64_t found, int64_t expected) {
    const diag_subject about = {last.subject.op, (int32_t)operand, -1, (int32_t)dimension,
                                found,           expected};
    return diag_on(status, &about);
}

tosajit_status diag_result(tosajit_status status, int64_t result, int64_t dimension, int64_t found,
                           int64_t expected) {
    const diag_subject about = {last.subject.op,    -1,    (int32_t)result,
                                (int32_t)dimension, found, expected};
    return diag_on(status, &about);
}

tosajit_status diag_op(tosajit_status status, tosajit_op op) {
    if (status) last.subject.op = op;
    return status;
}

tosajit_status diag_system(tosajit_status status, int error) {
    if (status) last.system_error = error;
    return status;
}

diag_subject diag_about(void) { return last.subject; }

tosajit_status diag_on(tosajit_status status, const diag_subject *subject) {
    if (status) last.subject = *subject;
    return status;
}

tosajit_status diag_place(tosajit_status status, size_t line, size_t column, size_t sentence) {
    if (status) last.line = line, last.column = column, last.sentence = sentence;
    return status;
}
