/* Threads: see threads.h. */
#define _POSIX_C_SOURCE 200809L
#include "jit/threads.h"

#include <signal.h>

#include "runtime/memory.h"

/* The calling thread's, whose mask its threads inherit; faults of a thread itself are its own, and a profiler's signal is for everybody. */
static void refuse_signals(sigset_t *before) {
    static const int taken[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF};
    sigset_t refused;
    sigfillset(&refused);
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) sigdelset(&refused, taken[k]);
    pthread_sigmask(SIG_BLOCK, &refused, before);
}

bool threads_start(pthread_t *thread, void *(*work)(void *argument), void *argument) {
    sigset_t before;
    refuse_signals(&before);
    int failed = pthread_create(thread, NULL, work, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

/* Until everybody is there. */
static void *meet(void *argument) {
    pthread_mutex_t *gate = argument;
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* pthreadpool does not look whether its threads were made, and waits for them for ever. So it is tried first whether there can be as many
 * at once; who takes them away in between makes it hang, but a limit of the system that holds is found. */
static bool may_start(const tosajit_allocator *allocator, size_t count) {
    pthread_t *threads = memory_new(allocator, count, sizeof *threads);
    if (!threads) return false;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    size_t started = 0;
    pthread_mutex_lock(&gate);
    while (started < count && threads_start(&threads[started], meet, &gate)) started++;
    pthread_mutex_unlock(&gate);
    for (size_t k = 0; k < started; k++) pthread_join(threads[k], NULL);
    pthread_mutex_destroy(&gate);
    memory_free(allocator, threads, count, sizeof *threads);
    return started == count;
}

pthreadpool_t threads_pool(const tosajit_allocator *allocator, size_t count) {
    if (!may_start(allocator, count - 1)) return NULL;
    sigset_t before;
    refuse_signals(&before);
    pthreadpool_t pool = pthreadpool_create(count);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool;
}
