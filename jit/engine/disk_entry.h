/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file of one entry: a header, the key, the value.
 * In: a directory. Out: memory that has been checked against its checksum, or false. */
#ifndef TOSAJIT_JIT_ENGINE_DISK_ENTRY_H
#define TOSAJIT_JIT_ENGINE_DISK_ENTRY_H

#include <stdbool.h>

#include "runtime/system/system.h"
#include "tosajit/tosajit.h"

enum { STORE_HASH_DIGITS = 16, STORE_NAME_SIZE = 32 };
#define STORE_SUFFIX ".kernel"
#define STORE_PREFIX_TEMPORARY ".write-"

typedef enum store_outcome { STORE_FOUND, STORE_ABSENT, STORE_DAMAGED } store_outcome;

/* A value and the file that it was read with. */
typedef struct store_value {
    unsigned char *bytes; /* inside of file */
    size_t size;
    unsigned char *file; /* the allocator's */
    size_t file_size;
} store_value;
void store_value_drop(const tosajit_allocator *allocator, store_value *value);

/* The name of a key's file. */
void store_file_name(const void *key, size_t key_size, char name[STORE_NAME_SIZE]);

/* True if a file or directory can have been written by nobody but this process's user and root. */
bool store_file_trusted(const system_file_info *s);

/* Read the entry. A file with another key in it is ABSENT: two keys with one hash. */
store_outcome store_file_read(system_file directory, const char *name, const void *key,
                              size_t key_size, const tosajit_allocator *allocator,
                              store_value *value);

/* Write the entry into a new file; what fails leaves none. */
bool store_file_write(system_file directory, const char *name, const void *key, size_t key_size,
                      const void *value, size_t value_size);

#endif
