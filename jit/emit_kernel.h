/* Kernels in IR: one function per part of the plan, `void (ptr pointers, ptr strides, i64 rows, i64 cols)`. */
#ifndef TOSAJIT_JIT_EMIT_KERNEL_H
#define TOSAJIT_JIT_EMIT_KERNEL_H

#include <llvm-c/Core.h>

#include "jit/target.h"
#include "runtime/kernel.h"

/* Bytes of stack that the code of a kernel may take; LLVM reads it as text. */
#define EMIT_STACK_LIMIT "32768"

/* Emit all parts of a kernel into an empty module. Part p becomes function `names[p]`. OUT_OF_MEMORY. */
tosajit_status emit_kernel(const tosajit_expr *program, const plan *p, const target *t, LLVMModuleRef module, char *const *names);

#endif
