/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L /* pthread, strdup */
#include "tools/onnxruntime/types.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A session asks for each node after each of its optimisations. */
static struct {
    pthread_mutex_t lock;
    tosajit_engine *engine; /* reads, and compiles nothing; null before the first text */
    struct {
        char *text; /* owned, as the kernel */
        tosajit_kernel *kernel;
    } slots[64]; /* by the texts' hash, the last one of each */
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t slot_of(const char *text) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash % (sizeof known.slots / sizeof *known.slots);
}

/* A kernel that tells types alone; null where the text is none. */
static tosajit_kernel *compile(const char *text) {
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_expr *expr = NULL;
    tosajit_kernel *kernel = NULL;
    if (!known.engine && tosajit_engine_create(&options, &known.engine)) return NULL;
    if (!tosajit_expr_parse(text, strlen(text), NULL, &expr))
        (void)tosajit_compile_expr(known.engine, expr, &kernel);
    tosajit_expr_destroy(expr);
    return kernel;
}

tosajit_kernel *types_kernel(const char *text) {
    const size_t slot = slot_of(text);
    pthread_mutex_lock(&known.lock);
    tosajit_kernel *kernel = known.slots[slot].kernel;
    if (!kernel || strcmp(known.slots[slot].text, text) != 0) kernel = compile(text);
    char *copy = kernel && kernel != known.slots[slot].kernel ? strdup(text) : NULL;
    if (copy) {
        free(known.slots[slot].text);
        tosajit_kernel_release(known.slots[slot].kernel);
        known.slots[slot].text = copy;
        known.slots[slot].kernel = kernel;
    }
    if (kernel && kernel == known.slots[slot].kernel) tosajit_kernel_retain(kernel);
    pthread_mutex_unlock(&known.lock);
    return kernel;
}
