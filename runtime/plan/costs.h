/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Costs: every number that the choice of a strategy rests on (runtime/tile/choose.c), in ns where
 * nothing else is said. `sh bench/costs/fit.sh` measures the strategies, prints the table of
 * `cost_of` for the machine that it runs on, and says what choices by either table lose. This one
 * is an AMD EPYC's of the Zen 4 family, with AVX-512 and AVX2 at once; leaps are Zen 5's. An
 * estimate need be no better than the choices that it makes. The other numbers are checked by
 *
 *     build/bench/tosajit-bench --table --benchmark_filter='^FAMILY/'
 *
 * with the family that stands beside each group. Where a case is slower than its loop in C, or than
 * a like case whose explanation (tosajit explain) has another strategy, a number of the group is
 * wrong.
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

/* Precompiled ops, beside what the same part costs as code of its own: an element of an
 * instruction, by way of the L1 cache, and a row that is summed alone, whatever its length. Who
 * has much to compute asks whether compiling takes less. */
static const double cost_instruction = 0.5, cost_summed_row = 330;

/* Terms of the estimates of two strategies: direct, and collapsed (choose.c, pack.c). */
typedef enum cost_term {
    PER_CALL,             /* of the code */
    PER_PLANE,            /* of a call */
    PER_ROW,              /* of a plane */
    PER_VECTOR,           /* of a row, 64 bytes, behind the first */
    PER_HALVED_ROW,       /* one of less than half a vector, where there are no masks */
    PER_IDLE_NS,          /* that lanes without work take in a long computation */
    PER_LEAP,             /* line of a row that is not an innermost one, beyond the L1 cache */
    PER_CHUNK,            /* of one long row and a tensor */
    PER_PATTERN_ELEMENT,  /* of a packed operand's period */
    PER_GATHERED_ELEMENT, /* moved alone */
    PER_GATHERED_GROUP,   /* a vector of them */
    COST_TERMS
} cost_term;

/* The cost of each: near what `sh bench/costs/fit.sh` prints. Of several such tables this one
 * loses least by its choices, apart and in place, of 2,000 elements and of 200,000. */
static const double cost_of[COST_TERMS] = {
    [PER_CALL] = 12,
    [PER_PLANE] = 0.83,
    [PER_ROW] = 0.92,
    [PER_VECTOR] = 0.75,
    [PER_HALVED_ROW] = 1.5,
    [PER_IDLE_NS] = 1,
    [PER_LEAP] = 0.1,
    [PER_CHUNK] = 40,
    [PER_PATTERN_ELEMENT] = 2.5,
    [PER_GATHERED_ELEMENT] = 0.16,
    [PER_GATHERED_GROUP] = 0.75,
};

/* One long row takes a chunk and a pattern, so it is not weighed against less. */
static const double cost_collapse = 240;

/* Sizes, in columns, rows or elements where nothing else is said. */
enum {
    /* Family: sweep; view for the third.
     * Rows of fewer columns may be collapsed into longer ones; and those of at most so many where
     * an operand must be packed in any case. */
    COST_SHORT_ROW = 64,
    COST_SHORT_ROW_PACKED = 16,

    /* Family: shape.
     * One long row: bytes of a chunk in a tensor, at most. */
    COST_CHUNK_BYTES = 8192,

    /* Family: view.
     * Packed: elements of a tile, enough to make up for a call of the code. Columns of a tile are a
     * multiple of the second number. The third is rows of a tile where rows lie closer together
     * than columns: as many as share a cache line of f32. */
    COST_BLOCK = 1024,
    COST_BLOCK_COLUMNS = 64,
    COST_BLOCK_ROWS = 16,
    COST_SCRATCH_BYTES = 32 * 1024, /* of the L1 cache, for all packed tensors of a tile */

    /* Family: sweep; forms_shape.
     * Bytes of a cache line, and of the widest vector; of a small L1 cache; and between rows so far
     * apart that memory's own order is the only one. */
    COST_LINE = 64,
    COST_L1_BYTES = 32 * 1024,
    COST_FAR_BYTES = 2048,
};

#endif
