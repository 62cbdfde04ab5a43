/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* First and last steps of every command: the process's streams and stack, files that must stay,
 * and what is said when something is wrong. Nothing of it reads MLIR. */
#define _POSIX_C_SOURCE 200809L /* S_ISREG */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/command/command.h"
#include "tools/command/own_process.h"
#include "tools/data/output_name.h"

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
           S_ISREG(status.st_mode) && output_name_same(written, read);
}

bool command_keeps_files(const char *command, const options *o) {
    const char *written[] = {o->model, o->dot, o->object, o->header, o->svg, o->html}, *lost = NULL;
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

/* Of output that fills several buffers another one than the last may have failed, and its reason is
 * gone. One byte more fails for the same reason. */
static void find_reason(void) {
    clearerr(stdout);
    putchar('\n');
    fflush(stdout);
}

int command_begin(int argc, char **argv, command_dispatch *dispatch) {
    int code;
    if (!own_process_dispatch(argc > 0 ? argc - 1 : 0, argv + 1, dispatch, &code))
        return command_error("the system gives no thread with a stack of %d bytes",
                             (int)OWN_PROCESS_STACK);
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code != EXIT_FINE) return code;
    if (!errno) find_reason();
    return command_error("standard output: cannot write%s%s", errno ? ": " : "",
                         errno ? strerror(errno) : "");
}
