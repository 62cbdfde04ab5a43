/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* fork and exec: no shell sees the words. */
#define _POSIX_C_SOURCE 200809L /* fork, execvp, waitpid */
#include "tools/base/run_program.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int run_program(char *const *words, int input) {
    int status;
    fflush(NULL); /* or the child has what is not written yet, too */
    pid_t child = fork();
    if (child == 0) {
        if (dup2(input, STDIN_FILENO) >= 0) execvp(words[0], words);
        _exit(NO_PROGRAM);
    }
    if (child < 0) return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
