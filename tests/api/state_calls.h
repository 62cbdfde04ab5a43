/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every function of a public header as a call that can be repeated in any state of the process: a
 * table of them, and the objects that they work on; of tosajit.h in state_calls.c, of mlir.h in
 * state_calls_mlir.c. In: a fixture. Out: what each call gave, as numbers to
 * compare. */
#ifndef TOSAJIT_TESTS_API_STATE_CALLS_H
#define TOSAJIT_TESTS_API_STATE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

/* What a call gave: its status, and a digest of everything that it wrote. */
typedef struct outcome {
    tosajit_status status;
    uint64_t digest;
} outcome;

/* Objects for the calls, made by the library in whatever state the process is. */
typedef struct fixture {
    const char *directory; /* for files */
    tosajit_engine *engine, *interpreter, *threads, *background;
    tosajit_expr *expr, *wide_expr;
    tosajit_kernel *kernel, *divided, *division, *interpreted, *wide;
    char image[1 << 17];
    size_t image_size;
} fixture;

typedef struct state_call {
    const char *name; /* of the function */
    outcome (*call)(fixture *f);
    bool opens_files; /* cannot do without a free descriptor */
} state_call;
extern const state_call state_calls[];
extern const size_t state_call_count;
/* What they call ends the process when memory is out, and says so in its header. */
extern const bool state_calls_end_without_memory;

/* Operands, once, before any state is set. */
void state_data_fill(void);
/* The status of what failed first. */
tosajit_status fixture_make(fixture *f, const char *directory);

#endif
