/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Costs: every number that the choice of a way rests on (runtime/run/choose.c), in ns where nothing
 * else is said. `sh bench/costs/fit.sh` measures the ways, prints the table of `cost_of` for the
 * machine that it runs on, and says what choices by either table lose. This one is an AMD EPYC's of
 * the Zen 4 family, with AVX-512 and AVX2 at once. An estimate need be no better than the choices
 * that it makes. The other numbers are checked by
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

/* A cache line that an order of the walk brings to the L1 cache again. All orders of 2,500 patterns
 * of the sweep were measured: by this number the orders that are chosen lose least. Then the
 * estimate of other rows than the innermost ones is taken so many times. Family: sweep. */
static const double cost_line = 0.3, cost_reordered = 1.2;

/* What the estimates of two ways count: the walk as it is, and one long row (choose.c, pack.c). */
typedef enum cost_term {
    PER_CALL,             /* of the code */
    PER_PLANE,            /* of a call */
    PER_ROW,              /* of a plane */
    PER_VECTOR,           /* of a row, behind the first */
    PER_HALVED_ROW,       /* one shorter than a vector, where there are no masks */
    PER_JOIN,             /* one long row, once */
    PER_CHUNK,            /* of it */
    PER_JOINED_BYTE,      /* of the widest element */
    PER_PATTERN_ELEMENT,  /* of a packed operand's period */
    PER_GATHERED_ELEMENT, /* moved alone */
    PER_GATHERED_GROUP,   /* a vector of them */
    COST_TERMS
} cost_term;

/* What one of each costs: printed by `sh bench/costs/fit.sh`. */
static const double cost_of[COST_TERMS] = {
    [PER_CALL] = 11,
    [PER_PLANE] = 1.1,
    [PER_ROW] = 0.88,
    [PER_VECTOR] = 0.42,
    [PER_HALVED_ROW] = 1.3,
    [PER_JOIN] = 700,
    [PER_CHUNK] = 51,
    [PER_JOINED_BYTE] = 0.0006,
    [PER_PATTERN_ELEMENT] = 2.1,
    [PER_GATHERED_ELEMENT] = 0.25,
    [PER_GATHERED_GROUP] = 0.9,
};

/* Sizes, in columns, rows or elements where nothing else is said. */
enum {
    /* Family: sweep; view for the third.
     * Rows of fewer columns may be joined into longer ones; and those of at most so many where an
     * operand must be packed in any case. */
    COST_SHORT_ROW = 64,
    COST_SHORT_ROW_PACKED = 16,

    /* Family: forms_shape.
     * Rows in place that masks write: they are at least so many bytes apart from the row before,
     * and so many in a call, which the L1 cache holds with those between them. */
    COST_MASKED_BYTES = 64,
    COST_PHASE_ROWS = 64,

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
     * Orders: bytes of a cache line, and of a gap that hardly parts two runs; bytes that the L1
     * cache keeps, less what else it holds; dimensions that are tried as planes; and elements of a
     * walk beyond which no order pays, because what repeats is read again. */
    COST_LINE = 64,
    COST_GAP = 16,
    COST_KEPT_BYTES = 28 * 1024,
    COST_PLANES = 4,
    COST_REORDERED = 32768,
};

#endif
