/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two computations of one tensor. In: their elements; out: how many differ, and where the first one
 * is. */
#ifndef TOSAJIT_TOOLS_DATA_COMPARE_H
#define TOSAJIT_TOOLS_DATA_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

typedef enum compare_rule {
    COMPARE_BITS,   /* equal bits */
    COMPARE_VALUES, /* equal bits, or two NaNs */
    COMPARE_ULP,    /* that, or floating-point neighbours */
} compare_rule;

typedef struct comparison {
    int64_t different;  /* elements that break the rule */
    int64_t neighbours; /* elements that differ as far as the rule lets them */
    int64_t first;      /* index of the first that breaks the rule, row-major; -1 */
} comparison;

comparison compare_elements(tosajit_type type, const void *kernel, const void *interpreter,
                            int64_t count, compare_rule rule);

/* "[1, 2]: kernel 0x3f800000 (1), interpreter 0x3f800001 (1.0000001)" for row-major element
 * `index`; returns text. */
const char *compare_describe(tosajit_type type, int32_t rank, const int64_t *dims,
                             const void *kernel, const void *interpreter, int64_t index, char *text,
                             size_t capacity);

#endif
