/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows: what ops there is code for, and how the library that has the code lists it.
 *
 * A row is a legal use of an op: element types, the attributes that decide which instructions it
 * is, and the accuracy. Its code takes the data operands, dynamic in every size, then parameters,
 * each one value. What a program gives as attributes - clamp's limits, mul's shift, zero points -
 * the code takes as parameters, too.
 *
 * A pair is a row, too: two uses, of which the second takes the result of the first in a register.
 * Its code takes the data operands of the first, the others of the second, then the parameters of
 * both. So (a - b) * c and c - clamp(a) take a, b, c and a, c, the two limits. */
#ifndef TOSAJIT_RUNTIME_PRECOMPILED_ROWS_H
#define TOSAJIT_RUNTIME_PRECOMPILED_ROWS_H

#include <stdbool.h>

#include "runtime/expr/expr.h"
#include "tosajit/inspect.h"

enum { ROWS_MAX_LEVELS = 4, ROWS_ALIGNMENT = 64, ROWS_NO_CODE = -1, ROWS_SINGLE = -1 };

/* All that decides about the code of an op. */
typedef struct rows_use {
    tosajit_op op;
    tosajit_type operand, result;  /* the last data operand's */
    tosajit_attributes attributes; /* of these only what changes the code */
    bool fast;                     /* the functions of TOSAJIT_REPRODUCIBLE */
    bool has_parameters;           /* behind the data operands */
} rows_use;

/* A use, or a pair of two. */
typedef struct rows_code {
    rows_use first, second;
    int position; /* of the first's result among the second's operands; ROWS_SINGLE: no second */
} rows_code;

/* The number of a row; equal rows have equal numbers. */
uint64_t rows_key(const rows_code *code);

/* The row that a node of a program asks for. */
rows_use rows_of(const tosajit_expr *program, const expr_node *node);

/* How many parameters the code of a use takes; 0: none. */
int rows_parameter_count(tosajit_op op);

/* Parameter k of the code of a use. */
tosajit_type rows_parameter_type(const rows_use *use, int k);

/* One row of the library: where in the text its code for each level begins. */
typedef struct rows_entry {
    uint64_t key;
    uint32_t offsets[ROWS_MAX_LEVELS];
} rows_entry;

/* The library: data without an address, so that nothing is relocated when it is loaded. Entries are
 * sorted by key. */
typedef struct rows_library {
    char build[40];       /* a hash of the sources that the code was made of */
    uint64_t level_count; /* the best first */
    uint64_t entry_count;
    uint64_t text_size;
    int64_t text;                       /* from this member to the text */
    uint64_t features[ROWS_MAX_LEVELS]; /* that the code of each level needs */
    rows_entry entries[];
} rows_library;

/* The best level that needs no more than these features; -1: none. */
int rows_level(const rows_library *library, uint64_t features);

/* The code of a row; null if there is none. */
tosajit_entry rows_find(const rows_library *library, int level, uint64_t key);

#endif
