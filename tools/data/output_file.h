/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that are written whole. In: a path. Out: a stream whose bytes get that name when they are
 * complete; a failure leaves the file that had the name before. */
#ifndef TOSAJIT_TOOLS_DATA_OUTPUT_FILE_H
#define TOSAJIT_TOOLS_DATA_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct output_file {
    FILE *stream;    /* null once it is finished */
    char *temporary; /* the name until then; null where the target is no regular file and is written
                        in place */
    char *target;    /* null for standard output */
} output_file;

/* Open a new file beside path; "-" is standard output. A file of that name keeps its permissions
 * and, where the system allows it, its owner; it is replaced as a whole, so that other hard links
 * to it keep what it was. A symbolic link stays and leads to the new file. Devices and pipes are
 * written in place, and never removed. False: see errno; then *file holds nothing. */
bool output_file_open(const char *path, output_file *file);
/* Nothing more is written: the bytes are where they stay. False: see errno; then *file holds
 * nothing. */
bool output_file_finish(output_file *file);
/* Give it its name. Ends *file in either case. False: see errno. */
bool output_file_commit(output_file *file);
/* Drop it, whether finished or not. errno stays. */
void output_file_abort(output_file *file);

#endif
