/* Engine: what compilations share, and how long it lives: as long as its owner or a kernel holds it. */
#ifndef TOSAJIT_JIT_ENGINE_H
#define TOSAJIT_JIT_ENGINE_H

#include <pthreadpool.h>
#include <stdatomic.h>

#include "jit/background.h"
#include "jit/cache.h"
#include "jit/linker.h"
#include "jit/target.h"

struct tosajit_engine {
    atomic_int references; /* the owner, and every kernel */
    tosajit_allocator allocator;
    bool fast; /* TOSAJIT_FAST for all kernels */
    bool uncached;
    char cpu[32];            /* as the options name it; empty: native */
    tosajit_backend backend; /* INTERPRET where AUTO or BACKGROUND found no executable memory */
    target target;           /* this and the next three: unless backend is INTERPRET */
    machine_pool machines;
    cache cache;
    linker linker;
    background background;     /* of BACKGROUND */
    tosajit_parallel parallel; /* of every kernel */
    pthreadpool_t pool;        /* the engine's own threads, or null */
};

/* The CPU that code was asked for, null for the machine's own. */
static inline const char *engine_cpu(const tosajit_engine *engine) { return engine->cpu[0] ? engine->cpu : NULL; }

void engine_retain(tosajit_engine *engine);
void engine_release(tosajit_engine *engine);

#endif
