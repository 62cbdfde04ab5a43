/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ctrl-C is a key while a line is typed, and a signal while a command runs. */
#define _DEFAULT_SOURCE /* struct winsize */
#include "tools/repl/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "tools/repl/interrupt.h"

static volatile sig_atomic_t resized;

static void on_signal(int number) {
    if (number == SIGINT)
        repl_interrupt();
    else
        resized = 1;
}

void terminal_open(void) {
    /* A write goes on behind a signal; a wait for a key never does. */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGWINCH, &action, NULL);
    sigaction(SIGINT, &action, NULL);
}

void terminal_edit(bool here) {
    static struct termios usual;
    struct termios changed;
    if (here && tcgetattr(STDIN_FILENO, &usual) != 0) return;
    changed = usual;
    if (here) changed.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN | ISIG);
    tcsetattr(STDIN_FILENO, TCSANOW, &changed);
}

void terminal_suspend(void) {
    terminal_edit(false);
    kill(0, SIGTSTP);
    terminal_edit(true);
}

/* Others share standard input, so that it may be one that does not wait. */
static int wait_for_byte(int milliseconds) {
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&keys, 1, milliseconds);
}

/* The picture is of what has been typed so far: nothing of a paste, but its end. */
static bool read_byte(char *byte, void (*show)(void *context, bool resized), void *context) {
    for (;;) {
        if (wait_for_byte(0) <= 0) {
            const bool anew = resized;
            resized = 0;
            show(context, anew);
            if (wait_for_byte(-1) < 0) continue;
        }
        ssize_t count = read(STDIN_FILENO, byte, 1);
        if (count >= 0) return count > 0;
        if (errno != EINTR && errno != EAGAIN) return false; /* EIO: the terminal is gone */
    }
}

bool terminal_read(wchar_t *character, void (*show)(void *context, bool resized), void *context) {
    mbstate_t state;
    char byte;
    memset(&state, 0, sizeof state);
    while (read_byte(&byte, show, context)) {
        size_t length = mbrtowc(character, &byte, 1, &state);
        if (length <= 1) return true;
        if (length == (size_t)-1) memset(&state, 0, sizeof state);
    }
    return false;
}

size_t terminal_columns(void) {
    enum { USUAL = 80 };
    struct winsize window = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    return known ? window.ws_col : USUAL;
}
