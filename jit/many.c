/* Many: several expressions at once. Those without a kernel yet become batches, each of which is one module of LLVM's, on as many threads
 * as the engine has. What another thread is making already is waited for when all else is done: a thread that waits has promised nobody
 * anything, so two lists in opposite orders cannot wait for each other. */
#include <stdio.h>
#include <string.h>

#include "jit/native.h"
#include "runtime/diag.h"
#include "runtime/environment.h"
#include "runtime/memory.h"
#include "runtime/ops.h"
#include "runtime/verbose.h"

/* Setting up LLVM's code generator for a module takes as long as a simple kernel; among sixteen, little is left of it. */
enum { BATCH_FUNCTIONS = 16, BATCH_WEIGHT = 256, MESSAGE_SIZE = 256 };

/* How an expression comes to its kernel. */
typedef enum way {
    DONE,   /* it is there, or is refused */
    MAKE,   /* in a batch; others may wait for it */
    COPY,   /* that of an equal expression before it */
    FOLLOW, /* another thread is making it */
} way;

typedef struct request {
    cache_key key;
    cache_flight *flight; /* of MAKE */
    tosajit_kernel *kernel;
    size_t same_as; /* of COPY: a position */
    way way;
    tosajit_status status;
    char message[MESSAGE_SIZE]; /* why it failed, possibly on another thread */
} request;

typedef struct batch {
    tosajit_engine *engine;
    size_t count, functions, weight;
    request *requests[BATCH_FUNCTIONS];
} batch;

typedef struct job {
    tosajit_engine *engine;
    const tosajit_expr *const *exprs;
    size_t count, make_count, batch_count;
    request *requests; /* [count] */
    batch *batches;    /* [count] */
} job;

/* The kernel, or the failure that is the thread's last error: to whom it may concern. */
static void finish(tosajit_engine *engine, request *r, tosajit_status status) {
    r->way = DONE;
    r->status = status;
    if (status) {
        snprintf(r->message, sizeof r->message, "%s", tosajit_last_error());
        tosajit_kernel_release(r->kernel);
        r->kernel = NULL;
    }
    cache_finish(&engine->cache, &r->key, &engine->allocator, r->kernel, status, r->flight);
}

static void refuse(request *r, tosajit_status status) {
    r->status = status;
    snprintf(r->message, sizeof r->message, "%s", tosajit_last_error());
}

/* Find the expression's kernel, or an equal one in the list, or make one that waits for code. */
static void prepare(job *j, size_t position) {
    request *r = &j->requests[position];
    const tosajit_expr *expr = j->exprs[position];
    tosajit_engine *engine = j->engine;
    if (!expr) {
        refuse(r, diag_error(TOSAJIT_INVALID_ARGUMENT, "compile_many: the expression is a null pointer"));
        return;
    }
    if (!engine->uncached) r->key = cache_make_key(expr, &engine->allocator);
    for (size_t k = 0; k < position; k++)
        if (j->requests[k].way == MAKE && cache_is_same(&j->requests[k].key, &r->key)) {
            r->way = COPY;
            r->same_as = k;
            return;
        }
    tosajit_status status;
    switch (cache_begin(&engine->cache, &r->key, &engine->allocator, false, &r->kernel, &status, &r->flight)) {
    case CACHE_JOINED: /* only for those who wait */
    case CACHE_HIT: atomic_fetch_add_explicit(&engine->hits, 1, memory_order_relaxed); break;
    case CACHE_BUSY: r->way = FOLLOW; break;
    case CACHE_MISS:
        status = compile_begin(engine, expr, &r->kernel);
        if (status || tosajit_kernel_is_native(r->kernel)) {
            finish(engine, r, status);
        } else {
            r->way = MAKE;
            j->make_count++;
        }
        break;
    }
}

/* Long ops fill a batch sooner: they gain little, and their constants are copied into the code of every kernel of the batch. */
static size_t weight_of(const tosajit_kernel *kernel) {
    enum { HEAVY = 48 };
    size_t weight = kernel->program->count;
    for (size_t k = 0; k < kernel->program->count; k++)
        if (kernel->program->nodes[k].kind == NODE_OP && op_is_heavy(kernel->program->nodes[k].op)) weight += HEAVY;
    return weight;
}

