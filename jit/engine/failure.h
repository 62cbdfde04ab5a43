/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Failure: how something went, on its way to another thread, whose last error it becomes there. */
#ifndef TOSAJIT_JIT_ENGINE_FAILURE_H
#define TOSAJIT_JIT_ENGINE_FAILURE_H

#include <stdio.h>

#include "runtime/base/diag.h"

typedef struct failure {
    tosajit_status status;
    diag_subject about;
    char message[512]; /* of the thread that failed; longer ones are cut */
} failure;

/* A status, with the thread's last error unless it is OK. */
static inline void failure_keep(failure *f, tosajit_status status) {
    f->status = status;
    f->about = diag_about();
    if (status) snprintf(f->message, sizeof f->message, "%s", tosajit_last_error());
}

/* The status, on the thread that is told. */
static inline tosajit_status failure_tell(const failure *f) {
    return f->status ? diag_on(diag_error(f->status, "%s", f->message), &f->about) : TOSAJIT_OK;
}

#endif
