/* Background: a thread that compiles kernels while the interpreter answers for them. */
#ifndef TOSAJIT_JIT_BACKGROUND_H
#define TOSAJIT_JIT_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>

#include "runtime/kernel.h"

typedef struct job job;

typedef struct background {
    tosajit_engine *engine;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* the queue, stopping, or a job's state */
    job *first, *last;      /* jobs to do; each holds its kernel */
    bool running, stopping;
} background;

/* OUT_OF_MEMORY if the system gives no thread. */
tosajit_status background_start(background *b, tosajit_engine *engine);
/* Finish the job that is being done, drop the others, end the thread. */
void background_stop(background *b);

/* Compile the kernel as soon as the thread is free. */
tosajit_status background_add(background *b, tosajit_kernel *kernel);

#endif
