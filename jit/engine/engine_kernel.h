/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Engine kernel: what an engine keeps of each kernel that it made (tosajit_kernel.owned). */
#ifndef TOSAJIT_JIT_ENGINE_ENGINE_KERNEL_H
#define TOSAJIT_JIT_ENGINE_ENGINE_KERNEL_H

#include "runtime/run/kernel.h"

/* Of what is null there is none. */
typedef struct engine_kernel {
    tosajit_engine *engine;          /* a reference */
    struct cache_entry *cache_entry; /* under which the kernel may be handed out again */
    struct job *job;                 /* of its compilation in the background */
    struct native *native;           /* its own code */
    struct precompiled *precompiled; /* the precompiled ops that compute it */
    bool refused;                    /* it or its own code, by max_bytes */
} engine_kernel;

static inline engine_kernel *engine_kernel_of(const tosajit_kernel *kernel) {
    return kernel->owned;
}

#endif
