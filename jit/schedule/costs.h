/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Costs: the constants by which loops are chosen, measured on Zen 4 and Zen 5. Those of calls are
 * in runtime/plan/costs.h. For another CPU, change one here and compare `tosajit-bench --table`
 * before and after; what each decides, and the family of benchmarks that shows it: */
#ifndef TOSAJIT_JIT_SCHEDULE_COSTS_H
#define TOSAJIT_JIT_SCHEDULE_COSTS_H

enum {
    /* Rows are peeled, and a step has four vectors, only of few ops: these are bound by memory, and
     * larger bodies fill the pipeline with fewer vectors. add, layer_norm_tail */
    COST_PEELED_OPS = 12,
    COST_FOUR_VECTORS_OPS = 8,
    /* Beyond these a step has one vector: registers spill. Each op of a chain waits for the one
     * before, so that longer ones need a second vector, too; many operands spill with it. chain */
    COST_TWO_VECTORS_HEAVY = 16,
    COST_TWO_VECTORS_LIGHT = 96,
    COST_TWO_VECTORS_LIGHT_MANY_LEAVES = 24,
    COST_MANY_LEAVES = 8,
    /* Four vectors are packed to one of bytes, beside a few ops as `rescale` is one. int8 */
    COST_PACKED_HEAVY = 4,
    /* FastISel schedules nothing: more than a dozen ops want that. Ops of a
     * few instructions gain some by it, which one or two of them feel. compile, add */
    COST_FAST_ISEL_OPS = 12,
    COST_FAST_ISEL_CHAIN = 3,
    /* Bytes of a tile and of a row, from which stores bypass the caches. stream */
    COST_STREAMED_TILE = 1 << 20,
    COST_STREAMED_ROW = 4096,
    COST_LINE_BYTES = 64,     /* of a cache line */
    COST_LEAST_REGISTER = 16, /* bytes that are stored at once */
};

#endif
