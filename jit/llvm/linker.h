/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linker: flattened code becomes executable memory, through ORC's LLJIT. ORC gets an object of one
 * section, which takes one mapping. The kernel joins it with its neighbours, so that any number of
 * kernels can live within a process's limit of mappings. There is one resource tracker per object,
 * so that releasing a kernel gives its memory back. */
#ifndef TOSAJIT_JIT_LLVM_LINKER_H
#define TOSAJIT_JIT_LLVM_LINKER_H

#include <llvm-c/LLJIT.h>
#include <stdatomic.h>
#include <stdint.h>

#include "jit/target/target.h"
#include "runtime/code/code.h"

typedef struct linker {
    LLVMOrcLLJITRef jit;
    atomic_size_t live, dead; /* images that are linked; that were removed since the names of dead
                                 ones were dropped */
} linker;

/* For images of the target's architecture, which is this machine's. CODEGEN_FAILED with LLVM's
 * reason. */
tosajit_status linker_create(linker *l, const target *t);
void linker_destroy(linker *l);

/* Link a copy of the image; names: of its functions, unique in the process; *bytes: where
 * it lies. tracker gives the memory back. Thread-safe. CODEGEN_FAILED, OUT_OF_MEMORY. */
tosajit_status linker_add(linker *l, const code_image *image, char *const *names,
                          const tosajit_allocator *allocator, const unsigned char **bytes,
                          LLVMOrcResourceTrackerRef *tracker);
/* Unmap what linker_add mapped. Thread-safe. */
void linker_remove(linker *l, LLVMOrcResourceTrackerRef tracker);

#endif
