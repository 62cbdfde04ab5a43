/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* malloc, calloc and realloc that fail when they are told to, but only for callers within the
 * project's libraries. LLVM and MLIR end the process instead, which is known and not tested. A
 * program that links this file has them in the place of the C library's; not beside a sanitizer,
 * which has its own. */
#ifndef TOSAJIT_TESTS_SUPPORT_FAILING_HEAP_H
#define TOSAJIT_TESTS_SUPPORT_FAILING_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* From now on the allocation number `at` fails, counted from 1. */
void failing_heap_start(size_t at);
/* No more; whether one has failed. */
bool failing_heap_stop(void);

#endif
