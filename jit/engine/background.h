/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Background: one thread that does work on kernels, one after the other, while these answer as well
 * as they can. In: kernels, and what is to be done with each. Out: whether it is done, for whoever
 * waits. What the work is, and what an engine is, it does not know. */
#ifndef TOSAJIT_JIT_ENGINE_BACKGROUND_H
#define TOSAJIT_JIT_ENGINE_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "jit/engine/failure.h"
#include "runtime/run/kernel.h"

typedef struct background background;

/* Work on a kernel, and the first member of what it needs besides. It comes from the kernel's
 * allocator and is given back with the kernel. The caller sets the first four members. */
typedef struct job job;
struct job {
    tosajit_status (*work)(const job *j); /* on the background's thread */
    tosajit_engine *engine;               /* that the kernel holds */
    tosajit_kernel *kernel;               /* held by the queue until the job is done */
    size_t size;                          /* of it all, in bytes */
    background *owner;
    job *next;    /* of the queue */
    job *earlier; /* of the kernel */
    atomic_bool finished;
    failure failure; /* written before */
};

/* All zero where there is none. */
struct background {
    pthread_t thread;
    uint32_t process; /* that has the thread; 0: it was not started */
    pthread_mutex_t mutex;
    pthread_cond_t changed;  /* the queue, or stopping */
    pthread_cond_t finished; /* a job */
    job *first, *last;       /* to do; each holds its kernel */
    bool stopping;
};

/* OUT_OF_MEMORY if the system gives no thread. */
tosajit_status background_start(background *b);
/* Finish the job that is being done, drop the others, end the thread. Kernels may still be waited
 * for. Does nothing where no thread was started, or in a child process, which has none. */
void background_stop(background *b);
/* After that, when none of its kernels is left. */
void background_destroy(background *b);

/* Do the job as soon as the thread is free, unless nobody wants its kernel by then. False, with
 * the job freed, if there is no thread, or none any more, as in a child process. */
bool background_add(background *b, job *j);
/* Until the kernel's jobs are done that were added before: OK if it is native, or there is none;
 * else why the first failed. In a child process, NOT_EXECUTABLE if that was not done when the
 * parent forked. */
tosajit_status background_wait(tosajit_kernel *kernel);
/* The kernel's last reference is gone. */
void background_forget(const tosajit_kernel *kernel);

#endif
