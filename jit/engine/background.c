/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Background: one thread and a queue in front of it. A job belongs to its kernel, so that it can be
 * waited for after the queue has stopped. Its lock is the queue's, which lives as long: the kernel
 * holds its engine. The first job of a kernel may be what makes it native. Others come when it is,
 * so only the first can be why it is not.
 *
 *     queued --the thread takes it--> only the queue holds the kernel: job and kernel are freed
 *        |                        \-> being worked on --> finished: status, message
 *        \--the thread is stopped--------------------------^
 *
 * A child process has a copy of all this, but no thread. If its parent's thread held the lock when
 * the parent forked, the lock is never released in the child. So a child takes no lock: it reads
 * `finished`, which is atomic. */
#define _POSIX_C_SOURCE 200809L
#include "jit/engine/background.h"

#include "jit/engine/presence.h"
#include "jit/engine/threads.h"
#include "runtime/base/diag.h"
#include "runtime/base/memory.h"

static void finish_job(job *j, tosajit_status status) {
    background *b = j->owner;
    failure_keep(&j->failure, status);
    pthread_mutex_lock(&b->mutex);
    atomic_store_explicit(&j->finished, true, memory_order_release);
    pthread_cond_broadcast(&b->finished);
    pthread_mutex_unlock(&b->mutex);
    tosajit_kernel_release(j->kernel);
}

/* The next job, waiting for it; null when the thread is to end. */
static job *take_job(background *b) {
    pthread_mutex_lock(&b->mutex);
    while (!b->first && !b->stopping) pthread_cond_wait(&b->changed, &b->mutex);
    job *j = b->stopping ? NULL : b->first;
    if (j) b->first = j->next;
    if (!b->first) b->last = NULL;
    pthread_mutex_unlock(&b->mutex);
    return j;
}

static void *do_jobs(void *argument) {
    background *b = argument;
    for (job *j = take_job(b); j; j = take_job(b))
        if (!kernel_release_last(j->kernel)) finish_job(j, j->work(j));
    return NULL;
}

tosajit_status background_start(background *b) {
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->changed, NULL);
    pthread_cond_init(&b->finished, NULL);
    b->process = presence_process();
    if (threads_start(&b->thread, do_jobs, b)) return TOSAJIT_OK;
    background_destroy(b);
    return diag_error(TOSAJIT_OUT_OF_MEMORY,
                      "the system gives no thread for compiling in the background");
}

static bool is_inherited(const background *b) { return b->process != presence_process(); }

void background_stop(background *b) {
    if (is_inherited(b)) return;
    pthread_mutex_lock(&b->mutex);
    b->stopping = true;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->mutex);
    pthread_join(b->thread, NULL);
    for (job *j = b->first, *next; j; j = next) {
        next = j->next;
        finish_job(j, diag_error(TOSAJIT_NOT_EXECUTABLE,
                                 "the engine was destroyed before the kernel was compiled; "
                                 "it stays uncompiled"));
    }
}

void background_destroy(background *b) {
    if (is_inherited(b)) return; /* the C library would wait for the parent's threads */
    pthread_cond_destroy(&b->finished);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->mutex);
    b->process = 0;
}

static bool is_finished(const job *j) {
    return atomic_load_explicit(&j->finished, memory_order_acquire);
}

/* Of a kernel that is not native, and has one job. */
static tosajit_status tell(const job *j) {
    if (is_finished(j)) return failure_tell(&j->failure);
    return diag_error(TOSAJIT_NOT_EXECUTABLE,
                      "the process that would compile this kernel is the parent; "
                      "here it stays uncompiled");
}

tosajit_status background_wait(tosajit_kernel *kernel) {
    const job *last = atomic_load_explicit(&kernel->job, memory_order_acquire);
    if (!last) return TOSAJIT_OK;
    background *b = last->owner;
    if (!is_inherited(b)) {
        pthread_mutex_lock(&b->mutex);
        for (const job *j = last; j; j = j->earlier)
            while (!is_finished(j)) pthread_cond_wait(&b->finished, &b->mutex);
        pthread_mutex_unlock(&b->mutex);
    }
    return tosajit_kernel_is_native(kernel) ? TOSAJIT_OK : tell(last);
}

static void free_job(const tosajit_kernel *kernel, job *j) {
    memory_free(&kernel->allocator, j, 1, j->size);
}

void background_forget(const tosajit_kernel *kernel) {
    job *j = atomic_load_explicit(&kernel->job, memory_order_acquire);
    for (job *earlier; j; j = earlier) {
        earlier = j->earlier;
        free_job(kernel, j);
    }
}

/* At the end of the queue, and of what its kernel waits for; under the lock. */
static void put_last(background *b, job *j) {
    j->owner = b;
    j->earlier = atomic_load_explicit(&j->kernel->job, memory_order_relaxed);
    atomic_store_explicit(&j->kernel->job, j, memory_order_release);
    tosajit_kernel_retain(j->kernel);
    if (b->last)
        b->last->next = j;
    else
        b->first = j;
    b->last = j;
}

bool background_add(background *b, job *j) {
    bool taken = false;
    if (!is_inherited(b)) {
        pthread_mutex_lock(&b->mutex);
        taken = !b->stopping;
        if (taken) put_last(b, j);
        pthread_cond_signal(&b->changed);
        pthread_mutex_unlock(&b->mutex);
    }
    if (!taken) free_job(j->kernel, j);
    return taken;
}
