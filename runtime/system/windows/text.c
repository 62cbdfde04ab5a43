/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text: streams into memory. C's library has none here, so a stream is a temporary file that is
 * gone when it is closed, and read back before. */
#include <io.h>
#include <fcntl.h>
#include <stdlib.h>
#include <windows.h>

#include "runtime/system/system.h"

typedef struct text_stream text_stream;
struct text_stream {
    text_stream *next;
    FILE *stream;
    char **text;
    size_t *size;
};

static text_stream *streams; /* that are open */
static SRWLOCK lock = SRWLOCK_INIT;

FILE *system_text_file(void) {
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
    if (!GetTempPathW(MAX_PATH + 1, folder) || !GetTempFileNameW(folder, L"tsj", 0, name))
        return NULL;
    const HANDLE file = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                                    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (file == INVALID_HANDLE_VALUE) return NULL;
    const int number = _open_osfhandle((intptr_t)file, _O_RDWR | _O_BINARY);
    FILE *stream = number < 0 ? NULL : _fdopen(number, "w+b");
    if (!stream && number >= 0) _close(number);
    if (number < 0) CloseHandle(file);
    return stream;
}

int system_text_byte(FILE *stream) { return _getc_nolock(stream); }

FILE *system_text_open(char **text, size_t *size) {
    text_stream *s = malloc(sizeof *s);
    FILE *stream = s ? system_text_file() : NULL;
    if (!stream) {
        free(s);
        return NULL;
    }
    *text = NULL;
    AcquireSRWLockExclusive(&lock);
    *s = (text_stream){streams, stream, text, size};
    streams = s;
    ReleaseSRWLockExclusive(&lock);
    return stream;
}

static text_stream *forget(const FILE *stream) {
    AcquireSRWLockExclusive(&lock);
    text_stream **at = &streams;
    while (*at && (*at)->stream != stream) at = &(*at)->next;
    text_stream *found = *at;
    if (found) *at = found->next;
    ReleaseSRWLockExclusive(&lock);
    return found;
}

/* Reads what was written; null if it cannot be had. */
static char *read_back(FILE *stream, size_t *size) {
    if (ferror(stream) || fflush(stream) || _fseeki64(stream, 0, SEEK_END)) return NULL;
    const int64_t length = _ftelli64(stream);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!text) return NULL;
    rewind(stream);
    *size = fread(text, 1, (size_t)length, stream);
    text[*size] = 0;
    if (*size == (size_t)length) return text;
    free(text);
    return NULL;
}

bool system_text_close(FILE *stream) {
    text_stream *s = forget(stream);
    if (s) *s->text = read_back(stream, s->size);
    const bool whole = s && *s->text;
    free(s);
    fclose(stream);
    return whole;
}
