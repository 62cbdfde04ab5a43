/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: work. Out: its exception, if there is one. */
#include "tools/python/deep.h"

#include "tools/python/deep_stack.h"
#include "tools/python/errors.h"

/* The deepest text of Python's takes less than half of it; of a new stack the system gives what is
 * used. */
enum { DEEP_ROOM = 4 << 20, DEEP_STACK = 16 << 20 };

/* True if it has room. A thread finds out once. */
static bool has_room(void) {
    static _Thread_local uintptr_t lowest;
    char here;
    if (!lowest) {
        const char *end = deep_stack_end();
        lowest = end ? (uintptr_t)end + DEEP_ROOM : UINTPTR_MAX;
    }
    return (uintptr_t)&here > lowest;
}

void deep_prepare(void) { (void)has_room(); }

typedef struct job {
    void (*work)(void *data);
    void *data;
    PyInterpreterState *interpreter;
    bool done;
    PyObject *type, *value, *trace; /* of the exception */
} job;

/* A thread is known to Python from where it makes its state, which is here. */
static void run(void *data) {
    job *j = data;
    PyThreadState *own = PyThreadState_New(j->interpreter);
    if (!own) return;
    PyEval_RestoreThread(own);
    j->work(j->data);
    PyErr_Fetch(&j->type, &j->value, &j->trace);
    j->done = true;
    PyThreadState_Clear(own);
    PyEval_SaveThread();
    PyThreadState_Delete(own);
}

static void run_deep(void (*work)(void *data), void *data) {
    job j = {work, data, PyThreadState_GetInterpreter(PyThreadState_Get()), false, NULL,
             NULL, NULL};
    Py_BEGIN_ALLOW_THREADS deep_stack_run(DEEP_STACK, run, &j);
    Py_END_ALLOW_THREADS if (j.done) PyErr_Restore(j.type, j.value, j.trace);
    else work(data);
}

void deep_call(module_state *state, void (*work)(void *data), void *data) {
    const bool room = has_room();
    if (room) work(data);
    if (room && !(PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_RecursionError))) return;
    PyErr_Clear();
    run_deep(work, data);
    if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_RecursionError)) return;
    PyErr_Clear();
    errors_say(state, TOSAJIT_LIMIT_EXCEEDED,
               "the text nests too deeply; give parts of it names: a = ...; b = ...");
}
