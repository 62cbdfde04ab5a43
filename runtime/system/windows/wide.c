/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wide: names and errors. */
#include "runtime/system/windows/wide.h"

#include <errno.h>

static const struct {
    DWORD error;
    int number;
} numbers[] = {
    {ERROR_FILE_NOT_FOUND, ENOENT},
    {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_INVALID_NAME, ENOENT},
    {ERROR_BAD_PATHNAME, ENOENT},
    {ERROR_INVALID_DRIVE, ENOENT},
    {ERROR_BAD_NETPATH, ENOENT},
    {ERROR_FILE_EXISTS, EEXIST},
    {ERROR_ALREADY_EXISTS, EEXIST},
    {ERROR_ACCESS_DENIED, EACCES},
    {ERROR_SHARING_VIOLATION, EACCES},
    {ERROR_LOCK_VIOLATION, EACCES},
    {ERROR_WRITE_PROTECT, EROFS},
    {ERROR_DISK_FULL, ENOSPC},
    {ERROR_HANDLE_DISK_FULL, ENOSPC},
    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
    {ERROR_OUTOFMEMORY, ENOMEM},
    {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
    {ERROR_INVALID_HANDLE, EBADF},
    {ERROR_DIRECTORY, ENOTDIR},
    {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
    {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
};

int wide_errno(DWORD error) {
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (numbers[k].error == error) return numbers[k].number;
    return EIO;
}

bool wide_failed(void) {
    errno = wide_errno(GetLastError());
    return false;
}

bool wide_of(const char *name, wchar_t wide[WIDE_CAPACITY]) {
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, wide, WIDE_CAPACITY)) {
        errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT;
        return false;
    }
    for (wchar_t *at = wide; *at; at++)
        if (*at == L'/') *at = L'\\';
    return true;
}

bool wide_to_utf8(const wchar_t *wide, char *name, size_t capacity) {
    if (!WideCharToMultiByte(CP_UTF8, 0, wide, -1, name, (int)capacity, NULL, NULL)) return false;
    for (char *at = name; *at; at++)
        if (*at == '\\') *at = '/';
    return true;
}
