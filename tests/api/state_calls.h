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

/* The outcome of a call: its status, and a digest of everything that it wrote. */
typedef struct outcome {
    tosajit_status status;
    uint64_t digest;
} outcome;

/* Objects for the calls, made by the library in whatever state the process is. Memory that the
 * calls write, of which one thread makes them at a time, is here and not on a stack, which some
 * states limit. */
enum { STATE_MANY = 1 << 16, STATE_FEW = 1001, STATE_WIDE = 1 << 8, STATE_TENSORS = 61 };
typedef struct fixture {
    const char *directory; /* for files */
    tosajit_engine *engine, *interpreter, *threads, *background;
    tosajit_expr *expr, *wide_expr; /* of the thread that makes the calls */
    tosajit_kernel *kernel, *divided, *division, *interpreted, *wide;
    char image[1 << 17], saved[1 << 17], path[512], text[512];
    size_t image_size;
    float results_f32[STATE_MANY];
    uint32_t bits[STATE_MANY];
    int32_t results_i32[STATE_FEW];
    int64_t wide_results[STATE_WIDE], wide_dims[STATE_TENSORS][TOSAJIT_MAX_RANK],
        wide_strides[STATE_TENSORS][TOSAJIT_MAX_RANK];
    tosajit_tensor wide_tensors[STATE_TENSORS];
} fixture;

typedef struct state_call {
    const char *name; /* of the function */
    outcome (*call)(fixture *f);
    bool opens_files; /* cannot do without a free descriptor */
} state_call;
extern const state_call state_calls[];
extern const size_t state_call_count;
/* True if a library below them ends the process when memory is out, and says so in its header. */
extern const bool state_calls_end_without_memory;

/* Operands, once, before any state is set. */
void state_data_fill(void);
/* The status of what failed first. */
tosajit_status fixture_make(fixture *f, const char *directory);
/* The objects that another thread made, but for expressions, which belong to one thread at a time.
 */
tosajit_status fixture_share(fixture *f, const fixture *made);
/* Releases the work of share, or of make with `own`. */
void fixture_release(fixture *f, bool own);

#endif
