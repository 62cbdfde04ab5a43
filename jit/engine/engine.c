/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Engine: creation, fallback, life. */
#include "jit/engine/engine.h"

#include <stdio.h>
#include <string.h>

#include "jit/target/cpu.h"
#include "jit/target/cpu_choice.h"
#include "jit/engine/backend.h"
#include "jit/engine/gate.h"
#include "runtime/base/diag.h"
#include "runtime/base/environment.h"
#include "runtime/base/features.h"
#include "runtime/base/memory.h"
#include "runtime/base/options.h"
#include "runtime/system/system.h"

static bool may_do_without(tosajit_backend backend) {
    return backend == TOSAJIT_BACKEND_AUTO || backend == TOSAJIT_BACKEND_BACKGROUND;
}

uint64_t engine_features(const tosajit_engine *engine) {
    const cpu_model *model = engine->chosen_cpu ? cpu_find(engine->chosen_cpu) : NULL;
    if (!model) return features_host();
    return features_host() & (features_of(model->level->machine, model->level->features) |
                              features_of(model->level->machine, model->features));
}

const cpu_level *engine_level(const tosajit_engine *engine) {
    const cpu_model *model = engine->chosen_cpu ? cpu_find(engine->chosen_cpu) : NULL;
    if (model) return model->level;
    const cpu_level *level = cpu_level_of(features_machine(), features_host());
    return level ? level : cpu_floor(features_machine());
}

uint16_t engine_machine(const tosajit_engine *engine) {
    const cpu_model *model = engine->chosen_cpu ? cpu_find(engine->chosen_cpu) : NULL;
    return model ? model->level->machine : features_machine();
}

tosajit_status engine_find_ops(const tosajit_engine *engine, const rows_library **library,
                               int *level) {
    *library = ops_find();
    if (!*library) return TOSAJIT_NOT_EXECUTABLE;
    *level = rows_level(*library, engine_features(engine));
    if (*level != ROWS_NO_CODE) return TOSAJIT_OK;
    return diag_error(TOSAJIT_NOT_EXECUTABLE, "there are no precompiled ops for this CPU");
}

/* Nothing can be compiled: what answers instead. */
static void do_without(tosajit_engine *engine) {
    const rows_library *library;
    int level;
    engine->backend = engine_find_ops(engine, &library, &level) ? TOSAJIT_BACKEND_INTERPRET
                                                                : TOSAJIT_BACKEND_PRECOMPILED;
}

/* Find out whether compiling will be possible. What has been made is found by engine_release, so a
 * failure just returns. */
static tosajit_status prepare_native(tosajit_engine *engine, const char *cpu) {
    const bool runs = engine->backend != TOSAJIT_BACKEND_CROSS;
    tosajit_status status = cpu_choose(cpu, runs, &engine->chosen_cpu);
    if (status || !runs) return status;
    const rows_library *library;
    int level;
    if (engine->backend == TOSAJIT_BACKEND_PRECOMPILED)
        return engine_find_ops(engine, &library, &level);
    status = code_probe();
    if (!status && engine->backend == TOSAJIT_BACKEND_BACKGROUND)
        background_start(&engine->background);
    if (status != TOSAJIT_NOT_EXECUTABLE || !may_do_without(engine->backend)) return status;
    do_without(engine);
    return TOSAJIT_OK;
}

/* The threads of a pool do not exist in a child process; the caller does their work there. */
static void pool_parallel_for(void *context, size_t count,
                              void (*task)(void *argument, size_t index), void *argument) {
    const tosajit_engine *engine = context;
    if (!engine_is_inherited(engine))
        pool_run(engine->pool, count, task, argument);
    else
        for (size_t k = 0; k < count; k++) task(argument, k);
}

/* Threads beyond the processors would only take turns. */
static size_t processors(size_t most) {
    const size_t count = system_processors();
    return count > 0 && count < most ? count : most;
}

static tosajit_status start_threads(tosajit_engine *engine, const tosajit_engine_options *options) {
    if (options->parallel) {
        if (!options->parallel->parallel_for)
            return diag_error(TOSAJIT_INVALID_ARGUMENT,
                              "engine_create: parallel->parallel_for is a null pointer");
        if (options->threads)
            return diag_error(TOSAJIT_INVALID_ARGUMENT,
                              "engine_create: threads and parallel exclude each other");
        engine->parallel = *options->parallel;
        return TOSAJIT_OK;
    }
    const size_t threads = processors(options->threads);
    if (threads < 2) return TOSAJIT_OK;
    engine->pool = pool_create(&engine->meter.hooks, threads);
    if (!engine->pool)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a pool of %zu threads",
                          threads);
    if (pool_threads(engine->pool) > 1)
        engine->parallel =
            (tosajit_parallel){pool_parallel_for, engine, pool_threads(engine->pool)};
    return TOSAJIT_OK;
}

/* The store that the options ask for, or else the environment: what it asks for in vain is worth a
 * warning only. */
