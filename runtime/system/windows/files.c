/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files. What is in a directory is opened relative to its handle, as openat does; only the system's
 * inner interface (Nt...) has that. Others may read, write, rename and remove what is open here, as
 * they may elsewhere. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <winternl.h>

#include "runtime/system/system.h"
#include "runtime/system/windows/rights.h"
#include "runtime/system/windows/wide.h"

enum { SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

/* ---------------------------------------------------------------------------------------------
 * Opening */

typedef struct way {
    DWORD rights, disposition; /* of CreateFile */
    ULONG inner;               /* the disposition of NtCreateFile */
    bool no_link;
} way;

static const way ways[] = {
    [SYSTEM_READ] = {GENERIC_READ, OPEN_EXISTING, FILE_OPEN, false},
    [SYSTEM_READ_NO_LINK] = {GENERIC_READ, OPEN_EXISTING, FILE_OPEN, true},
    [SYSTEM_CREATE] = {GENERIC_WRITE, CREATE_NEW, FILE_CREATE, false},
    [SYSTEM_CREATE_PRIVATE] = {GENERIC_WRITE, CREATE_NEW, FILE_CREATE, true},
    [SYSTEM_APPEND] = {FILE_APPEND_DATA | READ_CONTROL | SYNCHRONIZE, OPEN_ALWAYS, FILE_OPEN_IF,
                       true},
    [SYSTEM_REPLACE] = {GENERIC_READ | GENERIC_WRITE, CREATE_ALWAYS, FILE_OVERWRITE_IF, true},
};

static HANDLE handle_of(system_file file) { return (HANDLE)file; }

static HANDLE open_path(const wchar_t *name, const way *w) {
    const DWORD flags =
        FILE_FLAG_BACKUP_SEMANTICS | (w->no_link ? (DWORD)FILE_FLAG_OPEN_REPARSE_POINT : 0);
    return CreateFileW(name, w->rights, SHARED, NULL, w->disposition, flags, NULL);
}

static HANDLE open_in(HANDLE directory, wchar_t *name, const way *w, ULONG more) {
    UNICODE_STRING text;
    OBJECT_ATTRIBUTES object;
    IO_STATUS_BLOCK result;
    HANDLE file;
    RtlInitUnicodeString(&text, name);
    InitializeObjectAttributes(&object, &text, OBJ_CASE_INSENSITIVE, directory, NULL);
    const ULONG link = w->no_link ? FILE_OPEN_REPARSE_POINT : 0;
    const NTSTATUS status =
        NtCreateFile(&file, w->rights | SYNCHRONIZE, &object, &result, NULL, FILE_ATTRIBUTE_NORMAL,
                     SHARED, w->inner, FILE_SYNCHRONOUS_IO_NONALERT | link | more, NULL, 0);
    if (status >= 0) return file;
    SetLastError(RtlNtStatusToDosError(status));
    return INVALID_HANDLE_VALUE;
}

/* INVALID_HANDLE_VALUE, with the reason in errno. */
static HANDLE open_any(system_file directory, const char *name, const way *w) {
    wchar_t wide[WIDE_CAPACITY];
    if (!wide_of(name, wide)) return INVALID_HANDLE_VALUE;
    const HANDLE file = directory == SYSTEM_NO_FILE ? open_path(wide, w)
                                                    : open_in(handle_of(directory), wide, w, 0);
    if (file == INVALID_HANDLE_VALUE) wide_failed();
    return file;
}

static bool is_link(HANDLE file) {
    FILE_ATTRIBUTE_TAG_INFO about;
    return GetFileInformationByHandleEx(file, FileAttributeTagInfo, &about, sizeof about) &&
           about.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT;
}

system_file system_file_open(system_file directory, const char *name, system_access access) {
    const HANDLE file = open_any(directory, name, &ways[access]);
    if (file == INVALID_HANDLE_VALUE || !ways[access].no_link || !is_link(file))
        return (system_file)file;
    CloseHandle(file);
    errno = EACCES;
    return SYSTEM_NO_FILE;
}

bool system_file_close(system_file file) { return CloseHandle(handle_of(file)) || wide_failed(); }

/* ---------------------------------------------------------------------------------------------
 * Contents */

enum { BLOCK = 1 << 30 };

static DWORD block_of(size_t size) { return size < BLOCK ? (DWORD)size : BLOCK; }

bool system_file_read(system_file file, void *bytes, size_t size, size_t *got) {
    unsigned char *at = bytes;
    *got = 0;
    while (*got < size) {
        DWORD count;
        if (!ReadFile(handle_of(file), at + *got, block_of(size - *got), &count, NULL))
            return GetLastError() == ERROR_BROKEN_PIPE || wide_failed();
        if (count == 0) break;
        *got += count;
    }
    return true;
}

bool system_file_write(system_file file, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    while (size > 0) {
        DWORD count;
        if (!WriteFile(handle_of(file), at, block_of(size), &count, NULL)) return wide_failed();
        at += count;
        size -= count;
    }
    return true;
}

bool system_file_cut(system_file file, uint64_t size) {
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = (LONGLONG)size};
    return SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end) ||
           wide_failed();
}

