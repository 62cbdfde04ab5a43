/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entries as files: nothing is believed before the checksum. They are read, not mapped: a mapped
 * file that another process truncates would end this one. */
#define _POSIX_C_SOURCE 200809L
#include "jit/engine/store_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
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

bool store_file_trusted(const struct stat *s) {
    return (s->st_uid == geteuid() || s->st_uid == 0) && (s->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static uint64_t checksum(const header *h, const void *key, const void *value) {
    header zeroed = *h;
    zeroed.checksum = 0;
    const uint64_t parts[] = {bytes_hash(&zeroed, sizeof zeroed),
                              bytes_hash(key, (size_t)h->key_size),
                              bytes_hash(value, (size_t)h->value_size)};
    return bytes_hash(parts, sizeof parts);
}

/* What a file that was read whole turns out to be; sets where its value lies. */
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
static void mark_used(int file, const struct stat *s) {
    enum { PRECISION = 3600 };
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec - s->st_mtim.tv_sec > PRECISION)
        (void)futimens(file, NULL);
}

void store_value_drop(const tosajit_allocator *allocator, store_value *value) {
    memory_free(allocator, value->file, value->file_size, 1);
    *value = (store_value){0};
}

static store_outcome read_file(int file, const void *key, size_t key_size,
                               const tosajit_allocator *allocator, store_value *value) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || !store_file_trusted(&status))
        return STORE_ABSENT;
    if (status.st_size <= 0 || (uint64_t)status.st_size > SIZE_MAX) return STORE_DAMAGED;
    value->file_size = (size_t)status.st_size;
    value->file = memory_new(allocator, 1, value->file_size);
    if (!value->file) return STORE_ABSENT;
    size_t got;
    bool whole = files_read(file, value->file, value->file_size, &got) && got == value->file_size;
    store_outcome outcome = whole ? check(key, key_size, value) : STORE_DAMAGED;
    if (outcome == STORE_FOUND)
        mark_used(file, &status);
    else
        store_value_drop(allocator, value);
    return outcome;
}

store_outcome store_file_read(int directory, const char *name, const void *key, size_t key_size,
                              const tosajit_allocator *allocator, store_value *value) {
    *value = (store_value){0};
    /* A pipe of that name must not hold us up. */
    int file = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return STORE_ABSENT;
    store_outcome outcome = read_file(file, key, key_size, allocator, value);
    close(file);
    return outcome;
}

bool store_file_write(int directory, const char *name, const void *key, size_t key_size,
                      const void *value, size_t value_size) {
    header h = {.key_size = key_size, .value_size = value_size};
    memcpy(h.magic, magic, sizeof magic);
    h.checksum = checksum(&h, key, value);
    int file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                      S_IRUSR | S_IWUSR);
    if (file < 0) return false;
    bool done = files_write(file, &h, sizeof h) && files_write(file, key, key_size) &&
                files_write(file, value, value_size);
    if (close(file) != 0) done = false;
    if (!done) unlinkat(directory, name, 0);
    return done;
}
