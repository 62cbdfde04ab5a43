/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Planes of a program: rescaled sums of two values of i8, as residual connections have them.
 *
 *     %a = rescale %x : i8 -> i32
 *     %b = rescale %y : i8 -> i32
 *     %s = add %a, %b
 *     %r = rescale %s : i32 -> i8
 *
 * %r has 65536 results. Where it is known to be a plane (jit/facts/plane.h), it takes two products
 * of 16 bits and a shift, and nothing else needs %a, %b and %s. */
#ifndef TOSAJIT_JIT_FACTS_SUMS_H
#define TOSAJIT_JIT_FACTS_SUMS_H

#include "jit/facts/range.h"
#include "jit/facts/plane.h"

typedef struct sum_plane {
    bool is_plane;
    byte_plane plane;
    tosajit_value bytes[2]; /* x and y */
    tosajit_value only_for; /* of a node that only a plane needs: that plane; else -1 */
    tosajit_value user;     /* the node that alone needs this one; negative if none, or more */
} sum_plane;

/* Of every node. */
void find_planes(const tosajit_expr *program, const range *ranges, sum_plane *planes);

#endif
