/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views as TOSA's files write them: lists are shapes, which are operands, and a concatenation has
 * any number of tensors. In: a description whose front end has read constant shapes as attributes;
 * out: the library's attributes. For instance
 *
 *     %s = tosa.slice %x, %start, %size     operands 1 and 2 are attributes "start" and "size",
 *                                           and become ranges
 */
#ifndef TOSAJIT_TOOLS_TOSA_VIEW_FORM_H
#define TOSAJIT_TOOLS_TOSA_VIEW_FORM_H

#include <stdbool.h>

#include "tools/tosa/op.h"

/* True if the op is a view in TOSA's own form, and no tosa.custom. */
bool view_form_is(const tosa_op *op);
/* How many of the operands are shapes; of ops in another form none are. */
int view_form_shapes(const tosa_op *op);
/* True if the lists of an op are shapes in TOSA's own form, and no attributes. */
bool view_form_has_shapes(tosajit_op op);
/* The library's list for those of the description. The list refers to numbers, or to the
 * description. BAD_MODULE with the reason as the last error, the op's name in front. */
tosajit_status view_form_list(const tosa_op *op, int64_t numbers[TOSA_MOST_NUMBERS],
                              tosajit_attributes *attributes);

#endif
