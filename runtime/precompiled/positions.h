/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Positions of maxima and minima, of lines of elements. */
#ifndef TOSAJIT_RUNTIME_PRECOMPILED_POSITIONS_H
#define TOSAJIT_RUNTIME_PRECOMPILED_POSITIONS_H

#include "runtime/expr/expr.h"

/* The best elements so far, and where they were: of one line, or one of each. */
typedef struct position_line {
    void *best;
    int32_t *places;
    bool is_one;
} position_line;

typedef struct position_kind position_kind;
/* `count` elements, `step` bytes apart: of one line, the first at `place`; or of each, at it. */
typedef void position_take(const position_kind *k, position_line to, const char *from, int64_t step,
                           int64_t count, int64_t place);
struct position_kind {
    position_take *take; /* null: the node is no position */
    bool greatest, nan_wins;
};

/* Of a position, whose elements are compared as this type. */
position_kind position_kind_of(const expr_node *node, tosajit_type type);

#endif
