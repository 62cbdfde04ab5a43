/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that come with the command, wherever it was built, installed or moved to. In: a name; out:
 * its path. */
#ifndef TOSAJIT_TOOLS_BASE_INSTALLED_H
#define TOSAJIT_TOOLS_BASE_INSTALLED_H

#include <stdbool.h>

enum { INSTALLED_PATH = 8192 };

/* A file of lib/tosajit, which a build has beside the program. False if it cannot be read; path is
 * where it would be installed then. */
bool installed_find(const char *name, char path[INSTALLED_PATH]);

#endif
