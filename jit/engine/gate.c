/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gate: a count of the threads inside LLVM, and a door that the host closes before it exits. LLVM's
 * libraries have objects of their own, which handlers destroy when the process calls exit. A thread
 * that compiles at that time crashes. */
#define _POSIX_C_SOURCE 200809L
#include "jit/engine/gate.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "jit/engine/presence.h"
#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"

enum { STEP_NANOSECONDS = 500000 };

static presence inside;
static _Thread_local uint32_t nesting; /* how often this thread has entered and not left */
static _Thread_local fpenv outside;    /* its floating-point environment before it entered */
static atomic_bool closed;

void tosajit_quiesce(void) {
    atomic_store(&closed, true);
    while (presence_count(&inside) > nesting)
        nanosleep(&(struct timespec){0, STEP_NANOSECONDS}, NULL);
}

bool gate_closes_soon(void) {
    enum { STEPS = 10 };
    for (int k = 0; k < STEPS && !atomic_load(&closed); k++)
        nanosleep(&(struct timespec){0, STEP_NANOSECONDS}, NULL);
    return atomic_load(&closed);
}

void gate_enter_to_release(void) {
    presence_enter_anyway(&inside);
    if (nesting++ == 0) fpenv_hold(&outside);
}

/* Whether malloc has 64 KiB left. When a thread first touches a library's thread-local data, the
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
    if (!atomic_load(&closed)) return TOSAJIT_OK;
    gate_leave();
    return diag_error(TOSAJIT_CODEGEN_FAILED,
                      "tosajit_quiesce was called: nothing is compiled in this process any more");
}

void gate_leave(void) {
    if (--nesting == 0) fpenv_restore(&outside);
    presence_leave(&inside);
}
