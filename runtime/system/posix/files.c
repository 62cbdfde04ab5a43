/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files. */
#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE /* O_NOFOLLOW, st_mtimespec */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/system/system.h"

/* ---------------------------------------------------------------------------------------------
 * Opening */

static const struct {
    int flags;
    mode_t rights;
} ways[] = {
    [SYSTEM_READ] = {O_RDONLY | O_NONBLOCK, 0},
    [SYSTEM_READ_NO_LINK] = {O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0},
    [SYSTEM_CREATE] = {O_WRONLY | O_CREAT | O_EXCL, 0666},
    [SYSTEM_CREATE_PRIVATE] = {O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR},
    [SYSTEM_APPEND] = {O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0644},
    [SYSTEM_REPLACE] = {O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644},
};

static int place_of(system_file directory) {
    return directory == SYSTEM_NO_FILE ? AT_FDCWD : directory;
}

system_file system_file_open(system_file directory, const char *name, system_access access) {
    return openat(place_of(directory), name, ways[access].flags | O_CLOEXEC, ways[access].rights);
}

bool system_file_close(system_file file) { return close(file) == 0; }

/* ---------------------------------------------------------------------------------------------
 * Contents */

bool system_file_read(system_file file, void *bytes, size_t size, size_t *got) {
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

#if defined(__APPLE__)
static void take_pending(const sigset_t *signals) {
    sigset_t pending;
    int number;
    if (sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ)) sigwait(signals, &number);
}
#else
static void take_pending(const sigset_t *signals) {
    sigtimedwait(signals, NULL, &(struct timespec){0});
}
#endif

bool system_file_write(system_file file, const void *bytes, size_t size) {
    sigset_t limit, before, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    bool done = write_blocks(file, bytes, size);
    int error = errno;
    /* The signal of this thread, unless the host waits for one. */
    if (!done && error == EFBIG && !sigismember(&pending, SIGXFSZ)) take_pending(&limit);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return done;
}

bool system_file_cut(system_file file, uint64_t size) { return ftruncate(file, (off_t)size) == 0; }

bool system_file_map_as_code(system_file file) {
    return mmap(NULL, system_page_size(), PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) !=
           MAP_FAILED;
}

/* ---------------------------------------------------------------------------------------------
 * What is known of them */

#if defined(__APPLE__)
#define CHANGED(s) ((s)->st_mtimespec)
#else
#define CHANGED(s) ((s)->st_mtim)
#endif

static void take_info(const struct stat *s, system_file_info *info) {
    *info = (system_file_info){
        .size = (uint64_t)s->st_size,
        .changed = CHANGED(s),
        .is_regular = S_ISREG(s->st_mode),
        .is_directory = S_ISDIR(s->st_mode),
        .is_ours = s->st_uid == geteuid(),
        .is_roots = s->st_uid == 0,
        .others_write = (s->st_mode & (S_IWGRP | S_IWOTH)) != 0,
    };
}

bool system_file_about(system_file file, system_file_info *info) {
    struct stat s;
    if (fstat(file, &s) != 0) return false;
    take_info(&s, info);
    return true;
}

bool system_file_look(system_file directory, const char *name, bool through_links,
                      system_file_info *info) {
    struct stat s;
    if (fstatat(place_of(directory), name, &s, through_links ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    take_info(&s, info);
    return true;
}

void system_file_touch(system_file file) { (void)futimens(file, NULL); }

/* ---------------------------------------------------------------------------------------------
 * Directories */

bool system_file_rename(system_file directory, const char *from, const char *to) {
    return renameat(place_of(directory), from, place_of(directory), to) == 0;
}

bool system_file_remove(system_file directory, const char *name) {
    return unlinkat(place_of(directory), name, 0) == 0;
}

bool system_directory_make(const char *path) {
    return mkdir(path, S_IRWXU | S_IRWXG | S_IRWXO) == 0;
}

const char system_directory_advice[] = "chmod go-w it";

system_file system_directory_open(const char *path, const char **why) {
    if (mkdir(path, S_IRWXU) != 0 && errno != EEXIST) {
        *why = strerror(errno);
        return SYSTEM_NO_FILE;
    }
    const int opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (opened < 0)
        *why = errno == ELOOP || errno == ENOTDIR ? "it is no directory" : strerror(errno);
    return opened;
}

void system_directory_list(system_file directory, bool (*each)(void *context, const char *name),
                           void *context) {
    int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = again < 0 ? NULL : fdopendir(again);
    if (!stream) {
        if (again >= 0) close(again);
        return;
    }
    bool going = true;
    for (struct dirent *d; going && (d = readdir(stream));) going = each(context, d->d_name);
    closedir(stream);
}
