/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* System: what the library takes from the operating system. Each section is a file of this folder,
 * and no other file of runtime/ or jit/ includes a header of the system. What C11 has (stdio,
 * malloc, time, atexit, errno) is called where it is needed. */
#ifndef TOSAJIT_RUNTIME_SYSTEM_SYSTEM_H
#define TOSAJIT_RUNTIME_SYSTEM_SYSTEM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------------------------------------
 * pages.c: memory for code. It is written, then sealed, and so never writable and executable at
 * once.
 *
 * Small pieces, of up to four pages, share a mapping of sixteen and take its pages in turn. That
 * saves most of the system's time for each. When the mapping has been used up, pages that were
 * given back are used again or unmapped; until then up to 64 KiB stay. Any number of threads may
 * call these functions at once, also while the process forks. */

/* Writable memory that begins at a page and has whole pages; null if there is none. */
void *system_pages_take(size_t size);

/* Make what was taken executable, and read-only until it is given back; false if the system refuses
 * it. */
bool system_pages_seal(void *memory, size_t size);

/* Of the size that was taken. */
void system_pages_give(void *memory, size_t size);

/* Whether this process may have memory for code. Nothing of the trial stays. */
bool system_pages_may_be_code(void);

/* Bytes of a page. */
size_t system_page_size(void);

/* Whether the system would give so many bytes now. Nothing of the trial stays. */
bool system_has_memory(size_t bytes);

/* ---------------------------------------------------------------------------------------------
 * threads.c: the library's own threads, and how threads wait for each other. */

typedef pthread_t system_thread;
typedef pthread_mutex_t system_mutex;
typedef pthread_cond_t system_condition;
typedef pthread_once_t system_once;
#define SYSTEM_MUTEX PTHREAD_MUTEX_INITIALIZER
#define SYSTEM_ONCE PTHREAD_ONCE_INIT

/* A thread that takes none of the host's signals. False if the system gives none. */
bool system_thread_start(system_thread *thread, void *(*work)(void *argument), void *argument);
void system_thread_join(system_thread thread);

void system_mutex_create(system_mutex *m);
void system_mutex_destroy(system_mutex *m);
void system_mutex_lock(system_mutex *m);
void system_mutex_unlock(system_mutex *m);

void system_condition_create(system_condition *c);
void system_condition_destroy(system_condition *c);
void system_condition_wait(system_condition *c, system_mutex *m);
void system_condition_signal(system_condition *c); /* one of those that wait */
void system_condition_broadcast(system_condition *c);

/* Call it unless somebody has; return when it has returned. */
void system_call_once(system_once *once, void (*work)(void));

/* Call it in every child that this process forks from now on, before fork returns there. False
 * without memory. */
bool system_watch_forks(void (*in_child)(void));

/* Call it, and no other, at the end of this thread; also when the thread calls exit, and then
 * before any handler of atexit. False where the system has no such place. */
bool system_thread_at_end(void (*end)(void));

/* In what is called there: call this one next, before older handlers of atexit, if the process
 * exits before the thread is gone. All threads give the same. */
void system_thread_at_exit(void (*handler)(void));

/* ---------------------------------------------------------------------------------------------
 * clock.c */

/* Nanoseconds since some moment; never set back. Integers: the caller's floating-point environment
 * may be the host's. Linux's profiler has the same clock. */
int64_t system_clock(void);

/* For so long, or until the thread has handled a signal. */
void system_sleep(int64_t nanoseconds);

/* ---------------------------------------------------------------------------------------------
 * process.c */

/* A variable of the environment; null if there is none, or if the process has another user's
 * rights: such a program must not write files because that user's environment says so. */
const char *system_variable(const char *name);

/* Numbers by which the system and its tools know this process and this thread. */
long system_process(void);
long system_thread_number(void);

#endif
