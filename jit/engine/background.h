/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Background: one thread that works on kernels, one after the other, while the kernels answer as
 * well as they can. In: kernels, and the work for each. Out: whether the work is done, for callers
 * who wait. The file knows nothing of the work itself, nor of engines. */
#ifndef TOSAJIT_JIT_ENGINE_BACKGROUND_H
#define TOSAJIT_JIT_ENGINE_BACKGROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/run/kernel.h"
#include "runtime/system/system.h"

typedef tosajit_status background_work(tosajit_engine *engine, tosajit_kernel *kernel);

typedef struct job job;

/* All zero where there is none. */
typedef struct background {
    system_thread thread; /* if it has started */
    uint32_t process;     /* that has the thread; 0: there is nothing of all this */
    system_mutex mutex;
    system_condition changed;  /* the queue, or stopping */
    system_condition finished; /* a job */
    job *first, *last;         /* to do; each holds its kernel */
    bool started, stopping;
} background;

/* If the system gives no thread, it is asked again whenever a kernel is added or waited for. */
void background_start(background *b);
/* Finish the job that is being done, drop the others, end the thread. Kernels may still be waited
 * for. Does nothing where no thread was started, or in a child process, which has none. */
void background_stop(background *b);
/* After that, when none of its kernels is left. */
void background_destroy(background *b);

/* Do the work on the kernel as soon as the thread is free, unless nobody wants it by then. */
tosajit_status background_add(background *b, background_work *work, tosajit_engine *engine,
                              tosajit_kernel *kernel);
/* Until the kernel's work is done: OK, or why it failed. OK if there is none. Without a thread the
 * caller does it. In a child process,
 * NOT_EXECUTABLE if it was not done when the parent forked. */
tosajit_status background_wait(tosajit_kernel *kernel);
/* The kernel's last reference is gone. */
void background_forget(const tosajit_kernel *kernel);

#endif
