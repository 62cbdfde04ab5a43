/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* System: what the library takes from the operating system. Each section is a file of this folder,
 * and no other file of runtime/ or jit/ includes a header of the system. What C11 has (stdio,
 * malloc, time, atexit, errno) is called where it is needed. */
#ifndef TOSAJIT_RUNTIME_SYSTEM_SYSTEM_H
#define TOSAJIT_RUNTIME_SYSTEM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

/* ---------------------------------------------------------------------------------------------
 * pages.c: memory for code. It is written, then sealed, and so never writable and executable at
 * once.
 *
 * Small pieces, of up to four pages, share a mapping of sixteen and take its pages in turn. That
 * saves most of the system's time for each. When the mapping has been used up, pages that were
 * given back are used again or unmapped; until then up to 64 KiB stay. Any number of threads may
 * call these functions at once, also while the process forks. */

/* Writable memory that begins at a page and has whole pages; null if there is none. */
void *system_pages_take(size_t size);

/* Make what was taken executable, and read-only until it is given back; false if the system refuses
 * it. */
bool system_pages_seal(void *memory, size_t size);

/* Of the size that was taken. */
void system_pages_give(void *memory, size_t size);

/* Whether this process may have memory for code. Nothing of the trial stays. */
bool system_pages_may_be_code(void);

/* Bytes of a page. */
size_t system_page_size(void);

/* Whether the system would give so many bytes now. Nothing of the trial stays. */
bool system_has_memory(size_t bytes);

#endif
