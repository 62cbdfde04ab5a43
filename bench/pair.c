/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pair: see pair.h. */
#define _GNU_SOURCE
#include "bench/pair.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SPIN_NS = 20000 }; /* how long the helper looks for its next job before it sleeps */

static int processors[2] = {-1, -1};
static tosajit_engine *engines[2];

static struct {
    pthread_t thread;
    bool started;
    sem_t posted;
    atomic_bool done;
    void (*work)(const void *job); /* null: leave */
    const void *job;
} helper;

void pair_set(int processor, int other) {
    processors[0] = processor;
    processors[1] = other;
}

bool pair_exists(void) { return processors[0] >= 0 && processors[1] >= 0; }

/* thread 0: the caller. */
static void stay_on(pid_t thread, int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    sched_setaffinity(thread, sizeof set, &set);
}

/* All threads but the caller go to the other processor and stay there. At real-time priority two on
 * one processor would be fatal: one that spins while it waits for the other keeps it from running.
 */
static void part(void) {
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task = tasks ? readdir(tasks) : NULL; task; task = readdir(tasks)) {
        pid_t thread = (pid_t)atoi(task->d_name);
        if (thread > 0 && thread != getpid()) stay_on(thread, processors[1]);
    }
    if (tasks) closedir(tasks);
}

tosajit_status pair_create(bool both, tosajit_status (*create)(void *context), void *context) {
    if (processors[0] < 0) return create(context);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processors[0], &set);
    if (both && pair_exists()) CPU_SET((size_t)processors[1], &set);
    sched_setaffinity(0, sizeof set, &set);
    tosajit_status status = create(context);
    if (both && pair_exists()) part();
    stay_on(0, processors[0]);
    return status;
}

static tosajit_status create_engine(void *context) {
    size_t threads = *(const size_t *)context;
    tosajit_engine_options options = {.size = sizeof options, .uncached = 1, .threads = threads};
    return tosajit_engine_create(&options, &engines[threads - 1]);
}

tosajit_engine *pair_engine(size_t threads) {
    if (!engines[threads - 1]) pair_create(threads == 2, create_engine, &threads);
    return engines[threads - 1];
}

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *help(void *unused) {
    (void)unused;
    for (;;) {
        const int64_t end = now_ns() + SPIN_NS;
        bool posted = false;
        while (!posted && now_ns() < end) posted = sem_trywait(&helper.posted) == 0;
        while (!posted) posted = sem_wait(&helper.posted) == 0;
        if (!helper.work) return NULL;
        helper.work(helper.job);
        atomic_store(&helper.done, true);
    }
}

/* One step more urgent than the engine's thread, which is on the same processor and spins for a
 * while when its work is done. */
static void hurry(pthread_t thread) {
    int policy;
    struct sched_param parameters;
    if (pthread_getschedparam(thread, &policy, &parameters) || policy == SCHED_OTHER) return;
    parameters.sched_priority++;
    pthread_setschedparam(thread, policy, &parameters);
}

static void start_helper(void) {
    pthread_attr_t there;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processors[1], &set);
    bool placed = sem_init(&helper.posted, 0, 0) == 0 && pthread_attr_init(&there) == 0 &&
                  pthread_attr_setaffinity_np(&there, sizeof set, &set) == 0;
    /* A figure without its thread would be a lie. */
    if (!placed || pthread_create(&helper.thread, &there, help, NULL)) abort();
    pthread_attr_destroy(&there);
    hurry(helper.thread);
    helper.started = true;
}

static void post(void (*work)(const void *job), const void *job) {
    helper.work = work;
    helper.job = job;
    atomic_store(&helper.done, false);
    sem_post(&helper.posted);
}

void pair_run(void (*work)(const void *job), const void *here, const void *there) {
    if (!helper.started) start_helper();
    post(work, there);
    work(here);
    /* On another processor: it cannot be kept waiting. */
    while (!atomic_load(&helper.done)) continue;
}

void pair_release(void) {
    if (helper.started) {
        post(NULL, NULL);
        pthread_join(helper.thread, NULL);
        sem_destroy(&helper.posted);
        helper.started = false;
    }
    for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
        tosajit_engine_destroy(engines[k]);
        engines[k] = NULL;
    }
}
