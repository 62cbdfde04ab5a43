/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pool: one loop at a time, divided into a slice per thread, so that a thread meets the same memory
 * in call after call. A thread that is done with its own slice takes pieces of the others'.
 *
 * A thread joins a loop while it is open, and leaves when no piece is left. The caller closes the
 * loop and waits until all have left. A thread may not get a processor, because another process has
 * it. Until that thread has begun a piece it costs the caller nothing. A waiting thread spins for a
 * moment, because waking takes longer, and then sleeps. The system moves a sleeping thread only to
 * an idle processor, and a spinning thread keeps its processor busy. */
#include "jit/engine/pool.h"

#include <stdatomic.h>

#include "runtime/base/memory.h"
#include "runtime/system/system.h"

enum {
    OPEN = 1,   /* of `joined`: threads may join */
    MEMBER = 2, /* and this for each that has */
};

/* None where a test decides the order of steps, which knows no time. */
#ifndef POOL_SPIN_NS
#define POOL_SPIN_NS 20000
#endif

/* Pieces of a loop, [first, first + count), of which `taken` are begun or done. */
typedef struct slice {
    atomic_size_t taken;
    size_t first, count;
    char apart[64]; /* from the next one's cache line */
} slice;

typedef struct worker {
    pool *pool;
    system_thread thread;
    size_t index; /* of its slice */
} worker;

struct pool {
    tosajit_allocator allocator;
    size_t room;    /* for so many threads */
    size_t threads; /* that there are, with the caller */
    size_t started;
    atomic_bool busy; /* some caller has the threads */
    atomic_uint joined;
    atomic_uint loops; /* so many were opened: what threads wait for */
    atomic_bool stopping;
    system_mutex mutex; /* of sleepers */
    system_condition opened, left;
    void (*task)(void *argument, size_t index);
    void *argument;
    slice *slices;
    worker *workers;
};

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool has_opened(pool *p, unsigned seen) {
    return atomic_load_explicit(&p->loops, memory_order_acquire) != seen ||
           atomic_load_explicit(&p->stopping, memory_order_relaxed);
}

static bool has_emptied(pool *p, unsigned unused) {
    (void)unused;
    return atomic_load_explicit(&p->joined, memory_order_acquire) == 0;
}

/* Until `happened`; who makes it happen signals under the mutex. */
static void wait_for(pool *p, bool (*happened)(pool *p, unsigned seen), unsigned seen,
                     system_condition *signal) {
    const int64_t end = system_clock() + POOL_SPIN_NS;
    while (system_clock() < end)
        for (int k = 0; k < 16; k++) {
            if (happened(p, seen)) return;
            relax();
        }
    system_mutex_lock(&p->mutex);
    while (!happened(p, seen)) system_condition_wait(signal, &p->mutex);
    system_mutex_unlock(&p->mutex);
}

/* Its own slice, then the others'. */
static void take_pieces(pool *p, size_t own) {
    for (size_t k = 0; k < p->threads; k++) {
        slice *s = &p->slices[(own + k) % p->threads];
        size_t at;
        while ((at = atomic_fetch_add_explicit(&s->taken, 1, memory_order_acq_rel)) < s->count)
            p->task(p->argument, s->first + at);
    }
}

static bool join(pool *p) {
    unsigned joined = atomic_load_explicit(&p->joined, memory_order_relaxed);
    do {
        if (!(joined & OPEN)) return false;
    } while (!atomic_compare_exchange_weak_explicit(&p->joined, &joined, joined + MEMBER,
                                                    memory_order_acquire, memory_order_relaxed));
    return true;
}

static void leave(pool *p) {
    if (atomic_fetch_sub_explicit(&p->joined, MEMBER, memory_order_acq_rel) != MEMBER) return;
    system_mutex_lock(&p->mutex);
    system_condition_signal(&p->left);
    system_mutex_unlock(&p->mutex);
}

static void *work(void *argument) {
    const worker *w = argument;
    pool *p = w->pool;
    unsigned seen = 0;
    while (!atomic_load_explicit(&p->stopping, memory_order_relaxed)) {
        wait_for(p, has_opened, seen, &p->opened);
        seen = atomic_load_explicit(&p->loops, memory_order_acquire);
        if (!join(p)) continue;
        take_pieces(p, w->index);
        leave(p);
    }
    return NULL;
}

/* Let the threads see what has changed. */
static void wake(pool *p) {
    system_mutex_lock(&p->mutex);
    atomic_fetch_add_explicit(&p->loops, 1, memory_order_release);
    system_condition_broadcast(&p->opened);
    system_mutex_unlock(&p->mutex);
}

void pool_run(pool *p, size_t count, void (*task)(void *argument, size_t index), void *argument) {
    if (count < 2 || atomic_exchange_explicit(&p->busy, true, memory_order_acquire)) {
        for (size_t k = 0; k < count; k++) task(argument, k);
        return;
    }
    p->task = task;
    p->argument = argument;
    for (size_t k = 0; k < p->threads; k++) {
        const size_t first = count / p->threads * k + count % p->threads * k / p->threads;
        const size_t next =
            count / p->threads * (k + 1) + count % p->threads * (k + 1) / p->threads;
        p->slices[k].first = first;
        p->slices[k].count = next - first;
        atomic_store_explicit(&p->slices[k].taken, 0, memory_order_relaxed);
    }
    atomic_store_explicit(&p->joined, OPEN, memory_order_release);
    wake(p);
    take_pieces(p, 0);
    atomic_fetch_and_explicit(&p->joined, ~(unsigned)OPEN, memory_order_acq_rel);
    wait_for(p, has_emptied, 0, &p->left);
    atomic_store_explicit(&p->busy, false, memory_order_release);
}

/* They look at how many there are once a loop is opened. */
static void start_workers(pool *p) {
    for (; p->started + 1 < p->room; p->started++) {
        worker *w = &p->workers[p->started];
        *w = (worker){.pool = p, .index = p->started + 1};
        if (!system_thread_start(&w->thread, work, w)) break;
    }
    p->threads = p->started + 1;
}

pool *pool_create(const tosajit_allocator *allocator, size_t threads) {
    pool *p = memory_new(allocator, 1, sizeof *p);
    if (!p) return NULL;
    p->allocator = *allocator;
    p->room = threads;
    system_mutex_create(&p->mutex);
    system_condition_create(&p->opened);
    system_condition_create(&p->left);
    p->slices = memory_new(allocator, threads, sizeof *p->slices);
    p->workers = memory_new(allocator, threads, sizeof *p->workers);
    if (p->slices && p->workers) return start_workers(p), p;
    pool_destroy(p, false);
    return NULL;
}

size_t pool_threads(const pool *p) { return p->threads; }

static void stop_workers(pool *p) {
    atomic_store_explicit(&p->stopping, true, memory_order_relaxed);
    wake(p);
    for (size_t k = 0; k < p->started; k++) system_thread_join(p->workers[k].thread);
    system_condition_destroy(&p->opened);
    system_condition_destroy(&p->left);
    system_mutex_destroy(&p->mutex);
}

void pool_destroy(pool *p, bool is_inherited) {
    const tosajit_allocator allocator = p->allocator;
    if (!is_inherited) stop_workers(p);
    memory_free(&allocator, p->slices, p->room, sizeof *p->slices);
    memory_free(&allocator, p->workers, p->room, sizeof *p->workers);
    memory_free(&allocator, p, 1, sizeof *p);
}
