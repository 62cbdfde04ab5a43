/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fake: a compiler without LLVM. In: kernels of one addition of 32-bit integers, told apart by
 * their number: the size of their first dimension, or 0 for any size. Out: "code" that is one C
 * function, and what was compiled, linked and given back. It has one lock of its own, as LLVM's
 * linker has. */
#ifndef TOSAJIT_TESTS_SCHEDULE_FAKE_H
#define TOSAJIT_TESTS_SCHEDULE_FAKE_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

enum { NUMBERS = 8 };

typedef struct fake_state {
    const tosajit_expr *making[NUMBERS]; /* compiled, or about to be, and not yet handed out */
    bool background;                     /* kernels are handed out before they are compiled */
    int compiled[NUMBERS];               /* how often */
    int linked;                          /* and not yet given back */
    int inside;                          /* calls that are under way */
    int live;                            /* compilers */
    int fail_next;                       /* of these many compilations each fails */
} fake_state;
extern fake_state fake;

/* Before each run. */
void fake_reset(void);

#endif
