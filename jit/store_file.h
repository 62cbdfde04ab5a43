/* The file of one entry: a header, the key, the value.
 * In: descriptors. Out: memory that has been checked against its checksum, or false. */
#ifndef TOSAJIT_JIT_STORE_FILE_H
#define TOSAJIT_JIT_STORE_FILE_H

#include "jit/store.h"

enum { STORE_HASH_DIGITS = 16, STORE_NAME_SIZE = 32 };
#define STORE_SUFFIX ".kernel"
#define STORE_PREFIX_TEMPORARY ".write-"

typedef enum store_outcome { STORE_FOUND, STORE_ABSENT, STORE_DAMAGED } store_outcome;

/* The name of a key's file. */
void store_file_name(const void *key, size_t key_size, char name[STORE_NAME_SIZE]);

/* Whether a file or directory can have been written by nobody but this process's user and root. */
struct stat;
bool store_file_trusted(const struct stat *s);

/* Read the entry. A file with another key in it is ABSENT: two keys with one hash. */
store_outcome store_file_read(const store *s, const char *name, const void *key, size_t key_size, store_value *value);

/* Write the entry into a new file; what fails leaves none. */
bool store_file_write(const store *s, const char *name, const void *key, size_t key_size, const void *value, size_t value_size);

#endif
