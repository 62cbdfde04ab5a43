/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elements of constants, as files have them. In: a type, or packed bytes; out: how many elements it
 * has, or these as the library keeps them. */
#ifndef TOSAJIT_TOOLS_TOSA_ELEMENTS_H
#define TOSAJIT_TOOLS_TOSA_ELEMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

enum { TOSA_I48_PACKED_SIZE = 6 };

/* Elements of a static type; false if beyond 2^63 - 1 bytes. */
bool tosa_count_elements(const tosajit_tensor_type *type, int64_t *count);
/* Six bytes, least significant first, sign-extended into eight. */
void tosa_unpack_i48(const void *packed, int64_t count, int64_t *values);

#endif
