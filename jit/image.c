/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Images for several CPUs: what tosajit_kernel_save is for the one that this process runs on. */
#include <stdlib.h>
#include <string.h>

#include "jit/compile.h"
#include "jit/cpu_builds.h"
#include "runtime/base/bytes.h"
#include "runtime/base/diag.h"
#include "tosajit/image.h"

/* Whoever loads it has its own allocator, so the bytes are malloc's. */
static tosajit_status copy_out(const byte_writer *w, char **image, size_t *size) {
    char *copy = w->failed ? NULL : malloc(w->size);
    if (!copy) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a kernel image");
    memcpy(copy, w->bytes, w->size);
    *image = copy;
    *size = w->size;
    return TOSAJIT_OK;
}

tosajit_status tosajit_compile_image(tosajit_engine *const *engines, size_t engine_count,
                                     const tosajit_expr *expr, char **image, size_t *size) {
    if (!engines || !engine_count || !expr || !image || !size)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "compile_image: an argument is a null pointer or 0");
    tosajit_status status = builds_check("compile_image", engines, engine_count);
    if (status) return status;
    const tosajit_allocator allocator = engines[0]->allocator;
    tosajit_kernel *kernel;
    const program_aids aids = compile_aids(engines[0]); /* and so are the others */
    status = kernel_create(expr, &allocator, &aids, &kernel);
    if (status) return status;
    builds made;
    byte_writer w = {.allocator = allocator};
    status = builds_compile("compile_image", engines, engine_count, kernel, &made);
    if (!status) {
        image_write(kernel, made.list, made.count, NULL, &w);
        status = copy_out(&w, image, size);
    }
    bytes_release(&w);
    builds_release(&made, &allocator);
    tosajit_kernel_release(kernel);
    return status;
}
