/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code: a flattened kernel: machine code and its constants in one piece that runs wherever it is
 * put, and refers to nothing outside. And the memory in which it runs. */
#ifndef TOSAJIT_RUNTIME_CODE_CODE_H
#define TOSAJIT_RUNTIME_CODE_CODE_H

#include <stdbool.h>

#include "tosajit/inspect.h"

enum { CODE_MAX_ALIGNMENT = 4096 };

typedef struct code_image {
    const unsigned char *bytes; /* owned by whoever made it */
    size_t size;
    uint16_t machine;   /* MACHINE_* of runtime/base/features.h */
    uint32_t alignment; /* of the first byte, a power of two up to CODE_MAX_ALIGNMENT: a page where
                           code is relative to pages */
    uint32_t entry_count;
    uint32_t entries[TOSAJIT_MAX_TENSORS]; /* offsets of the functions, one per part */
    uint64_t masked; /* bit k: function k computes a row that is shorter than a vector by a mask */
} code_image;

/* The code of a part of a plan, and what it is called with. */
typedef struct code_part {
    tosajit_entry entry;
    const void *context; /* the entry's first argument: what code that was not made for the part
                            needs to know of it; null: nothing. Code that was made for it may be
                            told how many bytes the call's results have, as a pointer */
    bool masked;         /* as code_image has it */
    bool single;         /* an op's own code: no loop for rows along which every leaf repeats */
} code_part;

/* One for each function of an image that lies where it can run. */
void code_parts(const code_image *image, code_part *parts);

/* Bytes of the function's code: up to the next one, or to the end. */
uint64_t code_entry_size(const code_image *image, uint32_t k);

/* Free the bytes, which came from the allocator. */
void code_release(code_image *image, const tosajit_allocator *allocator);

/* NOT_EXECUTABLE if this process may not have executable memory. */
tosajit_status code_probe(void);

/* A copy of the image in executable pages of its own (runtime/system/system.h), which are never
 * writable and executable at once. Give it back with code_unmap. NOT_EXECUTABLE, OUT_OF_MEMORY. */
tosajit_status code_map(const code_image *image, code_image *mapped);
void code_unmap(const code_image *mapped);

#endif
