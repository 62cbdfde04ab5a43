/* Cache: a hash table with chains, and a list of what is being compiled. A kernel whose last reference is going may still be found here for
 * a moment; references are taken only from kernels that have one. */
#include "jit/cache.h"

#include <stdio.h>
#include <string.h>

#include "runtime/diag.h"
#include "runtime/memory.h"
#include "runtime/program.h"

enum { LARGEST_CONSTANT = 64 << 10, FIRST_BUCKETS = 64 };

struct cache_entry {
    cache *owner;
    cache_entry *next;
    cache_key key;
    tosajit_kernel *kernel;
};

/* A compilation that other threads may wait for. Freed by whoever needs it last; all members under the mutex. */
struct cache_flight {
    cache_flight *next;
    cache_key key; /* borrowed from the thread that compiles, until it has finished */
    int waiting;
    bool done;
    tosajit_kernel *kernel; /* with a reference for each that waits; or null */
    tosajit_status status;
    char message[512]; /* why it failed; the last error is the other thread's */
};

void cache_create(cache *c) {
    *c = (cache){0};
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->landed, NULL);
}

void cache_destroy(cache *c, const tosajit_allocator *allocator) {
    memory_free(allocator, c->buckets, c->bucket_count, sizeof *c->buckets);
    pthread_cond_destroy(&c->landed);
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

bool cache_is_same(const cache_key *a, const cache_key *b) {
    return a->bytes && b->bytes && a->hash == b->hash && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static tosajit_kernel *find_kernel(const cache *c, const cache_key *key) {
    cache_entry *e = c->buckets ? *bucket_of(c->buckets, c->bucket_count, key->hash) : NULL;
    while (e && !(cache_is_same(&e->key, key) && retain(e->kernel))) e = e->next;
    return e ? e->kernel : NULL;
}

static cache_flight *find_flight(const cache *c, const cache_key *key) {
    cache_flight *f = c->flights;
    while (f && !cache_is_same(&f->key, key)) f = f->next;
    return f;
}

/* Wait for the thread that compiles, and take what it made. */
static tosajit_status join(cache *c, cache_flight *f, const tosajit_allocator *allocator, tosajit_kernel **kernel) {
    f->waiting++;
    while (!f->done) pthread_cond_wait(&c->landed, &c->mutex);
    *kernel = f->kernel;
    tosajit_status status = f->status;
    if (status) diag_error(status, "%s", f->message);
    if (--f->waiting == 0) memory_free(allocator, f, 1, sizeof *f);
    return status;
}

cache_answer cache_begin(cache *c, const cache_key *key, const tosajit_allocator *allocator, bool wait, tosajit_kernel **kernel,
                         tosajit_status *status, cache_flight **flight) {
    *flight = NULL;
    *status = TOSAJIT_OK;
    if (!key->bytes) return CACHE_MISS;
    cache_flight *own = memory_new(allocator, 1, sizeof *own), *other = NULL; /* without memory, nobody can join */
    pthread_mutex_lock(&c->mutex);
    *kernel = find_kernel(c, key);
    if (!*kernel) other = find_flight(c, key);
    if (other && wait) {
        *status = join(c, other, allocator, kernel);
    } else if (!other && !*kernel && own) {
        own->key = *key;
        own->next = c->flights;
        c->flights = *flight = own;
    }
    pthread_mutex_unlock(&c->mutex);
    if (!*flight) memory_free(allocator, own, 1, sizeof *own);
    return other ? (wait ? CACHE_JOINED : CACHE_BUSY) : *kernel ? CACHE_HIT : CACHE_MISS;
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

/* End a flight: from now on nobody joins it, and those who have get their reference or the reason. */
static void land(cache *c, cache_flight *f, const tosajit_allocator *allocator, tosajit_kernel *kernel, tosajit_status status) {
    cache_flight **link = &c->flights;
    while (*link != f) link = &(*link)->next;
    *link = f->next;
    if (f->waiting == 0) {
        memory_free(allocator, f, 1, sizeof *f);
        return;
    }
    f->done = true;
    f->kernel = kernel;
    f->status = status;
    if (kernel) atomic_fetch_add_explicit(&kernel->references, f->waiting, memory_order_relaxed);
    if (status) snprintf(f->message, sizeof f->message, "%s", tosajit_last_error());
    pthread_cond_broadcast(&c->landed);
}

void cache_finish(cache *c, cache_key *key, const tosajit_allocator *allocator, tosajit_kernel *kernel, tosajit_status status,
                  cache_flight *flight) {
    cache_entry *e = kernel && key->bytes ? memory_new(allocator, 1, sizeof *e) : NULL;
    pthread_mutex_lock(&c->mutex);
    if (flight) land(c, flight, allocator, kernel, status);
    if (e && make_room(c, allocator)) {
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
    memory_free(allocator, e, 1, sizeof *e);
    cache_drop_key(key, allocator);
}
