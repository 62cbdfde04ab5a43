/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files: see files.h. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/base/files.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

bool files_read(int file, void *bytes, size_t size, size_t *got) {
    unsigned char *at = bytes;
    *got = 0;
    while (*got < size) {
        ssize_t count = read(file, at + *got, size - *got);
        if (count < 0 && errno != EINTR) return false;
        if (count == 0) break;
        if (count > 0) *got += (size_t)count;
    }
    return true;
}

static bool write_blocks(int file, const unsigned char *at, size_t size) {
    while (size > 0) {
        ssize_t count = write(file, at, size);
        if (count == 0) errno = ENOSPC;
        if (count == 0 || (count < 0 && errno != EINTR)) return false;
        if (count < 0) continue;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

bool files_write(int file, const void *bytes, size_t size) {
    sigset_t limit, before, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    bool done = write_blocks(file, bytes, size);
    int error = errno;
    /* The signal of this thread, unless the host waits for one. */
    if (!done && error == EFBIG && !sigismember(&pending, SIGXFSZ))
        sigtimedwait(&limit, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return done;
}
