/* Cache: a hash table with chains. A kernel whose last reference is going may still be found here for a moment; references are taken
 * only from kernels that have one. */
#include "jit/cache.h"

#include <string.h>

#include "runtime/memory.h"

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

/* Keys. Written field by field: structs have bytes between their members that nobody set. */

static bool put(cache_key *key, const tosajit_allocator *allocator, const void *bytes, size_t size) {
    if (!memory_grow(allocator, (void **)&key->bytes, &key->capacity, key->size + size, 1)) return false;
    memcpy(key->bytes + key->size, bytes, size);
    key->size += size;
    return true;
}

static bool put_number(cache_key *key, const tosajit_allocator *allocator, int64_t number) {
    return put(key, allocator, &number, sizeof number);
}

static bool put_attributes(cache_key *key, const tosajit_allocator *allocator, const tosajit_attributes *a) {
    const int64_t numbers[] = {a->min_val.i,     a->max_val.i, a->nan_mode,       a->shift,           a->input_zp, a->output_zp,
                               a->rounding_mode, a->round,     a->input_unsigned, a->output_unsigned, a->scale32,  a->per_channel};
    return put(key, allocator, numbers, sizeof numbers);
}

static bool put_node(cache_key *key, const tosajit_allocator *allocator, const expr_node *node) {
    const tosajit_tensor_type *type = &node->type;
    int32_t rank = type->rank < 0 ? 0 : type->rank;
    const int64_t numbers[] = {node->kind, node->op, type->element, type->rank};
    bool done = put(key, allocator, numbers, sizeof numbers) && put(key, allocator, type->dims, (size_t)rank * sizeof *type->dims);
    if (done && node->kind == NODE_OP)
        done = put(key, allocator, node->operands, (size_t)node->operand_count * sizeof *node->operands) &&
               put_attributes(key, allocator, &node->attributes);
    if (done && node->kind == NODE_CONSTANT)
        done = put_number(key, allocator, (int64_t)node->data_size) && put(key, allocator, node->data, node->data_size);
    return done;
}

/* FNV-1a, eight bytes at a time, with the high bits folded down: only a choice of bucket. */
static uint64_t hash_of(const cache_key *key) {
    uint64_t hash = UINT64_C(14695981039346656037), word = 0;
    for (size_t at = 0; at < key->size; at += sizeof word) {
        size_t left = key->size - at;
        word = 0;
        memcpy(&word, key->bytes + at, left < sizeof word ? left : sizeof word);
        hash = (hash ^ word) * UINT64_C(1099511628211);
        hash ^= hash >> 29;
    }
    return hash;
}

cache_key cache_make_key(const tosajit_expr *expr, const tosajit_allocator *allocator) {
    enum { USUAL_SIZE = 512 };
    cache_key key = {0};
    bool done = memory_grow(allocator, (void **)&key.bytes, &key.capacity, USUAL_SIZE, 1) &&
                put_number(&key, allocator, expr->strict | expr->fast << 1 | (int64_t)expr->count << 2);
    for (size_t k = 0; done && k < expr->count; k++)
        done = expr->nodes[k].data_size <= LARGEST_CONSTANT && put_node(&key, allocator, &expr->nodes[k]);
    for (size_t k = 0; done && k < expr->contract_count; k++) {
        const expr_contract *p = &expr->contracts[k];
        const int64_t numbers[] = {p->input | (int64_t)p->dimension << 32, p->contract.smallest, p->contract.largest, p->contract.multiple};
        done = put(&key, allocator, numbers, sizeof numbers);
    }
    if (done) done = put_number(&key, allocator, (int64_t)expr->contract_count);
    if (done) done = put(&key, allocator, expr->results, (size_t)expr->result_count * sizeof *expr->results);
    if (!done) cache_drop_key(&key, allocator);
    key.hash = hash_of(&key);
    return key;
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
