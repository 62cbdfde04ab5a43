/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory, by POSIX and Linux. */
#define _DEFAULT_SOURCE /* posix_memalign, madvise */
#include "tools/python/array_pages.h"

#include <stdlib.h>
#include <sys/mman.h>

void *array_pages_take(size_t alignment, size_t bytes, size_t more) {
    void *data;
    if (posix_memalign(&data, alignment, bytes + more)) return NULL;
    if (alignment == ARRAY_HUGE_PAGE) madvise(data, bytes, MADV_HUGEPAGE);
    return data;
}

void array_pages_give(void *data) { free(data); }
