/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pool: threads that share the pieces of a loop with its caller. The caller waits for the pieces
 * that others have begun, never for a thread that has not come. */
#ifndef TOSAJIT_JIT_ENGINE_POOL_H
#define TOSAJIT_JIT_ENGINE_POOL_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

typedef struct pool pool;

/* Of so many threads, the caller of a loop among them, or as many as the system gives; null without
 * memory. */
pool *pool_create(const tosajit_allocator *allocator, size_t threads);
/* As many as there are, 1 at least. */
size_t pool_threads(const pool *p);
/* is_inherited: this process is a child of the one with the threads. */
void pool_destroy(pool *p, bool is_inherited);

/* task(argument, index) for every index below count; returns when all have returned. One loop at a
 * time has the threads: another caller's, or one in a task, is computed by its caller alone. */
void pool_run(pool *p, size_t count, void (*task)(void *argument, size_t index), void *argument);

#endif
