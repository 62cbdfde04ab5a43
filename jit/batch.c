/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many: several expressions at once. Expressions without a kernel yet become batches, each of them
 * one module of LLVM's, on as many threads as the engine has. If another thread is making a kernel
 * already, this one waits for it at the very end. A thread that waits has promised nobody anything,
 * so two lists in opposite orders cannot wait for each other. */
#include "jit/compile.h"
#include "jit/engine/backend.h"
#include "jit/engine/failure.h"
#include "jit/native.h"
#include "runtime/base/diag.h"
#include "runtime/base/environment.h"
#include "runtime/base/memory.h"
#include "runtime/expr/ops.h"
#include "runtime/run/verbose.h"

/* Setting up LLVM's code generator for a module takes as long as a simple kernel; among sixteen,
 * little is left of it. */
enum { BATCH_FUNCTIONS = 16, BATCH_WEIGHT = 256 };

/* How an expression comes to its kernel. */
typedef enum way {
    DONE,   /* it is there, or is refused */
    MAKE,   /* in a batch; others may wait for it */
    FOLLOW, /* another thread is making it, or this list for an equal expression */
} way;

typedef struct request {
    cache_key key;
    cache_flight *flight; /* of MAKE */
    tosajit_kernel *kernel;
    way way;
    failure failure; /* possibly on another thread */
} request;

typedef struct batch {
    tosajit_engine *engine;
    size_t count, functions, weight;
    request *requests[BATCH_FUNCTIONS];
} batch;

typedef struct list {
    tosajit_engine *engine;
    const tosajit_expr *const *exprs;
    size_t count, make_count, batch_count;
    request *requests; /* [count] */
    batch *batches;    /* [count] */
} list;

/* End a request. Whoever else waits for its kernel gets it, or the failure, which is this thread's
 * last error. */
static void finish_request(tosajit_engine *engine, request *r, tosajit_status status) {
    r->way = DONE;
    failure_keep(&r->failure, status);
    if (status) {
        tosajit_kernel_release(r->kernel);
        r->kernel = NULL;
    }
    cache_finish(&engine->cache, &r->key, &engine->allocator, r->kernel, status, r->flight);
}

/* Find the expression's kernel, or make one that waits for code. */
static void prepare(list *l, size_t position) {
    request *r = &l->requests[position];
    const tosajit_expr *expr = l->exprs[position];
    tosajit_engine *engine = l->engine;
    if (!expr) {
        failure_keep(&r->failure, diag_error(TOSAJIT_INVALID_ARGUMENT,
                                             "compile_many: the expression is a null pointer"));
        return;
    }
    if (!engine->uncached) r->key = cache_make_key(expr, &engine->allocator);
    tosajit_status status;
    switch (cache_begin(&engine->cache, &r->key, &engine->allocator, false, &r->kernel, &status,
                        &r->flight)) {
    case CACHE_JOINED: /* only for those who wait */
    case CACHE_HIT: atomic_fetch_add_explicit(&engine->hits, 1, memory_order_relaxed); break;
    case CACHE_BUSY: r->way = FOLLOW; break;
    case CACHE_MISS:
        status = compile_begin(engine, expr, &r->kernel);
        if (status || kernel_is_settled(r->kernel)) {
            finish_request(engine, r, status);
        } else {
            r->way = MAKE;
            l->make_count++;
        }
        break;
    }
}

/* Long ops fill a batch sooner: they gain little, and their constants are copied into the code of
 * every kernel of the batch. */
static size_t weight_of(const tosajit_kernel *kernel) {
    enum { HEAVY = 48 };
    size_t weight = kernel->program->count;
    for (size_t k = 0; k < kernel->program->count; k++)
        if (kernel->program->nodes[k].kind == NODE_OP && op_is_heavy(kernel->program->nodes[k].op))
            weight += HEAVY;
    return weight;
}

/* Batches of neighbours, few enough in each that every thread gets one. */
static void divide(list *l) {
    size_t threads = l->engine->parallel.parallel_for ? l->engine->parallel.threads : 1;
    size_t most = threads && l->make_count ? (l->make_count - 1) / threads + 1 : l->make_count;
    batch *b = NULL;
    for (size_t k = 0; k < l->count; k++) {
        request *r = &l->requests[k];
        if (r->way != MAKE) continue;
        size_t weight = weight_of(r->kernel), functions = (size_t)r->kernel->plan.part_count;
        if (!b || b->count == most || b->functions + functions > BATCH_FUNCTIONS ||
            b->weight + weight > BATCH_WEIGHT) {
            b = &l->batches[l->batch_count++];
            *b = (batch){.engine = l->engine};
        }
        b->requests[b->count++] = r;
        b->functions += functions;
        b->weight += weight;
    }
}

