/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions that differ in numbers and sizes alone. A model has one activation many times, each with
 * its own scale and number of channels:
 *
 *     x: f32[?,16,?,?]; y = 0.5 * (x + 3)
 *     x: f32[?,32,?,?]; y = 0.75 * (x + 3)
 *
 * In: a region's text. Out: a text that serves all of them, whose last operands are the numbers,
 * and the numbers. It computes the same bits: a number was one operand of an op, and still is. */
#ifndef TOSAJIT_TOOLS_ONNXRUNTIME_GENERALISE_H
#define TOSAJIT_TOOLS_ONNXRUNTIME_GENERALISE_H

#include <stdbool.h>
#include <stddef.h>

/* More tensors than this in all would keep a kernel's calls out of its call cache. */
enum { GENERAL_TENSORS = 8, GENERAL_NUMBERS = 6 };

typedef struct general {
    char *text; /* owned; null: nothing can be shared, or there is no memory */
    size_t count;
    float numbers[GENERAL_NUMBERS];
    bool same_code; /* sizes alone are open, and decide nothing about the code: take it at once */
} general;

/* Texts of f32 alone whose types stand in front; of others nothing is shared. */
general generalise(const char *text, size_t results);

#endif
