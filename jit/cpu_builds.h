/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds: the code of one kernel for several CPUs. In: a kernel, and an engine for each CPU. Out:
 * code in the order of preference, for an image or an object. */
#ifndef TOSAJIT_JIT_CPU_BUILDS_H
#define TOSAJIT_JIT_CPU_BUILDS_H

#include "jit/engine/engine.h"
#include "runtime/image/image.h"

enum { BUILDS_MAX = 16 };

typedef struct builds {
    image_build list[BUILDS_MAX]; /* what needs more features comes first */
    size_t count;
} builds;

/* Check engines of one build each: their number, that none is null, and that all have one accuracy.
 * `what` is the public function's name. INVALID_ARGUMENT, LIMIT_EXCEEDED. */
tosajit_status builds_check(const char *what, tosajit_engine *const *engines, size_t count);

/* Compile the kernel, which need not belong to any of the engines. Where it is too large for code
 * of its own, its build says so. In either case builds_release. NOT_EXECUTABLE for an engine
 * that compiles nothing; INVALID_ARGUMENT for engines of several architectures; CODEGEN_FAILED,
 * OUT_OF_MEMORY. */
tosajit_status builds_compile(const char *what, tosajit_engine *const *engines, size_t count,
                              const tosajit_kernel *kernel, builds *made);
void builds_release(builds *made, const tosajit_allocator *allocator);

#endif
