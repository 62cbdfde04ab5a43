/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shapes as words: "1024x8", "scalar", and with byte strides "1024x8:64,8". */
#ifndef TOSAJIT_TOOLS_DATA_SHAPE_H
#define TOSAJIT_TOOLS_DATA_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

enum { SHAPE_MESSAGE = 128 };

typedef struct shape_word {
    int32_t rank;
    bool strided;
    int64_t dims[TOSAJIT_MAX_RANK], strides[TOSAJIT_MAX_RANK]; /* strides in bytes, if strided */
} shape_word;

/* False with what is wrong in why. */
bool shape_parse(const char *word, shape_word *shape, char why[SHAPE_MESSAGE]);

/* The bytes that a tensor of this shape touches, from the address of its first element: low <= 0 to
 * high. False if they exceed the address space. */
bool shape_extent(const shape_word *shape, int64_t element_size, int64_t *low, int64_t *high);

#endif
