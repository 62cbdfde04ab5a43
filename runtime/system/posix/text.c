/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text: streams into memory. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "runtime/system/system.h"

FILE *system_text_file(void) { return tmpfile(); }

int system_text_byte(FILE *stream) { return getc_unlocked(stream); }

FILE *system_text_open(char **text, size_t *size) { return open_memstream(text, size); }

bool system_text_close(FILE *stream) { return fclose(stream) == 0; }
