/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Guarded tensors: memory that ends, or starts, at an inaccessible page, so that a kernel that
 * reads or writes one byte too far dies, and with a known pattern in every byte that is no element,
 * so that a stray write beside or between is seen. */
#ifndef TOSAJIT_TESTS_SUPPORT_GUARD_H
#define TOSAJIT_TESTS_SUPPORT_GUARD_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

typedef enum guard_edge {
    GUARD_AT_END,   /* the byte after the last one is inaccessible */
    GUARD_AT_START, /* the byte before the first one is inaccessible */
} guard_edge;

typedef struct guard_tensor {
    tosajit_tensor
        tensor; /* dims and strides point into this struct; it must not move after guard_place */
    int64_t dims[TOSAJIT_MAX_RANK], strides[TOSAJIT_MAX_RANK];
    unsigned char *memory; /* the bytes that the tensor spans, [memory, memory + size) */
    size_t size;
    unsigned char *map, *room, *shadow; /* all pages; the accessible ones; what they should hold */
    size_t map_size, room_size;
} guard_tensor;

/* Room for tensors of up to `capacity` bytes. False if the system gives no memory. */
bool guard_create(guard_tensor *guard, size_t capacity);
void guard_destroy(guard_tensor *guard);

/* Put a tensor at an edge and fill all bytes with the pattern. strides (bytes, any sign, 0 allowed)
 * may be null for dense; then tensor.strides is null too. False if the span exceeds the capacity.
 */
bool guard_place(guard_tensor *guard, tosajit_type element, int32_t rank, const int64_t *dims,
                 const int64_t *strides, guard_edge edge);

/* Move a tensor so many bytes away from its edge, if there is room, and fill all bytes with the
 * pattern again: it may begin anywhere in a cache line, where nothing is inaccessible beside it. */
void guard_move(guard_tensor *guard, size_t bytes);

/* The address of an element. */
unsigned char *guard_at(const guard_tensor *guard, const int64_t *index);
/* Step a multi-index, last dimension fastest; false after the last one. Start with all 0. */
bool guard_next(int32_t rank, const int64_t *dims, int64_t *index);
/* Number of elements. */
int64_t guard_count(int32_t rank, const int64_t *dims);

/* Take the contents as they are as what they should be. */
void guard_remember(guard_tensor *guard);
/* True if no byte has changed since guard_remember; with `elements` changes of the tensor's own
 * elements are allowed. */
bool guard_intact(guard_tensor *guard, bool elements);

#endif
