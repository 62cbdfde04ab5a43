/* Native: a kernel's way to code: emit, verify, optimise, generate, check, link, publish. */
#ifndef TOSAJIT_JIT_NATIVE_H
#define TOSAJIT_JIT_NATIVE_H

#include "jit/codegen.h"
#include "jit/engine.h"

/* Function names of one kernel, one per part. */
typedef struct native_names {
    char text[TOSAJIT_MAX_TENSORS][64];
    char *list[TOSAJIT_MAX_TENSORS];
} native_names;
void native_name(const tosajit_kernel *kernel, native_names *names);

/* A text about the kernel as the engine would compile it, for tosajit_text_release. */
tosajit_status native_print(tosajit_engine *engine, const tosajit_kernel *kernel, tosajit_view view, char **text);

/* Compile the kernel, which holds the engine, and publish its code; its runs are native from then on.
 * CODEGEN_FAILED, OUT_OF_MEMORY. */
tosajit_status native_compile(tosajit_engine *engine, tosajit_kernel *kernel);

#endif
