/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernel images as a forger leaves them: length, checksum and the fingerprint of the plan are
 * right, or nothing behind them would ever be read. */
#ifndef TOSAJIT_TESTS_FUZZ_FORGE_H
#define TOSAJIT_TESTS_FUZZ_FORGE_H

#include <string.h>

#include "runtime/base/bytes.h"
#include "runtime/base/memory.h"
#include "runtime/expr/program.h"
#include "runtime/image/image.h"
#include "tests/fuzz/check.h"

/* Where an image has its numbers: see runtime/image/image.c. */
enum {
    FORGE_SIZE = 16,
    FORGE_CHECKSUM = 24,
    FORGE_CHECKED = 32, /* from here on */
    FORGE_FINGERPRINT = 40,
    FORGE_PROGRAM_SIZE = 48,
    FORGE_PROGRAM = 64
};

static inline uint64_t forge_number(const uint8_t *image, size_t at) {
    uint64_t number;
    memcpy(&number, image + at, sizeof number);
    return number;
}

/* The checksum. */
static inline uint64_t forge_sign(uint8_t *image, size_t size) {
    const uint64_t length = size, sum = bytes_hash(image + FORGE_CHECKED, size - FORGE_CHECKED);
    memcpy(image + FORGE_SIZE, &length, sizeof length);
    memcpy(image + FORGE_CHECKSUM, &sum, sizeof sum);
    return sum;
}

/* The fingerprint that a changed program's plan has: that of an image which is written of it. It is
 * called for what was refused as of another version, whose program can be read. */
static inline void forge_fingerprint(uint8_t *image, size_t size) {
    const tosajit_allocator allocator = memory_allocator(NULL);
    byte_reader program = {.bytes = image + FORGE_PROGRAM,
                           .size = (size_t)forge_number(image, FORGE_PROGRAM_SIZE)};
    byte_writer written = {.allocator = allocator};
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    REQUIRE(program.size <= size - FORGE_PROGRAM && !program_read(&program, &allocator, &expr));
    REQUIRE(!expr_sweep(expr, NULL, NULL, NULL));
    REQUIRE(!kernel_adopt(&(program_made){.program = expr}, &allocator, &kernel));
    image_write(kernel, NULL, 0, NULL, &written);
    REQUIRE(!written.failed);
    memcpy(image + FORGE_FINGERPRINT, written.bytes + FORGE_FINGERPRINT, sizeof(uint64_t));
    bytes_release(&written);
    tosajit_kernel_release(kernel);
}

#endif
