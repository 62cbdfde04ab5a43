/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiler: the interface to all code that knows LLVM. In: programs and plans. Out: a flattened
 * image, memory to run it in, or a text. It is one table of functions, because libtosajit loads the
 * library behind it, and LLVM with that, at the first compilation. LLVM has 150 MB, and a process
 * whose kernels come from images never needs it. */
#ifndef TOSAJIT_JIT_ENGINE_COMPILER_H
#define TOSAJIT_JIT_ENGINE_COMPILER_H

#include "runtime/code/code.h"
#include "runtime/plan/plan.h"
#include "tosajit/inspect.h"

/* LLVM's objects for one CPU; any number of threads may use it. */
typedef struct compiler compiler;

/* A kernel to be, and what its functions are called: one name per part. Its image is made with the
 * plan's allocator. */
typedef struct compiler_input {
    const tosajit_expr *program;
    const plan *plan;
    char *const *names;
} compiler_input;

/* Kernels that are compiled together, in one module of LLVM's. */
typedef struct compiler_batch {
    const compiler_input *inputs;
    size_t count;
} compiler_batch;

/* The result of compiling one kernel. */
typedef struct compiler_output {
    code_image image;         /* the plan's allocator's: code_release */
    uint64_t features;        /* that the code needs */
    tosajit_kernel_info info; /* its times but link_ms: of a batch, a kernel's even share */
} compiler_output;

typedef struct compiler_table {
    /* tosajit_build: the two libraries share structs, so they must be of one build. */
    const char *build;

    /* cpu: a name, null for this machine's. runs: whether code will be linked to run here. */
    tosajit_status (*create)(const char *cpu, bool runs, const tosajit_allocator *allocator,
                             compiler **made);
    void (*destroy)(compiler *c);

    /* The code of every kernel of a batch, or a failure and none. outputs: one per kernel. */
    tosajit_status (*compile)(compiler *c, const compiler_batch *batch, compiler_output *outputs);
    /* Give a copy of the image memory in which it runs, at *bytes; handle gives it back. */
    tosajit_status (*link)(compiler *c, const code_image *image, char *const *names,
                           const tosajit_allocator *allocator, const unsigned char **bytes,
                           void **handle);
    void (*unlink)(compiler *c, void *handle);
    /* IR or assembly, in memory from malloc. */
    tosajit_status (*print)(compiler *c, const compiler_input *input, tosajit_view view,
                            char **text);

    /* All that decides about the code beside the program: LLVM's version, the CPU and its features
     * as LLVM names them. Written to text as by snprintf. */
    size_t (*describe)(const compiler *c, char *text, size_t capacity);
    /* The thread's last error, which may be another library's than the caller's. */
    const char *(*last_error)(void);
} compiler_table;

/* The table, found once per process; null, with CODEGEN_FAILED in mind and a message, if the
 * library cannot be loaded. Thread-safe. */
const compiler_table *compiler_find(void);

/* A hash of the sources that this build is made of. */
extern const char tosajit_build[];

#endif
