/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bytes of a fuzzer as decisions: numbers that are usually reasonable and sometimes hostile.
 * After the last byte all are 0. */
#ifndef TOSAJIT_TESTS_FUZZ_BYTES_H
#define TOSAJIT_TESTS_FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer calls it; replay.c does where there is no libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* A fuzzer may have mutations of its own, and use those of libFuzzer, or of replay.c. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

typedef struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
} fuzz_bytes;

static inline unsigned take_byte(fuzz_bytes *b) {
    if (b->left == 0) return 0;
    b->left--;
    return *b->at++;
}

/* 0..count-1 */
static inline unsigned take_below(fuzz_bytes *b, unsigned count) { return take_byte(b) % count; }

/* One chance in n, and never once the bytes are used up. */
static inline int take_rarely(fuzz_bytes *b, unsigned n) {
    return b->left > 0 && take_byte(b) % n == n - 1;
}

static inline uint64_t take_word(fuzz_bytes *b) {
    uint64_t word = 0;
    for (int k = 0; k < 8; k++) word = word << 8 | take_byte(b);
    return word;
}

#endif
