/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of a file. In: texts with numbers; out: the number of a text. Time does not depend on what
 * the texts are. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_NAME_INDEX_H
#define TOSAJIT_TOOLS_TOSAFILE_NAME_INDEX_H

#include <stdint.h>

#include "tools/tosafile/flatbuffer.h"

typedef struct name_entry {
    flat_text name;
    int32_t number;
} name_entry;

/* Sort entries, which is to be done before they are searched. An entry whose name another one has,
 * too; null where all differ. */
const name_entry *name_index_sort(name_entry *entries, size_t count);
/* -1 if there is no such name. */
int32_t name_index_find(const name_entry *entries, size_t count, flat_text name);

#endif
