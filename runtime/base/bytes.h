/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes: putting numbers and blocks one behind the other, and taking them out again without
 * trusting where they end. Little-endian, as every machine that kernels run on. Errors are sticky:
 * a sequence of calls is checked once, at its end. */
#ifndef TOSAJIT_RUNTIME_BASE_BYTES_H
#define TOSAJIT_RUNTIME_BASE_BYTES_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

typedef struct byte_writer {
    tosajit_allocator allocator;
    unsigned char *bytes; /* owned; bytes_release */
    size_t size, capacity;
    bool failed; /* out of memory */
} byte_writer;

void bytes_put(byte_writer *w, const void *bytes, size_t size);
void bytes_put_number(byte_writer *w, int64_t number);
/* Zeros up to the next multiple of alignment. */
void bytes_align(byte_writer *w, size_t alignment);
void bytes_release(byte_writer *w);

typedef struct byte_reader {
    const unsigned char *bytes;
    size_t size, at;
    bool failed; /* something was expected behind the end, or a number out of its range */
} byte_reader;

/* A block, inside of what is read; null behind the end. */
const void *bytes_take(byte_reader *r, uint64_t size);
/* A number between low and high; else low, and a failure. */
int64_t bytes_take_number(byte_reader *r, int64_t low, int64_t high);

/* A number that differs if a bit does, for checks and hash tables; no defence against somebody who
 * wants two alike. */
uint64_t bytes_hash(const void *bytes, size_t size);

#endif
