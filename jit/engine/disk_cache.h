/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Store: values on disk under keys, for processes that come later or run beside this one. In: keys
 * and values as bytes. Out: the bytes again, whole and unchanged, or nothing.
 *
 * One directory, one file per entry, named after a hash of the key. A file is written under another
 * name and renamed, so it is seen whole or not at all. It holds the whole key and a checksum, so a
 * damaged file is never taken for an entry. Any number of processes may share the directory. A
 * store never makes its user fail: an entry that cannot be read or written is just absent. */
#ifndef TOSAJIT_JIT_ENGINE_DISK_CACHE_H
#define TOSAJIT_JIT_ENGINE_DISK_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "jit/engine/disk_entry.h"

typedef struct store_counts {
    atomic_uint_fast64_t hits, misses, damaged, written, failed,
        evicted; /* damaged ones are misses, too */
} store_counts;

typedef struct store {
    tosajit_allocator allocator;
    system_file directory; /* SYSTEM_NO_FILE: no store */
    bool read_only;     /* the directory is another user's whom this one trusts, that is root's */
    uint64_t max_bytes; /* of all files together; 0: no limit */
    atomic_uint_fast64_t bytes_held; /* a guess between two counts: other processes write as well */
    atomic_flag evicting;
    atomic_uint_fast64_t writes; /* numbers the temporary names */
    store_counts counts;
} store;

/* Open the directory, and make it (not its parents) if there is none. INVALID_ARGUMENT for a
 * directory that is none, that cannot be opened, or that somebody else could have written into. The
 * store must be closed if and only if this succeeds. */
tosajit_status store_open(const char *directory, uint64_t max_bytes,
                          const tosajit_allocator *allocator, store *s);
void store_close(store *s);

/* The value under that key; false if there is none that is sound. */
bool store_find(store *s, const void *key, size_t key_size, store_value *value);
void store_drop(const store *s, store_value *value);

/* Keep a value, replacing an older one; false if that was not possible. */
bool store_put(store *s, const void *key, size_t key_size, const void *value, size_t value_size);

/* Remove the entries that were not used for longest until a quarter of max_bytes is free, and what
 * interrupted writers left. */
void store_evict(store *s);

#endif
