/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places are relative to the program itself, because an installation may be moved. */
#include "tools/base/installed.h"

#include <stdio.h>
#include <string.h>

#include "runtime/system/system.h"

static bool can_be_read(const char *path) {
    const system_file file = system_file_open(SYSTEM_NO_FILE, path, SYSTEM_READ);
    if (file == SYSTEM_NO_FILE) return false;
    system_file_close(file);
    return true;
}

bool installed_find(const char *name, char path[INSTALLED_PATH]) {
    static const char *const places[] = {"onnxruntime", TOSAJIT_FILES};
    char self[INSTALLED_PATH / 2];
    if (!system_library_file(places, self, sizeof self)) *self = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0'; /* else it is not known: from the current folder */
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        const int written =
            snprintf(path, INSTALLED_PATH, "%s/%s/%s", slash ? self : ".", places[k], name);
        if (written < INSTALLED_PATH && can_be_read(path)) return true;
    }
    return false;
}
