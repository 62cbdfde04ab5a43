/* Code: a flattened kernel: machine code and its constants in one piece that runs wherever it is put, and refers to nothing outside. */
#ifndef TOSAJIT_RUNTIME_CODE_H
#define TOSAJIT_RUNTIME_CODE_H

#include "tosajit/tosajit.h"

enum { CODE_MAX_ALIGNMENT = 4096 };

typedef struct code_image {
    unsigned char *bytes; /* owned by whoever made it; memory_free(allocator, bytes, size, 1) */
    size_t size;
    uint16_t machine;   /* EM_* of ELF */
    uint32_t alignment; /* of the first byte, a power of two up to CODE_MAX_ALIGNMENT: a page where code is relative to pages */
    uint32_t entry_count;
    uint32_t entries[TOSAJIT_MAX_TENSORS]; /* offsets of the functions, one per part */
} code_image;

#endif
