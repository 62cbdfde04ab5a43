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
 * Where the system gives no thread, kernels stay in the queue, and answer as well as they can. Each
 * that is added asks for the thread again. Who waits for a kernel does its work meanwhile.
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

/* The thread, if it is there or the system gives it now. The lock is held, or nobody else here. */
static bool has_thread(background *b) {
    if (!b->started && !b->stopping) b->started = system_thread_start(&b->thread, do_jobs, b);
    return b->started;
}

void background_start(background *b) {
    system_mutex_create(&b->mutex);
    system_condition_create(&b->changed);
    system_condition_create(&b->finished);
    b->process = presence_process();
    has_thread(b);
}

static bool is_inherited(const background *b) { return b->process != presence_process(); }

void background_stop(background *b) {
    if (is_inherited(b)) return;
    system_mutex_lock(&b->mutex);
    b->stopping = true;
    system_condition_signal(&b->changed);
    system_mutex_unlock(&b->mutex);
    if (b->started) system_thread_join(b->thread);
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

/* Take it out of the queue; false if it is being done, or finished. */
static bool leave_queue(background *b, const job *j) {
    job *before = NULL, *at = b->first;
    while (at && at != j) before = at, at = at->next;
    if (!at) return false;
    *(before ? &before->next : &b->first) = at->next;
    if (b->last == at) b->last = before;
    return true;
}

tosajit_status background_wait(tosajit_kernel *kernel) {
    job *j = engine_kernel_of(kernel)->job;
    if (!j) return TOSAJIT_OK;
    background *b = j->owner;
    if (!is_inherited(b)) {
        system_mutex_lock(&b->mutex);
        bool own = false;
        while (!is_finished(j) && !(own = !has_thread(b) && leave_queue(b, j)))
            system_condition_wait(&b->finished, &b->mutex);
        system_mutex_unlock(&b->mutex);
        if (own) finish_job(j, j->work(j->engine, kernel));
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

static void append(background *b, job *j) {
    j->next = NULL;
    *(b->last ? &b->last->next : &b->first) = j;
    b->last = j;
}

/* Without a thread nobody else lets go of kernels that only the queue holds: two of them are looked
 * at for each that is added. */
static void let_go(background *b) {
    for (int k = 0; k < 2; k++) {
        system_mutex_lock(&b->mutex);
        job *j = b->started ? NULL : b->first;
        if (j) leave_queue(b, j);
        system_mutex_unlock(&b->mutex);
        if (!j || kernel_release_last(j->kernel)) continue;
        system_mutex_lock(&b->mutex);
        append(b, j);
        system_condition_signal(&b->changed);
        system_condition_broadcast(&b->finished); /* who waits may have missed it */
        system_mutex_unlock(&b->mutex);
    }
}

tosajit_status background_add(background *b, background_work *work, tosajit_engine *engine,
                              tosajit_kernel *kernel) {
    job *j = memory_new(&kernel->allocator, 1, sizeof *j);
    if (!j) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a background compilation");
    *j = (job){.owner = b, .work = work, .engine = engine, .kernel = kernel};
    engine_kernel_of(kernel)->job = j;
    tosajit_kernel_retain(kernel);
    system_mutex_lock(&b->mutex);
    append(b, j);
    const bool alone = !has_thread(b);
    system_condition_signal(&b->changed);
    system_mutex_unlock(&b->mutex);
    if (alone) let_go(b);
    return TOSAJIT_OK;
}
