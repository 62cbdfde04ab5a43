/* Cache: the same expression, compiled again while its kernel lives, is the same kernel. Entries are weak: a kernel leaves the cache
 * when its last reference goes. Names do not matter; everything that changes the code or the checks does. */
#ifndef TOSAJIT_JIT_CACHE_H
#define TOSAJIT_JIT_CACHE_H

#include <pthread.h>
#include <stdbool.h>

#include "runtime/kernel.h"

typedef struct cache_entry cache_entry;

typedef struct cache {
    pthread_mutex_t mutex;
    cache_entry **buckets; /* null until the first entry */
    size_t bucket_count, entry_count;
} cache;

/* What an expression is compared by, byte for byte. */
typedef struct cache_key {
    unsigned char *bytes; /* null: not to be cached, for its constants are large or memory is out */
    size_t size, capacity;
    uint64_t hash;
} cache_key;

void cache_create(cache *c);
/* There must be no entry left. */
void cache_destroy(cache *c, const tosajit_allocator *allocator);

cache_key cache_make_key(const tosajit_expr *expr, const tosajit_allocator *allocator);
void cache_drop_key(cache_key *key, const tosajit_allocator *allocator);

/* The kernel of that key with one more reference, or null. */
tosajit_kernel *cache_find(cache *c, const cache_key *key);

/* Remember a kernel; it owns the key from then on. Without memory it is just not remembered. */
void cache_add(cache *c, cache_key *key, tosajit_kernel *kernel);

#endif
