/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variants: the code of one kernel for several CPUs. In: a kernel, and an engine for each CPU. Out:
 * code in the order of preference, for an image or an object. */
#ifndef TOSAJIT_JIT_CPU_VARIANTS_H
#define TOSAJIT_JIT_CPU_VARIANTS_H

#include "jit/engine/engine.h"
#include "runtime/image/image.h"

enum { VARIANTS_MAX = 16 };

typedef struct variants {
    image_variant list[VARIANTS_MAX]; /* what needs more features comes first */
    size_t count;
} variants;

/* How many engines there are, that none is null, and that all are of one accuracy; `what` is the
 * public function's name. INVALID_ARGUMENT, LIMIT_EXCEEDED. */
tosajit_status variants_check(const char *what, tosajit_engine *const *engines, size_t count);

/* Compile the kernel, which need not belong to any of the engines. Where it is too large for code
 * of its own, its variant says so. In either case variants_release. NOT_EXECUTABLE for an engine
 * that compiles nothing; INVALID_ARGUMENT for engines of several architectures; CODEGEN_FAILED,
 * OUT_OF_MEMORY. */
tosajit_status variants_compile(const char *what, tosajit_engine *const *engines, size_t count,
                                const tosajit_kernel *kernel, variants *made);
void variants_release(variants *made, const tosajit_allocator *allocator);

#endif
