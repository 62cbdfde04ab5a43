/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Native: a kernel's way to code: compile, link, publish. */
#ifndef TOSAJIT_JIT_NATIVE_H
#define TOSAJIT_JIT_NATIVE_H

#include "jit/engine/engine.h"

/* Give the kernel, which holds the engine, the finding of an earlier compilation in the store on
 * disk: its code, or that it is too large for code. False if there is nothing or it cannot be had.
 */
bool native_restore(tosajit_engine *engine, tosajit_kernel *kernel);

/* Give the kernel, which holds the engine, the code of an image that came with its expression.
 * BAD_IMAGE, NOT_EXECUTABLE, LIMIT_EXCEEDED, OUT_OF_MEMORY. */
tosajit_status native_load(tosajit_engine *engine, tosajit_kernel *kernel, const void *image,
                           size_t size);

/* Give the kernel, which holds the engine, a copy of fresh code, and keep that on disk; its runs
 * are native from then on. OUT_OF_MEMORY, LIMIT_EXCEEDED, CODEGEN_FAILED. */
tosajit_status native_adopt(tosajit_engine *engine, tosajit_kernel *kernel,
                            const compiler_output *fresh);

/* Compile the kernel, which holds the engine, and have it adopt its code. LIMIT_EXCEEDED: beyond
 * max_bytes, or, if the kernel says so from then on, too large; CODEGEN_FAILED, OUT_OF_MEMORY. */
tosajit_status native_compile(tosajit_engine *engine, tosajit_kernel *kernel);

/* Give the code back, if there is any: the kernel's last reference is gone. */
void native_release(tosajit_kernel *kernel);

#endif
