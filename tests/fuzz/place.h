/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes at the end of memory that nothing follows, so that reading beyond them is seen, without
 * sanitizers too. */
#ifndef TOSAJIT_TESTS_FUZZ_PLACE_H
#define TOSAJIT_TESTS_FUZZ_PLACE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FUZZ_LARGEST = 1 << 20, FUZZ_PAGE = 1 << 16 /* of any system, or several */ };

/* A copy that lives until the next one; null if there are too many. */
static inline uint8_t *fuzz_place(const uint8_t *data, size_t size) {
    static uint8_t *room;
    if (size > FUZZ_LARGEST) return NULL;
    if (!room) {
        room = mmap(NULL, FUZZ_LARGEST + FUZZ_PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED || mprotect(room + FUZZ_LARGEST, FUZZ_PAGE, PROT_NONE) != 0) {
            perror("memory for an input");
            abort();
        }
    }
    uint8_t *placed = room + FUZZ_LARGEST - size;
    if (size) memcpy(placed, data, size);
    return placed;
}

#endif
