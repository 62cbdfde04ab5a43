/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Costs: the constants by which loops are chosen, measured on Zen 4 and Zen 5. Those of calls are
 * in runtime/plan/costs.h. `sh bench/costs/fit_loops.sh` tries the half and the double of each on
 * another CPU; in brackets is the benchmark that shows it. */
#ifndef TOSAJIT_JIT_SCHEDULE_COSTS_H
#define TOSAJIT_JIT_SCHEDULE_COSTS_H

enum {
    /* Rows are peeled, and a step has four vectors, only of few ops: these are bound by memory, and
     * larger bodies fill the pipeline with fewer vectors. */
    COST_PEELED_OPS = 12,      /* [chain/layer_norm_tail] */
    COST_FOUR_VECTORS_OPS = 8, /* [chain/layer_norm_tail] */
    /* Beyond these a step has one vector: registers spill. Each op of a chain waits for the one
     * before, so that longer ones need a second vector, too; many operands spill with it. */
    COST_TWO_VECTORS_HEAVY = 16,             /* [chain/gelu] */
    COST_TWO_VECTORS_LIGHT = 96,             /* [chain/ten_ops] */
    COST_TWO_VECTORS_LIGHT_MANY_LEAVES = 24, /* [chain/ten_ops] */
    COST_MANY_LEAVES = 8,                    /* [chain/ten_ops] */
    /* Four vectors are packed to one of bytes, beside a few ops as `rescale` is one. */
    COST_PACKED_HEAVY = 4, /* [int8/] */
    /* And behind so many ops of f32, of which four vectors leave registers for constants. */
    COST_PACKED_LIGHT = 24, /* [int8/quantised_sum] */
    /* FastISel schedules nothing, and more than a dozen ops need a schedule. Ops of a few
     * instructions gain a little by one, which matters where there are one or two of them. */
    COST_FAST_ISEL_OPS = 12,  /* [chain/bias_clamp] */
    COST_FAST_ISEL_CHAIN = 3, /* [chain/bias_clamp] */
    /* Steps of a row that has no loop. */
    COST_EXACT_STEPS = 2, /* [bench/rows.py rope] */
    /* Segments of rows that are reduced side by side, of few ops. */
    COST_SIDE = 8,       /* [bench/rows.py sum_outer] */
    COST_SIDE_LIGHT = 2, /* [bench/rows.py sum_outer] */
    /* Vectors of rows that are folded together, if a fold is long. */
    COST_TOGETHER_VECTORS = 6, /* [bench/rows.py max_inner] */
    /* Elements along an axis that have no loop, and the ops of one. */
    COST_UNROLLED = 16,      /* [bench/rows.py sum_inner] */
    COST_UNROLLED_LIGHT = 2, /* [bench/rows.py sum_inner] */
    /* Bytes of the partial results that lie side by side in memory. */
    COST_STRIP = 4096, /* [bench/rows.py sum_outer] */
    /* Bytes of an operand from which the next row is prefetched: more than an L2 cache has. */
    COST_STRIP_FAR = 2 << 20, /* [bench/rows.py sum_outer] */
    /* Vectors of a step of a row whose greatest element's position is wanted. */
    COST_POSITION_VECTORS = 4, /* [bench/rows.py argmax_inner] */
    /* Ops before a maximum that is kept as three values, beside which these have registers. */
    COST_IN_THREE_LIGHT = 4, /* [bench/rows.py] */
    /* Bytes of a tile and of a row, from which stores bypass the caches. */
    COST_STREAMED_TILE = 1 << 20, /* [add/same] */
    COST_STREAMED_ROW = 4096,     /* [add/row] */
};

/* Of every CPU that code is made for, so nothing to fit. */
enum { COST_LINE_BYTES = 64 /* of a cache line */, COST_LEAST_REGISTER = 16 /* stored at once */ };

#endif
