/* Threads of the library's own: none of them takes the host's signals. */
#ifndef TOSAJIT_JIT_THREADS_H
#define TOSAJIT_JIT_THREADS_H

#include <pthread.h>
#include <pthreadpool.h>
#include <stdbool.h>

#include "tosajit/tosajit.h"

/* False if the system gives no thread. */
bool threads_start(pthread_t *thread, void *(*work)(void *argument), void *argument);

/* A pool of so many threads, the caller of a run among them; null if the system does not give them, or no memory. */
pthreadpool_t threads_pool(const tosajit_allocator *allocator, size_t count);

#endif
