/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Words that depend on a number. */
#ifndef TOSAJIT_RUNTIME_BASE_WORDS_H
#define TOSAJIT_RUNTIME_BASE_WORDS_H

/* The ending of a noun by its number, of any type: "1 operand", "2 operands". */
#define plural(count) ((count) == 1 ? "" : "s")

#endif
