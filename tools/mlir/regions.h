/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which ops of a block become one kernel. In: the graph of a block; out: regions of ops, each of
 * which the library makes a kernel of. */
#ifndef TOSAJIT_TOOLS_MLIR_REGIONS_H
#define TOSAJIT_TOOLS_MLIR_REGIONS_H

#include <stdint.h>

#include "tools/mlir/graph.h"
#include "tools/mlir/region_function.h"

typedef enum op_kind { REST, CONSTANT, MEMBER } op_kind;

/* A value that a region reads or gives. */
typedef struct region_value {
    MlirValue value;
    int32_t producer; /* the op that gives an input; -1: an argument */
    int32_t
        uses; /* of an input by the region's ops; of an output by others, 0 where nobody uses it */
} region_value;

typedef struct region {
    int32_t size, first, latest; /* ops in it; the first and the last one of them */
    int32_t constants;           /* operands that are constants */
    int32_t input_count, output_count;
    region_value *values; /* inputs, then outputs; owned */
    bool careful;         /* it is tried before it grows */
} region;

typedef struct regions {
    const graph *g;
    op_kind *kinds;   /* per op */
    region *list;     /* per op; that of a region is the one of its head */
    int32_t *heads;   /* per op: the op that stands for its region; of others itself */
    int32_t *next;    /* per op: one more of its region in any order, or -1 */
    int32_t *tails;   /* per head: the last one in that order */
    int32_t *reached; /* scratch: per op, the search that has been there */
    int32_t *stack;   /* scratch: per op */
    int32_t *order;   /* scratch: ops of a region, in order */
    members members;  /* scratch: the same as MLIR's */
    int32_t searches;
} regions;

/* False if out of memory; in either case regions_release. */
bool regions_open(regions *r, const graph *g);
void regions_release(regions *r);
/* Write the ops of a region to r->members and r->order. */
void regions_list(regions *r, int32_t head);

#endif
