/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The division of a graph's operations among kernels. In: a graph; out: regions, of each of which
 * the library makes a kernel, and an order of regions and other operations. In the order each
 * stands behind its operands. */
#ifndef TOSAJIT_TOOLS_TOSA_DIVIDE_H
#define TOSAJIT_TOOLS_TOSA_DIVIDE_H

#include "tools/tosa/build.h"

typedef enum tosa_fate {
    TOSA_REST,
    TOSA_COPIED, /* a constant, which each region has for itself */
    TOSA_LEFT,   /* a kernel could have it, but it is the host's: see tosa_left_reason */
    TOSA_MEMBER,
} tosa_fate;

/* The operations of a region, in order; of others the only one. */
typedef struct tosa_region {
    int32_t *ops;
    size_t count;
    tosa_fate fate;
} tosa_region;

typedef struct tosa_division {
    const tosa_graph *g;
    tosa_region *list; /* in the new order */
    size_t count;
    struct division_work *work;
} tosa_division;

/* The graph has nothing that is read before it is given. False if out of memory; in either case
 * tosa_division_close. */
bool tosa_division_open(tosa_division *d, const tosa_graph *g);
void tosa_division_close(tosa_division *d);
/* A region as a function of its own: its operations, the constants that they read, its inputs and
 * its outputs. Valid until the next call. */
tosa_part tosa_division_part(tosa_division *d, const tosa_region *region);
tosa_fate tosa_division_fate(const tosa_division *d, int32_t op);
/* True if nobody but this part reads a value. Of the part that was asked for last. */
bool tosa_division_is_alone(const tosa_division *d, int32_t value);
/* True if an operation outside of all regions, or the block's end, reads the operation's result. */
bool tosa_division_is_wanted(const tosa_division *d, int32_t op);
/* Why an operation that is left is: "tosa.conv2d: not an elementwise operation ...". */
void tosa_division_reason(tosa_division *d, const tosa_region *left, char text[TOSA_WHY]);

#endif
