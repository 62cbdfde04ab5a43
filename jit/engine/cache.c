/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cache: two hash tables with chains, of kernels that live, and of compilations under way
 * (flights). A kernel leaves its table a moment after its last reference is gone, and may be found
 * in between. So a reference is never simply added: retain takes one only while there is another.
 */
#include "jit/engine/cache.h"

#include <string.h>

#include "jit/engine/engine_kernel.h"
#include "jit/engine/failure.h"
#include "runtime/base/memory.h"
#include "runtime/expr/program.h"

/* A kernel that lives, and may be handed out again. */
typedef struct cache_entry {
    cache_link link; /* its key is its own */
    cache *owner;
    tosajit_kernel *kernel;
} cache_entry;

/* A compilation that other threads may wait for. The last thread that waits frees it; if none
 * waits, the thread that compiles does. All members are under the cache's mutex. */
struct cache_flight {
    cache_link link; /* its key is borrowed from the thread that compiles, until it has finished */
    int waiting;
    bool done;
    tosajit_kernel *kernel; /* with a reference for each that waits; or null */
    failure failure;
};

/* ---------------------------------------------------------------------------------------------
 * Keys */

cache_key cache_make_key(const tosajit_expr *expr, const tosajit_allocator *allocator) {
    byte_writer w = {.allocator = *allocator};
    for (size_t k = 0; k < expr->count && !w.failed; k++)
        w.failed = expr->nodes[k].data_size > CACHE_LARGEST_CONSTANT;
    if (!w.failed) program_write(expr, &w);
    if (w.failed) bytes_release(&w);
    return (cache_key){w.bytes, w.size, w.capacity, bytes_hash(w.bytes, w.size)};
}

void cache_drop_key(cache_key *key, const tosajit_allocator *allocator) {
    memory_free(allocator, key->bytes, key->capacity, 1);
    *key = (cache_key){0};
}

