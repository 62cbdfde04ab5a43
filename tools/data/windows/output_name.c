/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of files on Windows: see output_name.h. */
#include "tools/data/output_name.h"

#include <errno.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* The whole name, with the folder's own; null without memory. */
static char *resolve(const char *path) {
    char *resolved = malloc(MAX_PATH);
    if (resolved && GetFullPathNameA(path, MAX_PATH, resolved, NULL) < MAX_PATH) return resolved;
    free(resolved);
    errno = resolved ? ENAMETOOLONG : ENOMEM;
    return NULL;
}

bool output_name_same(const char *a, const char *b) {
    char *first = resolve(a), *second = resolve(b);
    const bool same = first && second && _stricmp(first, second) == 0;
    free(first);
    free(second);
    return same || strcmp(a, b) == 0;
}

/* A new file in the target's folder. */
static FILE *open_temporary(const char *target, char **name) {
    char folder[MAX_PATH];
    const char *slash = strrchr(target, '\\');
    const size_t length = slash ? (size_t)(slash - target) : 0;
    *name = length < sizeof folder ? malloc(MAX_PATH) : NULL;
    if (!*name) return NULL;
    memcpy(folder, target, length);
    folder[length] = '\0';
    FILE *file = NULL;
    if (!GetTempFileNameA(length ? folder : ".", "tsj", 0, *name))
        errno = GetLastError() == ERROR_ACCESS_DENIED ? EACCES : ENOENT;
    else if (!(file = fopen(*name, "wb")))
        remove(*name); /* which is there, empty */
    if (file) return file;
    free(*name);
    *name = NULL;
    return NULL;
}

FILE *output_name_open(const char *path, char **target, char **temporary) {
    const DWORD found = GetFileAttributesA(path);
    if (found != INVALID_FILE_ATTRIBUTES && found & FILE_ATTRIBUTE_DIRECTORY) {
        errno = EISDIR;
        return NULL;
    }
    *target = resolve(path);
    if (!*target) return NULL;
    /* A device has a name of its own form. */
    const bool device = strncmp(*target, "\\\\.\\", 4) == 0;
    return device ? fopen(path, "wb") : open_temporary(*target, temporary);
}

bool output_name_keep(FILE *file) { return _commit(_fileno(file)) == 0; }

bool output_name_give(const char *temporary, const char *target) {
    const bool fine = MoveFileExA(temporary, target, MOVEFILE_REPLACE_EXISTING);
    if (!fine) errno = EACCES;
    return fine;
}
