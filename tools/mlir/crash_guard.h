/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* While MLIR's parser reads a file that nobody vouches for: a fault inside it, such as a stack that
 * a hostile nesting used up, or memory or time out of proportion to the file, ends the tool as a
 * refused input and not as a crash. */
#ifndef TOSAJIT_TOOLS_MLIR_CRASH_GUARD_H
#define TOSAJIT_TOOLS_MLIR_CRASH_GUARD_H

#include <stddef.h>

/* file, which has `size` bytes, is named in the message and must stay until crash_guard_leave. Not
 * nested; one thread. */
void crash_guard_enter(const char *file, size_t size);
void crash_guard_leave(void);

#endif
