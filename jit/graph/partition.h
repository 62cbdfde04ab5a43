/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions of a graph. In: the graph, checked, by ops and by values; out: per op the one that stands
 * for its region. */
#ifndef TOSAJIT_JIT_GRAPH_PARTITION_H
#define TOSAJIT_JIT_GRAPH_PARTITION_H

#include <stdbool.h>

#include "tosajit/graph.h"

/* A value that a region reads or gives. */
typedef struct region_value {
    int32_t value;
    int32_t uses; /* of an input by the region's ops; of an output by others */
} region_value;

typedef struct region {
    int32_t size, first; /* ops in it; the first one of them */
    int32_t input_count, output_count;
    region_value *values;   /* inputs, then outputs; owned */
    bool careful;           /* the host is asked before it grows */
    bool constant;          /* all of its ops give the same in all calls */
    bool views;             /* all of its ops move elements and compute none */
    int32_t before, behind; /* its neighbours in the order of all regions and other ops */
    int64_t place;          /* larger than that of `before` */
} region;

/* A region or op that a search has seen, and where it stands. */
typedef struct seen {
    int64_t place;
    int32_t at;
} seen;

typedef struct partition {
    const tosajit_graph *g;
    int32_t most_ops, most_tensors;
    bool *constant;        /* per op: a member that gives the same in all calls */
    int32_t *uses;         /* per value: how often ops read it, and once more if it is kept */
    int32_t *first_result; /* per op: where its values begin in results; one more at the end */
    int32_t *results;      /* values that ops give, by op */
    region *list;     /* per op; that of a region is the one of its head; and the order's end */
    int32_t *heads;   /* per op: the op that stands for its region; of others itself */
    int32_t *next;    /* per op: one more of its region in any order, or -1 */
    int32_t *tails;   /* per head: the last one in that order */
    int32_t *reached; /* scratch: per op, the search that has been there */
    int32_t *stack;   /* scratch: per op */
    int32_t *order;   /* scratch: ops of a region, in order */
    seen *found;      /* scratch: what the last search has seen */
    int32_t found_count;
    int32_t searches;
    int32_t renumbered; /* how often all places were given anew */
    int32_t *readers;   /* scratch: per value, the first member that reads it; null: not wanted */
    bool asks;          /* the host is asked before any region grows */
} partition;

/* Regions as large as they can be. Everything but searches is there, and zero but for the graph,
 * limits, uses and results. */
tosajit_status partition_find(partition *p);

#endif
