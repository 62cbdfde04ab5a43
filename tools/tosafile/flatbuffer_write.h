/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A flatbuffer of TOSA whose blocks are made of another one's. In: a file that is sound, and blocks
 * of its operators and of calls, one after the other; out: a file. Operators and tensors stay as
 * they are, with all that nobody here reads: the old file's bytes lie behind the new tables, which
 * point to them. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_FLATBUFFER_WRITE_H
#define TOSAJIT_TOOLS_TOSAFILE_FLATBUFFER_WRITE_H

#include "tools/tosafile/flatbuffer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flat_writer flat_writer;
typedef struct flat_part flat_part; /* a block that is being written */

/* Tensors by their numbers in the old block; shapes have those behind. Others are left out. */
typedef struct flat_numbers {
    const int32_t *list;
    size_t count;
} flat_numbers;

/* Null if out of memory, as of all that follow. */
flat_writer *flat_writer_open(const uint8_t *bytes, size_t size);
/* Blocks that are closed from now on are this region's. */
bool flat_writer_region(flat_writer *w, flat_text name);
/* The file, to be freed. The writer is gone in any case; without size there is no file. */
uint8_t *flat_writer_close(flat_writer *w, size_t *size);

/* A block of operators of another one, which is bound to be closed. */
flat_part *flat_part_open(flat_writer *w, const flat_block *from, flat_text name);
/* The next operator of the block, and the values that it names. */
bool flat_part_add(flat_part *p, int32_t op, flat_numbers inputs, flat_numbers outputs);
/* The next one stands for another block: CUSTOM, of the domain tosajit.region, with this name. */
bool flat_part_call(flat_part *p, const char *callee, flat_numbers inputs, flat_numbers outputs);
/* The block is the next one of the region, or alone in one of its name behind it. Without a writer
 * that goes on, as after an error, it is only gone. */
bool flat_part_close(flat_part *p, bool alone, flat_numbers inputs, flat_numbers outputs);

#ifdef __cplusplus
}
#endif
#endif
