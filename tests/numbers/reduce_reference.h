/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Results of reductions and scans, element by element in the order that docs/semantics.md tells.
 * It shares no code with the library, and calls none of its functions: oracle_test looks. */
#ifndef TOSAJIT_TESTS_NUMBERS_REDUCE_REFERENCE_H
#define TOSAJIT_TESTS_NUMBERS_REDUCE_REFERENCE_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

/* Elements of a block, of which those of the last axis go to so many partial results. */
enum { REFERENCE_INNER = 4096, REFERENCE_OUTER = 128, REFERENCE_PARTIALS = 32 };

typedef struct reduce_question {
    tosajit_op op;
    tosajit_type element;
    tosajit_nan_mode nan_mode;
    int32_t rank, axis, joined; /* dimensions behind the axis that are one with it */
    const int64_t *dims;        /* of the operand */
    bool exclusive, reverse;    /* of a scan */
} reduce_question;

/* Operand and result are dense and in memory form. */
void reduce_reference(const reduce_question *q, const unsigned char *operand,
                      unsigned char *result);

/* The same of argmax and argmin, whose result is of i32, and of index. The first of equals; of NaN
 * the first, or where they are ignored none, unless there is nothing else. */
void position_reference(const reduce_question *q, const unsigned char *operand,
                        unsigned char *result);

/* The same of scans, whose result has the operand's sizes. That of logcumsumexp has no order: it is
 * the one that long double gives, to be compared with a tolerance. */
void scan_reference(const reduce_question *q, const unsigned char *operand, unsigned char *result);

/* One element combined with another one, as scatter_add, scatter_max and scatter_min do. */
void combine_reference(const reduce_question *q, unsigned char *into, const unsigned char *with);

#endif
