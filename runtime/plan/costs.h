/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Costs: every number that the choice of a way rests on (runtime/run/choose.c), in ns where nothing
 * else is said. They were fitted to sums of two operands of f32 on an AMD EPYC of the Zen 5 family
 * at 4.2 GHz, with 48 KiB of L1 data cache. An estimate need be no better than the choices that it
 * makes, so these are what to check on another machine, native and with TOSAJIT_CPU=x86-64-v3:
 *
 *     build/bench/tosajit-bench --table --benchmark_filter='^FAMILY/'
 *
 * with the family that stands beside each group. Where a case is slower than its loop in C, or than
 * a like case whose explanation (tosajit explain) has another way, a number of the group is wrong.
 */
#ifndef TOSAJIT_RUNTIME_PLAN_COSTS_H
#define TOSAJIT_RUNTIME_PLAN_COSTS_H

#include <stdint.h>

/* An element of a part (plan.c): for dividing work among threads, and for `cost_light`. Family:
 * threads. */
static const double cost_byte = 0.01;     /* read or written: some 100 a ns */
static const double cost_light_op = 0.02; /* an instruction or two for each vector */
static const double cost_heavy_op = 0.4;  /* a polynomial */
static const double cost_piece = 10000;   /* worth waking a thread, which takes microseconds */
static const double cost_light = 0.4;     /* above it neither memory nor rows are the limit */

/* The walk as it is (choose.c). Family: sweep, which has every pattern of broadcasts up to rank 4
 * in rows of 1 to 1000. */
static const double cost_call = 4.2;    /* of the code */
static const double cost_plane = 0.9;   /* of a call */
static const double cost_row = 0.75;    /* of a plane */
static const double cost_vector = 0.45; /* of a row, behind the first */
static const double cost_stall = 4.5;   /* a row in place: its first load waits for the masked store
                                           that ends where it begins */
static const double cost_idle = 8;      /* a row of a long computation, whose last vector has lanes
                                           without work: for each ns of an element above light */

/* One long row (choose.c). Families: sweep, shape; forms_shape for rows in place. */
static const double cost_join = 130;          /* once */
static const double cost_chunk = 3.3;         /* of it */
static const double cost_joined_byte = 0.011; /* of the widest element */
static const double cost_copied = 0.1;        /* an element of an operand that every chunk shares */

/* Packing an operand by its pattern (pack.c). Families: sweep, shape. */
static const double cost_pattern = 110;           /* once */
static const double cost_pattern_element = 1.4;   /* of a period */
static const double cost_gathered_element = 0.25; /* moved alone */
static const double cost_gathered_group = 0.7;    /* a vector of them */

/* Sizes, in columns, rows or elements where nothing else is said. */
enum {
    /* Family: sweep; view for the third.
     * Rows that may be joined into longer ones: if none is in place; if one is, which stalls even
     * where rows are longer than a few vectors; if an operand must be packed in any case. */
    COST_SHORT_ROW = 64,
    COST_SHORT_ROW_IN_PLACE = 256,
    COST_SHORT_ROW_PACKED = 16,

    /* Family: shape.
     * One long row: elements and bytes of a chunk in a tensor, at most; and elements that are whole
     * cache lines, whatever their size. */
    COST_CHUNK = 2048,
    COST_CHUNK_BYTES = 8192,
    COST_WHOLE_LINES = 64,

    /* Family: view.
     * Blocks: elements of a block, enough to make up for a call of the code; a number of which the
     * columns of a block are a multiple; rows of a block where rows lie closer together than
     * columns: as many as share a cache line of f32. */
    COST_BLOCK = 1024,
    COST_BLOCK_COLUMNS = 64,
    COST_BLOCK_ROWS = 16,
    COST_SCRATCH_BYTES = 32 * 1024, /* of the L1 cache, for all packed tensors of a block */

    /* Family: sweep.
     * Which dimension serves as rows. It is another one than the innermost if that has fewer rows
     * than the first number, of fewer columns than the second. Up to COST_CACHED elements the walk
     * is in the L1 cache. Beyond, such an order reads again what repeats, and fetches lines again
     * that a row does not fill; so the numbers are smaller, and from COST_REORDERED on it never
     * pays. */
    COST_FEW_ROWS = 16,
    COST_FEW_ROWS_COLUMNS = 24,
    COST_CACHED = 4096,
    COST_FEW_ROWS_UNCACHED = 4,
    COST_FEW_ROWS_COLUMNS_UNCACHED = 16,
    COST_REORDERED = 32768,
};

#endif
