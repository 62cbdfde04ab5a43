/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: work. Out: its exception, if there is one. */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "tools/python/deep.h"

#if defined(_WIN32)
#include <process.h>
#include <windows.h>
#else
#include <pthread.h>
#endif

#include "tools/python/errors.h"

/* The deepest text of Python's takes less than half of it; of a new stack the system gives what is
 * used. */
enum { DEEP_ROOM = 4 << 20, DEEP_STACK = 16 << 20 };

/* Where the thread's stack ends, which grows downward; null: that is not known. */
#if defined(_WIN32)
static char *stack_end(void) {
    ULONG_PTR low, high;
    GetCurrentThreadStackLimits(&low, &high);
    return (char *)low;
}
#else
static char *stack_end(void) {
    pthread_attr_t attributes;
    void *address = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes)) return NULL;
    if (pthread_attr_getstack(&attributes, &address, &size)) address = NULL;
    pthread_attr_destroy(&attributes);
    return address;
}
#endif

/* Whether it has room. A thread finds out once. */
static bool has_room(void) {
    static _Thread_local uintptr_t lowest;
    char here;
    if (!lowest) {
        char *end = stack_end();
        lowest = end ? (uintptr_t)end + DEEP_ROOM : UINTPTR_MAX;
    }
    return (uintptr_t)&here > lowest;
}

typedef struct job {
    void (*work)(void *data);
    void *data;
    PyInterpreterState *interpreter;
    bool done;
    PyObject *type, *value, *trace; /* of the exception */
} job;

/* A thread is known to Python from where it makes its state, which is here. */
static void *run(void *data) {
    job *j = data;
    PyThreadState *own = PyThreadState_New(j->interpreter);
    if (!own) return NULL;
    PyEval_RestoreThread(own);
    j->work(j->data);
    PyErr_Fetch(&j->type, &j->value, &j->trace);
    j->done = true;
    PyThreadState_Clear(own);
    PyEval_SaveThread();
    PyThreadState_Delete(own);
    return NULL;
}

/* Without Python's lock. */
#if defined(_WIN32)
static unsigned __stdcall run_there(void *data) {
    (void)run(data);
    return 0;
}

static void run_and_wait(job *j) {
    const uintptr_t thread =
        _beginthreadex(NULL, DEEP_STACK, run_there, j, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    if (!thread) return;
    WaitForSingleObject((HANDLE)thread, INFINITE);
    CloseHandle((HANDLE)thread);
}
#else
static void run_and_wait(job *j) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes)) return;
    if (!pthread_attr_setstacksize(&attributes, DEEP_STACK) &&
        !pthread_create(&thread, &attributes, run, j))
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}
#endif

static void run_deep(void (*work)(void *data), void *data) {
    job j = {work, data, PyThreadState_GetInterpreter(PyThreadState_Get()), false, NULL,
             NULL, NULL};
    Py_BEGIN_ALLOW_THREADS run_and_wait(&j);
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
