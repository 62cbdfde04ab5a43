/* Engine: creation, fallback, life. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "jit/engine.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jit/cpu_choice.h"
#include "jit/gate.h"
#include "jit/threads.h"
#include "runtime/diag.h"
#include "runtime/environment.h"
#include "runtime/memory.h"
#include "runtime/options.h"
#include "runtime/parallel.h"

static bool may_interpret(tosajit_backend backend) { return backend == TOSAJIT_BACKEND_AUTO || backend == TOSAJIT_BACKEND_BACKGROUND; }

/* Find out whether compiling will be possible. What has been made is found by engine_release, so a failure just returns. */
static tosajit_status prepare_native(tosajit_engine *engine, const char *cpu) {
    const bool runs = engine->backend != TOSAJIT_BACKEND_CROSS;
    tosajit_status status = cpu_choose(cpu, runs, &engine->chosen_cpu);
    if (engine->chosen_cpu == cpu) engine->chosen_cpu = engine_cpu(engine); /* a copy that stays */
    if (status || !runs) return status;
    status = code_probe();
    if (!status && engine->backend == TOSAJIT_BACKEND_BACKGROUND) status = background_start(&engine->background, engine);
    if (status == TOSAJIT_NOT_EXECUTABLE && may_interpret(engine->backend)) {
        engine->backend = TOSAJIT_BACKEND_INTERPRET;
        return TOSAJIT_OK;
    }
    return status;
}

static tosajit_status start_compiler(tosajit_engine *engine) {
    engine->compilers = compiler_find();
    if (!engine->compilers) return TOSAJIT_CODEGEN_FAILED;
    const bool runs = engine->backend != TOSAJIT_BACKEND_CROSS;
    tosajit_status status = engine->compilers->create(engine->chosen_cpu, runs, &engine->meter.hooks, &engine->compiler);
    const char *message = engine->compilers->last_error();
    return status && message != tosajit_last_error() ? diag_error(status, "%s", message) : status;
}

tosajit_status engine_need_compiler(tosajit_engine *engine) {
    pthread_mutex_lock(&engine->mutex);
    tosajit_status status = engine->compiler ? TOSAJIT_OK : gate_enter();
    if (!status && !engine->compiler) {
        status = start_compiler(engine);
        gate_leave();
    }
    pthread_mutex_unlock(&engine->mutex);
    return status;
}

/* pthreadpool calls a function with an index, as the hook does. */
typedef struct pool_call {
    void (*task)(void *argument, size_t index);
    void *argument;
} pool_call;

static void call_task(void *context, size_t index) {
    const pool_call *call = context;
    call->task(call->argument, index);
}

/* The threads of a pool do not exist in a child process; the caller does their work there, and where there is one processor. */
static void pool_parallel_for(void *context, size_t count, void (*task)(void *argument, size_t index), void *argument) {
    const tosajit_engine *engine = context;
    pool_call call = {task, argument};
    if (engine->pool && !engine_is_inherited(engine))
        pthreadpool_parallelize_1d(engine->pool, call_task, &call, count, 0);
    else
        for (size_t k = 0; k < count; k++) task(argument, k);
}

/* A pool waits for its threads by spinning: two threads on one processor would stand in each other's way for a scheduler's whole slice. */
static size_t processors(size_t most) {
#if defined(CPU_COUNT)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        const size_t count = (size_t)CPU_COUNT(&allowed);
        return count < most ? count : most;
    }
#endif
    return most;
}

static tosajit_status start_threads(tosajit_engine *engine, const tosajit_engine_options *options) {
    if (options->parallel) {
        if (!options->parallel->parallel_for)
            return diag_error(TOSAJIT_INVALID_ARGUMENT, "engine_create: parallel->parallel_for is a null pointer");
        if (options->threads) return diag_error(TOSAJIT_INVALID_ARGUMENT, "engine_create: threads and parallel exclude each other");
        engine->parallel = parallel_limited(*options->parallel);
    } else if (options->threads > 1) {
        const size_t threads = processors(options->threads);
        engine->pool = threads > 1 ? threads_pool(&engine->allocator, threads) : NULL;
        if (threads > 1 && !engine->pool)
            return diag_error(TOSAJIT_OUT_OF_MEMORY, "the system gives no pool of %zu threads", options->threads);
        engine->parallel = parallel_limited((tosajit_parallel){pool_parallel_for, engine, options->threads});
    }
    return TOSAJIT_OK;
}

/* The store that the options ask for, or else the environment: what it asks for in vain is worth a warning only. */
static tosajit_status open_store(tosajit_engine *engine, const tosajit_engine_options *options) {
    enum { USUAL_BYTES = 256 << 20 };
    const bool asked = options->cache_directory && *options->cache_directory;
    const char *directory = asked ? options->cache_directory : environment_get()->cache_directory;
    if (!*directory || engine->uncached) return TOSAJIT_OK;
    engine->store = memory_new(&engine->allocator, 1, sizeof *engine->store);
    if (!engine->store) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a cache on disk");
    const uint64_t max_bytes = options->cache_bytes ? options->cache_bytes : USUAL_BYTES;
    tosajit_status status = store_open(directory, max_bytes, &engine->allocator, engine->store);
    if (!status) return TOSAJIT_OK;
    memory_free(&engine->allocator, engine->store, 1, sizeof *engine->store);
    engine->store = NULL;
    if (asked) return status;
    environment_warn_once("TOSAJIT_CACHE_DIR", tosajit_last_error());
    return TOSAJIT_OK;
}

