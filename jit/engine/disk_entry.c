/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entries as files: nothing is believed before the checksum. They are read, not mapped: a mapped
 * file that another process truncates would end this one. */
#include "jit/engine/disk_entry.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "runtime/base/bytes.h"
#include "runtime/base/memory.h"

/* Version 1 in the byte order of the machine: code moves to no machine with another one. */
static const char magic[8] = {'t', 'o', 's', 'a', 'j', 'i', 't', 1};

typedef struct header {
    char magic[8];
    uint64_t key_size, value_size;
    uint64_t checksum; /* of the whole file with 0 here */
} header;

void store_file_name(const void *key, size_t key_size, char name[STORE_NAME_SIZE]) {
    snprintf(name, STORE_NAME_SIZE, "%016llx" STORE_SUFFIX,
             (unsigned long long)bytes_hash(key, key_size));
}

bool store_file_trusted(const system_file_info *s) {
    return (s->is_ours || s->is_roots) && !s->others_write;
}

static uint64_t checksum(const header *h, const void *key, const void *value) {
    header zeroed = *h;
    zeroed.checksum = 0;
    const uint64_t parts[] = {bytes_hash(&zeroed, sizeof zeroed),
                              bytes_hash(key, (size_t)h->key_size),
                              bytes_hash(value, (size_t)h->value_size)};
    return bytes_hash(parts, sizeof parts);
}

/* Judges a file that was read whole; sets where its value lies. */
static store_outcome check(const void *key, size_t key_size, store_value *value) {
    header h;
    if (value->file_size < sizeof h) return STORE_DAMAGED;
    memcpy(&h, value->file, sizeof h);
    size_t rest = value->file_size - sizeof h;
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.key_size > rest ||
        h.value_size != rest - h.key_size)
        return STORE_DAMAGED;
    const unsigned char *its_key = value->file + sizeof h;
    value->size = (size_t)h.value_size;
    value->bytes = value->file + sizeof h + h.key_size;
    if (checksum(&h, its_key, value->bytes) != h.checksum) return STORE_DAMAGED;
    return h.key_size == key_size && memcmp(its_key, key, key_size) == 0 ? STORE_FOUND
                                                                         : STORE_ABSENT;
}

/* The time of last use is the file's time of modification; an hour's precision will do and saves
 * writes. */
static void mark_used(system_file file, const system_file_info *s) {
    enum { PRECISION = 3600 };
    if (time(NULL) - s->changed.tv_sec > PRECISION) system_file_touch(file);
}

void store_value_drop(const tosajit_allocator *allocator, store_value *value) {
    memory_free(allocator, value->file, value->file_size, 1);
    *value = (store_value){0};
}

static store_outcome read_file(system_file file, const void *key, size_t key_size,
                               const tosajit_allocator *allocator, store_value *value) {
    system_file_info about;
    if (!system_file_about(file, &about) || !about.is_regular || !store_file_trusted(&about))
        return STORE_ABSENT;
    if (about.size == 0 || about.size > SIZE_MAX) return STORE_DAMAGED;
    value->file_size = (size_t)about.size;
    value->file = memory_new(allocator, 1, value->file_size);
    if (!value->file) return STORE_ABSENT;
    size_t got;
    bool whole =
        system_file_read(file, value->file, value->file_size, &got) && got == value->file_size;
    store_outcome outcome = whole ? check(key, key_size, value) : STORE_DAMAGED;
    if (outcome == STORE_FOUND)
        mark_used(file, &about);
    else
        store_value_drop(allocator, value);
    return outcome;
}

store_outcome store_file_read(system_file directory, const char *name, const void *key,
                              size_t key_size, const tosajit_allocator *allocator,
                              store_value *value) {
    *value = (store_value){0};
    const system_file file = system_file_open(directory, name, SYSTEM_READ_NO_LINK);
    if (file == SYSTEM_NO_FILE) return STORE_ABSENT;
    store_outcome outcome = read_file(file, key, key_size, allocator, value);
    system_file_close(file);
    return outcome;
}

bool store_file_write(system_file directory, const char *name, const void *key, size_t key_size,
                      const void *value, size_t value_size) {
    header h = {.key_size = key_size, .value_size = value_size};
    memcpy(h.magic, magic, sizeof magic);
    h.checksum = checksum(&h, key, value);
    const system_file file = system_file_open(directory, name, SYSTEM_CREATE_PRIVATE);
    if (file == SYSTEM_NO_FILE) return false;
    bool done = system_file_write(file, &h, sizeof h) && system_file_write(file, key, key_size) &&
                system_file_write(file, value, value_size);
    if (!system_file_close(file)) done = false;
    if (!done) system_file_remove(directory, name);
    return done;
}
