/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Objects made ahead of time. In: functions, and the CPUs to make code for; out: an object file and
 * its C header. The command `compile` and the REPL's :save write the same. */
#ifndef TOSAJIT_TOOLS_BASE_AOT_OBJECT_H
#define TOSAJIT_TOOLS_BASE_AOT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/base/aot_header.h"
#include "tools/base/targets.h"

enum { AOT_MAX_FUNCTIONS = 1024, AOT_NAME = 128 };

typedef struct aot_object {
    targets targets;         /* owned */
    aot_function *functions; /* the caller's; at most AOT_MAX_FUNCTIONS */
    size_t function_count;
    char stem[AOT_NAME]; /* of the object's file name, as a C identifier: all names begin with it */
    char *bytes;         /* owned; null before aot_object_compile */
    size_t size;
} aot_object;

/* Begin an object that goes to a file of that name. False if there is no name in it. */
bool aot_object_open(const char *path, aot_object *object);
void aot_object_close(aot_object *object);
/* Make the names of a function that its file calls `shown`. */
void aot_object_name(const aot_object *object, const char *shown, aot_function *function);
tosajit_status aot_object_compile(aot_object *object);

#endif
