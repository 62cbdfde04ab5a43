/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types: what threads and files are to POSIX. */
#ifndef TOSAJIT_RUNTIME_SYSTEM_POSIX_TYPES_H
#define TOSAJIT_RUNTIME_SYSTEM_POSIX_TYPES_H

#include <pthread.h>

typedef pthread_t system_thread;
typedef pthread_mutex_t system_mutex;
typedef pthread_cond_t system_condition;
typedef pthread_once_t system_once;
#define SYSTEM_MUTEX PTHREAD_MUTEX_INITIALIZER
#define SYSTEM_ONCE PTHREAD_ONCE_INIT

typedef int system_file;

#endif
