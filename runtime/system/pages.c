/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pages: memory for code. */
#define _DEFAULT_SOURCE
#include "runtime/system/system.h"

#if defined(_WIN32)
#include "runtime/system/windows/map.h"
#else
#include "runtime/system/posix/map.h"
#endif

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* A mapping whose pages are taken in turn. A thread that finds the mapping busy makes one of its
 * own, and does not wait. So a fork at that moment does no harm: in the child the mapping stays
 * busy for ever, and every piece of code there gets its own. */
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

size_t system_page_size(void) { return map_page(); }

static size_t pages_of(size_t size, size_t page) { return size / page + (size % page != 0); }

/* A bit for each free page: given back, or never taken. */
static uint32_t free_pages(void) {
    return span.given | (uint32_t)(((uint64_t)1 << SPAN_PAGES) - ((uint64_t)1 << span.taken));
}

/* Use the mapping again if all of its pages are free. That saves asking the system for another, and
 * no page is executable while it is writable. */
static bool renew(void) {
    if (free_pages() != ((uint64_t)1 << SPAN_PAGES) - 1) return false;
    if (!map_writable(span.base, SPAN_BYTES)) return false;
    /* The rest of longer code would be executable again. */
    memset(span.base, 0, SPAN_BYTES);
    return true;
}

/* Unmap the free pages. The others are unmapped when their owners give them back. */
static void retire(size_t page) {
    const uint32_t gone = free_pages();
    for (size_t first = 0, end; first < SPAN_PAGES; first = end + 1) {
        for (end = first; end < SPAN_PAGES && (gone >> end & 1);) end++;
        if (end > first) map_give(span.base + first * page, (end - first) * page);
    }
    span.base = NULL;
}

static void *take_shared(size_t count, size_t page) {
    if (!span.base || span.taken + count > SPAN_PAGES) {
        if (span.base && !renew()) retire(page);
        if (!span.base) span.base = map_take(SPAN_BYTES, true);
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
    return memory ? memory : map_take(size, false);
}

bool system_pages_seal(void *memory, size_t size) {
#if defined(__GNUC__)
    /* AArch64: instructions are fetched past the data cache. */
    __builtin___clear_cache((char *)memory, (char *)memory + size);
#endif
    return map_seal(memory, size);
}

/* True if the span takes it back. */
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
    if (!kept) map_give(memory, size);
}

bool system_pages_may_be_code(void) {
    void *memory = map_take(1, false);
    const bool may = memory && system_pages_seal(memory, 1);
    if (memory) map_give(memory, 1);
    return may;
}

bool system_has_memory(size_t bytes) {
    void *memory = map_take(bytes, false);
    if (memory) map_give(memory, bytes);
    return memory != NULL;
}
