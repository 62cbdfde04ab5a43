/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gather: elements at places that are computed, or another operand. r = a[b] has at each of its
 * elements the one of a whose first index is b's element; a's other dimensions broadcast with b:
 *
 *     a: 8000x64 seen as 8000x1x64, b: 5x1          r: 5x64, rows of a table
 *     a: 4096, b: 5x7                               r: 5x7, single elements
 *     a: 6x8 seen as 8x6x1 (transposed), b: 6x3     r: 6x3, of each row those of its own index
 *
 * Which axis is indexed, and where its place is in the result, is said by views of a. What gather
 * reads lies in memory: a is an operand or constant, and b is one, or was computed before. So it is
 * a part of its own (runtime/plan/assign.c), which moves bytes and needs no code
 * (runtime/tile/gather.h); parts that compute read it from scratch, block by block. */
#ifndef TOSAJIT_RUNTIME_EXPR_GATHER_H
#define TOSAJIT_RUNTIME_EXPR_GATHER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tosajit/tosajit.h"

/* True if some indices of this mode are errors. */
static inline bool gather_may_fail(tosajit_index_mode mode) {
    return mode == TOSAJIT_INDEX_STRICT || mode == TOSAJIT_INDEX_SIGNED;
}

/* The index of i32 or i64 that lies there, at any address, as operands may. */
static inline int64_t gather_index(tosajit_type type, const char *at) {
    int32_t narrow;
    int64_t wide;
    if (type == TOSAJIT_I32) return memcpy(&narrow, at, sizeof narrow), narrow;
    return memcpy(&wide, at, sizeof wide), wide;
}

/* True if an index is an error. */
static inline bool gather_is_wrong(tosajit_index_mode mode, int64_t index, int64_t count) {
    return gather_may_fail(mode) &&
           (index >= count || index < (mode == TOSAJIT_INDEX_SIGNED ? -count : 0));
}

/* Where an index is among `count` elements, of which there is at least one. An index that is an
 * error has the first place: it was checked before, but another thread may write it meanwhile. */
static inline int64_t gather_place(tosajit_index_mode mode, int64_t index, int64_t count) {
    if (mode == TOSAJIT_INDEX_STRICT || mode == TOSAJIT_INDEX_SIGNED) {
        const int64_t place = index < 0 ? index + count : index;
        return (uint64_t)place < (uint64_t)count ? place : 0;
    }
    if (mode == TOSAJIT_INDEX_CLIP) return index < 0 ? 0 : index < count ? index : count - 1;
    const int64_t rest = index % count;
    return rest < 0 ? rest + count : rest;
}

#endif
