/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wide: names as Windows has them, of UTF-8; and its errors as C has them. */
#ifndef TOSAJIT_RUNTIME_SYSTEM_WINDOWS_WIDE_H
#define TOSAJIT_RUNTIME_SYSTEM_WINDOWS_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

/* Longer names fail with ENAMETOOLONG. */
enum { WIDE_CAPACITY = 4096 };

/* With backslashes. False, with the reason in errno. */
bool wide_of(const char *name, wchar_t wide[WIDE_CAPACITY]);

/* With slashes. False if it does not fit. */
bool wide_to_utf8(const wchar_t *wide, char *name, size_t capacity);

/* The errno for an error of Windows. */
int wide_errno(DWORD error);

/* Set errno by GetLastError; false. */
bool wide_failed(void);

#endif
