/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A sorted list: whoever chooses names can make a hash table slow. */
#include "tools/tosafile/name_index.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right) {
    const name_entry *a = left, *b = right;
    const size_t least = a->name.length < b->name.length ? a->name.length : b->name.length;
    const int order = memcmp(a->name.bytes, b->name.bytes, least);
    return order ? order : (a->name.length > b->name.length) - (a->name.length < b->name.length);
}

const name_entry *name_index_sort(name_entry *entries, size_t count) {
    if (count > 0) qsort(entries, count, sizeof *entries, compare);
    for (size_t k = 1; k < count; k++)
        if (compare(&entries[k - 1], &entries[k]) == 0) return &entries[k];
    return NULL;
}

int32_t name_index_find(const name_entry *entries, size_t count, flat_text name) {
    const name_entry wanted = {.name = name};
    const name_entry *found =
        count > 0 ? bsearch(&wanted, entries, count, sizeof *entries, compare) : NULL;
    return found ? found->number : -1;
}
