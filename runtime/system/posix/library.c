/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Libraries, by the dynamic loader. */
#define _GNU_SOURCE      /* dladdr1, RTLD_DEEPBIND */
#define _DARWIN_C_SOURCE /* dladdr */
#include <dlfcn.h>
#include <errno.h>
#if defined(__GLIBC__)
#include <link.h>
#endif
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/system/system.h"

#if defined(__APPLE__)
enum { DEEPBIND = 0 }; /* symbols are of the library that they were linked with, always */

bool system_library_file(const void *address, char *file, size_t capacity) {
    Dl_info self;
    return dladdr(address, &self) && self.dli_fname && self.dli_fname[0] == '/' &&
           (size_t)snprintf(file, capacity, "%s", self.dli_fname) < capacity;
}
#elif !defined(__GLIBC__)
enum { DEEPBIND = 0 }; /* there is no such way */

/* A static program knows nothing of its parts. Else a name that is no path is the program's. */
bool system_library_file(const void *address, char *file, size_t capacity) {
    Dl_info self;
    if (!dladdr(address, &self) || !self.dli_fname) return false;
    if (self.dli_fname[0] == '/')
        return (size_t)snprintf(file, capacity, "%s", self.dli_fname) < capacity;
    const ssize_t length = readlink("/proc/self/exe", file, capacity);
    if (length < 0 || (size_t)length >= capacity) return false;
    file[length] = '\0';
    return true;
}
#else
enum { DEEPBIND = RTLD_DEEPBIND };

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
#endif

/* The sentence of dlerror is the only source: dlopen promises no errno, and only the loader knows
 * where it has looked. */
void *system_library_open(const char *file, bool own_symbols_first, system_no_library *reason) {
    const int isolation = own_symbols_first ? DEEPBIND : 0;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | isolation);
    if (!library) reason->why = dlerror();
    if (!library) reason->missing = strstr(reason->why, strerror(ENOENT)) != NULL;
    return library;
}

void *system_library_symbol(void *library, const char *name, system_no_library *reason) {
    void *found = dlsym(library, name);
    if (!found) *reason = (system_no_library){.why = dlerror()};
    return found;
}
