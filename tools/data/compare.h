/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two computations of one tensor. In: their elements; out: how many differ, and where the first one
 * is. */
#ifndef TOSAJIT_TOOLS_DATA_COMPARE_H
#define TOSAJIT_TOOLS_DATA_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

typedef struct comparison {
    int64_t different; /* elements whose bits differ and that are not both NaN */
    int64_t first;     /* index of the first of them, row-major; -1 */
} comparison;

comparison compare_elements(tosajit_type type, const void *kernel, const void *interpreter,
                            int64_t count);

/* "[1, 2]: kernel 0x3f800000 (1), interpreter 0x3f800001 (1.0000001)" for row-major element
 * `index`; returns text. */
const char *compare_describe(tosajit_type type, int32_t rank, const int64_t *dims,
                             const void *kernel, const void *interpreter, int64_t index, char *text,
                             size_t capacity);

#endif
