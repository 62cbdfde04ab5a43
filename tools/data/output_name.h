/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of files, as output_file.c takes them from the system. In: what somebody wrote. Out: the
 * file that it leads to, and a new one beside that. errno says why something failed. */
#ifndef TOSAJIT_TOOLS_DATA_OUTPUT_NAME_H
#define TOSAJIT_TOOLS_DATA_OUTPUT_NAME_H

#include <stdbool.h>
#include <stdio.h>

/* Open a new file, *temporary, beside *target, to which path leads; path itself where it is a
 * device or a pipe, and *temporary stays null. The caller frees both names, also where null is
 * returned. */
FILE *output_name_open(const char *path, char **target, char **temporary);
/* Puts a file on the disk. */
bool output_name_keep(FILE *file);
/* The file takes the target's place. */
bool output_name_give(const char *temporary, const char *target);

/* True if writing to a and to b would end in one file, however they are spelled. */
bool output_name_same(const char *a, const char *b);

#endif
