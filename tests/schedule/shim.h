/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shim: included before everything else into the library's own sources, so that each step that
 * another thread could see is first told to the scheduler (schedule.h). In: the names of
 * <stdatomic.h> and of runtime/system. Out: the same names, which yield.
 *
 * Locks, conditions and threads become the scheduler's own; atomics and file calls stay what they
 * are, with a place to switch before each. What a source does between two such places happens at
 * once, as far as this test is concerned. */
#ifndef TOSAJIT_TESTS_SCHEDULE_SHIM_H
#define TOSAJIT_TESTS_SCHEDULE_SHIM_H

#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#include "runtime/system/system.h"
#undef _GNU_SOURCE /* a source says itself what it needs */
#undef _POSIX_C_SOURCE
#undef _DEFAULT_SOURCE

#define SCHEDULE_TEXT_OF(x) #x
#define SCHEDULE_TEXT(x) SCHEDULE_TEXT_OF(x)
#define SCHEDULE_PLACE __FILE__ ":" SCHEDULE_TEXT(__LINE__)

/* A place to switch. object: what is about to be read or written. */
void schedule_point(const void *object, const char *place);

void schedule_mutex_create(system_mutex *mutex);
void schedule_mutex_destroy(system_mutex *mutex, const char *place);
void schedule_mutex_lock(system_mutex *mutex, const char *place);
void schedule_mutex_unlock(system_mutex *mutex, const char *place);
void schedule_condition_create(system_condition *condition);
void schedule_condition_destroy(system_condition *condition, const char *place);
void schedule_condition_wait(system_condition *condition, system_mutex *mutex, const char *place);
void schedule_condition_wake(system_condition *condition, bool all, const char *place);
bool schedule_thread_start(system_thread *thread, void *(*work)(void *argument), void *argument,
                           const char *place);
void schedule_thread_join(system_thread thread, const char *place);
void schedule_pause(const char *place);

#define system_mutex_create(mutex) schedule_mutex_create(mutex)
#define system_mutex_destroy(mutex) schedule_mutex_destroy(mutex, SCHEDULE_PLACE)
#define system_mutex_lock(mutex) schedule_mutex_lock(mutex, SCHEDULE_PLACE)
#define system_mutex_unlock(mutex) schedule_mutex_unlock(mutex, SCHEDULE_PLACE)
#define system_condition_create(condition) schedule_condition_create(condition)
#define system_condition_destroy(condition) schedule_condition_destroy(condition, SCHEDULE_PLACE)
#define system_condition_wait(condition, mutex)                                                    \
    schedule_condition_wait(condition, mutex, SCHEDULE_PLACE)
#define system_condition_signal(condition) schedule_condition_wake(condition, false, SCHEDULE_PLACE)
#define system_condition_broadcast(condition)                                                      \
    schedule_condition_wake(condition, true, SCHEDULE_PLACE)
#define system_thread_start(thread, work, argument)                                                \
    schedule_thread_start(thread, work, argument, SCHEDULE_PLACE)
#define system_thread_join(thread) schedule_thread_join(thread, SCHEDULE_PLACE)
#define system_sleep(nanoseconds) schedule_pause(SCHEDULE_PLACE)

/* The order of memory is the strongest: one thread runs at a time. */
#define SCHEDULE_ATOMIC(object, operation)                                                         \
    (schedule_point((const void *)(object), SCHEDULE_PLACE), (operation))
#if defined(__clang__)
#define SCHEDULE_LOAD(object) __c11_atomic_load(object, __ATOMIC_SEQ_CST)
#define SCHEDULE_STORE(object, value) __c11_atomic_store(object, value, __ATOMIC_SEQ_CST)
#define SCHEDULE_ADD(object, value) __c11_atomic_fetch_add(object, value, __ATOMIC_SEQ_CST)
#define SCHEDULE_SUB(object, value) __c11_atomic_fetch_sub(object, value, __ATOMIC_SEQ_CST)
#define SCHEDULE_AND(object, value) __c11_atomic_fetch_and(object, value, __ATOMIC_SEQ_CST)
#define SCHEDULE_SWAP(object, value) __c11_atomic_exchange(object, value, __ATOMIC_SEQ_CST)
#define SCHEDULE_EXCHANGE(object, expected, value)                                                 \
    __c11_atomic_compare_exchange_strong(object, expected, value, __ATOMIC_SEQ_CST,                \
                                         __ATOMIC_SEQ_CST)
