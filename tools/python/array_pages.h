/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory with an alignment. */
#ifndef TOSAJIT_TOOLS_PYTHON_ARRAY_PAGES_H
#define TOSAJIT_TOOLS_PYTHON_ARRAY_PAGES_H

#include <stddef.h>

enum { ARRAY_HUGE_PAGE = 1 << 21 };

/* So many bytes that the alignment divides, and more behind them. With the alignment of large pages
 * the system is asked for these, where a process has them for the asking. Null: out of memory. */
void *array_pages_take(size_t alignment, size_t bytes, size_t more);
void array_pages_give(void *data);

#endif
