/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which operators of a block become one kernel. In: the graph of a block; out: regions, each of
 * which the library makes a kernel of, and an order in which each region as a whole and the other
 * operators stand behind what they read. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_REGIONS_H
#define TOSAJIT_TOOLS_TOSAFILE_REGIONS_H

#include "tools/tosafile/build.h"

enum { REGION_TEXT = 1024 };

typedef enum file_kind {
    FILE_REST,
    FILE_CONSTANT,
    FILE_LEFT, /* a kernel could have it, but it is the host's: see tosa_left_reason */
    FILE_MEMBER,
} file_kind;

/* A region, by positions in the graph's order; of others the only operator. */
typedef struct file_region {
    int32_t *positions;
    size_t count;
    file_kind kind;
} file_region;

typedef struct file_regions {
    const file_graph *g;
    file_region *list; /* in the new order */
    size_t count;
    int32_t *storage;        /* of positions */
    int32_t *reads, *inside; /* per value: reads of it, and those of the part at hand */
    bool *kept;              /* per value: an output of the block */
    struct region_work *work;
} file_regions;

/* False if out of memory; in either case file_regions_close. */
bool file_regions_open(file_regions *r, const file_graph *g);
void file_regions_close(file_regions *r);
/* The region as a function of its own: its constants and operators, what it reads and gives. Valid
 * until the next call. False if out of memory. */
bool file_regions_part(file_regions *r, const file_region *region, file_part *part);
/* Why an operator that is no member is none: "tosa.conv2d: not an elementwise ...". */
void file_regions_refusal(file_regions *r, int32_t position, char text[REGION_TEXT]);

#endif
