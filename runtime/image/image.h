/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernel images: a kernel as bytes. An image holds the program, from which the plan and all checks
 * are made anew, and for one or several CPUs the code. docs/images.md describes the format. */
#ifndef TOSAJIT_RUNTIME_IMAGE_IMAGE_H
#define TOSAJIT_RUNTIME_IMAGE_IMAGE_H

#include "runtime/base/bytes.h"
#include "runtime/run/kernel.h"

/* Code for one set of CPU features. A build without an entry says that the program is too large for
 * code of its own. That holds for all CPUs of the machine without another build. */
typedef struct image_build {
    code_image code;
    uint64_t features; /* that it needs; runtime/base/features.h */
} image_build;

/* The builds of a kernel's code as an image, the preferred ones first. With `apart`, the image
 * has no code: it lies elsewhere, with each build's offset there in `offsets`. Out of memory is
 * left in w->failed. */
void image_write(const tosajit_kernel *kernel, const image_build *builds, size_t count,
                 const uint64_t *apart, byte_writer *w);

/* The stand-in for the code of a program that is too large for any. */
image_build image_without_code(uint16_t machine);

/* The kernel that runs natively, or is too large to, as an image. NOT_EXECUTABLE for others that
 * have no code of their own, OUT_OF_MEMORY. */
tosajit_status image_of_kernel(const tosajit_kernel *kernel, byte_writer *w);

/* Where an image that has no code finds it. */
typedef struct image_code {
    const unsigned char *bytes; /* executable */
    size_t size;
} image_code;

/* A kernel with the code of the first build that this CPU can run. Of the image nothing is kept,
 * but apart code is used where it is. Precompiled ops or the interpreter answer where the build
 * has no code, and, as the backend allows, where the process may not have executable memory.
 * BAD_IMAGE; NOT_EXECUTABLE if no build suits the CPU, with the features that are missing;
 * OUT_OF_MEMORY. */
tosajit_status image_to_kernel(const void *bytes, size_t size, const image_code *apart,
                               tosajit_backend backend, const tosajit_allocator *allocator,
                               tosajit_kernel **kernel);

/* The code in an image of the kernel's own program; it lies inside of the image. usable: the
 * features that it may need. BAD_IMAGE, also for an image of another program; NOT_EXECUTABLE;
 * OUT_OF_MEMORY. */
tosajit_status image_find_code(const void *bytes, size_t size, const tosajit_kernel *kernel,
                               uint64_t usable, image_build *found);

#endif
