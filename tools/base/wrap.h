/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text for a terminal of 80 columns. In: paragraphs; out: lines. */
#ifndef TOSAJIT_TOOLS_BASE_WRAP_H
#define TOSAJIT_TOOLS_BASE_WRAP_H

#include <stddef.h>

/* Print a text on standard output, wrapped; what begins with a space and empty lines stay as they
 * are. The first line begins at that column, the others are indented by as much. */
void wrap_print(const char *text, size_t indent);

#endif
