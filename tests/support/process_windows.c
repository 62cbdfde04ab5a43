/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that this process occupies, as Windows tells it. */
#include <stdbool.h>
#include <windows.h>

#include <psapi.h>

#include "tests/support/process.h"

/* Pieces of addresses that belong to one reservation or file, or bytes of those that may run and
 * are no file's. */
static size_t walk(bool executable) {
    enum { RUNS = PAGE_EXECUTE | PAGE_EXECUTE_READ | PAGE_EXECUTE_READWRITE };
    MEMORY_BASIC_INFORMATION region;
    size_t total = 0;
    for (const char *at = NULL; VirtualQuery(at, &region, sizeof region);
         at = (const char *)region.BaseAddress + region.RegionSize) {
        const bool runs =
            region.State == MEM_COMMIT && region.Type == MEM_PRIVATE && region.Protect & RUNS;
        if (executable && runs) total += region.RegionSize;
        if (!executable && region.State != MEM_FREE && region.AllocationBase == region.BaseAddress)
            total++;
    }
    return total;
}

size_t process_mappings(void) { return walk(false); }
size_t process_executable(void) { return walk(true); }

size_t process_heap(void) {
    PROCESS_HEAP_ENTRY entry = {.lpData = NULL};
    size_t total = 0;
    HeapLock(GetProcessHeap());
    while (HeapWalk(GetProcessHeap(), &entry))
        if (entry.wFlags & PROCESS_HEAP_ENTRY_BUSY) total += entry.cbData;
    HeapUnlock(GetProcessHeap());
    return total;
}

static PROCESS_MEMORY_COUNTERS counters(void) {
    PROCESS_MEMORY_COUNTERS found = {.cb = sizeof found};
    GetProcessMemoryInfo(GetCurrentProcess(), &found, sizeof found);
    return found;
}

size_t process_resident(void) { return counters().WorkingSetSize; }
size_t process_addresses(void) { return counters().PagefileUsage; }
