/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Level: "x86-64-v3" where loops in C and kernels are made for that level; "" for the machine's
 * own. */
#ifndef TOSAJIT_BENCH_LEVEL_H
#define TOSAJIT_BENCH_LEVEL_H

#include <stdbool.h>

extern const char *const bench_level;

/* Have kernels and other libraries keep to the level, by the environment, before they look. False,
 * with a line, on a machine that is not of the level. */
bool level_enter(void);

#endif
