/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads: those of POSIX. C11 has threads, too, but thread sanitizers do not see glibc's. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>

#include "runtime/system/system.h"

/* The calling thread's, whose mask its threads inherit; faults of a thread itself are its own, and
 * a profiler's signal is for everybody. */
static void refuse_signals(sigset_t *before) {
    static const int taken[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF};
    sigset_t refused;
    sigfillset(&refused);
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) sigdelset(&refused, taken[k]);
    pthread_sigmask(SIG_BLOCK, &refused, before);
}

bool system_thread_start(system_thread *thread, void *(*work)(void *argument), void *argument) {
    sigset_t before;
    refuse_signals(&before);
    int failed = pthread_create(thread, NULL, work, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

void system_thread_join(system_thread thread) { pthread_join(thread, NULL); }

void system_mutex_create(system_mutex *m) { pthread_mutex_init(m, NULL); }
void system_mutex_destroy(system_mutex *m) { pthread_mutex_destroy(m); }
void system_mutex_lock(system_mutex *m) { pthread_mutex_lock(m); }
void system_mutex_unlock(system_mutex *m) { pthread_mutex_unlock(m); }

void system_condition_create(system_condition *c) { pthread_cond_init(c, NULL); }
void system_condition_destroy(system_condition *c) { pthread_cond_destroy(c); }
void system_condition_wait(system_condition *c, system_mutex *m) { pthread_cond_wait(c, m); }
void system_condition_signal(system_condition *c) { pthread_cond_signal(c); }
void system_condition_broadcast(system_condition *c) { pthread_cond_broadcast(c); }

void system_call_once(system_once *once, void (*work)(void)) { pthread_once(once, work); }

bool system_watch_forks(void (*in_child)(void)) { return !pthread_atfork(NULL, NULL, in_child); }

/* ---------------------------------------------------------------------------------------------
 * Ends */

#if defined(__APPLE__)
/* macOS has such a place for C++ (_tlv_atexit); whoever has a Mac finds out whether exit calls it.
 */
bool system_thread_at_end(void (*end)(void)) {
    (void)end;
    return false;
}

void system_thread_at_exit(void (*handler)(void)) { (void)handler; }
#else
/* Of the C library, which has them for C++'s objects. The destructor of a thread's object is called
 * at the end of this thread, also when it calls exit, and then before any handler. Null where the C
 * library has none. The other two register a handler, and call those of an owner and forget them.
 */
extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library)
    __attribute__((weak));
extern int __cxa_atexit(void (*handler)(void *), void *argument, void *owner);
extern void __cxa_finalize(void *owner);
extern void *__dso_handle __attribute__((visibility("hidden")));

static _Thread_local struct {
    void (*end)(void);
    bool goes_on; /* the process, of which this thread ends */
} own;

static void end_thread(void *thread) {
    (void)thread;
    own.end();
}

static void (*_Atomic exit_handler)(void); /* another thread may exit meanwhile */

static void call_at_exit(void *nothing) {
    (void)nothing;
    if (!own.goes_on) exit_handler();
}

void system_thread_at_exit(void (*handler)(void)) {
    exit_handler = handler;
    (void)__cxa_atexit(call_at_exit, NULL, &own);
}

/* The thread's handler goes with it: one behind every thread would be memory that grows. Data of a
 * key are destroyed after all objects, and not by exit. */
static void forget_thread(void *thread) {
    own.goes_on = true;
    __cxa_finalize(thread);
    own.goes_on = false;
}

static pthread_key_t key;
static bool has_key;

static void make_key(void) { has_key = pthread_key_create(&key, forget_thread) == 0; }

bool system_thread_at_end(void (*end)(void)) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!__cxa_thread_atexit_impl) return false;
    pthread_once(&once, make_key);
    own.end = end;
    return has_key && pthread_setspecific(key, &own) == 0 &&
           __cxa_thread_atexit_impl(end_thread, &own, &__dso_handle) == 0;
}
#endif
