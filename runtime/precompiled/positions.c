/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Positions of maxima and minima, by code of the library itself: a better element takes the place
 * of the one before. Elements come in their order, so of equals the first one stays. */
#include "runtime/precompiled/positions.h"

#include <string.h>

#include "runtime/base/types.h"

/* A NaN is better than numbers, or numbers than it; of integers nothing is one. */
#define IS_NAN(x) ((x) != (x))
#define IS_BETTER(x, y, greatest, nan_wins)                                                        \
    ((greatest ? (x) > (y) : (x) < (y)) ||                                                         \
     (nan_wins ? IS_NAN(x) && !IS_NAN(y) : IS_NAN(y) && !IS_NAN(x)))

/* `count` elements, `step` bytes apart, of one line or each of its own: then `next` is 1, and of
 * one line the places are. */
#define TAKE(name, type)                                                                           \
    static void take_##name(const position_kind *k, position_line to, const char *from,            \
                            int64_t step, int64_t count, int64_t place) {                          \
        type *best = (type *)to.best;                                                              \
        const int64_t next = to.is_one ? 0 : 1;                                                    \
        for (int64_t i = 0; i < count; i++) {                                                      \
            type x;                                                                                \
            memcpy(&x, from + i * step, sizeof x);                                                 \
            if (!IS_BETTER(x, best[i * next], k->greatest, k->nan_wins)) continue;                 \
            best[i * next] = x;                                                                    \
            to.places[i * next] = (int32_t)(place + i * (1 - next));                               \
        }                                                                                          \
    }
TAKE(i8, int8_t)
TAKE(i16, int16_t)
TAKE(i32, int32_t)
TAKE(i64, int64_t)
TAKE(u8, uint8_t)
TAKE(u16, uint16_t)
TAKE(u32, uint32_t)
TAKE(u64, uint64_t)
TAKE(f32, float)
TAKE(f64, double)

position_kind position_kind_of(const expr_node *node, tosajit_type type) {
    static position_take *const takes[] = {
        [TOSAJIT_I8] = take_i8,   [TOSAJIT_I16] = take_i16, [TOSAJIT_I32] = take_i32,
        [TOSAJIT_I64] = take_i64, [TOSAJIT_U8] = take_u8,   [TOSAJIT_U16] = take_u16,
        [TOSAJIT_U32] = take_u32, [TOSAJIT_U64] = take_u64, [TOSAJIT_F32] = take_f32,
        [TOSAJIT_F64] = take_f64};
    const bool known = (size_t)type < sizeof takes / sizeof *takes;
    return (position_kind){known ? takes[type] : NULL, node->op == TOSAJIT_OP_argmax,
                           node->attributes.nan_mode == TOSAJIT_NAN_PROPAGATE};
}
