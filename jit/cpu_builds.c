/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "jit/cpu_builds.h"

#include "jit/engine/backend.h"
#include "runtime/base/diag.h"

static int feature_count(uint64_t features) {
    int count = 0;
    for (; features; features &= features - 1) count++;
    return count;
}

/* A build that needs more can do more. */
static void sort(builds *v) {
    for (size_t k = 1; k < v->count; k++)
        for (size_t at = k; at > 0 && feature_count(v->list[at].features) >
                                          feature_count(v->list[at - 1].features);
             at--) {
            image_build lower = v->list[at - 1];
            v->list[at - 1] = v->list[at];
            v->list[at] = lower;
        }
}

tosajit_status builds_check(const char *what, tosajit_engine *const *engines, size_t count) {
    if (count > BUILDS_MAX)
        return diag_error(TOSAJIT_LIMIT_EXCEEDED, "%s: code for %zu CPUs; at most %d", what, count,
                          (int)BUILDS_MAX);
    for (size_t k = 0; k < count; k++)
        if (!engines[k])
            return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s: engine %zu is a null pointer", what,
                              k);
    for (size_t k = 1; k < count; k++)
        if (engines[k]->accuracy != engines[0]->accuracy)
            return diag_error(TOSAJIT_INVALID_ARGUMENT,
                              "%s: engine %zu is of another accuracy than engine 0", what, k);
    return TOSAJIT_OK;
}

tosajit_status builds_compile(const char *what, tosajit_engine *const *engines, size_t count,
                              const tosajit_kernel *kernel, builds *made) {
    made->count = 0;
    for (size_t k = 0; k < count; k++) {
        compiler_output fresh;
        if (!engine_compiles(engines[k]))
            return diag_error(TOSAJIT_NOT_EXECUTABLE,
                              "%s: engine %zu compiles nothing and makes no code", what, k);
        tosajit_status status = engine_enter(engines[k]);
        if (status) return status;
        status = backend_compile(engines[k], &kernel, 1, &fresh);
        engine_leave(engines[k]);
        if (status && status != TOSAJIT_LIMIT_EXCEEDED) return status;
        image_build *v = &made->list[made->count++];
        *v = status ? image_without_code(engine_machine(engines[k]))
                    : (image_build){fresh.image, fresh.features};
        if (v->code.machine != made->list[0].code.machine)
            return diag_error(TOSAJIT_INVALID_ARGUMENT,
                              "%s: engine %zu is for another architecture than engine 0", what, k);
    }
    sort(made);
    return TOSAJIT_OK;
}

void builds_release(builds *made, const tosajit_allocator *allocator) {
    for (size_t k = 0; k < made->count; k++) code_release(&made->list[k].code, allocator);
}
