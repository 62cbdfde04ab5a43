/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Backend: every use of the library that knows LLVM, through the gate. In: kernels of an engine.
 * Out: their code, as images; memory in which an image runs; texts about the code. The library is
 * loaded when the first code is made. All calls stand between engine_enter and engine_leave. */
#ifndef TOSAJIT_JIT_ENGINE_BACKEND_H
#define TOSAJIT_JIT_ENGINE_BACKEND_H

#include "jit/engine/engine.h"
#include "tosajit/inspect.h"

/* Function names of one kernel, one per part. */
typedef struct backend_names {
    char text[TOSAJIT_MAX_TENSORS][64];
    char *list[TOSAJIT_MAX_TENSORS];
} backend_names;
void backend_name(const tosajit_kernel *kernel, backend_names *names);

/* The kernels' code, compiled together: outputs has room for each. None is there after a failure.
 */
tosajit_status backend_compile(tosajit_engine *engine, const tosajit_kernel *const *kernels,
                               size_t count, compiler_output *outputs);

/* IR or assembly of the kernel as the engine would compile it, for tosajit_text_release. */
tosajit_status backend_print(tosajit_engine *engine, const tosajit_kernel *kernel,
                             tosajit_view view, char **text);

/* Give a copy of the image memory in which it runs, at *bytes; handle gives it back. */
tosajit_status backend_link(tosajit_engine *engine, const tosajit_kernel *kernel,
                            const code_image *image, backend_names *names,
                            const unsigned char **bytes, void **handle);
void backend_unlink(tosajit_engine *engine, void *handle);

/* When nothing of the engine is left. */
void backend_stop(tosajit_engine *engine);

#endif
