/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks of a new file. In: graphs of blocks; out: the same blocks, or those in which each region
 * is a call of a block of its own. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_OUTLINE_H
#define TOSAJIT_TOOLS_TOSAFILE_OUTLINE_H

#include "tools/tosa/outline.h"
#include "tools/tosafile/flatbuffer_write.h"
#include "tools/tosafile/graph.h"

/* Parts of a new file, and what they consist of. */
typedef struct file_outline {
    flat_part *parts;
    size_t count, capacity;
    void **owned;
    size_t owned_count, owned_capacity;
} file_outline;

/* How a block is divided; as in tosa_outline. */
typedef struct file_division {
    bool (*take)(void *context, const char *name, bool *free);
    void *context;
    tosa_report *report;
    tosajit_mlir_outlined *count;
    tosa_epilogues *epilogues;
} file_division;

/* Add the block as it is; region as in flat_part. False if out of memory. */
bool file_outline_keep(file_outline *o, const file_graph *g, flat_text region);
/* Add the block with calls, and put its regions into behind. False if out of memory. */
bool file_outline_divide(file_outline *o, file_outline *behind, const file_graph *g,
                         flat_text region, const file_division *how);
/* Add the parts of another one, which becomes empty. */
bool file_outline_append(file_outline *o, file_outline *from);
void file_outline_release(file_outline *o);

#endif
