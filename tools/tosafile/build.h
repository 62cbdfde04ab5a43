/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a block to an expression. In: the graph of a block, or some of its operators; out: a
 * tosajit_expr, every op verified by the library. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_BUILD_H
#define TOSAJIT_TOOLS_TOSAFILE_BUILD_H

#include "tools/tosa/function.h"
#include "tools/tosafile/report.h"

/* What of a block: operators in an order in which each stands behind what it reads, the values that
 * come from elsewhere, and those that are wanted, by number. */
typedef struct file_part {
    const int32_t *operators, *inputs, *outputs;
    size_t operator_count, input_count, output_count;
    tosajit_value *values; /* FILE_UNDEFINED for each tensor, before and after; null: made for it */
} file_part;

enum { FILE_UNDEFINED = -2 };

/* The whole block with its inputs and outputs. False after an error has been reported; then built
 * holds nothing. options may be null. */
bool file_build(const file_graph *g, const tosajit_expr_options *options, file_report *report,
                tosa_function *built);
/* The same for a part. */
bool file_build_part(const file_graph *g, const file_part *part,
                     const tosajit_expr_options *options, file_report *report,
                     tosa_function *built);

#endif
