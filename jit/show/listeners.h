/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Listeners: what tells other programs about kernels: lines and files for people, entries for perf
 * and gdb. All of it only where the environment asks for it. */
#ifndef TOSAJIT_JIT_SHOW_LISTENERS_H
#define TOSAJIT_JIT_SHOW_LISTENERS_H

#include "jit/engine/backend.h"
#include "runtime/code/code.h"

/* A finished compilation. */
typedef struct listeners_event {
    tosajit_engine *engine;
    const tosajit_kernel *kernel;
    const backend_names *names;
    const code_image *image; /* as it runs */
    const tosajit_kernel_info *info;
} listeners_event;

/* A kernel was made of the expression, with these aids. */
void listeners_made(const tosajit_kernel *kernel, const tosajit_expr *expr,
                    const program_aids *aids);
/* A kernel has code. *handle is for listeners_released, null if that has nothing to do.
 * Thread-safe.
 */
void listeners_compiled(const listeners_event *o, void **handle);
/* The code is about to go. */
void listeners_released(void *handle);

#endif
