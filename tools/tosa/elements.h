/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elements of constants, as files have them. In: a type, or packed bytes; out: how many elements it
 * has, or these as the library keeps them. */
#ifndef TOSAJIT_TOOLS_TOSA_ELEMENTS_H
#define TOSAJIT_TOOLS_TOSA_ELEMENTS_H

#include "tools/tosa/graph.h"

enum { TOSA_I48_PACKED_SIZE = 6 };

/* How many elements a constant of that type has; else why there is no such constant. */
tosajit_status tosa_count_constant(const tosajit_tensor_type *type, int64_t *count,
                                   char why[TOSA_WHY]);
/* As many elements as are stored, the last one again up to count; i1 becomes 0 or 1. packed: i48
 * has six bytes, least significant first. To be freed; null if out of memory. */
void *tosa_copy_elements(tosajit_type element, const void *bytes, int64_t stored, bool packed,
                         int64_t count);

#endif
