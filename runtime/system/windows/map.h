/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Map: what pages.c takes from Windows. Addresses are reserved and released in pieces of 64 KiB. So
 * single pages are decommitted, and the last page of a piece releases it. */
#ifndef TOSAJIT_RUNTIME_SYSTEM_WINDOWS_MAP_H
#define TOSAJIT_RUNTIME_SYSTEM_WINDOWS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

#include "runtime/system/system.h"

/* Writable. */
static inline void *map_take(size_t size, bool at_once) {
    (void)at_once;
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

/* Two threads that give the last two pages of a piece would both find it empty. */
static SRWLOCK map_giving = SRWLOCK_INIT;

/* Whole pages, which may be a part of what was taken. */
static inline void map_give(void *memory, size_t size) {
    MEMORY_BASIC_INFORMATION piece, pages;
    AcquireSRWLockExclusive(&map_giving);
    VirtualFree(memory, size, MEM_DECOMMIT);
    bool empty = VirtualQuery(memory, &piece, sizeof piece) != 0;
    for (const char *at = piece.AllocationBase; empty; at += pages.RegionSize) {
        if (!VirtualQuery(at, &pages, sizeof pages) ||
            pages.AllocationBase != piece.AllocationBase || pages.State == MEM_FREE)
            break; /* the end of the piece */
        empty = pages.State == MEM_RESERVE;
    }
    if (empty) VirtualFree(piece.AllocationBase, 0, MEM_RELEASE);
    ReleaseSRWLockExclusive(&map_giving);
}

static inline bool map_protect(void *memory, size_t size, DWORD protection) {
    DWORD before;
    return VirtualProtect(memory, size, protection, &before) != 0;
}

static inline bool map_writable(void *memory, size_t size) {
    return map_protect(memory, size, PAGE_READWRITE);
}

/* As code, which is not written any more. */
static inline bool map_seal(void *memory, size_t size) {
    return map_protect(memory, size, PAGE_EXECUTE_READ) &&
           FlushInstructionCache(GetCurrentProcess(), memory, size);
}

static inline size_t map_page(void) {
    SYSTEM_INFO about;
    GetSystemInfo(&about);
    return about.dwPageSize;
}

#endif
