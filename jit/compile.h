/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compile: how a kernel of an engine begins; the rest is public. */
#ifndef TOSAJIT_JIT_COMPILE_H
#define TOSAJIT_JIT_COMPILE_H

#include "jit/engine/engine.h"
#include "runtime/expr/passes.h"

/* For the passes of an engine's kernels. */
program_aids compile_aids(const tosajit_engine *engine);

/* A kernel that holds the engine; with code if the store on disk has it. What tosajit_expr_verify
 * gives, OUT_OF_MEMORY, LIMIT_EXCEEDED. */
tosajit_status compile_begin(tosajit_engine *engine, const tosajit_expr *expr,
                             tosajit_kernel **kernel);

/* Native code, or, for a kernel that is too large, the stand-in of an engine that compiles. */
tosajit_status compile_now(tosajit_engine *engine, tosajit_kernel *kernel);

#endif
