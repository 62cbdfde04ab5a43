/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pages: memory for code. */
#define _DEFAULT_SOURCE
#include "runtime/system/system.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A mapping whose pages are taken in turn. A thread that finds it busy does not wait but makes a
 * mapping of its own. So it does no harm if a fork happens while it is busy: in the child it stays
 * busy for ever, and every piece of code there gets its own mapping. */
enum { SPAN_BYTES = 64 << 10, SPAN_PAGES = 16, MOST_PAGES = 4 };
static struct {
    atomic_flag busy;
    unsigned char *base; /* null: there is none */
    size_t taken;        /* pages, from the first on */
    uint32_t given;      /* a bit for each page that was given back, and is still there */
} span = {.busy = ATOMIC_FLAG_INIT};

static bool take_span(void) {
    return !atomic_flag_test_and_set_explicit(&span.busy, memory_order_acquire);
}

static void leave_span(void) { atomic_flag_clear_explicit(&span.busy, memory_order_release); }

size_t system_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static size_t pages_of(size_t size, size_t page) { return size / page + (size % page != 0); }

static void *map(size_t size, int flags) {
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* A bit for each free page: given back, or never taken. */
static uint32_t free_pages(void) {
    return span.given | (uint32_t)(((uint64_t)1 << SPAN_PAGES) - ((uint64_t)1 << span.taken));
}

/* Use the mapping again if all of its pages are free. That saves asking the system for another, and
 * no page is executable while it is writable. */
static bool renew(void) {
    if (free_pages() != ((uint64_t)1 << SPAN_PAGES) - 1) return false;
    if (mprotect(span.base, SPAN_BYTES, PROT_READ | PROT_WRITE)) return false;
    /* What is left of code that was longer would be executable again. */
    memset(span.base, 0, SPAN_BYTES);
    return true;
}

/* Unmap the free pages. The others are unmapped when their owners give them back. */
static void retire(size_t page) {
    const uint32_t gone = free_pages();
    for (size_t first = 0, end; first < SPAN_PAGES; first = end + 1) {
        for (end = first; end < SPAN_PAGES && (gone >> end & 1);) end++;
        if (end > first) munmap(span.base + first * page, (end - first) * page);
    }
    span.base = NULL;
}

static void *map_span(void) {
#ifdef MAP_POPULATE
    /* All pages at once cost the system a third of what they cost one after the other. */
    return map(SPAN_BYTES, MAP_POPULATE);
#else
    return map(SPAN_BYTES, 0);
#endif
}

static void *take_shared(size_t count, size_t page) {
    if (!span.base || span.taken + count > SPAN_PAGES) {
        if (span.base && !renew()) retire(page);
        if (!span.base) span.base = map_span();
        span.taken = 0;
        span.given = 0;
    }
    if (!span.base) return NULL;
    void *memory = span.base + span.taken * page;
    span.taken += count;
    return memory;
}

void *system_pages_take(size_t size) {
    const size_t page = system_page_size(), count = pages_of(size, page);
    void *memory = NULL;
    if (page == SPAN_BYTES / SPAN_PAGES && count <= MOST_PAGES && take_span()) {
        memory = take_shared(count, page);
        leave_span();
    }
    return memory ? memory : map(size, 0);
}

bool system_pages_seal(void *memory, size_t size) {
#if defined(__GNUC__)
    /* AArch64: instructions are fetched past the data cache. */
    __builtin___clear_cache((char *)memory, (char *)memory + size);
#endif
    return mprotect(memory, size, PROT_READ | PROT_EXEC) == 0;
}

/* Whether the span takes it back. */
static bool give_shared(const unsigned char *memory, size_t size) {
    const size_t page = system_page_size(), count = pages_of(size, page);
    const uintptr_t base = (uintptr_t)span.base, at = (uintptr_t)memory,
                    end = base + span.taken * page;
    if (!span.base || at < base || at >= end || count > (end - at) / page) return false;
    span.given |= (uint32_t)(((uint64_t)1 << count) - 1) << ((at - base) / page);
    return true;
}

void system_pages_give(void *memory, size_t size) {
    bool kept = false;
    if (take_span()) {
        kept = give_shared(memory, size);
        leave_span();
    }
    if (!kept) munmap(memory, size);
}

bool system_pages_may_be_code(void) {
    void *memory = map(1, 0);
    const bool may = memory && system_pages_seal(memory, 1);
    if (memory) munmap(memory, 1);
    return may;
}

bool system_has_memory(size_t bytes) {
    void *memory = map(bytes, 0);
    if (memory) munmap(memory, bytes);
    return memory != NULL;
}
