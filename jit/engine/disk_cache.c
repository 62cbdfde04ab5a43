/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Store: the directory, and who has to leave it when it is full. */
#include "jit/engine/disk_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"

static tosajit_status directory_error(const char *directory, const char *why) {
    return diag_error(TOSAJIT_INVALID_ARGUMENT, "the cache directory \"%s\": %s", directory, why);
}

tosajit_status store_open(const char *directory, uint64_t max_bytes,
                          const tosajit_allocator *allocator, store *s) {
    *s = (store){.allocator = *allocator,
                 .directory = SYSTEM_NO_FILE,
                 .max_bytes = max_bytes,
                 .evicting = ATOMIC_FLAG_INIT};
    const char *why = NULL;
    char open_to_others[80];
    snprintf(open_to_others, sizeof open_to_others, "it can be written by others; %s",
             system_directory_advice);
    const system_file opened = system_directory_open(directory, &why);
    if (why) return directory_error(directory, why);
    system_file_info about;
    if (!system_file_about(opened, &about))
        why = strerror(errno);
    else if (!store_file_trusted(&about))
        why = about.is_ours || about.is_roots ? open_to_others : "it belongs to another user";
    if (why) {
        system_file_close(opened);
        return directory_error(directory, why);
    }
    s->directory = opened;
    s->read_only = !about.is_ours;
    if (!s->read_only) store_evict(s);
    return TOSAJIT_OK;
}

void store_close(store *s) {
    if (s->directory != SYSTEM_NO_FILE) system_file_close(s->directory);
    s->directory = SYSTEM_NO_FILE;
}

static void count(atomic_uint_fast64_t *counter) {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

bool store_find(store *s, const void *key, size_t key_size, store_value *value) {
    char name[STORE_NAME_SIZE];
    store_file_name(key, key_size, name);
    store_outcome outcome =
        store_file_read(s->directory, name, key, key_size, &s->allocator, value);
    if (outcome == STORE_DAMAGED) {
        count(&s->counts.damaged);
        if (!s->read_only) system_file_remove(s->directory, name);
    }
    count(outcome == STORE_FOUND ? &s->counts.hits : &s->counts.misses);
    return outcome == STORE_FOUND;
}

void store_drop(const store *s, store_value *value) { store_value_drop(&s->allocator, value); }

/* Write a file under a name that no other writer has, and rename it. The name has the process's
 * number, but processes in different namespaces may have the same one; then O_EXCL lets one of them
 * write, and the other fails. */
static bool write_and_rename(store *s, const char *name, const void *key, size_t key_size,
                             const void *value, size_t value_size) {
    char temporary[64];
    uint64_t number = atomic_fetch_add_explicit(&s->writes, 1, memory_order_relaxed);
    snprintf(temporary, sizeof temporary, STORE_PREFIX_TEMPORARY "%ld-%p-%llu", system_process(),
             (void *)s, (unsigned long long)number);
    if (!store_file_write(s->directory, temporary, key, key_size, value, value_size)) return false;
    if (system_file_rename(s->directory, temporary, name)) return true;
    system_file_remove(s->directory, temporary);
    return false;
}

bool store_put(store *s, const void *key, size_t key_size, const void *value, size_t value_size) {
    uint64_t size = (uint64_t)key_size + value_size;
    char name[STORE_NAME_SIZE];
    store_file_name(key, key_size, name);
    bool fits = !s->read_only && (!s->max_bytes || size <= s->max_bytes / 2);
    if (!fits || !write_and_rename(s, name, key, key_size, value, value_size)) {
        count(&s->counts.failed);
        return false;
    }
    count(&s->counts.written);
    uint64_t held = atomic_fetch_add_explicit(&s->bytes_held, size, memory_order_relaxed) + size;
    if (s->max_bytes && held > s->max_bytes) store_evict(s);
    return true;
}

/* Eviction. */

typedef struct entry {
    struct timespec used;
    uint64_t size;
    char name[STORE_NAME_SIZE];
} entry;

typedef struct listing {
    const store *store;
    entry *entries;
    size_t count, capacity;
    uint64_t bytes;
} listing;

static int older(const void *left, const void *right) {
    const struct timespec *l = &((const entry *)left)->used, *r = &((const entry *)right)->used;
    if (l->tv_sec != r->tv_sec) return l->tv_sec < r->tv_sec ? -1 : 1;
    return (l->tv_nsec > r->tv_nsec) - (l->tv_nsec < r->tv_nsec);
}

static bool is_entry(const char *name) {
    return strlen(name) == STORE_HASH_DIGITS + strlen(STORE_SUFFIX) &&
           strcmp(name + STORE_HASH_DIGITS, STORE_SUFFIX) == 0;
}

/* A temporary file that is an hour old has lost its writer. */
static bool is_orphan(const char *name, const system_file_info *about) {
    enum { HOUR = 3600 };
    return strncmp(name, STORE_PREFIX_TEMPORARY, strlen(STORE_PREFIX_TEMPORARY)) == 0 &&
           time(NULL) - about->changed.tv_sec > HOUR;
}

/* False without memory. Files that are neither entries nor orphans are somebody's: they stay. */
static bool list_one(void *context, const char *name) {
    listing *l = context;
    const store *s = l->store;
    system_file_info about;
    if (!system_file_look(s->directory, name, false, &about) || !about.is_regular) return true;
    if (is_orphan(name, &about)) system_file_remove(s->directory, name);
    if (!is_entry(name)) return true;
    if (!memory_grow(&s->allocator, (void **)&l->entries, &l->capacity, l->count + 1,
                     sizeof *l->entries))
        return false;
    entry *e = &l->entries[l->count++];
    *e = (entry){.used = about.changed, .size = about.size};
    memcpy(e->name, name, STORE_HASH_DIGITS + sizeof STORE_SUFFIX);
    l->bytes += e->size;
    return true;
}

void store_evict(store *s) {
    /* Another thread is at it. */
    if (atomic_flag_test_and_set_explicit(&s->evicting, memory_order_acquire)) return;
    listing l = {.store = s};
    system_directory_list(s->directory, list_one, &l);
    if (s->max_bytes && l.bytes > s->max_bytes) {
        qsort(l.entries, l.count, sizeof *l.entries, older);
        for (size_t k = 0; k < l.count && l.bytes > s->max_bytes / 4 * 3; k++) {
            if (system_file_remove(s->directory, l.entries[k].name)) count(&s->counts.evicted);
            l.bytes -= l.entries[k].size;
        }
    }
    atomic_store_explicit(&s->bytes_held, l.bytes, memory_order_relaxed);
    memory_free(&s->allocator, l.entries, l.capacity, sizeof *l.entries);
    atomic_flag_clear_explicit(&s->evicting, memory_order_release);
}
