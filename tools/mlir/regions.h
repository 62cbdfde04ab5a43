/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which ops of a block become one kernel. In: the graph of a block; out: regions of ops, each of
 * which the library makes a kernel of. */
#ifndef TOSAJIT_TOOLS_MLIR_REGIONS_H
#define TOSAJIT_TOOLS_MLIR_REGIONS_H

#include <stdint.h>

#include "tools/mlir/graph.h"
#include "tools/mlir/region_function.h"

typedef enum op_kind {
    REST,
    CONSTANT,
    LEFT, /* a kernel could have it, but it is the host's: see tosa_left_reason */
    MEMBER,
} op_kind;

typedef struct regions {
    const graph *g;
    op_kind *kinds;  /* per op */
    int32_t *heads;  /* per op: the first op of its region; of others itself */
    int32_t *next;   /* per op: the next one of its region, or -1 */
    members members; /* scratch: ops of a region */
} regions;

/* False if out of memory; in either case regions_release. */
bool regions_open(regions *r, const graph *g);
void regions_release(regions *r);
/* Write the ops of a region to r->members. */
void regions_list(regions *r, int32_t head);

#endif
