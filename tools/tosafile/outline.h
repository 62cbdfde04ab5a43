/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks of a new file. In: graphs of blocks; out: the same blocks, or those in which each region
 * is a call of a block of its own. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_OUTLINE_H
#define TOSAJIT_TOOLS_TOSAFILE_OUTLINE_H

#include "tools/tosa/outline.h"
#include "tools/tosafile/flatbuffer_write.h"
#include "tools/tosafile/graph.h"

/* How a block is divided; as in tosa_outline. */
typedef struct file_division {
    bool (*take)(void *context, const char *name, bool *free);
    void *context;
    tosa_report *report;
    tosajit_mlir_outlined *count;
    tosa_epilogues *epilogues;
} file_division;

/* Write the block as it is. False if out of memory. */
bool file_outline_keep(flat_writer *w, const file_graph *g);
/* Write the block with calls, and its regions behind. False if out of memory. */
bool file_outline_divide(flat_writer *w, const file_graph *g, const file_division *how);

#endif
