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

/* The kernel's code, flattened; code_release gives it back to the kernel's allocator. info: what it took; features: what it needs. */
tosajit_status native_image(tosajit_engine *engine, const tosajit_kernel *kernel, tosajit_kernel_info *info, code_image *image,
                            uint64_t *features);

/* IR or assembly of the kernel as the engine would compile it, for tosajit_text_release. */
tosajit_status native_print(tosajit_engine *engine, const tosajit_kernel *kernel, tosajit_view view, char **text);

/* Any view. */
tosajit_status compile_print(tosajit_engine *engine, const tosajit_kernel *kernel, tosajit_view view, char **text);

/* Give the kernel, which holds the engine, code that lies in the store on disk; false if there is none or it cannot be had. */
bool native_restore(tosajit_engine *engine, tosajit_kernel *kernel);

/* Compile the kernel, which holds the engine, and publish its code; its runs are native from then on.
 * CODEGEN_FAILED, OUT_OF_MEMORY. */
tosajit_status native_compile(tosajit_engine *engine, tosajit_kernel *kernel);

#endif