/* One module for all. If it fails, each kernel gets a module of its own, so that one failure costs
 * the others nothing. */
static void run_batch(void *argument, size_t index) {
    batch *b = &((batch *)argument)[index];
    const tosajit_kernel *kernels[BATCH_FUNCTIONS];
    compiler_output made[BATCH_FUNCTIONS];
    for (size_t k = 0; k < b->count; k++) kernels[k] = b->requests[k]->kernel;
    const bool together = b->count > 1 && !backend_compile(b->engine, kernels, b->count, made);
    for (size_t k = 0; k < b->count; k++) {
        request *r = b->requests[k];
        tosajit_status status = together ? native_adopt(b->engine, r->kernel, &made[k])
                                         : compile_now(b->engine, r->kernel);
        if (together) code_release(&made[k].image, &r->kernel->allocator);
        if (status && environment_get()->verbose) verbose_compiled(r->kernel, status, NULL);
        finish_request(b->engine, r, status);
    }
}

static void run_batches(const list *l) {
    const tosajit_parallel *parallel = &l->engine->parallel;
    if (parallel->parallel_for && l->batch_count > 1)
        parallel->parallel_for(parallel->context, l->batch_count, run_batch, l->batches);
    else
        for (size_t k = 0; k < l->batch_count; k++) run_batch(l->batches, k);
}

/* Settles an expression that was left to others; nobody waits for this thread any more. */
static void settle(const list *l, size_t position) {
    request *r = &l->requests[position];
    if (r->way == FOLLOW)
        failure_keep(&r->failure, tosajit_compile_expr(l->engine, l->exprs[position], &r->kernel));
}

/* An engine that compiles nothing now is asked for each. */
static void compile_all(list *l) {
    const tosajit_backend backend = l->engine->backend;
    const bool now = backend == TOSAJIT_BACKEND_AUTO || backend == TOSAJIT_BACKEND_NATIVE;
    for (size_t k = 0; k < l->count; k++)
        if (now)
            prepare(l, k);
        else
            l->requests[k].way = FOLLOW;
    divide(l);
    run_batches(l);
    for (size_t k = 0; k < l->count; k++) settle(l, k);
}

/* The first failure is the list's. */
static tosajit_status hand_out(list *l, tosajit_kernel **kernels, tosajit_status *statuses) {
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; k < l->count; k++) {
        request *r = &l->requests[k];
        kernels[k] = r->kernel;
        if (statuses) statuses[k] = r->failure.status;
        if (r->failure.status && !status)
            status = diag_error(r->failure.status, "expression %zu: %s", k, r->failure.message);
        cache_drop_key(&r->key, &l->engine->allocator);
    }
    return status;
}

tosajit_status tosajit_compile_many(tosajit_engine *engine, const tosajit_expr *const *exprs,
                                    size_t count, tosajit_kernel **kernels,
                                    tosajit_status *statuses) {
    if (!engine || !exprs || !kernels)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "compile_many: engine, exprs or kernels is a null pointer");
    if (count == 0) return TOSAJIT_OK;
    list l = {.engine = engine, .exprs = exprs, .count = count};
    l.requests = memory_new(&engine->allocator, count, sizeof *l.requests);
    l.batches = memory_new(&engine->allocator, count, sizeof *l.batches);
    tosajit_status status = TOSAJIT_OK;
    if (!l.requests || !l.batches)
        status =
            diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a list of %zu expressions", count);
    if (!status) status = engine_enter(engine);
    if (!status) {
        compile_all(&l);
        engine_leave(engine);
        status = hand_out(&l, kernels, statuses);
    } else {
        for (size_t k = 0; k < count; k++) {
            kernels[k] = NULL;
            if (statuses) statuses[k] = status;
        }
    }
    memory_free(&engine->allocator, l.requests, count, sizeof *l.requests);
    memory_free(&engine->allocator, l.batches, count, sizeof *l.batches);
    return status;
}
