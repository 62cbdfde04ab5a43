/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Libraries, by the loader of Windows. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/system/system.h"
#include "runtime/system/windows/wide.h"

bool system_library_file(const void *address, char *file, size_t capacity) {
    wchar_t name[WIDE_CAPACITY];
    HMODULE module;
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            address, &module))
        return false;
    const DWORD length = GetModuleFileNameW(module, name, WIDE_CAPACITY);
    return length && length < WIDE_CAPACITY && wide_to_utf8(name, file, capacity);
}

/* About the last error of Windows, of this thread. */
static system_no_library reason_of(const char *what) {
    static _Thread_local char text[512];
    const DWORD error = GetLastError();
    const bool absent = error == ERROR_MOD_NOT_FOUND || error == ERROR_FILE_NOT_FOUND;
    snprintf(text, sizeof text, "%s: %s (error %lu of Windows)", what,
             absent ? strerror(ENOENT) : "it cannot be loaded", (unsigned long)error);
    return (system_no_library){text, absent};
}

/* Each library's symbols are its own here. A path is also where its own libraries are looked for. A
 * name is looked for with the program and the system, and not in the current folder, where anybody
 * may have put a library of that name. */
void *system_library_open(const char *file, bool own_symbols_first, system_no_library *reason) {
    (void)own_symbols_first;
    wchar_t name[WIDE_CAPACITY];
    HMODULE library = NULL, stays;
    SetLastError(ERROR_MOD_NOT_FOUND);
    if (wide_of(file, name))
        library = LoadLibraryExW(name, NULL,
                                 wcschr(name, L'\\') ? LOAD_WITH_ALTERED_SEARCH_PATH
                                                     : LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    if (!library)
        *reason = reason_of(file);
    else
        (void)GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN, name, &stays);
    return library;
}

void *system_library_symbol(void *library, const char *name, system_no_library *reason) {
    const FARPROC found = GetProcAddress(library, name);
    void *symbol;
    memcpy(&symbol, &found, sizeof symbol); /* C has no cast from a function to data */
    if (!found) *reason = reason_of(name);
    return symbol;
}
