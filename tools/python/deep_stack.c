/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stacks of threads, by POSIX. */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "tools/python/deep_stack.h"

#include <pthread.h>

const char *deep_stack_end(void) {
    pthread_attr_t attributes;
    void *address = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes)) return NULL;
    if (pthread_attr_getstack(&attributes, &address, &size)) address = NULL;
    pthread_attr_destroy(&attributes);
    return address;
}

typedef struct job {
    void (*work)(void *data);
    void *data;
} job;

static void *begin(void *given) {
    const job *j = given;
    j->work(j->data);
    return NULL;
}

void deep_stack_run(size_t size, void (*work)(void *data), void *data) {
    job j = {work, data};
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes)) return;
    if (!pthread_attr_setstacksize(&attributes, size) &&
        !pthread_create(&thread, &attributes, begin, &j))
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}
