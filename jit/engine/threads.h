/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads of the library's own: none of them takes the host's signals. */
#ifndef TOSAJIT_JIT_ENGINE_THREADS_H
#define TOSAJIT_JIT_ENGINE_THREADS_H

#include <pthread.h>
#include <stdbool.h>

#include "tosajit/tosajit.h"

/* False if the system gives no thread. */
bool threads_start(pthread_t *thread, void *(*work)(void *argument), void *argument);

#endif
