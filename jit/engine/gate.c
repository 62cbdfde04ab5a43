/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gate: a count of the threads inside LLVM, and a door that the host closes before it exits. LLVM's
 * libraries have objects of their own, which handlers destroy when the process calls exit. A thread
 * that compiles at that time crashes. */
#include "jit/engine/gate.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "jit/engine/presence.h"
#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/system/system.h"
#include "tosajit/graph.h"

enum { STEP_NANOSECONDS = 500000 };

static presence inside, ending;
static _Thread_local uint32_t nesting; /* how often this thread has entered and not left */
static _Thread_local fpenv outside;    /* its floating-point environment before it entered */
static atomic_bool closed;

static void wait_a_step(void) { system_sleep(STEP_NANOSECONDS); }

static void wait_until_left(void) {
    while (presence_count(&inside) > nesting) wait_a_step();
}

void tosajit_quiesce(void) {
    atomic_store(&closed, true);
    wait_until_left();
}

bool gate_closes_soon(void) {
    enum { STEPS = 10 };
    for (int k = 0; k < STEPS && !atomic_load(&closed); k++) wait_a_step();
    return atomic_load(&closed);
}

/* A thread ends, and maybe the process. Nobody is inside when the handler is registered, so no
 * object of LLVM's is newer, and exit comes to it next. */
static void end_thread(void) {
    presence_enter_anyway(&ending);
    wait_until_left();
    if (!atomic_load(&closed)) system_thread_at_exit(tosajit_quiesce);
    presence_leave(&ending);
}

void gate_watch_thread(void) {
    static _Thread_local bool watched;
    if (!watched) watched = system_thread_at_end(end_thread);
}

void gate_enter_to_release(void) {
    presence_enter_anyway(&inside);
    if (nesting++ == 0) fpenv_hold(&outside);
}

/* True if malloc has 64 KiB left. When a thread first touches a library's thread-local data, the
 * loader allocates them, and ends the process if it cannot. So memory is tried before every call
 * into LLVM's libraries, where its lack is still an error. */
static bool has_first_memory(void) {
    enum { FIRST_BYTES = 64 << 10 };
    void *volatile memory = malloc(FIRST_BYTES); /* volatile: or the compiler leaves both out */
    free(memory);
    return memory != NULL;
}

tosajit_status gate_enter(void) {
    if (!has_first_memory())
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory before LLVM is called");
    gate_enter_to_release();
    while (nesting == 1 && presence_count(&ending) && !atomic_load(&closed)) {
        gate_leave();
        (void)gate_closes_soon();
        gate_enter_to_release();
    }
    if (!atomic_load(&closed)) return TOSAJIT_OK;
    gate_leave();
    return diag_error(TOSAJIT_CODEGEN_FAILED,
                      "tosajit_quiesce was called: nothing is compiled in this process any more");
}

void gate_leave(void) {
    if (--nesting == 0) fpenv_restore(&outside);
    presence_leave(&inside);
}
