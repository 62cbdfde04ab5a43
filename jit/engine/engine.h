/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Engine: what compilations share, and how long it lives: as long as its owner or a kernel holds
 * it. */
#ifndef TOSAJIT_JIT_ENGINE_ENGINE_H
#define TOSAJIT_JIT_ENGINE_ENGINE_H

#include <stdatomic.h>

#include "jit/engine/background.h"
#include "jit/engine/cache.h"
#include "jit/engine/compiler.h"
#include "jit/target/cpu.h"
#include "runtime/precompiled/ops.h"
#include "jit/engine/pool.h"
#include "jit/engine/presence.h"
#include "runtime/base/memory.h"
#include "jit/engine/disk_cache.h"
#include "tosajit/graph.h"

struct tosajit_engine {
    atomic_int references; /* the owner, and every kernel */
    memory_meter meter;
    tosajit_allocator allocator; /* counted by meter: what kernels and the cache take */
    size_t max_bytes;            /* that live kernels may take; 0: any number */
    atomic_size_t kernels, code_bytes, compilations, restored, hits, joined, refused, precompiled;
    presence presence; /* of threads that compile, release, or look into the cache */
    uint32_t process;  /* that created the engine; after fork the child has none of its threads */
    tosajit_accuracy accuracy; /* of all kernels, at least */
    bool uncached;
    bool any_strides;     /* of every kernel */
    bool quiesce_at_exit; /* whoever made it cannot call tosajit_quiesce */
    char cpu[32];         /* as the options name it; empty: native */
    tosajit_backend
        backend; /* PRECOMPILED or INTERPRET where AUTO or BACKGROUND found no executable memory */
    const char *chosen_cpu; /* to compile for; null: this machine */
    system_mutex mutex;
    compiler *compiler; /* written once, under mutex; null until something is compiled */
    const compiler_table *compilers;
    cache cache;
    store *store;              /* on disk; null: none */
    background background;     /* of BACKGROUND */
    tosajit_parallel parallel; /* of every kernel */
    pool *pool;                /* the engine's own threads, or null */
};

/* The CPU that code was asked for, null for the machine's own. */
static inline const char *engine_cpu(const tosajit_engine *engine) {
    return engine->cpu[0] ? engine->cpu : NULL;
}

/* True if it ever makes code. */
static inline bool engine_compiles(const tosajit_engine *engine) {
    return engine->backend != TOSAJIT_BACKEND_INTERPRET &&
           engine->backend != TOSAJIT_BACKEND_PRECOMPILED;
}

/* Exit on this thread waits from now on, if the engine asks for that. */
void engine_watch_thread(const tosajit_engine *engine);
/* Call before compiling, or before looking into the cache; then engine_leave. CODEGEN_FAILED in a
 * child process whose parent's threads were compiling when it forked: the child would wait for them
 * for ever. If the engine asks for that, exit on this thread waits from now on. */
tosajit_status engine_enter(tosajit_engine *engine);
/* The same on the engine's own thread, which never calls exit. Whoever destroys the engine waits
 * for its end, and not for other engines. */
tosajit_status engine_enter_background(tosajit_engine *engine);
void engine_leave(tosajit_engine *engine);

void engine_retain(tosajit_engine *engine);
void engine_release(tosajit_engine *engine);

/* Features that the engine's code may use. Thread-safe. */
uint64_t engine_features(const tosajit_engine *engine);

/* The level of the CPU that the engine's code is for. If this CPU has none, it is the lowest of
 * this machine; null if no machine of its kind has kernels. Thread-safe. */
const cpu_level *engine_level(const tosajit_engine *engine);

/* The machine, as ELF numbers it, that it makes code for. */
uint16_t engine_machine(const tosajit_engine *engine);

/* The library of precompiled ops, and its best level for the engine's CPU. NOT_EXECUTABLE.
 * Thread-safe. */
tosajit_status engine_find_ops(const tosajit_engine *engine, const rows_library **library,
                               int *level);

/* True if this process is a child of the one that created the engine. */
bool engine_is_inherited(const tosajit_engine *engine);

/* LIMIT_EXCEEDED if the live kernels take more than max_bytes. *refused belongs to the kernel that
 * asks: it counts once, even if both its own code and the stand-in are too much. */
tosajit_status engine_check_cap(tosajit_engine *engine, bool *refused);

#endif
