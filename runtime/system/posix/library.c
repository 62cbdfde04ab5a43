/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Libraries, by the dynamic loader. */
#define _GNU_SOURCE /* dladdr1, RTLD_DEEPBIND */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/system/system.h"

/* The loader has no name for the program itself, and calls it what its caller did: a word that may
 * lead from any folder to anywhere. */
bool system_library_file(const void *address, char *file, size_t capacity) {
    Dl_info self;
    struct link_map *map = NULL;
    if (!dladdr1(address, &self, (void **)&map, RTLD_DL_LINKMAP) || !map) return false;
    if (map->l_name[0] == '/')
        return (size_t)snprintf(file, capacity, "%s", map->l_name) < capacity;
    const ssize_t length = map->l_name[0] ? -1 : readlink("/proc/self/exe", file, capacity);
    if (length < 0 || (size_t)length >= capacity) return false;
    file[length] = '\0';
    return true;
}

void *system_library_open(const char *file, bool own_symbols_first, const char **why) {
    const int isolation = own_symbols_first ? RTLD_DEEPBIND : 0;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | isolation);
    if (!library) *why = dlerror();
    return library;
}

void *system_library_symbol(void *library, const char *name, const char **why) {
    void *found = dlsym(library, name);
    if (!found) *why = dlerror();
    return found;
}

/* What dlerror says of a file that is not there; errno does not tell. */
bool system_library_is_missing(const char *why) { return strstr(why, strerror(ENOENT)) != NULL; }