static tosajit_status open_store(tosajit_engine *engine, const tosajit_engine_options *options) {
    enum { USUAL_BYTES = 256 << 20 };
    const bool asked = options->cache_directory && *options->cache_directory;
    const char *directory = asked ? options->cache_directory : environment_get()->cache_directory;
    if (!*directory || engine->uncached) return TOSAJIT_OK;
    engine->store = memory_new(&engine->allocator, 1, sizeof *engine->store);
    if (!engine->store)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a cache on disk");
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

static tosajit_status check_options(const tosajit_engine_options *given) {
    if ((unsigned)given->backend > TOSAJIT_BACKEND_PRECOMPILED)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "engine_create: there is no backend %d",
                          (int)given->backend);
    if ((unsigned)given->accuracy > TOSAJIT_CONTRACTED)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "engine_create: there is no accuracy %d",
                          (int)given->accuracy);
    return TOSAJIT_OK;
}

tosajit_status tosajit_engine_create(const tosajit_engine_options *options,
                                     tosajit_engine **engine) {
    if (!engine)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "engine_create: engine is a null pointer");
    tosajit_engine_options given;
    tosajit_status status = options_take(&given, sizeof given, options, "tosajit_engine_options");
    if (!status) status = options_check_allocator(given.allocator);
    if (!status) status = check_options(&given);
    if (status) return status;
    tosajit_allocator allocator = memory_allocator(given.allocator);
    tosajit_engine *made = presence_start() ? memory_new(&allocator, 1, sizeof *made) : NULL;
    if (!made) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for an engine");
    made->allocator = memory_metered(&made->meter, &allocator);
    made->max_bytes = given.max_bytes;
    made->process = presence_process();
    made->backend = given.backend;
    made->uncached = given.uncached != 0;
    made->any_strides = given.any_strides != 0;
    made->quiesce_at_exit = given.quiesce_at_exit != 0;
    made->accuracy = given.accuracy;
    if (given.cpu && strcmp(given.cpu, "native") != 0)
        snprintf(made->cpu, sizeof made->cpu, "%s", given.cpu);
    atomic_init(&made->references, 1);
    system_mutex_create(&made->mutex);
    cache_create(&made->cache);
    status = start_threads(made, &given);
    if (!status && given.backend != TOSAJIT_BACKEND_INTERPRET)
        status = prepare_native(made, given.cpu);
    if (!status && engine_compiles(made)) status = open_store(made, &given);
    if (status)
        tosajit_engine_destroy(made);
    else
        *engine = made;
    return status;
}

void tosajit_engine_destroy(tosajit_engine *engine) {
    if (!engine) return;
    background_stop(&engine->background);
    engine_release(engine);
}

void engine_watch_thread(const tosajit_engine *engine) {
    if (engine->quiesce_at_exit) gate_watch_thread();
}

tosajit_status engine_enter(tosajit_engine *engine) {
    engine_watch_thread(engine);
    return engine_enter_background(engine);
}

tosajit_status engine_enter_background(tosajit_engine *engine) {
    if (presence_enter(&engine->presence)) return TOSAJIT_OK;
    return diag_error(TOSAJIT_CODEGEN_FAILED,
                      "threads of the parent process were compiling in this engine when it forked; "
                      "create an engine of this process's own");
}

void engine_leave(tosajit_engine *engine) { presence_leave(&engine->presence); }

void engine_retain(tosajit_engine *engine) {
    atomic_fetch_add_explicit(&engine->references, 1, memory_order_relaxed);
}

void engine_release(tosajit_engine *engine) {
    if (atomic_fetch_sub_explicit(&engine->references, 1, memory_order_acq_rel) != 1) return;
    if (!presence_enter(&engine->presence)) return; /* of a parent: left as it is */
    if (engine->pool) pool_destroy(engine->pool, engine_is_inherited(engine));
    backend_stop(engine);
    close_store(engine);
    background_destroy(&engine->background);
    system_mutex_destroy(&engine->mutex);
    cache_destroy(&engine->cache, &engine->allocator);
    tosajit_allocator allocator = engine->meter.hooks;
    memory_free(&allocator, engine, 1, sizeof *engine);
}

bool engine_is_inherited(const tosajit_engine *engine) {
    return engine->process != presence_process();
}

static size_t read_counter(atomic_size_t *counter) {
    return atomic_load_explicit(counter, memory_order_relaxed);
}

tosajit_status engine_check_cap(tosajit_engine *engine, bool *refused) {
    size_t used = read_counter(&engine->meter.bytes) + read_counter(&engine->code_bytes);
    if (engine->max_bytes == 0 || used <= engine->max_bytes) return TOSAJIT_OK;
    if (!*refused) atomic_fetch_add_explicit(&engine->refused, 1, memory_order_relaxed);
    *refused = true;
    return diag_error(TOSAJIT_LIMIT_EXCEEDED,
                      "with this kernel the engine's kernels would take %zu bytes, but max_bytes "
                      "is %zu; release some kernels first",
                      used, engine->max_bytes);
}

tosajit_status tosajit_engine_stats(tosajit_engine *engine, tosajit_stats *stats) {
    if (!engine || !stats)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "engine_stats: engine or stats is a null pointer");
    const tosajit_stats known = {
        .kernels = read_counter(&engine->kernels),
        .code_bytes = read_counter(&engine->code_bytes),
        .structure_bytes = read_counter(&engine->meter.bytes),
        .compilations = read_counter(&engine->compilations),
        .hits = read_counter(&engine->hits),
        .joined = read_counter(&engine->joined),
        .restored = read_counter(&engine->restored),
        .refused = read_counter(&engine->refused),
        .precompiled = read_counter(&engine->precompiled),
    };
    return options_give(stats, &known, sizeof known, "tosajit_stats");
}
