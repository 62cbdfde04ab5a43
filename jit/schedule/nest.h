/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loop nest: all that is decided about the loops of a part, as a value. nest_make decides it, once,
 * from program, plan, CPU level and known sizes. The emitter walks it; explanations print it.
 *
 *     for each plane, for each row                   a call's tile; all dimensions are parallel
 *         compute what does not vary along columns
 *         one of the row loops below, by the number of columns n of the call
 *             for each level, from the widest step to the narrowest
 *                 load lanes, compute every node, store lanes
 *
 *     row loop       taken for      n = 21, vectors of 8 lanes, steps of 16
 *     -------------  -------------  -----------------------------------------------------------
 *     NEST_TAIL      any n          [0,16) [16,21): levels, then a tail: a mask, or a vector that
 *                                   overlaps the one before, [13,21)
 *     NEST_PEELED    n >= a vector  [0,8) ... [13,21): the first and the last vector are peeled;
 *                                   levels between them begin aligned, and overlap both
 *     NEST_MASKED    n <= a vector  one masked vector
 *     NEST_EXACT     n as known     for n = 32: [0,16) [16,32): steps without a loop
 *     NEST_MASKED_OR_PEELED    any n          masked or peeled, as each row asks
 *     NEST_HALVES    n < a vector   two overlapping vectors of 4, 2 or 1 lanes: [0,4) [n-4,n)
 *     NEST_STREAMED  results beyond as peeled, by whole cache lines that bypass the caches
 *                    the caches
 *     NEST_STREAMED_BLOCKS     results beyond, block by block: whole cache lines alone
 *     the columns are reduced; the loops follow each other:
 *     NEST_REDUCED_BRIEF       a few n, known: several rows at once, without a loop
 *     NEST_REDUCED_FOUND       n <= a step, of a position: the best element, then where it is
 *     NEST_REDUCED             any n: as NEST_TAIL, in segments; row by row
 *     the rows are reduced, at each step of columns all of them; the loops follow each other:
 *     NEST_REDUCED_NARROW      n <= a vector  one masked vector
 *     NEST_REDUCED_STRIPS      n > 4 steps    row by row, all steps of a strip of columns
 *     NEST_REDUCED_COLUMNS     any n          as NEST_TAIL, in segments
 *     NEST_REDUCED_FEW         any n          a few rows, known: without a loop
 *
 * What a part reduces is a dimension like the others, or some neighbours that are one here, but its
 * indices keep their order, and no other dimension is joined with it. */
#ifndef TOSAJIT_JIT_SCHEDULE_NEST_H
#define TOSAJIT_JIT_SCHEDULE_NEST_H

#include "jit/target/cpu.h"
#include "runtime/plan/plan.h"
#include "tosajit/inspect.h"

typedef enum nest_row {
    NEST_TAIL,
    NEST_PEELED,
    NEST_MASKED,
    NEST_EXACT,
    NEST_MASKED_OR_PEELED,
    NEST_HALVES,
    NEST_STREAMED,
    NEST_STREAMED_BLOCKS,
    NEST_REDUCED_BRIEF, /* this and those below reduce */
    NEST_REDUCED_FOUND,
    NEST_REDUCED,
    NEST_REDUCED_NARROW,
    NEST_REDUCED_STRIPS,
    NEST_REDUCED_COLUMNS,
    NEST_REDUCED_FEW,
} nest_row;

/* A loop over columns, in steps of `repeats` vectors of `lanes`, which LLVM may divide. */
typedef struct nest_level {
    unsigned lanes, repeats;
    bool masked; /* steps load and store by a mask, up to the last column */
    bool shared; /* the tail is a step like the others, which branches where it loads and stores */
    bool streamed; /* stores bypass the caches */
} nest_level;

enum {
    NEST_MAX_LEVELS = 3,
    NEST_MAX_ROWS = 3,
    NEST_TOGETHER_COLUMNS = 128, /* longer rows are folded one by one */
    NEST_MOST_TOGETHER = 16,     /* rows */
    NEST_STRIP_STEPS = 4,        /* rows of no more steps have their partial results in registers */
    NEST_NARROW_SIDE = 4,        /* segments side by side of NEST_REDUCED_NARROW */
    NEST_STRIP_ROWS = 4,         /* that are added to a strip at once, if ops are light */
};

typedef enum nest_place { NEST_REGISTERS, NEST_MEMORY } nest_place;

/* The form of a partial result: a value; the three values of a maximum or minimum
 * (jit/emit/extremes.c); or the elements themselves, in rows of one step, where the position of the
 * best is wanted. */
typedef enum nest_kept { NEST_VALUE, NEST_THREE, NEST_ELEMENTS } nest_kept;

/* The partial results of a reduction, in one of its loops.
 *
 *     loop               where                     count                  rows
 *     -----------------  ------------------------  ---------------------  --------------------
 *     BRIEF, FOUND,      registers; of rows that   steps that hold those  folded to a vector
 *     REDUCED            wait for others, memory   of a row               (jit/emit/fold.c)
 *     NARROW, COLUMNS,   registers                 segments of rows side  1
 *     FEW                                          by side
 *     STRIPS             memory                    columns                added at once, where no
 *                                                                         operand repeats
 */
typedef struct nest_accumulator {
    nest_place where;
    nest_kept kept;
    unsigned lanes; /* of a step */
    unsigned count, rows;
} nest_accumulator;

typedef struct nest {
    unsigned lanes;    /* of one vector */
    tosajit_tail tail; /* how a row that is no whole number of vectors ends */
    int level_count;
    nest_level levels[NEST_MAX_LEVELS];
    /* Row loops in the order in which they are asked; the last is for all that is left. Those that
     * are rare or short beside their code serve all variants at once. */
    int merged_count, row_count;
    nest_row merged[NEST_MAX_ROWS], rows[NEST_MAX_ROWS];
    nest_accumulator accumulators[NEST_MAX_ROWS]; /* of rows[k], if these reduce */
    bool fast_isel;                               /* the code is written for LLVM's FastISel */
    bool any_order;                               /* lanes of bf16 may be computed in any order */
} nest;

/* The machine that the code is for. */
typedef struct nest_target {
    const cpu_level *level;
    int64_t cache_bytes; /* results that are larger are stored past the caches; 0: none are */
} nest_target;

/* The nest of a part of a plan. */
nest nest_make(const plan *p, int32_t part, const tosajit_expr *program, nest_target target);

/* The parts whose rows are computed by a mask where they are shorter than a vector, as bits. */
uint64_t nest_masked(const plan *p, const tosajit_expr *program, nest_target target);

/* How many of the partial results along columns are more than their neutral element: where there
 * are few columns, the others change nothing. */
unsigned nest_partials(const plan_part *part);

/* Lanes of a step of the widest level. */
unsigned nest_step(const nest *n);

/* True if rows begin and end with a peeled vector. */
bool nest_is_peeled(const nest *n);

/* True if the loops reduce anything; and whether that is each row, along its columns. */
bool nest_reduces(const nest *n);
bool nest_reduces_rows(const nest *n);

/* How a row of so many columns ends. Peeled rows need a mask only where they are shorter than a
 * vector. */
tosajit_tail nest_tail_at(const nest *n, int64_t columns);

/* The leaves that are not read alike in all variants of a part: merged loops read these from
 * buffers. */
uint64_t nest_differing(const plan_part *part);

#endif
