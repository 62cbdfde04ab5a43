/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process on Windows. The stack is the linker's work. */
#include "tools/command/own_process.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>

/* The words of the command line are what the shell left of it: no names of files are put in the
 * place of patterns. */
extern int _dowildcard;
int _dowildcard = 0;

/* Bytes as they are: a line ends with a newline alone. */
bool own_process_dispatch(int count, char *const *words, command_dispatch *dispatch, int *code) {
    (void)_setmode(_fileno(stdin), _O_BINARY);
    (void)_setmode(_fileno(stdout), _O_BINARY);
    (void)_setmode(_fileno(stderr), _O_BINARY);
    *code = dispatch(count, words);
    return true;
}
