/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: options. Out: engines, and when they are gone. */
#include "tools/python/engine_made.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/system/system.h"
#include "tools/python/errors.h"

static atomic_uint forks; /* behind this process, since it asked for the first engine */

static void count_fork(void) { atomic_fetch_add(&forks, 1); }
static void watch_forks(void) { (void)system_watch_forks(count_fork); }

/* Where code is made in the background, a first answer must not wait for the thread that makes it,
 * nor share caches and page tables with LLVM, which is being loaded. Code in files is there at
 * once.
 */
static tosajit_status make_quick(const tosajit_engine_options *options, engine_made *m) {
    if (options->backend != TOSAJIT_BACKEND_BACKGROUND || options->cache_directory)
        return TOSAJIT_OK;
    tosajit_engine_options quick = *options;
    quick.backend = TOSAJIT_BACKEND_PRECOMPILED;
    tosajit_status status = tosajit_engine_create(&quick, &m->quick);
    return status == TOSAJIT_NOT_EXECUTABLE ? TOSAJIT_OK : status; /* a CPU without such code */
}

tosajit_engine *engine_made_compiling(module_state *state, engine_made *m,
                                      const tosajit_engine_options *options) {
    if (!m->compiling) errors_raise(state, tosajit_engine_create(options, &m->compiling));
    return m->compiling;
}

engine_made *engine_made_new(module_state *state, const tosajit_engine_options *options) {
    static system_once once = SYSTEM_ONCE;
    system_call_once(&once, watch_forks);
    engine_made *m = calloc(1, sizeof *m);
    if (!m) {
        PyErr_NoMemory();
        return NULL;
    }
    m->users = 1;
    m->forks = atomic_load(&forks);
    if (!errors_raise(state, make_quick(options, m)) &&
        (m->quick || engine_made_compiling(state, m, options)))
        return m;
    engine_made_leave(m);
    return NULL;
}

bool engine_made_here(const engine_made *m) { return m->forks == atomic_load(&forks); }

void engine_made_leave(engine_made *m) {
    if (!m || --m->users) return;
    Py_BEGIN_ALLOW_THREADS /* its threads may take a moment to end */
        tosajit_engine_destroy(m->quick);
    tosajit_engine_destroy(m->compiling);
    Py_END_ALLOW_THREADS free(m);
}