static void close_store(tosajit_engine *engine) {
    if (!engine->store) return;
    store_close(engine->store);
    memory_free(&engine->allocator, engine->store, 1, sizeof *engine->store);
}

tosajit_status tosajit_engine_create(const tosajit_engine_options *options, tosajit_engine **engine) {
    if (!engine) return diag_error(TOSAJIT_INVALID_ARGUMENT, "engine_create: engine is a null pointer");
    tosajit_engine_options given;
    tosajit_status status = options_take(&given, sizeof given, options, "tosajit_engine_options");
    if (!status) status = options_check_allocator(given.allocator);
    if (status) return status;
    if ((unsigned)given.backend > TOSAJIT_BACKEND_CROSS)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "engine_create: there is no backend %d", (int)given.backend);
    if ((unsigned)given.accuracy > TOSAJIT_FAST)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "engine_create: there is no accuracy %d", (int)given.accuracy);
    tosajit_allocator allocator = memory_allocator(given.allocator);
    tosajit_engine *made = memory_new(&allocator, 1, sizeof *made);
    if (!made) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for an engine");
    made->allocator = memory_metered(&made->meter, &allocator);
    made->max_bytes = given.max_bytes;
    made->process = getpid();
    made->backend = given.backend;
    made->uncached = given.uncached != 0;
    made->fast = given.accuracy == TOSAJIT_FAST;
    if (given.cpu && strcmp(given.cpu, "native") != 0) snprintf(made->cpu, sizeof made->cpu, "%s", given.cpu);
    atomic_init(&made->references, 1);
    pthread_mutex_init(&made->mutex, NULL);
    cache_create(&made->cache);
    status = start_threads(made, &given);
    if (!status && given.backend != TOSAJIT_BACKEND_INTERPRET) status = prepare_native(made, given.cpu);
    if (!status && made->backend != TOSAJIT_BACKEND_INTERPRET) status = open_store(made, &given);
    if (status)
        engine_release(made);
    else
        *engine = made;
    return status;
}

void tosajit_engine_destroy(tosajit_engine *engine) {
    if (!engine) return;
    background_stop(&engine->background);
    engine_release(engine);
}

void engine_retain(tosajit_engine *engine) { atomic_fetch_add_explicit(&engine->references, 1, memory_order_relaxed); }

void engine_release(tosajit_engine *engine) {
    if (atomic_fetch_sub_explicit(&engine->references, 1, memory_order_acq_rel) != 1) return;
    if (engine->pool && !engine_is_inherited(engine)) pthreadpool_destroy(engine->pool);
    if (engine->compiler) {
        gate_enter_to_release();
        engine->compilers->destroy(engine->compiler);
        gate_leave();
    }
    close_store(engine);
    pthread_mutex_destroy(&engine->mutex);
    cache_destroy(&engine->cache, &engine->allocator);
    tosajit_allocator allocator = engine->meter.hooks;
    memory_free(&allocator, engine, 1, sizeof *engine);
}

bool engine_is_inherited(const tosajit_engine *engine) { return engine->process != getpid(); }

static size_t count_of(atomic_size_t *counter) { return atomic_load_explicit(counter, memory_order_relaxed); }

tosajit_status engine_check_cap(tosajit_engine *engine) {
    size_t used = count_of(&engine->meter.bytes) + count_of(&engine->code_bytes);
    if (engine->max_bytes == 0 || used <= engine->max_bytes) return TOSAJIT_OK;
    atomic_fetch_add_explicit(&engine->refused, 1, memory_order_relaxed);
    return diag_error(TOSAJIT_LIMIT_EXCEEDED,
                      "with this kernel the engine's kernels would take %zu bytes, but max_bytes is %zu; release some kernels first", used,
                      engine->max_bytes);
}

tosajit_status tosajit_engine_stats(tosajit_engine *engine, tosajit_stats *stats) {
    if (!engine || !stats) return diag_error(TOSAJIT_INVALID_ARGUMENT, "engine_stats: engine or stats is a null pointer");
    const tosajit_stats known = {
        .kernels = count_of(&engine->kernels),
        .code_bytes = count_of(&engine->code_bytes),
        .structure_bytes = count_of(&engine->meter.bytes),
        .compilations = count_of(&engine->compilations),
        .hits = count_of(&engine->hits),
        .joined = count_of(&engine->joined),
        .restored = count_of(&engine->restored),
        .refused = count_of(&engine->refused),
    };
    return options_give(stats, &known, sizeof known, "tosajit_stats");
}
