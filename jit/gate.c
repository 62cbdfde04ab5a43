/* Gate: a count of the threads inside LLVM, and a door that the host closes before it exits. LLVM's objects, which belong to its libraries,
 * are destroyed by handlers that exit calls, and whoever compiles then crashes. The count is one atomic word with the process's id in it:
 * what a parent's threads were doing when it forked is not the child's, and no lock can be held by a thread that does not exist. */
#define _POSIX_C_SOURCE 200809L
#include "jit/gate.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "runtime/diag.h"

enum { STEP_NANOSECONDS = 500000, COUNT_BITS = 32 };

static _Atomic uint64_t inside;        /* process id << COUNT_BITS | calls of its threads */
static _Thread_local uint32_t nesting; /* of them, this thread's */
static atomic_bool closed;

static uint64_t this_process(void) { return (uint64_t)(uint32_t)getpid() << COUNT_BITS; }

static uint32_t count_of(uint64_t word) { return word >> COUNT_BITS << COUNT_BITS == this_process() ? (uint32_t)word : 0; }

static void count(int step) {
    uint64_t old = atomic_load(&inside), next;
    do {
        const uint32_t known = count_of(old);
        next = this_process() | (step < 0 && known == 0 ? 0 : known + (uint32_t)step); /* a child leaves what its parent has entered */
    } while (!atomic_compare_exchange_weak(&inside, &old, next));
}

void tosajit_quiesce(void) {
    atomic_store(&closed, true);
    while (count_of(atomic_load(&inside)) > nesting) nanosleep(&(struct timespec){0, STEP_NANOSECONDS}, NULL);
}

void gate_enter_to_release(void) {
    count(1);
    nesting++;
}

tosajit_status gate_enter(void) {
    gate_enter_to_release();
    if (!atomic_load(&closed)) return TOSAJIT_OK;
    gate_leave();
    return diag_error(TOSAJIT_CODEGEN_FAILED, "tosajit_quiesce was called: nothing is compiled in this process any more");
}

void gate_leave(void) {
    nesting--;
    count(-1);
}
