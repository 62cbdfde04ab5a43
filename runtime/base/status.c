/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statuses: their names, the thread's last error, and the version. The record of the error is
 * exported. So a process with both libtosajit and libtosajit-runtime has one last error per thread,
 * whichever library failed. */
#include "runtime/base/diag.h"

#if defined(_WIN32)
static _Thread_local diag_last own;
diag_last *tosajit_private_last_here(void) { return &own; }
#else
_Thread_local diag_last tosajit_private_last;
#endif

const char *tosajit_last_error(void) { return tosajit_private_last.message; }

const char *tosajit_status_name(tosajit_status status) {
    static const char *const names[] = {
        "TOSAJIT_OK",
        "TOSAJIT_INVALID_ARGUMENT",
        "TOSAJIT_TYPE_MISMATCH",
        "TOSAJIT_SHAPE_MISMATCH",
        "TOSAJIT_UNRANKED_SHAPE",
        "TOSAJIT_BAD_ATTRIBUTE",
        "TOSAJIT_OVERLAP",
        "TOSAJIT_OVERFLOW",
        "TOSAJIT_LIMIT_EXCEEDED",
        "TOSAJIT_OUT_OF_MEMORY",
        "TOSAJIT_NOT_EXECUTABLE",
        "TOSAJIT_CODEGEN_FAILED",
        "TOSAJIT_BAD_IMAGE",
        "TOSAJIT_BAD_MODULE",
        "TOSAJIT_INDEX_OUT_OF_RANGE",
    };
    size_t index = (size_t)status;
    return index < sizeof names / sizeof *names ? names[index] : "unknown status";
}

#define STRING_(x) #x
#define STRING(x) STRING_(x)
const char *tosajit_version(void) {
    return STRING(TOSAJIT_VERSION_MAJOR) "." STRING(TOSAJIT_VERSION_MINOR) "." STRING(
        TOSAJIT_VERSION_PATCH);
}
