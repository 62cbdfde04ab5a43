/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory, by the C library of Windows. Large pages are a right that hardly any user has there. */
#include "tools/python/array_pages.h"

#include <malloc.h>

void *array_pages_take(size_t alignment, size_t bytes, size_t more) {
    return _aligned_malloc(bytes + more, alignment);
}

void array_pages_give(void *data) { _aligned_free(data); }
