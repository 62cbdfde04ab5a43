/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lookup tables: what of a program depends on one byte and gives a byte, i8 or f8, has 256
 * results. Where looking these up is quicker than computing them, the op `table` takes the place of
 * such a part:
 *
 *     %1 = cast %x : i8 -> f32
 *     %2 = mul %1, 0.05
 *     %3 = sigmoid %2               becomes      %t = const : tensor<256xi8>
 *     %4 = mul %3, 127.0                         %5 = table %x, %t
 *     %5 = cast %4 : f32 -> i8
 *
 * What depends on one i1 has two results, of any type, and becomes a `select` between them. The
 * interpreter computes the entries, so no bit changes. */
#ifndef TOSAJIT_JIT_LOOKUP_TABLES_H
#define TOSAJIT_JIT_LOOKUP_TABLES_H

#include "runtime/expr/passes.h"

/* The pass: of a program all of whose values are needed. OUT_OF_MEMORY. */
tosajit_status lookup_tables(program_made *made, bool *changed);

#endif