/* Linux's profiler is not here. */
bool system_file_map_as_code(system_file file) {
    (void)file;
    errno = ENOSYS;
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * What is known of them */

/* Windows counts steps of 100 ns since 1601. */
static struct timespec time_of(FILETIME t) {
    enum { STEPS = 10000000, NANOSECONDS = 100 };
    const int64_t steps = (int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime),
                  since_1970 = steps - INT64_C(11644473600) * STEPS;
    return (struct timespec){.tv_sec = (time_t)(since_1970 / STEPS),
                             .tv_nsec = (long)(since_1970 % STEPS * NANOSECONDS)};
}

static bool take_info(HANDLE file, system_file_info *info) {
    BY_HANDLE_FILE_INFORMATION about;
    *info = (system_file_info){0};
    if (GetFileType(file) != FILE_TYPE_DISK) return true;
    if (!GetFileInformationByHandle(file, &about)) return wide_failed();
    info->size = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow;
    info->changed = time_of(about.ftLastWriteTime);
    info->is_directory = about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    const DWORD special = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
    info->is_regular = !(about.dwFileAttributes & special);
    rights_of(file, info);
    return true;
}

bool system_file_about(system_file file, system_file_info *info) {
    return take_info(handle_of(file), info);
}

bool system_file_look(system_file directory, const char *name, bool through_links,
                      system_file_info *info) {
    const way look = {FILE_READ_ATTRIBUTES | READ_CONTROL, OPEN_EXISTING, FILE_OPEN,
                      !through_links};
    const HANDLE file = open_any(directory, name, &look);
    if (file == INVALID_HANDLE_VALUE) return false;
    const bool known = take_info(file, info);
    CloseHandle(file);
    return known;
}

/* It may have been opened to be read alone. */
void system_file_touch(system_file file) {
    FILETIME now;
    const HANDLE again = ReOpenFile(handle_of(file), FILE_WRITE_ATTRIBUTES, SHARED, 0);
    if (again == INVALID_HANDLE_VALUE) return;
    GetSystemTimeAsFileTime(&now);
    SetFileTime(again, NULL, NULL, &now);
    CloseHandle(again);
}

/* ---------------------------------------------------------------------------------------------
 * Directories */

/* As the system's inner interface has it. */
typedef struct new_name {
    union {
        BOOLEAN replaces; /* FileRenameInformation */
        ULONG flags;      /* FileRenameInformationEx */
    };
    HANDLE directory;
    ULONG length; /* bytes */
    wchar_t name[WIDE_CAPACITY];
} new_name;

enum { RENAME = 10, RENAME_EX = 65, RENAME_REPLACES = 1, RENAME_AS_POSIX = 2 };

/* First the new way, which can replace a file that somebody reads. Not every file system has it. */
static bool rename_to(HANDLE file, new_name *to) {
    IO_STATUS_BLOCK result;
    const ULONG size = (ULONG)offsetof(new_name, name) + to->length;
    to->flags = RENAME_REPLACES | RENAME_AS_POSIX;
    NTSTATUS status =
        NtSetInformationFile(file, &result, to, size, (FILE_INFORMATION_CLASS)RENAME_EX);
    if (status < 0) {
        to->flags = 0;
        to->replaces = TRUE;
        status = NtSetInformationFile(file, &result, to, size, (FILE_INFORMATION_CLASS)RENAME);
    }
    SetLastError(RtlNtStatusToDosError(status));
    return status >= 0 || wide_failed();
}

static bool rename_path(const char *from, const char *to) {
    wchar_t old[WIDE_CAPACITY], fresh[WIDE_CAPACITY];
    if (!wide_of(from, old) || !wide_of(to, fresh)) return false;
    return MoveFileExW(old, fresh, MOVEFILE_REPLACE_EXISTING) || wide_failed();
}

bool system_file_rename(system_file directory, const char *from, const char *to) {
    if (directory == SYSTEM_NO_FILE) return rename_path(from, to);
    const way rename = {DELETE, OPEN_EXISTING, FILE_OPEN, true};
    new_name *name = calloc(1, sizeof *name);
    if (!name || !wide_of(to, name->name)) {
        free(name);
        return false;
    }
    name->directory = handle_of(directory);
    name->length = (ULONG)(wcslen(name->name) * sizeof *name->name);
    const HANDLE file = open_any(directory, from, &rename);
    const bool done = file != INVALID_HANDLE_VALUE && rename_to(file, name);
    if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
    free(name);
    return done;
}

bool system_file_remove(system_file directory, const char *name) {
    const way removal = {DELETE, OPEN_EXISTING, FILE_OPEN, true};
    wchar_t wide[WIDE_CAPACITY];
    if (!wide_of(name, wide)) return false;
    if (directory == SYSTEM_NO_FILE) return DeleteFileW(wide) || wide_failed();
    const HANDLE file = open_in(handle_of(directory), wide, &removal,
                                FILE_DELETE_ON_CLOSE | FILE_NON_DIRECTORY_FILE);
    if (file == INVALID_HANDLE_VALUE) return wide_failed();
    return CloseHandle(file) != 0;
}

bool system_directory_make(const char *path) {
    wchar_t wide[WIDE_CAPACITY];
    return wide_of(path, wide) && (CreateDirectoryW(wide, NULL) || wide_failed());
}

static bool make_private(const wchar_t *path) {
    SECURITY_ATTRIBUTES own;
    if (!rights_private(&own)) {
        errno = ENOMEM;
        return false;
    }
    const bool made = CreateDirectoryW(path, &own) || wide_failed();
    LocalFree(own.lpSecurityDescriptor);
    return made || errno == EEXIST;
}

const char system_directory_advice[] = "icacls takes the right from them";

system_file system_directory_open(const char *path, const char **why) {
    wchar_t wide[WIDE_CAPACITY];
    const way list = {GENERIC_READ, OPEN_EXISTING, FILE_OPEN, true};
    if (!wide_of(path, wide) || !make_private(wide)) {
        *why = strerror(errno);
        return SYSTEM_NO_FILE;
    }
    const HANDLE opened = open_path(wide, &list);
    BY_HANDLE_FILE_INFORMATION about;
    if (opened == INVALID_HANDLE_VALUE || !GetFileInformationByHandle(opened, &about)) {
        wide_failed();
        *why = strerror(errno);
    } else if (!(about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) || is_link(opened)) {
        *why = "it is no directory";
    } else {
        return (system_file)opened;
    }
    if (opened != INVALID_HANDLE_VALUE) CloseHandle(opened);
    return SYSTEM_NO_FILE;
}

/* A block of entries; false: no more. Each leads to the next. */
static bool list_block(const FILE_ID_BOTH_DIR_INFO *entry,
                       bool (*each)(void *context, const char *name), void *context) {
    for (;;) {
        wchar_t wide[MAX_PATH + 1];
        char name[4 * MAX_PATH];
        const size_t length = entry->FileNameLength / sizeof *wide;
        if (length <= MAX_PATH) {
            memcpy(wide, entry->FileName, length * sizeof *wide);
            wide[length] = 0;
            if (wide_to_utf8(wide, name, sizeof name) && !each(context, name)) return false;
        }
        if (!entry->NextEntryOffset) return true;
        entry = (const void *)((const char *)entry + entry->NextEntryOffset);
    }
}

void system_directory_list(system_file directory, bool (*each)(void *context, const char *name),
                           void *context) {
    enum { BLOCK_BYTES = 32 << 10 };
    /* A handle of its own, which begins at the first name and knows those that came lately. */
    const way list = {GENERIC_READ, OPEN_EXISTING, FILE_OPEN, true};
    wchar_t same[] = L"";
    const HANDLE again = open_in(handle_of(directory), same, &list, FILE_DIRECTORY_FILE);
    if (again == INVALID_HANDLE_VALUE) return;
    FILE_ID_BOTH_DIR_INFO *block = malloc(BLOCK_BYTES);
    while (block &&
           GetFileInformationByHandleEx(again, FileIdBothDirectoryInfo, block, BLOCK_BYTES) &&
           list_block(block, each, context))
        continue;
    free(block);
    CloseHandle(again);
}
