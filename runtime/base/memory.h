/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory: the allocator hooks, with malloc and free behind a null pointer.
 * Sizes are passed on release too, so that a hook can account without headers of its own. */
#ifndef TOSAJIT_RUNTIME_BASE_MEMORY_H
#define TOSAJIT_RUNTIME_BASE_MEMORY_H

#include <stdatomic.h>

#include "tosajit/tosajit.h"

tosajit_allocator memory_allocator(const tosajit_allocator *hooks);
/* Zeroed memory for count elements of size bytes; null when the product overflows or memory is out.
 */
void *memory_new(const tosajit_allocator *allocator, size_t count, size_t size);
/* So many bytes of any content; null when memory is out. */
void *memory_uncleared(const tosajit_allocator *allocator, size_t bytes);
void memory_free(const tosajit_allocator *allocator, void *memory, size_t count, size_t size);
/* Make room for at least `needed` elements in *array (capacity *capacity, used elements kept);
 * nonzero on success. */
int memory_grow(const tosajit_allocator *allocator, void **array, size_t *capacity, size_t needed,
                size_t size);

/* Counts the bytes that an allocator has given out and not got back. */
typedef struct memory_meter {
    tosajit_allocator hooks; /* where memory comes from */
    atomic_size_t bytes;
} memory_meter;
/* The allocator that is counted; it must not be used longer than the meter lives. */
tosajit_allocator memory_metered(memory_meter *meter, const tosajit_allocator *hooks);

#endif
