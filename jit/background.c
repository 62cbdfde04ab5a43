/* Background: one thread per engine and a queue in front of it. A job belongs to its kernel, so that it can be waited for
 * after the engine is gone. */
#define _POSIX_C_SOURCE 200809L
#include "jit/background.h"

#include <stdio.h>

#include "jit/native.h"
#include "jit/threads.h"
#include "runtime/diag.h"
#include "runtime/memory.h"

struct job {
    tosajit_kernel *kernel; /* held by the queue until the job is done */
    job *next;
    pthread_mutex_t mutex;
    pthread_cond_t finished;
    bool done; /* this and the next two under mutex */
    tosajit_status status;
    char message[256]; /* why it failed; the last error is the other thread's */
};

static void finish(job *j, tosajit_status status) {
    pthread_mutex_lock(&j->mutex);
    j->status = status;
    if (status) snprintf(j->message, sizeof j->message, "%s", tosajit_last_error());
    j->done = true;
    pthread_cond_broadcast(&j->finished);
    pthread_mutex_unlock(&j->mutex);
    tosajit_kernel_release(j->kernel);
}

static bool is_wanted(const job *j) { return atomic_load_explicit(&j->kernel->references, memory_order_acquire) > 1; }

/* The next job, waiting for it; null when the thread is to end. */
static job *take(background *b) {
    pthread_mutex_lock(&b->mutex);
    while (!b->first && !b->stopping) pthread_cond_wait(&b->changed, &b->mutex);
    job *j = b->stopping ? NULL : b->first;
    if (j) b->first = j->next;
    if (!b->first) b->last = NULL;
    pthread_mutex_unlock(&b->mutex);
    return j;
}

static void *work(void *argument) {
    background *b = argument;
    for (job *j = take(b); j; j = take(b)) finish(j, is_wanted(j) ? native_compile(b->engine, j->kernel) : TOSAJIT_OK);
    return NULL;
}

tosajit_status background_start(background *b, tosajit_engine *engine) {
    *b = (background){.engine = engine};
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->changed, NULL);
    if (threads_start(&b->thread, work, b)) {
        b->running = true;
        return TOSAJIT_OK;
    }
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->mutex);
    return diag_error(TOSAJIT_OUT_OF_MEMORY, "the system gives no thread for compiling in the background");
}

void background_stop(background *b) {
    if (!b->running || engine_is_inherited(b->engine)) return; /* in a child process there is no thread to stop */
    pthread_mutex_lock(&b->mutex);
    b->stopping = true;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->mutex);
    pthread_join(b->thread, NULL);
    for (job *j = b->first, *next; j; j = next) {
        next = j->next;
        finish(j, diag_error(TOSAJIT_NOT_EXECUTABLE, "the engine was destroyed before the kernel was compiled; it stays interpreted"));
    }
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->mutex);
    b->running = false;
}

static tosajit_status wait_job(tosajit_kernel *kernel) {
    job *j = kernel->job;
    if (engine_is_inherited(kernel->maker) && !tosajit_kernel_is_native(kernel))
        return diag_error(TOSAJIT_NOT_EXECUTABLE, "the process that would compile this kernel is the parent; here it stays interpreted");
    pthread_mutex_lock(&j->mutex);
    while (!j->done) pthread_cond_wait(&j->finished, &j->mutex);
    tosajit_status status = j->status;
    pthread_mutex_unlock(&j->mutex);
    return status ? diag_error(status, "%s", j->message) : TOSAJIT_OK;
}

static void release_job(tosajit_kernel *kernel) {
    job *j = kernel->job;
    pthread_cond_destroy(&j->finished);
    pthread_mutex_destroy(&j->mutex);
    memory_free(&kernel->allocator, j, 1, sizeof *j);
}

tosajit_status background_add(background *b, tosajit_kernel *kernel) {
    job *j = memory_new(&kernel->allocator, 1, sizeof *j);
    if (!j) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a background compilation");
    j->kernel = kernel;
    pthread_mutex_init(&j->mutex, NULL);
    pthread_cond_init(&j->finished, NULL);
    kernel->job = j;
    kernel->wait = wait_job;
    kernel->release_job = release_job;
    tosajit_kernel_retain(kernel);
    pthread_mutex_lock(&b->mutex);
    if (b->last)
        b->last->next = j;
    else
        b->first = j;
    b->last = j;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->mutex);
    return TOSAJIT_OK;
}
