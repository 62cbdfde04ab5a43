/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Standard output becomes a pipe to the pager, and the terminal again behind it. `less -F` leaves a
 * text that fits in the window. */
#define _POSIX_C_SOURCE 200809L /* posix_spawn, sigaction */
#include "tools/base/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static struct {
    pid_t pid; /* 0: there is none */
    int terminal;
    struct sigaction interrupt, broken; /* as they were */
} pager;

/* For `sh -c`; null: none. */
static const char *find_command(void) {
    const char *own = getenv("PAGER");
    if (own) return *own && strcmp(own, "cat") != 0 ? own : NULL;
    return "command -v less >/dev/null && exec less -FRX || exec cat";
}

static bool start(const char *command, const int ends[2]) {
    char *const words[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    bool fine = posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO) == 0 &&
                posix_spawn(&pager.pid, "/bin/sh", &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (!fine) pager.pid = 0;
    return fine;
}

/* A Ctrl-C is the pager's. */
static void set_signals(bool goes_on) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, usual = {.sa_handler = SIG_DFL};
    sigemptyset(&ignore.sa_mask);
    sigemptyset(&usual.sa_mask);
    sigaction(SIGINT, &ignore, &pager.interrupt);
    sigaction(SIGPIPE, goes_on ? &ignore : &usual, &pager.broken);
}

void pager_begin(bool goes_on) {
    const char *command = find_command();
    int ends[2];
    if (!command || !isatty(STDOUT_FILENO) || fflush(stdout) != 0 || pipe(ends) != 0) return;
    pager.terminal = dup(STDOUT_FILENO);
    /* Neither is the pager's: it reads until all writers are gone. */
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    if (pager.terminal >= 0) fcntl(pager.terminal, F_SETFD, FD_CLOEXEC);
    if (pager.terminal >= 0 && start(command, ends)) {
        dup2(ends[1], STDOUT_FILENO);
        set_signals(goes_on);
    } else if (pager.terminal >= 0) {
        close(pager.terminal);
    }
    close(ends[0]);
    close(ends[1]);
}

void pager_end(void) {
    if (!pager.pid) return;
    fflush(stdout);
    clearerr(stdout);
    dup2(pager.terminal, STDOUT_FILENO);
    close(pager.terminal);
    while (waitpid(pager.pid, NULL, 0) < 0 && kill(pager.pid, 0) == 0) continue;
    sigaction(SIGINT, &pager.interrupt, NULL);
    sigaction(SIGPIPE, &pager.broken, NULL);
    pager.pid = 0;
}
