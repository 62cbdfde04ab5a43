/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Indices: an index is a tensor of the numbers 0, 1, 2, ... along its axes, and repeats along all
 * other dimensions. The whole process reads one array. The first call that needs it makes it; a
 * call that needs a longer one makes it again, twice as long. So parts, walks and code know an
 * index as a tensor like others. Only code that reduces along an index counts, and reads the first
 * number alone. */
#ifndef TOSAJIT_RUNTIME_CHECK_INDEX_H
#define TOSAJIT_RUNTIME_CHECK_INDEX_H

#include "runtime/check/overlap.h"

/* The views of a call's indices, whose operands are there already. The sizes lie in views behind
 * those of scratch. OVERFLOW: more numbers than an i32 has; OUT_OF_MEMORY. */
tosajit_status index_views(const callee *kernel, view *tensors);

/* OVERFLOW if a position that the part reduces to is none of i32: there are more elements in this
 * call, whose iteration space has these sizes. */
tosajit_status index_check(const tosajit_expr *program, const plan_part *part,
                           const int64_t *sizes);

#endif
