/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cache: the same expression, compiled again while its kernel lives, is the same kernel. Entries
 * are weak: a kernel leaves the cache when its last reference goes. Names do not matter; everything
 * that changes the code or the checks does. */
#ifndef TOSAJIT_JIT_ENGINE_CACHE_H
#define TOSAJIT_JIT_ENGINE_CACHE_H

#include <stdbool.h>

#include "runtime/run/kernel.h"
#include "runtime/system/system.h"

/* Bytes of a constant up to which an expression is cached: its key has a copy of each constant. */
enum { CACHE_LARGEST_CONSTANT = 64 << 10 };

/* The form in which expressions are compared, byte for byte. */
typedef struct cache_key {
    unsigned char *bytes; /* null: not to be cached, for its constants are large or memory is out */
    size_t size, capacity;
    uint64_t hash;
} cache_key;

/* The link between a key and its kernel. It is the first member of cache_entry and of cache_flight.
 */
typedef struct cache_link cache_link;
struct cache_link {
    cache_link *next;
    cache_key key;
};

/* Chains of about one. */
typedef struct cache_table {
    cache_link **buckets; /* null until there is something */
    size_t bucket_count, count;
} cache_table;

typedef struct cache_flight cache_flight;

typedef struct cache {
    system_mutex mutex;
    system_condition landed;
    cache_table kernels, flights; /* what lives; what is being compiled */
} cache;

void cache_create(cache *c);
/* There must be no entry left. */
void cache_destroy(cache *c, const tosajit_allocator *allocator);

cache_key cache_make_key(const tosajit_expr *expr, const tosajit_allocator *allocator);
void cache_drop_key(cache_key *key, const tosajit_allocator *allocator);

typedef enum cache_answer {
    CACHE_HIT,    /* the kernel, with one more reference */
    CACHE_JOINED, /* what another thread made of the same key meanwhile: a kernel with one more
                     reference, or its failure */
    CACHE_BUSY,   /* another thread is making it, and the caller does not wait */
    CACHE_MISS,   /* the caller makes the kernel and tells cache_finish */
} cache_answer;

/* Look a key up. With `wait`, wait for another thread that is making the kernel. A caller that had
 * a miss, and has not yet called cache_finish for it, must not wait. Another thread may be waiting
 * for that very kernel, and the two would wait for each other. *flight is for cache_finish. */
cache_answer cache_begin(cache *c, const cache_key *key, const tosajit_allocator *allocator,
                         bool wait, tosajit_kernel **kernel, tosajit_status *status,
                         cache_flight **flight);

/* After a miss: hand the kernel, or the failure, to the threads that wait for it, and remember the
 * kernel, which owns the key from then on. Without memory it is just not remembered. */
void cache_finish(cache *c, cache_key *key, const tosajit_allocator *allocator,
                  tosajit_kernel *kernel, tosajit_status status, cache_flight *flight);

/* The kernel's last reference is gone: nobody finds it any more. */
void cache_forget(tosajit_kernel *kernel);

#endif
