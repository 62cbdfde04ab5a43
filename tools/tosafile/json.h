/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The JSON form of a TOSA file, as flatbuffers' own tool writes it. In: text of anybody; out: the
 * same as a flatbuffer, which is verified like any other. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_JSON_H
#define TOSAJIT_TOOLS_TOSAFILE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FILE_JSON_PROBLEM = 500,
    FILE_JSON_LARGEST = 1024 * 1024 * 1024, /* bytes */
    FILE_JSON_COMMAS = 64 * 1024 * 1024, /* values take up to 100 bytes each while they are read */
};

typedef struct file_json_problem {
    tosajit_status status;
    int line, column; /* from 1; 0: of the whole */
    char text[FILE_JSON_PROBLEM];
} file_json_problem;

/* True if bytes begin as an object of JSON, which no MLIR does. */
bool file_json_is_begun(const char *bytes, size_t size);
/* The flatbuffer, *made bytes to be freed, or null and the problem. */
uint8_t *file_json_read(const char *text, size_t size, size_t *made, file_json_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
