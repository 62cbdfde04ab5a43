/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files: reading and writing whole blocks. In: descriptors. Out: all bytes, or errno. */
#ifndef TOSAJIT_RUNTIME_BASE_FILES_H
#define TOSAJIT_RUNTIME_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Up to size bytes; *got is fewer only where the file ends. False: see errno. */
bool files_read(int file, void *bytes, size_t size, size_t *got);

/* All of them, or false: see errno. Beyond the limit of file sizes (RLIMIT_FSIZE) it fails with
 * EFBIG and raises no signal, which would end the process. */
bool files_write(int file, const void *bytes, size_t size);

#endif
