/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shape cases: see shape_cases.h. */
#include "bench/shape_cases.h"

#include <math.h>
#include <string.h>

#define ADD(sizes_a, sizes_b, ...) .op = TOSAJIT_OP_add, .dims = {sizes_a, sizes_b}, __VA_ARGS__
#define SIZES(...)                                                                                 \
    { __VA_ARGS__ }
#define SQUARE(n) SIZES(1, 1, n, n)
/* A view in four sizes: L2, L3, rows that are no multiple of a block or a page, short rows. */
#define VIEWS(view_name, operation, kind, ...)                                                     \
    {"view", view_name "/64K", operation, {SQUARE(256), SQUARE(256)}, kind, __VA_ARGS__},          \
        {"view", view_name "/1M", operation, {SQUARE(1024), SQUARE(1024)}, kind, __VA_ARGS__},     \
        {"view",    view_name "/1000x1030",                                                        \
         operation, {SIZES(1, 1, 1000, 1030), SIZES(1, 1, 1000, 1030)},                            \
         kind,      __VA_ARGS__},                                                                  \
    {                                                                                              \
        "view", view_name "/2048x7", operation, {SIZES(1, 1, 2048, 7), SIZES(1, 1, 2048, 7)},      \
            kind, __VA_ARGS__                                                                      \
    }

const shape_case shape_cases[] = {
    {"shape", "channel_8x64x56x56",
     ADD(SIZES(8, 64, 56, 56), SIZES(1, 64, 1, 1), .copy = peer_add_scalar)},
    {"shape", "two_sided_8x64x56x56", .op = TOSAJIT_OP_mul, .dims = {{8, 1, 56, 1}, {1, 64, 1, 56}},
     .copy = peer_fill},
    {"shape", "Nx1_and_Nx3",
     ADD(SIZES(1, 1, 21845, 1), SIZES(1, 1, 21845, 3), .copy = peer_add_scalar)},
    {"shape", "1x3_and_Nx3",
     ADD(SIZES(1, 1, 1, 3), SIZES(1, 1, 21845, 3), .copy = peer_add_scalar)},
    {"shape", "3x5x7x1_and_1x5x1x11",
     ADD(SIZES(3, 5, 7, 1), SIZES(1, 5, 1, 11), .copy = peer_fill)},
    {"shape", "same_64M",
     ADD(SQUARE(8192), SQUARE(8192), .loop = peer_add_same, .copy = peer_copy_same)},
    {"shape", "in_place_4K",
     ADD(SQUARE(64), SQUARE(64), .in_place = true, .loop = peer_add_in_place)},
    {"shape", "in_place_64K",
     ADD(SQUARE(256), SQUARE(256), .in_place = true, .loop = peer_add_in_place)},
    {"shape", "in_place_1M",
     ADD(SQUARE(1024), SQUARE(1024), .in_place = true, .loop = peer_add_in_place)},
    {"shape", "in_place_16M",
     ADD(SQUARE(4096), SQUARE(4096), .in_place = true, .loop = peer_add_in_place)},
    VIEWS("transposed_abs", TOSAJIT_OP_abs, VIEW_TRANSPOSED, .loop = peer_abs_transposed,
          .blocked = peer_copy_transposed_blocked),
    VIEWS("transposed_add", TOSAJIT_OP_add, VIEW_TRANSPOSED, .loop = peer_add_transposed,
          .blocked = peer_add_transposed_blocked),
    VIEWS("every_second_abs", TOSAJIT_OP_abs, VIEW_SECOND, .loop = peer_abs_second,
          .blocked = peer_copy_second),
    VIEWS("left_half_add", TOSAJIT_OP_add, VIEW_WIDE, .loop = peer_add_wide,
          .blocked = peer_copy_wide),
};
const int shape_case_count = sizeof shape_cases / sizeof *shape_cases;

shape_layout shape_layout_of(const shape_case *s) {
    enum { LAST = SHAPE_RANK - 1 };
    shape_layout l = {.operand_count = s->op == TOSAJIT_OP_abs ? 1 : 2, .count = 1};
    const int64_t element = sizeof(float);
    for (int d = 0; d < SHAPE_RANK; d++) {
        l.sizes[d] = s->dims[0][d] == 1 ? s->dims[1][d] : s->dims[0][d];
        l.count *= l.sizes[d];
    }
    l.bytes = l.count * element;
    for (int k = 0; k < 2; k++) {
        int64_t stride = element;
        for (int d = SHAPE_RANK; d-- > 0; stride *= s->dims[k][d])
            l.strides[k][d] = s->dims[k][d] == 1 ? 0 : stride;
        if (k < l.operand_count) l.bytes += stride;
    }
    if (s->seen != VIEW_DENSE) {
        l.strides[0][LAST - 1] = s->seen == VIEW_TRANSPOSED ? element : 2 * element * l.sizes[LAST];
        l.strides[0][LAST] = s->seen == VIEW_TRANSPOSED ? element * l.sizes[LAST - 1]
                             : s->seen == VIEW_SECOND   ? 2 * element
                                                        : element;
    }
    for (int d = 0; d < SHAPE_RANK; d++) {
        l.nest.sizes[d] = l.sizes[d];
        for (int k = 0; k < 2; k++) l.nest.strides[k][d] = l.strides[k][d] / element;
    }
    return l;
}

void *shape_memory(int64_t count, int index) {
    if (count > BUFFER_MAX_F32) return buffer_large(index);
    return index < 2 ? buffer_operand(TOSAJIT_F32, index) : buffer_result(0);
}

static float value_at(const void *tensor, const int64_t *strides, const int64_t *index) {
    float value;
    const char *at = tensor;
    for (int d = 0; d < SHAPE_RANK; d++) at += index[d] * strides[d];
    memcpy(&value, at, sizeof value);
    return value;
}

bool shape_agrees(const shape_case *s, const shape_layout *l, void *const *operands,
                  const void *result, const int64_t *strides) {
    int64_t index[SHAPE_RANK] = {0};
    for (int64_t k = 0; k < l->count; k++) {
        float a = value_at(operands[0], l->strides[0], index),
              b = value_at(operands[1], l->strides[1], index);
        float expected = s->op == TOSAJIT_OP_abs   ? fabsf(a)
                         : s->op == TOSAJIT_OP_mul ? a * b
                                                   : a + b;
        if (value_at(result, strides, index) != expected) return false;
        for (int d = SHAPE_RANK; d-- > 0 && ++index[d] == l->sizes[d];) index[d] = 0;
    }
    return true;
}
