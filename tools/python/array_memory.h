/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elements that may outlive their array. A consumer of DLPack releases them on any thread, in any
 * interpreter or after the last one. So they are no object of Python's, and nothing here asks
 * Python. */
#ifndef TOSAJIT_TOOLS_PYTHON_ARRAY_MEMORY_H
#define TOSAJIT_TOOLS_PYTHON_ARRAY_MEMORY_H

#include <stdatomic.h>
#include <stddef.h>

typedef struct array_memory {
    void *data;
    atomic_size_t owners; /* the array, and capsules of DLPack */
} array_memory;

/* Undefined bytes with one owner. Null: out of memory. */
array_memory *array_memory_make(size_t bytes);
void array_memory_keep(array_memory *memory);
void array_memory_release(array_memory *memory);

#endif
