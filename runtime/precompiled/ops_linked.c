/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ops that are linked: into the same library, or as a shared library that this one needs. They are
 * mapped when the program starts, before it may forbid itself executable memory. */
#include <string.h>

#include "runtime/precompiled/ops.h"
#include "runtime/base/diag.h"

extern const rows_library tosajit_private_ops;

const rows_library *ops_find(void) {
    if (strcmp(tosajit_private_ops.build, tosajit_ops_build) == 0) return &tosajit_private_ops;
    diag_error(TOSAJIT_NOT_EXECUTABLE,
               "libtosajit-ops is of another build than libtosajit; install both together");
    return NULL;
}
