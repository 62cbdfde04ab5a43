/* Native: a kernel's way to code: emit, verify, optimise, generate, check, link, publish. */
#ifndef TOSAJIT_JIT_NATIVE_H
#define TOSAJIT_JIT_NATIVE_H

#include "jit/codegen.h"
#include "jit/engine.h"

/* Function names of one kernel, one per part; unique in the process. */
typedef struct native_names {
    char text[TOSAJIT_MAX_TENSORS][64];
    char *list[TOSAJIT_MAX_TENSORS];
} native_names;
void native_name(const tosajit_kernel *kernel, native_names *names);

/* Compile the kernel, which holds the engine, and publish its code; its runs are native from then on.
 * CODEGEN_FAILED, OUT_OF_MEMORY. */
tosajit_status native_compile(tosajit_engine *engine, tosajit_kernel *kernel);

#endif
