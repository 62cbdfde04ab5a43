/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A host whose kernel was compiled by a rule of its build. */
#include <stdio.h>

#include "twice.h"

int main(void) {
    const int64_t three[1] = {3};
    float a[3] = {1, 2, 3}, r[3] = {0};
    if (twice_twice(a, three, r, three)) return puts(tosajit_last_error()), 1;
    return !(r[0] == 2 && r[2] == 6);
}
