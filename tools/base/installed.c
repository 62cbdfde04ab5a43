/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places are relative to the program itself, because an installation may be moved. */
#define _POSIX_C_SOURCE 200809L /* readlink */
#include "tools/base/installed.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool installed_find(const char *name, char path[INSTALLED_PATH]) {
    static const char *const places[] = {"onnxruntime", TOSAJIT_FILES};
    char self[INSTALLED_PATH / 2];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0'; /* else there is no /proc: from the current folder */
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        const int written =
            snprintf(path, INSTALLED_PATH, "%s/%s/%s", slash ? self : ".", places[k], name);
        if (written < INSTALLED_PATH && access(path, R_OK) == 0) return true;
    }
    return false;
}
