/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Another program, by the C library. */
#include "tools/base/run_program.h"

#include <errno.h>
#include <io.h>
#include <process.h>
#include <stdint.h>
#include <stdio.h>

int run_program(char *const *words, int input) {
    fflush(NULL);
    const int own = _dup(0);
    if (own < 0 || _dup2(input, 0) < 0) return -1;
    const intptr_t code = _spawnvp(_P_WAIT, words[0], (const char *const *)words);
    const int reason = errno;
    _dup2(own, 0);
    _close(own);
    if (code == -1) return reason == ENOENT ? NO_PROGRAM : -1;
    return (int)code;
}
