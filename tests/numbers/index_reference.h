/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Results of gather and scatter, element by element as docs/semantics.md tells. It shares no code
 * with the library, and calls none of its functions: oracle_test looks. */
#ifndef TOSAJIT_TESTS_NUMBERS_INDEX_REFERENCE_H
#define TOSAJIT_TESTS_NUMBERS_INDEX_REFERENCE_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

/* The number that an index is among so many elements; -1: an error. */
int64_t place_reference(tosajit_index_mode mode, int64_t index, int64_t count);

/* A dense tensor in memory form. */
typedef struct index_tensor {
    tosajit_type element;
    int32_t rank;
    const int64_t *dims;
    unsigned char *data;
} index_tensor;

/* A gather of two operands, or a scatter of three. */
typedef struct index_question {
    tosajit_op op;
    const tosajit_attributes *attributes;
    index_tensor operands[3], result;
    int64_t updates; /* of a scatter: indices along the first dimension of index and updates */
} index_question;

/* True if no index is an error, whether or not an element is moved to it. */
bool index_reference_is_legal(const index_question *q);
/* The result, of legal indices. */
void index_reference(const index_question *q);

#endif
