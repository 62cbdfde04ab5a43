/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Long answers a page at a time. In: what is printed between begin and end; out: the same through
 * $PAGER, or less, where somebody reads it at a terminal. */
#ifndef TOSAJIT_TOOLS_BASE_PAGER_H
#define TOSAJIT_TOOLS_BASE_PAGER_H

#include <stdbool.h>

/* Where standard output is no terminal, $PAGER is empty or `cat`, or nothing can be started, all
 * stays as it is. A reader who leaves before the end ends the process by SIGPIPE, in silence as in
 * any pipe, unless it goes on. Begin and end come in pairs, which do not nest. */
void pager_begin(bool goes_on);
/* Waits until the reader has left. */
void pager_end(void);

#endif
