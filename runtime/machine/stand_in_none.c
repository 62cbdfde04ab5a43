/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stand in, where there is no machine. */
#include "runtime/machine/stand_in.h"

tosajit_status machine_stand_in(tosajit_kernel *kernel) {
    (void)kernel;
    return TOSAJIT_NOT_EXECUTABLE;
}
