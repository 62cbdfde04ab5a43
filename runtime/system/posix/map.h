/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Map: what pages.c takes from POSIX. */
#ifndef TOSAJIT_RUNTIME_SYSTEM_POSIX_MAP_H
#define TOSAJIT_RUNTIME_SYSTEM_POSIX_MAP_H

#if defined(__APPLE__)
#define _DARWIN_C_SOURCE /* MAP_ANONYMOUS */
#endif
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/system/system.h"

#if defined(__APPLE__) && defined(__aarch64__)
/* Memory for code is writable or executable for each thread as it says (MAP_JIT). A thread says so
 * for all of it at once. */
#include <pthread.h>

static inline void *map_take(size_t size, bool at_once) {
    (void)at_once;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_JIT, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    pthread_jit_write_protect_np(0);
    return memory;
}

static inline void map_give(void *memory, size_t size) {
    pthread_jit_write_protect_np(1);
    munmap(memory, size);
}

static inline bool map_writable(void *memory, size_t size) {
    (void)memory;
    (void)size;
    pthread_jit_write_protect_np(0);
    return true;
}

static inline bool map_seal(void *memory, size_t size) {
    (void)memory;
    (void)size;
    pthread_jit_write_protect_np(1);
    return true;
}
#else
/* Writable; at_once: all of it will be written. Then all pages at once cost the system a third of
 * what they cost one after the other. */
static inline void *map_take(size_t size, bool at_once) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_POPULATE
    if (at_once) flags |= MAP_POPULATE;
#else
    (void)at_once;
#endif
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Whole pages, which may be a part of what was taken. */
static inline void map_give(void *memory, size_t size) { munmap(memory, size); }

static inline bool map_writable(void *memory, size_t size) {
    return mprotect(memory, size, PROT_READ | PROT_WRITE) == 0;
}

/* As code, which is not written any more. */
static inline bool map_seal(void *memory, size_t size) {
    return mprotect(memory, size, PROT_READ | PROT_EXEC) == 0;
}

#endif

static inline size_t map_page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

#endif
