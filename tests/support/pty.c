/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs on pseudo-terminals. */
#define _DEFAULT_SOURCE   /* struct winsize */
#define _XOPEN_SOURCE 700 /* posix_openpt and its like */
#include "tests/support/pty.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

enum { PIECE = 512 };

static void become(const pty *p, const char *program, const char *slave, char *const *environment) {
    close(p->terminal); /* or it would never be told that this end is gone */
    setsid();
    int terminal = open(slave, O_RDWR); /* the first one of a session controls it */
    if (terminal < 0 || dup2(terminal, 0) < 0 || dup2(terminal, 1) < 0 || dup2(terminal, 2) < 0)
        _exit(126);
    if (terminal > 2) close(terminal);
    char *const words[] = {(char *)program, NULL};
    execve(program, words, environment);
    _exit(127);
}

void pty_start(pty *p, const char *program, char *const *environment) {
    char slave[128];
    memset(p, 0, sizeof *p);
    p->terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(p->terminal >= 0);
    assert_int_equal(grantpt(p->terminal), 0);
    assert_int_equal(unlockpt(p->terminal), 0);
    snprintf(slave, sizeof slave, "%s", ptsname(p->terminal));
    p->process = fork();
    assert_true(p->process >= 0);
    if (p->process == 0) become(p, program, slave, environment);
}

/* Forget the older half of what is full. */
static void make_room(pty *p) {
    if (p->length + PIECE < sizeof p->output) return;
    const size_t half = sizeof p->output / 2;
    memmove(p->output, p->output + half, p->length - half);
    p->length -= half;
    p->matched = p->matched > half ? p->matched - half : 0;
}

bool pty_read(pty *p, int milliseconds) {
    struct pollfd wanted = {p->terminal, POLLIN, 0};
    if (poll(&wanted, 1, milliseconds) <= 0) return true;
    make_room(p);
    ssize_t count = read(p->terminal, p->output + p->length, sizeof p->output - 1 - p->length);
    if (count > 0) p->length += (size_t)count;
    p->output[p->length] = '\0';
    return count > 0;
}

const char *pty_find(const pty *p, const char *text) {
    for (size_t k = p->matched; k + strlen(text) <= p->length; k++)
        if (memcmp(p->output + k, text, strlen(text)) == 0) return p->output + k;
    return NULL;
}

static void give_up(const pty *p, const char *missing) {
    fprintf(stderr, "waiting for '%s', found:\n", missing);
    for (size_t k = p->matched; k < p->length; k++)
        if (p->output[k] == '\033')
            fputs("<ESC>", stderr);
        else
            fputc(p->output[k], stderr);
    fputc('\n', stderr);
    kill(p->process, SIGKILL);
    fail();
}

void pty_wait_for(pty *p, const char *text) {
    const time_t until = time(NULL) + PTY_PATIENCE;
    const char *found;
    while (!(found = pty_find(p, text))) {
        bool open = time(NULL) < until && pty_read(p, 100);
        if (!open && !pty_find(p, text)) give_up(p, text);
    }
    p->matched = (size_t)(found - p->output) + strlen(text);
}

void pty_type(pty *p, const char *keys) {
    size_t length = strlen(keys);
    assert_int_equal(write(p->terminal, keys, length), (ssize_t)length);
}

bool pty_type_bytes(pty *p, const char *keys, size_t count) {
    for (size_t at = 0; at < count;) {
        struct pollfd wanted = {p->terminal, POLLIN | POLLOUT, 0};
        if (poll(&wanted, 1, 1000) <= 0) return true;
        if (wanted.revents & POLLIN && !pty_read(p, 0)) return false;
        if (!(wanted.revents & (POLLIN | POLLOUT))) return false;
        if (!(wanted.revents & POLLOUT)) continue;
        size_t piece = count - at < PIECE ? count - at : PIECE;
        ssize_t written = write(p->terminal, keys + at, piece);
        if (written < 0) return false;
        at += (size_t)written;
    }
    return true;
}

void pty_resize(pty *p, unsigned short rows, unsigned short columns) {
    const struct winsize size = {.ws_row = rows, .ws_col = columns};
    assert_int_equal(ioctl(p->terminal, TIOCSWINSZ, &size), 0);
    assert_int_equal(kill(p->process, SIGWINCH), 0); /* also where the size was the same */
}

bool pty_ended(pty *p, int *status) {
    if (waitpid(p->process, status, WNOHANG) == 0) return false;
    close(p->terminal);
    return true;
}

double pty_seconds(const pty *p) {
    clockid_t clock;
    struct timespec used = {0};
    if (clock_getcpuclockid(p->process, &clock) == 0) clock_gettime(clock, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* The letter of a thread's state: R is one that works, or would if it had a processor. */
static char state_of(const char *threads, const char *thread) {
    char path[320], text[512] = "";
    snprintf(path, sizeof path, "%s/%s/stat", threads, thread);
    FILE *in = fopen(path, "r");
    if (!in) return 'X'; /* it has just ended */
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] ? name_end[2] : 'X';
}

bool pty_waits(const pty *p) {
    char threads[64];
    bool waits = true;
    snprintf(threads, sizeof threads, "/proc/%d/task", (int)p->process);
    DIR *directory = opendir(threads);
    if (!directory) return true;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (entry->d_name[0] != '.' && strchr("RD", state_of(threads, entry->d_name)))
            waits = false;
    closedir(directory);
    return waits;
}

void pty_expect_exit(pty *p, int code) {
    int status = 0;
    const time_t until = time(NULL) + PTY_PATIENCE;
    while (!pty_ended(p, &status)) {
        if (time(NULL) >= until) give_up(p, "the end");
        pty_read(p, 50);
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
}
