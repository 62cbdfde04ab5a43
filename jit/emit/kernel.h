/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels in IR: one function per part of the plan, each a tosajit_entry (tosajit.h). */
#ifndef TOSAJIT_JIT_EMIT_KERNEL_H
#define TOSAJIT_JIT_EMIT_KERNEL_H

#include <llvm-c/Core.h>

#include "jit/target/target.h"
#include "runtime/plan/plan.h"

/* Bytes of stack that the code of a kernel may take; LLVM reads it as text. */
#define EMIT_STACK_LIMIT "32768"

/* Instructions of a module before optimisation; LLVM's time and memory grow with them. */
enum { EMIT_MAX_INSTRUCTIONS = 60000 };

/* How many instructions a kernel's nodes become, estimated before they are emitted and rather too
 * high. It may exceed EMIT_MAX_INSTRUCTIONS. */
size_t emit_most(const tosajit_expr *program, const plan *p);

/* Emit all parts of a kernel into a module. Part p becomes function `names[p]`. *left is the number
 * of instructions that the module may still get, plus one. It is counted down, and at 0 nothing
 * more is emitted. OUT_OF_MEMORY, LIMIT_EXCEEDED. */
tosajit_status emit_kernel(const tosajit_expr *program, const plan *p, const target *t,
                           LLVMModuleRef module, char *const *names, size_t *left);

#endif