/* Batches of neighbours, few enough in each that every thread gets one. */
static void divide(job *j) {
    size_t threads = j->engine->parallel.parallel_for ? j->engine->parallel.threads : 1;
    size_t most = threads ? (j->make_count + threads - 1) / threads : j->make_count;
    batch *b = NULL;
    for (size_t k = 0; k < j->count; k++) {
        request *r = &j->requests[k];
        if (r->way != MAKE) continue;
        size_t weight = weight_of(r->kernel), functions = (size_t)r->kernel->plan.part_count;
        if (!b || b->count == most || b->functions + functions > BATCH_FUNCTIONS || b->weight + weight > BATCH_WEIGHT) {
            b = &j->batches[j->batch_count++];
            *b = (batch){.engine = j->engine};
        }
        b->requests[b->count++] = r;
        b->functions += functions;
        b->weight += weight;
    }
}

/* One module for all; if that fails, one for each, so that one loses the others nothing. */
static void run_batch(void *argument, size_t index) {
    batch *b = &((batch *)argument)[index];
    const tosajit_kernel *kernels[BATCH_FUNCTIONS];
    compiler_output made[BATCH_FUNCTIONS];
    for (size_t k = 0; k < b->count; k++) kernels[k] = b->requests[k]->kernel;
    const bool together = b->count > 1 && !native_images(b->engine, kernels, b->count, made);
    for (size_t k = 0; k < b->count; k++) {
        request *r = b->requests[k];
        tosajit_status status = together ? native_adopt(b->engine, r->kernel, &made[k]) : native_compile(b->engine, r->kernel);
        if (together) code_release(&made[k].image, &r->kernel->allocator);
        if (status && environment_get()->verbose) verbose_compiled(r->kernel, status, NULL);
        finish(b->engine, r, status);
    }
}

static void run_batches(const job *j) {
    const tosajit_parallel *parallel = &j->engine->parallel;
    if (parallel->parallel_for && j->batch_count > 1)
        parallel->parallel_for(parallel->context, j->batch_count, run_batch, j->batches);
    else
        for (size_t k = 0; k < j->batch_count; k++) run_batch(j->batches, k);
}

/* What was left to others; nobody waits for this thread any more. */
static void settle(const job *j, size_t position) {
    request *r = &j->requests[position];
    const request *source = &j->requests[r->same_as];
    if (r->way == FOLLOW) {
        tosajit_status status = tosajit_compile_expr(j->engine, j->exprs[position], &r->kernel);
        if (status) refuse(r, status);
    } else if (r->way == COPY && source->status) {
        r->status = source->status;
        memcpy(r->message, source->message, sizeof r->message);
    } else if (r->way == COPY) {
        atomic_fetch_add_explicit(&j->engine->hits, 1, memory_order_relaxed);
        tosajit_kernel_retain(r->kernel = source->kernel);
    }
}

/* An engine that compiles nothing now is asked for each. */
static void compile_all(job *j) {
    const tosajit_backend backend = j->engine->backend;
    const bool now = backend == TOSAJIT_BACKEND_AUTO || backend == TOSAJIT_BACKEND_NATIVE;
    for (size_t k = 0; k < j->count; k++)
        if (now)
            prepare(j, k);
        else
            j->requests[k].way = FOLLOW;
    divide(j);
    run_batches(j);
    for (size_t k = 0; k < j->count; k++) settle(j, k);
}

/* The first failure is the list's. */
static tosajit_status hand_out(job *j, tosajit_kernel **kernels, tosajit_status *statuses) {
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; k < j->count; k++) {
        request *r = &j->requests[k];
        kernels[k] = r->kernel;
        if (statuses) statuses[k] = r->status;
        if (r->status && !status) status = diag_error(r->status, "expression %zu: %s", k, r->message);
        cache_drop_key(&r->key, &j->engine->allocator);
    }
    return status;
}

tosajit_status tosajit_compile_many(tosajit_engine *engine, const tosajit_expr *const *exprs, size_t count, tosajit_kernel **kernels,
                                    tosajit_status *statuses) {
    if (!engine || !exprs || !kernels)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "compile_many: engine, exprs or kernels is a null pointer");
    if (count == 0) return TOSAJIT_OK;
    job j = {.engine = engine, .exprs = exprs, .count = count};
    j.requests = memory_new(&engine->allocator, count, sizeof *j.requests);
    j.batches = memory_new(&engine->allocator, count, sizeof *j.batches);
    tosajit_status status = TOSAJIT_OK;
    if (j.requests && j.batches) {
        compile_all(&j);
        status = hand_out(&j, kernels, statuses);
    } else {
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a list of %zu expressions", count);
        for (size_t k = 0; k < count; k++) {
            kernels[k] = NULL;
            if (statuses) statuses[k] = status;
        }
    }
    memory_free(&engine->allocator, j.requests, count, sizeof *j.requests);
    memory_free(&engine->allocator, j.batches, count, sizeof *j.batches);
    return status;
}
