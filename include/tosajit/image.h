/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit/image: kernels as bytes, for other processes and other machines.
 *
 *     tosajit_kernel_save_file(kernel, "add.image");              // here, with -ltosajit
 *     tosajit_kernel_load_file("add.image", NULL, &kernel);       // there, with -ltosajit-runtime
 *     tosajit_run(kernel, operands, 2, &result, 1);
 *
 * Loading an image takes microseconds and no compiler. The library tosajit-runtime, which knows no
 * LLVM, has all of this header but the functions that say "libtosajit only". docs/images.md has
 * more, and what `tosajit compile` makes ahead of time.
 *
 * Trust. An image holds machine code: take it from nobody from whom you would not take a shared
 * library. Its checks, however, are those of a fresh kernel, and damage is found before anything
 * runs.
 *
 * Errors. As in tosajit.h. */
#ifndef TOSAJIT_IMAGE_H
#define TOSAJIT_IMAGE_H

#include "tosajit/tosajit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Write the image of a native kernel to `image`, which has room for capacity bytes; *size receives
 * how many it takes. With a null image nothing else happens. The image of a kernel that is too
 * large for code of its own says so. Whoever loads it computes as whoever made it does. With
 * libtosajit-runtime, which has no code of single ops, the interpreter computes it. LIMIT_EXCEEDED
 * if there is too little room, OUT_OF_MEMORY, INVALID_ARGUMENT. NOT_EXECUTABLE if the kernel has no
 * code for another reason. For an engine that compiles in the background see tosajit_kernel_wait.
 */
TOSAJIT_API tosajit_status tosajit_kernel_save(const tosajit_kernel *kernel, void *image,
                                               size_t capacity, size_t *size);
/* The same to a file, which is whole or, on failure, as it was before. INVALID_ARGUMENT says what
 * the system refused, and tosajit_last_failure has its errno; a device or pipe is refused, too. */
TOSAJIT_API tosajit_status tosajit_kernel_save_file(const tosajit_kernel *kernel, const char *path);

/* Compile an expression into an image with code from each of the engines: one engine per CPU, all
 * of one architecture. They are of one accuracy, so the bits are the same wherever it is loaded.
 * Engines of TOSAJIT_BACKEND_CROSS may be for CPUs that this machine is not. Whoever loads the
 * image gets the best code that his CPU can run. *image is released with tosajit_text_release.
 * INVALID_ARGUMENT; LIMIT_EXCEEDED for more than 16 engines; NOT_EXECUTABLE for an engine that
 * interprets; what tosajit_compile_expr gives. (libtosajit only.) */
TOSAJIT_API tosajit_status tosajit_compile_image(tosajit_engine *const *engines,
                                                 size_t engine_count, const tosajit_expr *expr,
                                                 char **image, size_t *size);

/* tosajit_compile_expr of an expression that comes with code: size bytes at image, of any
 * alignment. An image of an equal expression is meant, by tosajit_compile_image or
 * tosajit_kernel_save; nothing of it is kept. Code for the engine's CPU is used, and nothing is
 * compiled. An image that cannot be used is no failure: the kernel gets its code as
 * tosajit_compile_expr gives it. Then *refused says why, as does tosajit_last_error(); otherwise it
 * is OK. It may be null. BAD_IMAGE: the bytes are damaged, of another version or of another
 * expression. NOT_EXECUTABLE: there is no code for this CPU, or the engine runs none.
 * LIMIT_EXCEEDED, OUT_OF_MEMORY. An image is code; take it from people you trust. Statuses as of
 * tosajit_compile_expr. Thread-safe. (libtosajit only.) */
TOSAJIT_API tosajit_status tosajit_compile_with_image(tosajit_engine *engine,
                                                      const tosajit_expr *expr, const void *image,
                                                      size_t size, tosajit_kernel **kernel,
                                                      tosajit_status *refused);

/* How an image is loaded. The backend AUTO takes native code. Where the host refuses executable
 * memory, it takes precompiled ops (libtosajit) or the interpreter; NATIVE gives an error then.
 * With INTERPRET the image's code is not used. */
typedef struct tosajit_load_options {
    size_t size;                        /* sizeof(tosajit_load_options) */
    const tosajit_allocator *allocator; /* copied; null: malloc and free */
    tosajit_backend backend;            /* as above */
    const tosajit_parallel *parallel;   /* threads for long runs; copied; null: none */
    size_t any_strides;                 /* as in tosajit_engine_options */
} tosajit_load_options;

/* A kernel from the size bytes at image, of any alignment, of which nothing is kept. options may be
 * null. BAD_IMAGE for bytes that are no image of this version or damaged; NOT_EXECUTABLE if its
 * code needs features that this CPU lacks: the message lists them; OUT_OF_MEMORY, INVALID_ARGUMENT.
 */
TOSAJIT_API tosajit_status tosajit_kernel_load(const void *image, size_t size,
                                               const tosajit_load_options *options,
                                               tosajit_kernel **kernel);
/* The same from a file. INVALID_ARGUMENT says why it cannot be read. */
TOSAJIT_API tosajit_status tosajit_kernel_load_file(const char *path,
                                                    const tosajit_load_options *options,
                                                    tosajit_kernel **kernel);

/* Ahead of time: `tosajit compile` writes a relocatable object with the code of functions for one
 * or several CPUs. It also writes a header, in which each function has a typed entry and one of
 * these. A program that links them needs tosajit-runtime and nothing else; code runs where the
 * program's own does. */
typedef struct tosajit_aot {
    size_t size;       /* sizeof(tosajit_aot) */
    const void *image; /* the function without its code */
    size_t image_size; /* bytes */
    const void *code;  /* of all functions of the object */
    size_t code_size;  /* bytes */
    void *kernel;      /* of the first call; the library's */
} tosajit_aot;

/* The kernel of a compiled function, with the best code that this CPU can run. It is made at the
 * first call and kept until the process ends, so it must not be released. Thread-safe.
 * NOT_EXECUTABLE if there is no code for this CPU; BAD_IMAGE if the object was made by a version
 * that does not fit this library; OUT_OF_MEMORY, INVALID_ARGUMENT. */
TOSAJIT_API tosajit_status tosajit_aot_kernel(tosajit_aot *aot, tosajit_kernel **kernel);
/* tosajit_run of that kernel. */
TOSAJIT_API tosajit_status tosajit_aot_run(tosajit_aot *aot, const tosajit_tensor *operands,
                                           size_t operand_count, const tosajit_tensor *results,
                                           size_t result_count);

/* A function to be compiled ahead of time. Zero-initialise. */
typedef struct tosajit_function {
    const char *name;         /* of its tosajit_aot in the object: a C identifier */
    const tosajit_expr *expr; /* what it computes; not owned */
    const void *reserved[2];  /* null; for options of later versions */
} tosajit_function;

/* Compile functions into a relocatable ELF object, with code from each of the engines. There is one
 * engine per CPU, all of one architecture and of one accuracy. Engines of TOSAJIT_BACKEND_CROSS may
 * be for CPUs that this machine is not. *object is released with tosajit_text_release.
 * INVALID_ARGUMENT; NOT_EXECUTABLE for an engine that interprets; what tosajit_compile_expr gives.
 * (libtosajit only.) */
TOSAJIT_API tosajit_status tosajit_compile_object(tosajit_engine *const *engines,
                                                  size_t engine_count,
                                                  const tosajit_function *functions,
                                                  size_t function_count, char **object,
                                                  size_t *size);

#ifdef __cplusplus
}
#endif
#endif
