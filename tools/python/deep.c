/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: work. Out: its exception, if there is one. */
#include "tools/python/deep.h"

#include <pthread.h>

enum { DEEP_STACK = 16 << 20 }; /* of which the system gives what is used */

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
static void run_and_wait(job *j) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes)) return;
    if (!pthread_attr_setstacksize(&attributes, DEEP_STACK) &&
        !pthread_create(&thread, &attributes, run, j))
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

void deep_call(void (*work)(void *data), void *data) {
    job j = {work, data, PyThreadState_GetInterpreter(PyThreadState_Get()), false, NULL,
             NULL, NULL};
    Py_BEGIN_ALLOW_THREADS run_and_wait(&j);
    Py_END_ALLOW_THREADS if (j.done) PyErr_Restore(j.type, j.value, j.trace);
    else work(data);
}
