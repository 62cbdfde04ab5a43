/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frame of MLIR's bytecode, as in mlir/Bytecode/Encoding.h. MLIR's reader (22) does not check
 * some numbers, and writes beyond its memory by them. So they are checked here. In: the bytes of a
 * file. */
#ifndef TOSAJIT_TOOLS_MLIR_BYTECODE_H
#define TOSAJIT_TOOLS_MLIR_BYTECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BYTECODE_ALIGNED = 0x80, BYTECODE_MOST_SECTIONS = 32, BYTECODE_MOST_ALIGNMENT = 4096 };

typedef struct bytecode_section {
    uint8_t identifier; /* with BYTECODE_ALIGNED if it says an alignment */
    uint64_t alignment;
    const uint8_t *contents;
    size_t size;
} bytecode_section;

typedef struct bytecode_file {
    size_t head, count; /* bytes before the sections; sections */
    bytecode_section sections[BYTECODE_MOST_SECTIONS];
} bytecode_file;

bool bytecode_is(const uint8_t *data, size_t size);

/* A number at *at, which is moved behind it; false if it is cut off. */
bool bytecode_number(const uint8_t *data, size_t size, size_t *at, uint64_t *number);

/* False for what is cut off, or has other things than so many sections. */
bool bytecode_open(const uint8_t *data, size_t size, bytecode_file *f);

/* True if MLIR can be given these bytes, of which it checks the rest: no group of attributes or
 * types has more than there are of them. */
bool bytecode_is_sound(const uint8_t *data, size_t size);

#endif
