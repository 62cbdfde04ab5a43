/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Flatten: from an object to one position-independent image, text then constants. Every relocation
 * is resolved here, so the image links by being copied: without a linker, without LLVM, and with
 * one memory mapping. A kernel stands alone: an undefined symbol would be a call into a library
 * whose bits, speed and presence nobody promised. */
#ifndef TOSAJIT_JIT_LLVM_FLATTEN_H
#define TOSAJIT_JIT_LLVM_FLATTEN_H

#include "runtime/code/code.h"

/* names: the functions, one per entry of the image. CODEGEN_FAILED names the symbol and the
 * relocation that cannot be resolved inside the image, or the section that has no place in it
 * (data, thread-local storage, unwind tables). OUT_OF_MEMORY. */
tosajit_status flatten(const void *bytes, size_t size, char *const *names, int32_t count,
                       const tosajit_allocator *allocator, code_image *image);
/* The same of some functions of an object: only their sections, and the sections that these refer
 * to. */
tosajit_status flatten_some(const void *bytes, size_t size, char *const *names, int32_t count,
                            const tosajit_allocator *allocator, code_image *image);

#endif
