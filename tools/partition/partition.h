/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which ops of a graph become one kernel. In: a graph by numbers, and which of its ops may be in
 * kernels at all; out: regions of those ops. They are maximal and convex: no two that are connected
 * could be one, and no path leads out of a region and back into it. */
#ifndef TOSAJIT_TOOLS_PARTITION_PARTITION_H
#define TOSAJIT_TOOLS_PARTITION_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

/* Ops stand in an order in which each follows those that it depends on. */
typedef struct partition_graph {
    int32_t op_count, value_count;
    const bool *members; /* per op: it may be in a region; then it has one result */
    /* Op k reads operands[first_operand[k]] to operands[first_operand[k + 1] - 1], which are
     * values; of a member without its constants. */
    const int32_t *operands, *first_operand;
    const int32_t *results;   /* per op: of a member its value */
    const int32_t *producers; /* per value: an op, or -1 */
    const int32_t *uses;      /* per value: how often it stands in operands, and more if read
                                 elsewhere */
    int32_t most_ops;         /* of a region */
    int32_t most_tensors;     /* operands and results of a region together; at most 128 */
} partition_graph;

/* A value that a region reads or gives. */
typedef struct partition_value {
    int32_t value;
    int32_t uses; /* of an input by the region's ops; of an output by others */
} partition_value;

typedef struct partition_region {
    int32_t size, first, latest; /* ops in it; the first and the last one of them */
    int32_t input_count, output_count;
    partition_value *values; /* inputs, then outputs; owned */
} partition_region;

typedef struct partition {
    const partition_graph *g;
    partition_region *list; /* per op; that of a region is the one of its head */
    int32_t *heads;         /* per op: the op that stands for its region; of others itself */
    int32_t *next;          /* per op: one more of its region in any order, or -1 */
    int32_t *tails;         /* per head: the last one in that order */
    int32_t *reached;       /* scratch: per op, the search that has been there */
    int32_t *stack;         /* scratch: per op */
    int32_t searches;
} partition;

/* False if out of memory; in either case partition_release. The graph must stay. */
bool partition_open(partition *p, const partition_graph *g);
void partition_release(partition *p);
/* Write the ops of a head's region to ops, in order; there are as many as its size. */
void partition_list(const partition *p, int32_t head, int32_t *ops);

#endif
