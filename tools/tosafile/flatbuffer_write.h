/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A flatbuffer of TOSA whose blocks are made of another one's. In: a file that is sound, and blocks
 * as lists of its operators and of calls; out: a file. Operators and tensors stay as they are, with
 * all that nobody here reads: the old file's bytes lie behind the new tables, which point to them.
 */
#ifndef TOSAJIT_TOOLS_TOSAFILE_FLATBUFFER_WRITE_H
#define TOSAJIT_TOOLS_TOSAFILE_FLATBUFFER_WRITE_H

#include "tools/tosafile/flatbuffer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tensors by their numbers in the block; shapes have those behind. */
typedef struct flat_numbers {
    const int32_t *list;
    size_t count;
} flat_numbers;

/* An operator of the block, or a CUSTOM one that stands for another block. */
typedef struct flat_step {
    int32_t op;         /* -1: a call */
    const char *callee; /* its operator_name; the domain is tosajit.region */
    flat_numbers inputs, outputs;
} flat_step;

typedef struct flat_part {
    flat_text region, name; /* a region of null bytes: the same as that of the part before */
    flat_block from;
    const flat_step *steps;
    size_t step_count;
    flat_numbers tensors, shapes, inputs, outputs;
} flat_part;

/* To be freed; null if out of memory. */
uint8_t *flat_write(const uint8_t *bytes, size_t size, const flat_part *parts, size_t count,
                    size_t *made);

#ifdef __cplusplus
}
#endif
#endif