#else
#define SCHEDULE_LOAD(object) __atomic_load_n(object, __ATOMIC_SEQ_CST)
#define SCHEDULE_STORE(object, value) __atomic_store_n(object, value, __ATOMIC_SEQ_CST)
#define SCHEDULE_ADD(object, value) __atomic_fetch_add(object, value, __ATOMIC_SEQ_CST)
#define SCHEDULE_SUB(object, value) __atomic_fetch_sub(object, value, __ATOMIC_SEQ_CST)
#define SCHEDULE_AND(object, value) __atomic_fetch_and(object, value, __ATOMIC_SEQ_CST)
#define SCHEDULE_SWAP(object, value) __atomic_exchange_n(object, value, __ATOMIC_SEQ_CST)
#define SCHEDULE_EXCHANGE(object, expected, value)                                                 \
    __atomic_compare_exchange_n(object, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#endif
#undef atomic_load
#undef atomic_load_explicit
#undef atomic_store
#undef atomic_store_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_and_explicit
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak_explicit
#undef atomic_compare_exchange_weak
#undef atomic_flag_test_and_set
#undef atomic_flag_test_and_set_explicit
#undef atomic_flag_clear_explicit
#define atomic_load(object) SCHEDULE_ATOMIC(object, SCHEDULE_LOAD(object))
#define atomic_load_explicit(object, order) atomic_load(object)
#define atomic_store(object, value) SCHEDULE_ATOMIC(object, SCHEDULE_STORE(object, value))
#define atomic_store_explicit(object, value, order) atomic_store(object, value)
/* Relaxed operations count: in which order does not matter, and nobody acts on it. */
#define SCHEDULE_COUNT(object, order, operation)                                                   \
    ((order) == memory_order_relaxed ? (operation) : SCHEDULE_ATOMIC(object, operation))
#define atomic_fetch_add_explicit(object, value, order)                                            \
    SCHEDULE_COUNT(object, order, SCHEDULE_ADD(object, value))
#define atomic_fetch_sub_explicit(object, value, order)                                            \
    SCHEDULE_COUNT(object, order, SCHEDULE_SUB(object, value))
#define atomic_fetch_and_explicit(object, value, order)                                            \
    SCHEDULE_ATOMIC(object, SCHEDULE_AND(object, value))
#define atomic_exchange_explicit(object, value, order)                                             \
    SCHEDULE_ATOMIC(object, SCHEDULE_SWAP(object, value))
#define atomic_compare_exchange_weak(object, expected, value)                                      \
    SCHEDULE_ATOMIC(object, SCHEDULE_EXCHANGE(object, expected, value))
#define atomic_compare_exchange_strong_explicit(object, expected, value, order, failed)            \
    atomic_compare_exchange_weak(object, expected, value)
#define atomic_compare_exchange_weak_explicit(object, expected, value, order, failed)              \
    atomic_compare_exchange_weak(object, expected, value)
#define atomic_flag_test_and_set(flag)                                                             \
    SCHEDULE_ATOMIC(flag, __atomic_test_and_set(flag, __ATOMIC_SEQ_CST))
#define atomic_flag_test_and_set_explicit(flag, order) atomic_flag_test_and_set(flag)
#define atomic_flag_clear_explicit(flag, order)                                                    \
    SCHEDULE_ATOMIC(flag, __atomic_clear(flag, __ATOMIC_SEQ_CST))

#define SCHEDULE_CALL schedule_point(NULL, SCHEDULE_PLACE)

/* Pages that threads share. */
#define mmap(...) (SCHEDULE_CALL, mmap(__VA_ARGS__))
#define mprotect(...) (SCHEDULE_CALL, mprotect(__VA_ARGS__))
#define munmap(...) (SCHEDULE_CALL, munmap(__VA_ARGS__))

/* Copies that others may see half of, where a source says that it has such. */
#ifdef SCHEDULE_COPIES
#include <string.h>
#define memcpy(...) (SCHEDULE_CALL, memcpy(__VA_ARGS__))
#endif

/* Calls by which several processes, or threads with stores of their own, meet in one directory. */
#define system_file_open(...) (SCHEDULE_CALL, system_file_open(__VA_ARGS__))
#define system_file_read(...) (SCHEDULE_CALL, system_file_read(__VA_ARGS__))
#define system_file_write(...) (SCHEDULE_CALL, system_file_write(__VA_ARGS__))
#define system_file_rename(...) (SCHEDULE_CALL, system_file_rename(__VA_ARGS__))
#define system_file_remove(...) (SCHEDULE_CALL, system_file_remove(__VA_ARGS__))
#define system_directory_list(...) (SCHEDULE_CALL, system_directory_list(__VA_ARGS__))

#endif
