/* Engine: creation, fallback, life. */
#include "jit/engine.h"

#include <stdio.h>
#include <string.h>

#include "runtime/diag.h"
#include "runtime/memory.h"
#include "runtime/options.h"

static bool may_interpret(tosajit_backend backend) { return backend == TOSAJIT_BACKEND_AUTO || backend == TOSAJIT_BACKEND_BACKGROUND; }

/* Everything that compiling needs. What has been made is found by engine_release, so a failure just returns. */
static tosajit_status start_native(tosajit_engine *engine, const char *cpu) {
    tosajit_status status = target_find(cpu, &engine->target);
    if (!status && engine->backend == TOSAJIT_BACKEND_CROSS) return TOSAJIT_OK;
    if (!status) status = target_check_host(&engine->target, cpu);
    if (!status) status = linker_probe();
    if (!status) status = linker_create(&engine->linker);
    if (!status && engine->backend == TOSAJIT_BACKEND_BACKGROUND) status = background_start(&engine->background, engine);
    if (status == TOSAJIT_NOT_EXECUTABLE && may_interpret(engine->backend)) {
        engine->backend = TOSAJIT_BACKEND_INTERPRET;
        return TOSAJIT_OK;
    }
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

static void pool_parallel_for(void *context, size_t count, void (*task)(void *argument, size_t index), void *argument) {
    pool_call call = {task, argument};
    pthreadpool_parallelize_1d(context, call_task, &call, count, 0);
}

static tosajit_status start_threads(tosajit_engine *engine, const tosajit_engine_options *options) {
    if (options->parallel) {
        if (!options->parallel->parallel_for)
            return diag_error(TOSAJIT_INVALID_ARGUMENT, "engine_create: parallel->parallel_for is a null pointer");
        if (options->threads) return diag_error(TOSAJIT_INVALID_ARGUMENT, "engine_create: threads and parallel exclude each other");
        engine->parallel = *options->parallel;
    } else if (options->threads > 1) {
        engine->pool = pthreadpool_create(options->threads);
        if (!engine->pool) return diag_error(TOSAJIT_OUT_OF_MEMORY, "the system gives no pool of %zu threads", options->threads);
        engine->parallel = (tosajit_parallel){pool_parallel_for, engine->pool, options->threads};
    }
    return TOSAJIT_OK;
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
    made->allocator = allocator;
    made->backend = given.backend;
    made->uncached = given.uncached != 0;
    made->fast = given.accuracy == TOSAJIT_FAST;
    if (given.cpu && strcmp(given.cpu, "native") != 0) snprintf(made->cpu, sizeof made->cpu, "%s", given.cpu);
    atomic_init(&made->references, 1);
    machine_pool_create(&made->machines);
    cache_create(&made->cache);
    status = start_threads(made, &given);
    if (!status && given.backend != TOSAJIT_BACKEND_INTERPRET) status = start_native(made, given.cpu);
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
    if (engine->pool) pthreadpool_destroy(engine->pool);
    linker_destroy(&engine->linker);
    machine_pool_destroy(&engine->machines);
    target_destroy(&engine->target);
    tosajit_allocator allocator = engine->allocator;
    cache_destroy(&engine->cache, &allocator);
    memory_free(&allocator, engine, 1, sizeof *engine);
}
