/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays of the tool: those that were read and those that are computed. */
#ifndef TOSAJIT_TOOLS_DATA_ARRAY_H
#define TOSAJIT_TOOLS_DATA_ARRAY_H

#include <stdio.h>

#include "tools/data/npy.h"

/* A dense row-major array with undefined elements, released with npy_release. False if there is no
 * such memory. */
bool array_make(tosajit_type element, int32_t rank, const int64_t *dims, npy_array *array);
/* The array as the library takes it; it refers to array. */
tosajit_tensor array_view(const npy_array *array);
int64_t array_count(const npy_array *array);

/* "4x3 of f32" */
void array_print_shape(FILE *out, const npy_array *array);
/* One line about a dense array: its shape, its smallest and largest number, how many NaNs. */
void array_print_summary(FILE *out, const npy_array *array);
/* The elements of a dense array as NumPy prints them: nested brackets, the middle of large arrays
 * left out. */
void array_print_values(FILE *out, const npy_array *array);

#endif
