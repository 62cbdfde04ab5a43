/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What every command does first and last: the process's streams and stack, files that must stay,
 * and what is said when something is wrong. Nothing of it reads MLIR. */
#define _POSIX_C_SOURCE 200809L /* fcntl, SIGXFSZ, pthread_sigmask */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/command/command.h"
#include "tools/data/output_file.h"

json json_begin(void) {
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    return j;
}

void json_end(json *j) {
    json_close(j, '}');
    fputc('\n', j->out);
}

int command_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("tosajit: error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return EXIT_REFUSED;
}

static bool would_lose(const char *written, const char *read) {
    struct stat status;
    return written && read && strcmp(written, "-") != 0 && stat(written, &status) == 0 &&
           S_ISREG(status.st_mode) && output_file_same(written, read);
}

bool command_keeps_files(const char *command, const options *o) {
    const char *written[] = {o->model, o->dot, o->object, o->header, o->svg}, *lost = NULL;
    for (size_t k = 0; k < sizeof written / sizeof *written; k++) {
        if (would_lose(written[k], o->file)) lost = o->file;
        for (size_t i = 0; i < o->input_count; i++) {
            const char *value = strchr(o->inputs[i], '='); /* of NAME=FILE */
            if (value && would_lose(written[k], value + 1)) lost = value + 1;
        }
    }
    for (size_t k = 0; k < o->output_count; k++)
        if (would_lose(o->outputs[k], o->file)) lost = o->file;
    if (lost) usage_error(command, "%s is read; what is written would replace it", lost);
    return !lost;
}

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
static int dispatch_on_stack(int count, char *const *words, command_dispatch *dispatch) {
    enum { STACK = 8 * 1024 * 1024 };
    invocation i = {.count = count, .words = words, .dispatch = dispatch};
    sigset_t all;
    pthread_t thread;
    pthread_attr_t attributes;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &i.signals);
    bool fine = pthread_attr_init(&attributes) == 0;
    fine = fine && pthread_attr_setstacksize(&attributes, STACK) == 0;
    fine = fine && pthread_create(&thread, &attributes, invoke, &i) == 0;
    if (!fine)
        return command_error("the system gives no thread with a stack of %d bytes", (int)STACK);
    pthread_join(thread, NULL);
    return i.code;
}

int command_begin(int argc, char **argv, command_dispatch *dispatch) {
    claim_streams();
    /* A file beyond the limit is an error like any other, and what was begun is removed. */
    signal(SIGXFSZ, SIG_IGN);
    int code = dispatch_on_stack(argc > 0 ? argc - 1 : 0, argv + 1, dispatch);
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code != EXIT_FINE) return code;
    return command_error("standard output: cannot write%s%s", errno ? ": " : "",
                         errno ? strerror(errno) : "");
}
