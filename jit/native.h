/* Native: a kernel's way to code: compile, link, publish. */
#ifndef TOSAJIT_JIT_NATIVE_H
#define TOSAJIT_JIT_NATIVE_H

#include "jit/engine.h"

/* Function names of one kernel, one per part. */
typedef struct native_names {
    char text[TOSAJIT_MAX_TENSORS][64];
    char *list[TOSAJIT_MAX_TENSORS];
} native_names;
void native_name(const tosajit_kernel *kernel, native_names *names);

/* The kernels' code, compiled together: outputs has room for each. None is there after a failure. */
tosajit_status native_images(tosajit_engine *engine, const tosajit_kernel *const *kernels, size_t count, compiler_output *outputs);

/* IR or assembly of the kernel as the engine would compile it, for tosajit_text_release. */
tosajit_status native_print(tosajit_engine *engine, const tosajit_kernel *kernel, tosajit_view view, char **text);

/* Any view. */
tosajit_status compile_print(tosajit_engine *engine, const tosajit_kernel *kernel, tosajit_view view, char **text);

/* A kernel that holds the engine; with code if the store on disk has it. What tosajit_expr_verify gives, OUT_OF_MEMORY, LIMIT_EXCEEDED. */
tosajit_status compile_begin(tosajit_engine *engine, const tosajit_expr *expr, tosajit_kernel **kernel);

/* Give the kernel, which holds the engine, code that lies in the store on disk; false if there is none or it cannot be had. */
bool native_restore(tosajit_engine *engine, tosajit_kernel *kernel);

/* Give the kernel, which holds the engine, a copy of fresh code, and keep that on disk; its runs are native from then on.
 * OUT_OF_MEMORY, LIMIT_EXCEEDED, CODEGEN_FAILED. */
tosajit_status native_adopt(tosajit_engine *engine, tosajit_kernel *kernel, const compiler_output *fresh);

/* Compile the kernel, which holds the engine, and have it adopt its code. LIMIT_EXCEEDED, CODEGEN_FAILED, OUT_OF_MEMORY. */
tosajit_status native_compile(tosajit_engine *engine, tosajit_kernel *kernel);

#endif
