/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Background: one thread and a queue in front of it. A job belongs to its kernel, so that it can be
 * waited for after the queue has stopped. Its lock is the queue's, which lives as long: the kernel
 * holds its engine.
 *
 *     queued --the thread takes it--> only the queue holds the kernel: job and kernel are freed
 *        |                        \-> being worked on --> finished: status, message
 *        \--the thread is stopped--------------------------^
 *
 * A child process has a copy of all this, but no thread. If its parent's thread held the lock when
 * the parent forked, the lock is never released in the child. So a child takes no lock: it reads
 * `finished`, which is atomic. */
#include "jit/engine/background.h"

#include "jit/engine/engine_kernel.h"
#include "jit/engine/failure.h"
#include "jit/engine/presence.h"
#include "runtime/base/diag.h"
#include "runtime/base/memory.h"

struct job {
    background *owner;
    background_work *work;
    tosajit_engine *engine;
    tosajit_kernel *kernel; /* held by the queue until the job is done */
    job *next;
    atomic_bool finished;
    failure failure; /* written before */
};

static void finish_job(job *j, tosajit_status status) {
    background *b = j->owner;
    failure_keep(&j->failure, status);
    system_mutex_lock(&b->mutex);
    atomic_store_explicit(&j->finished, true, memory_order_release);
    system_condition_broadcast(&b->finished);
    system_mutex_unlock(&b->mutex);
    tosajit_kernel_release(j->kernel);
}

/* The next job, waiting for it; null when the thread is to end. */
static job *take_job(background *b) {
    system_mutex_lock(&b->mutex);
    while (!b->first && !b->stopping) system_condition_wait(&b->changed, &b->mutex);
    job *j = b->stopping ? NULL : b->first;
    if (j) b->first = j->next;
    if (!b->first) b->last = NULL;
    system_mutex_unlock(&b->mutex);
    return j;
}

static void *do_jobs(void *argument) {
    background *b = argument;
    for (job *j = take_job(b); j; j = take_job(b))
        if (!kernel_release_last(j->kernel)) finish_job(j, j->work(j->engine, j->kernel));
    return NULL;
}

tosajit_status background_start(background *b) {
    system_mutex_create(&b->mutex);
    system_condition_create(&b->changed);
    system_condition_create(&b->finished);
    b->process = presence_process();
    if (system_thread_start(&b->thread, do_jobs, b)) return TOSAJIT_OK;
    background_destroy(b);
    return diag_error(TOSAJIT_OUT_OF_MEMORY,
                      "the system gives no thread for compiling in the background");
}

static bool is_inherited(const background *b) { return b->process != presence_process(); }

void background_stop(background *b) {
    if (is_inherited(b)) return;
    system_mutex_lock(&b->mutex);
    b->stopping = true;
    system_condition_signal(&b->changed);
    system_mutex_unlock(&b->mutex);
    system_thread_join(b->thread);
    for (job *j = b->first, *next; j; j = next) {
        next = j->next;
        finish_job(j, diag_error(TOSAJIT_NOT_EXECUTABLE,
                                 "the engine was destroyed before the kernel was compiled; "
                                 "it stays uncompiled"));
    }
}

void background_destroy(background *b) {
    if (is_inherited(b)) return; /* the C library would wait for the parent's threads */
    system_condition_destroy(&b->finished);
    system_condition_destroy(&b->changed);
    system_mutex_destroy(&b->mutex);
    b->process = 0;
}

static bool is_finished(const job *j) {
    return atomic_load_explicit(&j->finished, memory_order_acquire);
}

tosajit_status background_wait(tosajit_kernel *kernel) {
    const job *j = engine_kernel_of(kernel)->job;
    if (!j) return TOSAJIT_OK;
    background *b = j->owner;
    if (!is_inherited(b)) {
        system_mutex_lock(&b->mutex);
        while (!is_finished(j)) system_condition_wait(&b->finished, &b->mutex);
        system_mutex_unlock(&b->mutex);
    } else if (!is_finished(j)) {
        if (tosajit_kernel_is_native(kernel))
            return TOSAJIT_OK; /* just now, as the parent forked */
        return diag_error(TOSAJIT_NOT_EXECUTABLE,
                          "the process that would compile this kernel is the parent; "
                          "here it stays uncompiled");
    }
    return failure_tell(&j->failure);
}

void background_forget(const tosajit_kernel *kernel) {
    memory_free(&kernel->allocator, engine_kernel_of(kernel)->job, 1, sizeof(job));
}

tosajit_status background_add(background *b, background_work *work, tosajit_engine *engine,
                              tosajit_kernel *kernel) {
    job *j = memory_new(&kernel->allocator, 1, sizeof *j);
    if (!j) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a background compilation");
    *j = (job){.owner = b, .work = work, .engine = engine, .kernel = kernel};
    engine_kernel_of(kernel)->job = j;
    tosajit_kernel_retain(kernel);
    system_mutex_lock(&b->mutex);
    if (b->last)
        b->last->next = j;
    else
        b->first = j;
    b->last = j;
    system_condition_signal(&b->changed);
    system_mutex_unlock(&b->mutex);
    return TOSAJIT_OK;
}
