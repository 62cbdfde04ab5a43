/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process on POSIX. */
#define _POSIX_C_SOURCE 200809L /* fcntl, SIGXFSZ, pthread_sigmask */
#include "tools/command/own_process.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* Descriptors 0 to 2 belong to the standard streams even where they came closed: the next file that
 * is opened must not be one of them. Opened the wrong way round, they fail as closed ones do. */
static void claim_streams(void) {
    for (int d = STDIN_FILENO; d <= STDERR_FILENO; d++)
        if (fcntl(d, F_GETFD) < 0) (void)open("/dev/null", d == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

typedef struct invocation {
    int count;
    char *const *words;
    command_dispatch *dispatch;
    sigset_t signals; /* those that were blocked when the command was started */
    int code;
} invocation;

static void *invoke(void *argument) {
    invocation *i = argument;
    pthread_sigmask(SIG_SETMASK, &i->signals, NULL);
    i->code = i->dispatch(i->count, i->words);
    return NULL;
}

/* Dispatch on a stack of the usual size, whatever the limit of the shell: MLIR and LLVM recurse.
 * Signals are for that thread, which waits for keys. */
bool own_process_dispatch(int count, char *const *words, command_dispatch *dispatch, int *code) {
    invocation i = {.count = count, .words = words, .dispatch = dispatch};
    sigset_t all;
    pthread_t thread;
    pthread_attr_t attributes;
    claim_streams();
    /* A file beyond the limit is an error like any other, and what was begun is removed. */
    signal(SIGXFSZ, SIG_IGN);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &i.signals);
    bool fine = pthread_attr_init(&attributes) == 0;
    fine = fine && pthread_attr_setstacksize(&attributes, OWN_PROCESS_STACK) == 0;
    fine = fine && pthread_create(&thread, &attributes, invoke, &i) == 0;
    if (!fine) return false;
    pthread_join(thread, NULL);
    *code = i.code;
    return true;
}
