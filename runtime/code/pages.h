/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pages: memory for code, from the system. It is written, then sealed, and so never writable and
 * executable at once.
 *
 * Small pieces, of up to four pages, share a mapping of sixteen and take its pages in turn. That
 * saves most of the system's time for each. When the mapping has been used up, pages that were
 * given back are used again or unmapped; until then up to 64 KiB stay. Any number of threads may
 * call these functions at once, also while the process forks. */
#ifndef TOSAJIT_RUNTIME_CODE_PAGES_H
#define TOSAJIT_RUNTIME_CODE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Writable memory that begins at a page and has whole pages; null if there is none. */
void *pages_take(size_t size);

/* Make what was taken executable, and read-only until it is given back; false if the system refuses
 * it. */
bool pages_seal(void *memory, size_t size);

/* Of the size that was taken. */
void pages_give(void *memory, size_t size);

/* Whether this process may have memory for code. Nothing of the trial stays. */
bool pages_may_be_code(void);

#endif
