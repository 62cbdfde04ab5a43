/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Beside: where the libraries are that belong to this one. */
#define _GNU_SOURCE /* dladdr */
#include "jit/engine/beside.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* DIRECTORY/NAME, with the directory of this library; false if that is not known. */
static bool beside_us(const char *name, char *path, size_t capacity) {
    Dl_info self;
    if (!dladdr(tosajit_build, &self) || !self.dli_fname) return false;
    const char *slash = strrchr(self.dli_fname, '/');
    if (!slash) return false;
    size_t length = (size_t)snprintf(path, capacity, "%.*s/%s", (int)(slash - self.dli_fname),
                                     self.dli_fname, name);
    return length < capacity;
}

void *beside_open(const char *name, int flags, char *reason, size_t capacity) {
    enum { PATH_CAPACITY = 4096 };
    char path[PATH_CAPACITY];
    void *library = beside_us(name, path, sizeof path) ? dlopen(path, flags) : NULL;
    if (library) return library;
    const char *why = dlerror();
    snprintf(reason, capacity, "%s%s", why ? why : "", why ? "; " : "");
    return dlopen(name, flags);
}
