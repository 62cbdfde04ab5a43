/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stand in, where there are no precompiled ops. */
#include "runtime/precompiled/stand_in.h"

tosajit_status stand_in_attach(tosajit_kernel *kernel) {
    (void)kernel;
    return TOSAJIT_NOT_EXECUTABLE;
}
