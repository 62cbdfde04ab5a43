/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Precompiled: a kernel's way to code that was made with the library. */
#ifndef TOSAJIT_JIT_PRECOMPILED_H
#define TOSAJIT_JIT_PRECOMPILED_H

#include "jit/engine/engine.h"

/* Let the kernel, which has no code yet, run the library's; without a library, or if it has no room
 * for as many values, the kernel stays interpreted. OUT_OF_MEMORY; LIMIT_EXCEEDED beyond max_bytes.
 */
tosajit_status precompiled_attach(tosajit_engine *engine, tosajit_kernel *kernel);

/* Count such a kernel, once nothing that may fail is left to do. */
static inline void precompiled_count(tosajit_engine *engine) {
    atomic_fetch_add_explicit(&engine->precompiled, 1, memory_order_relaxed);
}

/* The same where compiling has failed with `status`. If the kernel is too large, it stands in for
 * good. Else it stands in if the engine's backend allows that, and there is a library. OK then,
 * else `status` with its message. */
tosajit_status precompiled_stand_in(tosajit_engine *engine, tosajit_kernel *kernel,
                                    tosajit_status status);

/* The same for a kernel of which an earlier compilation has found that it is too large. */
tosajit_status precompiled_settle(tosajit_engine *engine, tosajit_kernel *kernel);

#endif
