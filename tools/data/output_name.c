/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of files: see output_name.h. */
#define _POSIX_C_SOURCE 200809L /* fchmod, fchown, fdopen, fsync, mkstemp, readlink, realpath */
#define _XOPEN_SOURCE 700
#include "tools/data/output_name.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINK_DEPTH = 40 }; /* as in Linux */

static char *copy_text(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

/* Bytes of path up to its last '/', which is among them. */
static size_t directory_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* name, in the directory of path. */
static char *beside(const char *path, const char *name) {
    size_t length = name[0] == '/' ? 0 : directory_length(path), size = strlen(name) + 1;
    char *joined = malloc(length + size);
    if (!joined) return NULL;
    memcpy(joined, path, length);
    memcpy(joined + length, name, size);
    return joined;
}

/* The target of a symbolic link, beside it; null if path is none, or out of memory. */
static char *follow(const char *path) {
    char content[PATH_MAX];
    ssize_t length = readlink(path, content, sizeof content - 1);
    if (length < 0) return NULL;
    content[length] = '\0';
    return beside(path, content);
}

/* The name behind links, so that committing replaces the file and not a link to it. The last link
 * may lead to a file that is not there yet. */
static char *resolve(const char *path) {
    char *resolved = realpath(path, NULL);
    if (resolved) return resolved;
    char *target = copy_text(path);
    for (int depth = 0; target && depth < LINK_DEPTH; depth++) {
        char *next = follow(target);
        if (!next) break;
        free(target);
        target = next;
    }
    return target;
}

bool output_name_same(const char *a, const char *b) {
    char *first = resolve(a), *second = resolve(b),
         *first_directory = first ? beside(first, ".") : NULL;
    char *second_directory = second ? beside(second, ".") : NULL;
    struct stat one, other;
    bool same = first_directory && second_directory && stat(first_directory, &one) == 0 &&
                stat(second_directory, &other) == 0 && one.st_dev == other.st_dev &&
                one.st_ino == other.st_ino &&
                strcmp(first + directory_length(first), second + directory_length(second)) == 0;
    free(first);
    free(second);
    free(first_directory);
    free(second_directory);
    return same || strcmp(a, b) == 0;
}

/* Permissions and owner as of the file that will be replaced, or as a plain open would have given.
 * A refusal of the system is no reason to lose a result. */
static void set_mode(int descriptor, const struct stat *old) {
    mode_t mask = umask(0);
    umask(mask);
    if (old) (void)!fchown(descriptor, old->st_uid, old->st_gid);
    (void)!fchmod(descriptor, old ? old->st_mode & 0777 : 0666 & ~mask);
}

/* A new file beside target, whose name may be as long as the system allows. old is null if there is
 * no target yet. */
static FILE *open_temporary(const char *target, const struct stat *old, char **name) {
    *name = beside(target, ".tosajit.XXXXXX");
    if (!*name) return NULL;
    int descriptor = mkstemp(*name);
    if (descriptor >= 0) set_mode(descriptor, old);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (file) return file;
    if (descriptor >= 0) {
        close(descriptor);
        remove(*name);
    }
    free(*name);
    *name = NULL;
    return NULL;
}

FILE *output_name_open(const char *path, char **target, char **temporary) {
    struct stat status;
    /* A device must not be replaced. */
    const bool exists = stat(path, &status) == 0, special = exists && !S_ISREG(status.st_mode);
    if (!exists && errno != ENOENT) return NULL;
    *target = resolve(path);
    if (!*target) errno = ENOMEM;
    if (!*target) return NULL;
    return special ? fopen(path, "wb")
                   : open_temporary(*target, exists ? &status : NULL, temporary);
}

bool output_name_keep(FILE *file) { return fsync(fileno(file)) == 0; }

bool output_name_give(const char *temporary, const char *target) {
    return rename(temporary, target) == 0;
}
