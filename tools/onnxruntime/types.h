/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types that an expression takes and gives. In: its text; out: a kernel that is there to be asked.
 */
#ifndef TOSAJIT_TOOLS_ONNXRUNTIME_TYPES_H
#define TOSAJIT_TOOLS_ONNXRUNTIME_TYPES_H

#include "tosajit/tosajit.h"

/* A kernel for whoever releases it. Making it starts no thread and loads no compiler. Null where
 * the text is none. Thread-safe. */
tosajit_kernel *types_kernel(const char *text);

#endif
