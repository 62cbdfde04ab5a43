/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program on a pseudo-terminal, as somebody at a keyboard meets it. In: keys; out: what the
 * terminal shows. A wait that is in vain ends the program and fails the test, with what was shown
 * instead. */
#ifndef TOSAJIT_TESTS_PTY_H
#define TOSAJIT_TESTS_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
    PTY_PATIENCE = 60,      /* seconds until a wait is in vain, also under an emulator */
    PTY_CAPACITY = 1 << 20, /* bytes of output that are kept */
};

typedef struct pty {
    pid_t process;
    int terminal;
    char output[PTY_CAPACITY]; /* the last of it; ends in a 0 */
    size_t length, matched;    /* what lies before `matched` has been waited for */
} pty;

/* Start a program without arguments on a terminal of its own. The environment ends in a null. */
void pty_start(pty *p, const char *program, char *const *environment);
/* Read what there is, waiting for it at most so long; false at the end of the terminal. */
bool pty_read(pty *p, int milliseconds);
/* The place of a text that was shown behind what has been waited for. */
const char *pty_find(const pty *p, const char *text);
void pty_wait_for(pty *p, const char *text);
void pty_type(pty *p, const char *keys);
/* The same with keys that may be 0. Bytes that the terminal does not take within a second are left
 * out. False if it is gone. */
bool pty_type_bytes(pty *p, const char *keys, size_t count);
void pty_resize(pty *p, unsigned short rows, unsigned short columns);
/* True if the program has ended; then *status is that of waitpid, and the terminal is closed. */
bool pty_ended(pty *p, int *status);
/* The processor's time that the program has used, in seconds. */
double pty_seconds(const pty *p);
/* True if all of the program's threads wait for something, or it has ended. */
bool pty_waits(const pty *p);
void pty_expect_exit(pty *p, int code);

#endif
