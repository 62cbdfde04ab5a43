/* Gate: a count of the threads inside LLVM, and a handler that waits for them at exit. LLVM's objects, which belong to its libraries, are
 * destroyed by handlers that exit calls; the last that was registered is the first to be called, so ours, which LLVM's users register,
 * comes before them. It calls nothing of LLVM's. The count is one atomic word with the process's id in it: what a parent's threads were
 * doing when it forked is not the child's, and no lock can be held by a thread that does not exist. */
#define _POSIX_C_SOURCE 200809L
#include "jit/gate.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/diag.h"

/* Some objects of LLVM's are made, and their destruction registered, when they are used for the first time; so we register again after each
 * of the first calls. The longest compilations take some seconds; an exit that is delayed for longer would look like a hang. */
enum { REGISTRATIONS = 16, MOST_SECONDS = 10, STEP_NANOSECONDS = 500000, COUNT_BITS = 32 };

static _Atomic uint64_t inside;        /* process id << COUNT_BITS | calls of its threads */
static _Thread_local uint32_t nesting; /* of them, this thread's */
static atomic_bool closed;
static atomic_uint registrations;

static uint64_t this_process(void) { return (uint64_t)(uint32_t)getpid() << COUNT_BITS; }

static uint32_t count_of(uint64_t word) { return word >> COUNT_BITS << COUNT_BITS == this_process() ? (uint32_t)word : 0; }

static void count(int step) {
    uint64_t old = atomic_load(&inside), next;
    do {
        const uint32_t known = count_of(old);
        next = this_process() | (step < 0 && known == 0 ? 0 : known + (uint32_t)step); /* a child leaves what its parent has entered */
    } while (!atomic_compare_exchange_weak(&inside, &old, next));
}

/* A thread that calls exit from within a compilation, by an allocator hook, does not wait for itself. */
static bool others_are_inside(void) { return count_of(atomic_load(&inside)) > nesting; }

static void close_gate(void) {
    if (atomic_exchange(&closed, true)) return;
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &now);
    end = (struct timespec){now.tv_sec + MOST_SECONDS, now.tv_nsec};
    while (others_are_inside() && (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec))) {
        nanosleep(&(struct timespec){0, STEP_NANOSECONDS}, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
}

void gate_renew(void) {
    if (atomic_load(&registrations) >= REGISTRATIONS) return;
    if (atomic_fetch_add(&registrations, 1) < REGISTRATIONS) atexit(close_gate); /* if that fails, the next call tries */
}

void gate_watch(void) {
    if (atomic_load(&registrations) == 0) gate_renew();
}

void gate_enter_to_release(void) {
    gate_watch();
    count(1);
    nesting++;
}

tosajit_status gate_enter(void) {
    gate_enter_to_release();
    if (!atomic_load(&closed)) return TOSAJIT_OK;
    gate_leave();
    return diag_error(TOSAJIT_CODEGEN_FAILED, "the process is exiting, and LLVM with it: nothing can be compiled any more");
}

void gate_leave(void) {
    nesting--;
    count(-1);
    gate_renew();
}
