/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The loops of a level of a CPU, SCAN_LEVEL, for all types in which elements are combined. The
 * order of integers changes no bit: they have one where it is quicker. */
#define SCAN_JOIN_(a, b, c) a##_##b##_##c
#define SCAN_JOIN(a, b, c) SCAN_JOIN_(a, b, c)
/* The number in all elements; a sum would turn -0 into 0. */
#define SCAN_ALL(vector, x) ((x) - (vector){0})
#define SCAN_NAME(loop) SCAN_JOIN(loop, SCAN_OF, SCAN_LEVEL)

/* Of a register of so many elements: what each is combined with in a step; its last. */
#define SCAN_STEP_1_2(x, none) __builtin_shufflevector(x, none, 2, 0)
#define SCAN_STEP_1_4(x, none) __builtin_shufflevector(x, none, 4, 0, 4, 2)
#define SCAN_STEP_2_4(x, none) __builtin_shufflevector(x, none, 4, 4, 1, 1)
#define SCAN_STEP_1_8(x, none) __builtin_shufflevector(x, none, 8, 0, 8, 2, 8, 4, 8, 6)
#define SCAN_STEP_2_8(x, none) __builtin_shufflevector(x, none, 8, 8, 1, 1, 8, 8, 5, 5)
#define SCAN_STEP_4_8(x, none) __builtin_shufflevector(x, none, 8, 8, 8, 8, 3, 3, 3, 3)
#define SCAN_LAST_2(x) __builtin_shufflevector(x, x, 1, 1)
#define SCAN_LAST_4(x) __builtin_shufflevector(x, x, 3, 3, 3, 3)
#define SCAN_LAST_8(x) __builtin_shufflevector(x, x, 7, 7, 7, 7, 7, 7, 7, 7)
#define SCAN_PICK_(a, per) a##_##per
#define SCAN_PICKED(a, per) SCAN_PICK_(a, per)
#define SCAN_PICK(a) SCAN_PICKED(a, SCAN_PER)

#define SCAN(a, b) ((a) + (b))
#define SCAN_ONE SCAN
#define SCAN_ORDERED 0
#define SCAN_STEPS SCAN_WIDE
#define SCAN_OF sum_u32
#define SCAN_TYPE uint32_t
#define SCAN_SIZE 4
#define SCAN_NEUTRAL 0
#include "runtime/tile/scan_loops.h"
#define SCAN_OF sum_u64
#define SCAN_TYPE uint64_t
#define SCAN_SIZE 8
#define SCAN_NEUTRAL 0
#include "runtime/tile/scan_loops.h"
#undef SCAN_ORDERED
#undef SCAN_STEPS
#define SCAN_ORDERED 1
#define SCAN_STEPS 1
#define SCAN_OF sum_f32
#define SCAN_TYPE float
#define SCAN_SIZE 4
#define SCAN_NEUTRAL -0.0f
#include "runtime/tile/scan_loops.h"
#define SCAN_OF sum_f64
#define SCAN_TYPE double
#define SCAN_SIZE 8
#define SCAN_NEUTRAL -0.0
#include "runtime/tile/scan_loops.h"
#undef SCAN

#define SCAN(a, b) ((a) * (b))
#define SCAN_OF product_f32
#define SCAN_TYPE float
#define SCAN_SIZE 4
#define SCAN_NEUTRAL 1
#include "runtime/tile/scan_loops.h"
#define SCAN_OF product_f64
#define SCAN_TYPE double
#define SCAN_SIZE 8
#define SCAN_NEUTRAL 1
#include "runtime/tile/scan_loops.h"
#undef SCAN_ORDERED
#undef SCAN_STEPS
#define SCAN_ORDERED 0
#define SCAN_STEPS 0
#define SCAN_OF product_u32
#define SCAN_TYPE uint32_t
#define SCAN_SIZE 4
#define SCAN_NEUTRAL 1
#include "runtime/tile/scan_loops.h"
#define SCAN_OF product_u64
#define SCAN_TYPE uint64_t
#define SCAN_SIZE 8
#define SCAN_NEUTRAL 1
#include "runtime/tile/scan_loops.h"
#undef SCAN
#undef SCAN_ONE
#undef SCAN_STEPS

#define SCAN(a, b) (((a) & ((a) > (b))) | ((b) & ~((a) > (b))))
#define SCAN_ONE(a, b) ((a) > (b) ? (a) : (b))
#define SCAN_STEPS SCAN_WIDE
#define SCAN_OF greatest_i32
#define SCAN_TYPE int32_t
#define SCAN_SIZE 4
#define SCAN_NEUTRAL INT32_MIN
#include "runtime/tile/scan_loops.h"
#define SCAN_OF greatest_i64
#define SCAN_TYPE int64_t
#define SCAN_SIZE 8
#define SCAN_NEUTRAL INT64_MIN
#include "runtime/tile/scan_loops.h"
#undef SCAN
#undef SCAN_ONE
#undef SCAN_STEPS
#undef SCAN_ORDERED

#define SCAN_LOOPS(of)                                                                             \
    { SCAN_JOIN(line, of, SCAN_LEVEL), SCAN_JOIN(lines, of, SCAN_LEVEL) }
static const scan_loops SCAN_JOIN(loops, of, SCAN_LEVEL)[] = {
    SCAN_LOOPS(sum_u32),      SCAN_LOOPS(sum_u64),     SCAN_LOOPS(sum_f32),
    SCAN_LOOPS(sum_f64),      SCAN_LOOPS(product_u32), SCAN_LOOPS(product_u64),
    SCAN_LOOPS(product_f32),  SCAN_LOOPS(product_f64), SCAN_LOOPS(greatest_i32),
    SCAN_LOOPS(greatest_i64),
};

#undef SCAN_JOIN_
#undef SCAN_JOIN
#undef SCAN_ALL
#undef SCAN_NAME
#undef SCAN_LOOPS
#undef SCAN_LEVEL
#undef SCAN_WIDE
#undef SCAN_REGISTER
#undef SCAN_STEP_1_2
#undef SCAN_STEP_1_4
#undef SCAN_STEP_2_4
#undef SCAN_STEP_1_8
#undef SCAN_STEP_2_8
#undef SCAN_STEP_4_8
#undef SCAN_LAST_2
#undef SCAN_LAST_4
#undef SCAN_LAST_8
#undef SCAN_PICK_
#undef SCAN_PICKED
#undef SCAN_PICK
#undef SCAN_TARGET
