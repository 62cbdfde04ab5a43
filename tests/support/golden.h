/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Golden files: lines that stay as they are from version to version, because bits that users have
 * stored, compared or published must not change. A test makes its lines anew in the same order.
 *
 *     TOSAJIT_GOLDEN=write build/tests/op_rows_test      # when a change is meant */
#ifndef TOSAJIT_TESTS_SUPPORT_GOLDEN_H
#define TOSAJIT_TESTS_SUPPORT_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct golden {
    const char *path;
    FILE *file;
    bool writes;
    size_t line, differing;
} golden;

/* The file at path, read, or written anew if TOSAJIT_GOLDEN is "write". False if it cannot be
 * opened. */
bool golden_open(golden *g, const char *path);
/* Its next line, without the newline, should be this one; says if it is another. Null: any line
 * will do. */
void golden_expect(golden *g, const char *line);
/* True if all lines were the expected ones, and there are no more. */
bool golden_close(golden *g);

/* FNV-1a, byte by byte from GOLDEN_START: the same on every machine, and no function of the
 * library. */
#define GOLDEN_START UINT64_C(0xcbf29ce484222325)
uint64_t golden_hash(uint64_t hash, const void *bytes, size_t size);

#endif
