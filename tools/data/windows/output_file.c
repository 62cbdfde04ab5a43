/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that are written whole, on Windows: see output_file.h. */
#include "tools/data/output_file.h"

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

bool output_file_same(const char *a, const char *b) {
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
    if (GetTempFileNameA(length ? folder : ".", "tsj", 0, *name))
        file = fopen(*name, "wb");
    else
        errno = GetLastError() == ERROR_ACCESS_DENIED ? EACCES : ENOENT;
    if (file) return file;
    free(*name);
    *name = NULL;
    return NULL;
}

bool output_file_open(const char *path, output_file *file) {
    *file = (output_file){0};
    if (strcmp(path, "-") == 0) {
        file->stream = stdout;
        return true;
    }
    const DWORD found = GetFileAttributesA(path);
    if (found != INVALID_FILE_ATTRIBUTES && found & FILE_ATTRIBUTE_DIRECTORY) {
        errno = EISDIR;
        return false;
    }
    file->target = resolve(path);
    /* A device has a name of its own form. */
    const bool device = file->target && strncmp(file->target, "\\\\.\\", 4) == 0;
    if (file->target)
        file->stream = device ? fopen(path, "wb") : open_temporary(file->target, &file->temporary);
    if (!file->stream) output_file_abort(file);
    return file->stream != NULL;
}

bool output_file_finish(output_file *file) {
    bool fine = !ferror(file->stream) && fflush(file->stream) == 0;
    if (fine && file->temporary) fine = _commit(_fileno(file->stream)) == 0;
    int reason = errno;
    if (file->stream != stdout && fclose(file->stream) != 0 && fine) {
        reason = errno;
        fine = false;
    }
    file->stream = NULL;
    errno = reason;
    if (!fine) output_file_abort(file);
    return fine;
}

bool output_file_commit(output_file *file) {
    const bool fine =
        !file->temporary || MoveFileExA(file->temporary, file->target, MOVEFILE_REPLACE_EXISTING);
    if (!fine) errno = EACCES;
    if (fine) {
        free(file->temporary);
        file->temporary = NULL;
    }
    output_file_abort(file);
    return fine;
}

void output_file_abort(output_file *file) {
    int reason = errno;
    if (file->stream && file->stream != stdout) fclose(file->stream);
    if (file->temporary) remove(file->temporary);
    free(file->temporary);
    free(file->target);
    *file = (output_file){0};
    errno = reason;
}
