/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Schedule: the library's own concurrent code, run under every order of its threads' steps that a
 * bound allows. In: a scenario: what a few threads do, and what must hold. Out: how many
 * interleavings were run, or the first one that breaks a claim, step by step.
 *
 *     0 0 1 0 0 2 0    the decisions of one run; 0: who runs goes on, k: the k-th other who can,
 *                      which is a preemption
 *     0 0 1 0 1        the next run: the last decision with an untried alternative in the bound
 *
 * The sources are compiled with shim.h: before each lock, atomic, allocation, thread or file call
 * they come here, and the decision list says who goes on. Threads are coroutines in one thread of
 * the system, so a run is repeated exactly by its decisions. What is explored are orders of steps;
 * that weaker orders of memory suffice is the thread sanitizer's to say (docs/testing.md).
 *
 * A scenario with `child` forks at every place of every run: the child has this thread alone, as
 * after fork(2). A lock that the parent's other threads held is held for ever, and the test finds a
 * child that waits for it. */
#ifndef TOSAJIT_TESTS_SCHEDULE_SCHEDULE_H
#define TOSAJIT_TESTS_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

typedef struct scenario {
    const char *name, *claim;
    int threads;           /* of the host; the library may start others */
    void (*prepare)(void); /* before they begin, in one step; may be null, like all that follow */
    void (*thread)(int number); /* of each, from 0 */
    void (*finish)(void); /* when they have ended; it is interleaved with the library's threads */
    void (*child)(void);  /* in a process forked at any place */
    bool alone;           /* changes the process for ever: every run is a process of its own */
} scenario;

/* For each scenario. */
typedef struct schedule_bounds {
    int preemptions;         /* at most, in the exhaustive part */
    uint64_t most, randomly; /* interleavings of each number of preemptions, and at random */
    uint64_t forks;          /* at most */
    double seconds;          /* at most */
} schedule_bounds;

/* Explore; ends the process with 1 and an explanation where a claim does not hold. */
void schedule_explore(const scenario *s, const schedule_bounds *bounds);

/* In a scenario: fail unless it holds. */
void schedule_require(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Memory that is never given out again within a run: whoever uses it after its release is found.
 * All of it must be back at the end. */
tosajit_allocator schedule_allocator(void);

/* A place to switch, in a scenario. */
void schedule_yield(const char *what);

#endif
