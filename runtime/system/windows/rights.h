/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rights: to whom a file belongs and who may write it, by its list of access. */
#ifndef TOSAJIT_RUNTIME_SYSTEM_WINDOWS_RIGHTS_H
#define TOSAJIT_RUNTIME_SYSTEM_WINDOWS_RIGHTS_H

#include <stdbool.h>
#include <windows.h>

#include "runtime/system/system.h"

/* is_ours, is_roots and others_write. Nobody's, and written by others, if it cannot be told. */
void rights_of(HANDLE file, system_file_info *info);

/* Attributes of a directory for this user alone. False without memory; else to be released by
 * LocalFree. */
bool rights_private(SECURITY_ATTRIBUTES *attributes);

#endif
