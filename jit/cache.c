/* Cache: a hash table with chains. A kernel whose last reference is going may still be found here for a moment; references are taken
 * only from kernels that have one. */
#include "jit/cache.h"

#include <string.h>

#include "runtime/memory.h"
#include "runtime/program.h"

enum { LARGEST_CONSTANT = 64 << 10, FIRST_BUCKETS = 64 };

struct cache_entry {
    cache *owner;
    cache_entry *next;
    cache_key key;
    tosajit_kernel *kernel;
};

void cache_create(cache *c) {
    *c = (cache){0};
    pthread_mutex_init(&c->mutex, NULL);
}

void cache_destroy(cache *c, const tosajit_allocator *allocator) {
    memory_free(allocator, c->buckets, c->bucket_count, sizeof *c->buckets);
    pthread_mutex_destroy(&c->mutex);
}

cache_key cache_make_key(const tosajit_expr *expr, const tosajit_allocator *allocator) {
    byte_writer w = {.allocator = *allocator};
    for (size_t k = 0; k < expr->count && !w.failed; k++) w.failed = expr->nodes[k].data_size > LARGEST_CONSTANT;
    if (!w.failed) program_write(expr, &w);
    if (w.failed) bytes_release(&w);
    return (cache_key){w.bytes, w.size, w.capacity, bytes_hash(w.bytes, w.size)};
}

void cache_drop_key(cache_key *key, const tosajit_allocator *allocator) {
    memory_free(allocator, key->bytes, key->capacity, 1);
    *key = (cache_key){0};
}

static cache_entry **bucket_of(cache_entry **buckets, size_t count, uint64_t hash) { return &buckets[hash & (count - 1)]; }

/* Take a reference unless the last one is gone. */
static bool retain(tosajit_kernel *kernel) {
    int references = atomic_load_explicit(&kernel->references, memory_order_relaxed);
    while (references > 0)
        if (atomic_compare_exchange_weak_explicit(&kernel->references, &references, references + 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return true;
    return false;
}

tosajit_kernel *cache_find(cache *c, const cache_key *key) {
    tosajit_kernel *found = NULL;
    if (!key->bytes) return NULL;
    pthread_mutex_lock(&c->mutex);
    cache_entry *e = c->buckets ? *bucket_of(c->buckets, c->bucket_count, key->hash) : NULL;
    for (; e && !found; e = e->next)
        if (e->key.hash == key->hash && e->key.size == key->size && memcmp(e->key.bytes, key->bytes, key->size) == 0 && retain(e->kernel))
            found = e->kernel;
    pthread_mutex_unlock(&c->mutex);
    return found;
}

/* The kernel's last reference is gone. */
static void forget(tosajit_kernel *kernel) {
    cache_entry *e = kernel->cache_entry;
    cache *c = e->owner;
    pthread_mutex_lock(&c->mutex);
    cache_entry **link = bucket_of(c->buckets, c->bucket_count, e->key.hash);
    while (*link != e) link = &(*link)->next;
    *link = e->next;
    c->entry_count--;
    pthread_mutex_unlock(&c->mutex);
    cache_drop_key(&e->key, &kernel->allocator);
    memory_free(&kernel->allocator, e, 1, sizeof *e);
}

/* Keep chains at about one entry. */
static bool make_room(cache *c, const tosajit_allocator *allocator) {
    if (c->entry_count < c->bucket_count) return true;
    size_t count = c->bucket_count ? c->bucket_count * 2 : FIRST_BUCKETS;
    cache_entry **larger = memory_new(allocator, count, sizeof *larger), *next;
    if (!larger) return c->buckets != NULL;
    for (size_t k = 0; k < c->bucket_count; k++)
        for (cache_entry *e = c->buckets[k]; e; e = next) {
            cache_entry **bucket = bucket_of(larger, count, e->key.hash);
            next = e->next;
            e->next = *bucket;
            *bucket = e;
        }
    memory_free(allocator, c->buckets, c->bucket_count, sizeof *c->buckets);
    c->buckets = larger;
    c->bucket_count = count;
    return true;
}

void cache_add(cache *c, cache_key *key, tosajit_kernel *kernel) {
    cache_entry *e = key->bytes ? memory_new(&kernel->allocator, 1, sizeof *e) : NULL;
    pthread_mutex_lock(&c->mutex);
    if (e && make_room(c, &kernel->allocator)) {
        cache_entry **bucket = bucket_of(c->buckets, c->bucket_count, key->hash);
        *e = (cache_entry){c, *bucket, *key, kernel};
        *bucket = e;
        c->entry_count++;
        kernel->cache_entry = e;
        kernel->forget = forget;
        *key = (cache_key){0};
        e = NULL;
    }
    pthread_mutex_unlock(&c->mutex);
    memory_free(&kernel->allocator, e, 1, sizeof *e);
    cache_drop_key(key, &kernel->allocator);
}
