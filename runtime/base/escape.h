/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text that somebody else wrote, made fit to be shown: a terminal must not obey it, and two texts
 * must not look the same. */
#ifndef TOSAJIT_RUNTIME_BASE_ESCAPE_H
#define TOSAJIT_RUNTIME_BASE_ESCAPE_H

#include <stddef.h>

enum { ESCAPE_GROWTH = 3 }; /* a byte of a name becomes at most so many */

/* Bytes that are no printable UTF-8, and backslashes, become \XX as in MLIR's strings: different
 * names stay different. text is always terminated, and cut where capacity ends. */
void escape_name(const char *bytes, size_t length, char *text, size_t capacity);
/* The same for a whole message, in which backslashes stay and lines after the first are indented:
 * none of them can pass for a message of its own. */
void escape_message(const char *message, char *text, size_t capacity);

#endif
