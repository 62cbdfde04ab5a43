/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types: what threads and files are to Windows, whose own header would bring its macros along. */
#ifndef TOSAJIT_RUNTIME_SYSTEM_WINDOWS_TYPES_H
#define TOSAJIT_RUNTIME_SYSTEM_WINDOWS_TYPES_H

#include <stdint.h>

typedef void *system_thread; /* HANDLE */
typedef struct system_mutex {
    void *word; /* SRWLOCK */
} system_mutex;
typedef struct system_condition {
    void *word; /* CONDITION_VARIABLE */
} system_condition;
typedef struct system_once {
    void *word; /* INIT_ONCE */
} system_once;
#define SYSTEM_MUTEX                                                                               \
    { 0 }
#define SYSTEM_ONCE                                                                                \
    { 0 }

typedef intptr_t system_file; /* HANDLE */

#endif
