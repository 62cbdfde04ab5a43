/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NumPy's .npy files. In: a path and the element type that the caller needs. Out: the array in
 * memory with its strides, or a sentence that names the file, what was expected and what was found.
 */
#ifndef TOSAJIT_TOOLS_DATA_NPY_H
#define TOSAJIT_TOOLS_DATA_NPY_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/data/output_file.h"
#include "tosajit/tosajit.h"

enum { NPY_MESSAGE_CAPACITY = 512 };

typedef struct npy_error {
    char text[NPY_MESSAGE_CAPACITY];
} npy_error;

typedef struct npy_array {
    tosajit_type element;
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    int64_t strides[TOSAJIT_MAX_RANK]; /* bytes */
    void *data;                        /* owned; never null after npy_read */
} npy_array;

/* Read an array whose elements are `expected`: |b1 |i1 <i2 <i4 <i8 <f2 <f4 <f8; bf16 as its bits in
 * <u2 or <V2, fp8 in |u1, i48 in <i8. "-" is standard input. False with a message in error; then
 * array holds nothing. */
bool npy_read(const char *path, tosajit_type expected, npy_array *array, npy_error *error);
void npy_release(npy_array *array);

/* Write dense row-major data beside path, as output_file.h has it; "-" is standard output. False
 * with a message; then pending holds nothing. */
bool npy_write(const char *path, tosajit_type element, int32_t rank, const int64_t *dims,
               const void *data, output_file *pending, npy_error *error);
/* Give the file its name. Ends pending in either case. */
bool npy_commit(const char *path, output_file *pending, npy_error *error);

#endif
