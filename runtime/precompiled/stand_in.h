/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stand in: a kernel that came with code of its own, which may not run in this process. */
#ifndef TOSAJIT_RUNTIME_PRECOMPILED_STAND_IN_H
#define TOSAJIT_RUNTIME_PRECOMPILED_STAND_IN_H

#include "runtime/run/kernel.h"

/* Let a kernel that has neither code nor an owner run precompiled ops, which it gives back by
 * itself. NOT_EXECUTABLE where there are none, as in libtosajit-runtime; LIMIT_EXCEEDED and
 * OUT_OF_MEMORY as precompiled_make gives them. */
tosajit_status stand_in_attach(tosajit_kernel *kernel);

#endif
