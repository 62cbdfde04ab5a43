/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outlining: blocks are divided into what the library computes and the rest. In: graphs of blocks;
 * out: blocks in which each region is a call of a block of its own. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_OUTLINE_H
#define TOSAJIT_TOOLS_TOSAFILE_OUTLINE_H

#include "tools/tosa/epilogue.h"
#include "tools/tosafile/flatbuffer_write.h"
#include "tools/tosafile/report.h"

/* Parts of a new file, and what they consist of. */
typedef struct file_outline {
    flat_part *parts;
    size_t count, capacity;
    void **owned;
    size_t owned_count, owned_capacity;
} file_outline;

/* Add the block as it is; region as in flat_part. False if out of memory. */
bool file_outline_keep(file_outline *o, const file_graph *g, flat_text region);
/* Add the block with calls, and put its regions into behind, named after it: whoever has the names
 * of all blocks says whether one is taken. Each operator that is left is a remark. Epilogues are
 * added to their list, which may be null. False if out of memory. */
bool file_outline_divide(file_outline *o, file_outline *behind, const file_graph *g,
                         flat_text region, bool (*taken)(void *context, const char *name),
                         void *context, file_report *report, tosajit_mlir_outlined *count,
                         tosa_epilogues *epilogues);
/* Add the parts of another one, which becomes empty. */
bool file_outline_append(file_outline *o, file_outline *from);
void file_outline_release(file_outline *o);

#endif
