/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Caches: as the system lists them. */
#include <stdlib.h>
#include <windows.h>

#include "runtime/system/system.h"

static system_once once = SYSTEM_ONCE;
static int64_t largest;

static void find_largest(void) {
    DWORD size = 0;
    (void)GetLogicalProcessorInformation(NULL, &size);
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION *all = size ? malloc(size) : NULL;
    if (all && GetLogicalProcessorInformation(all, &size))
        for (size_t k = 0; k < size / sizeof *all; k++)
            if (all[k].Relationship == RelationCache && all[k].Cache.Size > largest)
                largest = all[k].Cache.Size;
    free(all);
}

int64_t system_cache_bytes(void) {
    system_call_once(&once, find_largest);
    return largest;
}
