/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: an object, and what shall become of its engines. Out: the library's. */
#include "tools/python/engine.h"

#include "tosajit/graph.h"
#include "tosajit/inspect.h"

static void forget_pending(engine_object *e) {
    for (size_t k = 0; k < ENGINE_PENDING; k++) {
        tosajit_kernel *kernel = e->pending[k];
        e->pending[k] = NULL;
        tosajit_kernel_release(kernel);
    }
}

void engine_renew(engine_object *e) {
    engine_made *made = e->made;
    e->made = NULL;
    if (e->remembered)
        PyDict_Clear(e->remembered); /* there is none where making the object failed */
    forget_pending(e);
    engine_made_leave(made);
}

engine_made *engine_use(engine_object *e) {
    if (e->made && !engine_made_here(e->made)) engine_renew(e);
    if (!e->made) e->made = engine_made_new(e->state, &e->options);
    if (e->made) e->made->users++;
    return e->made;
}

void engine_note(engine_object *e, tosajit_kernel *kernel) {
    if (e->options.backend != TOSAJIT_BACKEND_BACKGROUND || tosajit_kernel_is_native(kernel))
        return;
    const size_t slot = e->pending_next++ % ENGINE_PENDING;
    tosajit_kernel *old = e->pending[slot];
    tosajit_kernel_retain(kernel);
    e->pending[slot] = kernel;
    tosajit_kernel_release(old);
}

void engine_wait(engine_object *e) {
    for (size_t k = 0; k < ENGINE_PENDING; k++) {
        tosajit_kernel *kernel = e->pending[k];
        if (!kernel) continue;
        tosajit_kernel_retain(kernel);
        Py_BEGIN_ALLOW_THREADS tosajit_kernel_wait(kernel);
        Py_END_ALLOW_THREADS if (e->pending[k] == kernel) { /* no other thread has been here */
            e->pending[k] = NULL;
            tosajit_kernel_release(kernel);
        }
        tosajit_kernel_release(kernel);
    }
}

void engine_make_room(engine_object *e) {
    PyDict_Clear(e->remembered);
    engine_wait(e);
}