static bool is_same(const cache_key *a, const cache_key *b) {
    return a->hash == b->hash && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* ---------------------------------------------------------------------------------------------
 * Tables */

static cache_link **bucket_of(const cache_table *t, uint64_t hash) {
    return &t->buckets[hash & (t->bucket_count - 1)];
}

/* The first link with this key, from here on. */
static cache_link *find_link(cache_link *l, const cache_key *key) {
    while (l && !is_same(&l->key, key)) l = l->next;
    return l;
}

static cache_link *find_first(const cache_table *t, const cache_key *key) {
    return t->buckets ? find_link(*bucket_of(t, key->hash), key) : NULL;
}

static void put_link(cache_table *t, cache_link *l) {
    cache_link **bucket = bucket_of(t, l->key.hash);
    l->next = *bucket;
    *bucket = l;
}

/* Chains stay at about one. False if there is no memory for the first. */
static bool grow_table(cache_table *t, const tosajit_allocator *allocator) {
    enum { FIRST_BUCKETS = 64 };
    if (t->count < t->bucket_count) return true;
    const cache_table old = *t;
    const size_t count = old.bucket_count ? old.bucket_count * 2 : FIRST_BUCKETS;
    cache_link **larger = memory_new(allocator, count, sizeof *larger), *next;
    if (!larger) return old.buckets != NULL;
    *t = (cache_table){larger, count, old.count};
    for (size_t k = 0; k < old.bucket_count; k++)
        for (cache_link *l = old.buckets[k]; l; l = next) {
            next = l->next;
            put_link(t, l);
        }
    memory_free(allocator, old.buckets, old.bucket_count, sizeof *old.buckets);
    return true;
}

static bool add_link(cache_table *t, cache_link *l, const cache_key *key,
                     const tosajit_allocator *allocator) {
    if (!grow_table(t, allocator)) return false;
    l->key = *key;
    put_link(t, l);
    t->count++;
    return true;
}

static void take_out(cache_table *t, cache_link *l) {
    cache_link **at = bucket_of(t, l->key.hash);
    while (*at != l) at = &(*at)->next;
    *at = l->next;
    t->count--;
}

void cache_create(cache *c) {
    *c = (cache){0};
    system_mutex_create(&c->mutex);
    system_condition_create(&c->landed);
}

void cache_destroy(cache *c, const tosajit_allocator *allocator) {
    const cache_table *tables[] = {&c->kernels, &c->flights};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        memory_free(allocator, tables[k]->buckets, tables[k]->bucket_count,
                    sizeof *tables[k]->buckets);
    system_condition_destroy(&c->landed);
    system_mutex_destroy(&c->mutex);
}

/* ---------------------------------------------------------------------------------------------
 * Before a compilation */

/* Take a reference unless the last one is gone. */
static bool retain(tosajit_kernel *kernel) {
    int references = atomic_load_explicit(&kernel->references, memory_order_relaxed);
    while (references > 0)
        if (atomic_compare_exchange_weak_explicit(&kernel->references, &references, references + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

/* With one more reference. */
static tosajit_kernel *find_kernel(const cache *c, const cache_key *key) {
    for (cache_link *l = find_first(&c->kernels, key); l; l = find_link(l->next, key)) {
        tosajit_kernel *kernel = ((cache_entry *)l)->kernel;
        if (retain(kernel)) return kernel;
    }
    return NULL;
}

/* Wait for the thread that compiles, and take what it made. */
static tosajit_status join_flight(cache *c, cache_flight *f, const tosajit_allocator *allocator,
                                  tosajit_kernel **kernel) {
    f->waiting++;
    while (!f->done) system_condition_wait(&c->landed, &c->mutex);
    *kernel = f->kernel;
    const tosajit_status status = failure_tell(&f->failure);
    if (--f->waiting == 0) memory_free(allocator, f, 1, sizeof *f);
    return status;
}

cache_answer cache_begin(cache *c, const cache_key *key, const tosajit_allocator *allocator,
                         bool wait, tosajit_kernel **kernel, tosajit_status *status,
                         cache_flight **flight) {
    *flight = NULL;
    *status = TOSAJIT_OK;
    if (!key->bytes) return CACHE_MISS;
    /* Without memory for a flight the caller compiles all the same, but nobody can wait for it. */
    cache_flight *own = memory_new(allocator, 1, sizeof *own), *other = NULL;
    system_mutex_lock(&c->mutex);
    *kernel = find_kernel(c, key);
    if (!*kernel) other = (cache_flight *)find_first(&c->flights, key);
    if (other && wait)
        *status = join_flight(c, other, allocator, kernel);
    else if (!other && !*kernel && own && add_link(&c->flights, &own->link, key, allocator))
        *flight = own;
    system_mutex_unlock(&c->mutex);
    if (!*flight) memory_free(allocator, own, 1, sizeof *own);
    return other ? (wait ? CACHE_JOINED : CACHE_BUSY) : *kernel ? CACHE_HIT : CACHE_MISS;
}

/* ---------------------------------------------------------------------------------------------
 * After it */

/* End a flight. Nobody can join it any more; each thread that has joined is given a reference to
 * the kernel, or the reason why there is none. */
static void land(cache *c, cache_flight *f, const tosajit_allocator *allocator,
                 tosajit_kernel *kernel, tosajit_status status) {
    take_out(&c->flights, &f->link);
    if (f->waiting == 0) {
        memory_free(allocator, f, 1, sizeof *f);
        return;
    }
    f->done = true;
    f->kernel = kernel;
    failure_keep(&f->failure, status);
    if (kernel) atomic_fetch_add_explicit(&kernel->references, f->waiting, memory_order_relaxed);
    system_condition_broadcast(&c->landed);
}

void cache_finish(cache *c, cache_key *key, const tosajit_allocator *allocator,
                  tosajit_kernel *kernel, tosajit_status status, cache_flight *flight) {
    cache_entry *e = kernel && key->bytes ? memory_new(allocator, 1, sizeof *e) : NULL;
    system_mutex_lock(&c->mutex);
    if (flight) land(c, flight, allocator, kernel, status);
    if (e && add_link(&c->kernels, &e->link, key, allocator)) {
        e->owner = c;
        e->kernel = kernel;
        engine_kernel_of(kernel)->cache_entry = e;
        *key = (cache_key){0};
        e = NULL;
    }
    system_mutex_unlock(&c->mutex);
    memory_free(allocator, e, 1, sizeof *e);
    cache_drop_key(key, allocator);
}

void cache_forget(tosajit_kernel *kernel) {
    cache_entry *e = engine_kernel_of(kernel)->cache_entry;
    if (!e) return;
    cache *c = e->owner;
    system_mutex_lock(&c->mutex);
    take_out(&c->kernels, &e->link);
    system_mutex_unlock(&c->mutex);
    cache_drop_key(&e->link.key, &kernel->allocator);
    memory_free(&kernel->allocator, e, 1, sizeof *e);
}
