/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copying: what is read and what is written have half of the working set each. */
#include "tools/data/bandwidth.h"

#include <stdlib.h>
#include <string.h>

bool bandwidth_create(double bytes, bandwidth *b) {
    *b = (bandwidth){.half = bytes > 2 ? (size_t)(bytes / 2) : 1};
    b->from = malloc(b->half);
    b->to = malloc(b->half);
    if (b->from && b->to) {
        memset(b->from, 1, b->half); /* a page that was never written is not memory */
        memset(b->to, 2, b->half);
        return true;
    }
    bandwidth_destroy(b);
    return false;
}

void bandwidth_destroy(bandwidth *b) {
    free(b->from);
    free(b->to);
    *b = (bandwidth){0};
}

static void copy(void *context) {
    const bandwidth *b = context;
    /* A pointer that the compiler cannot see through, so that every copy is made. */
    void *(*volatile copy_bytes)(void *, const void *, size_t) = memcpy;
    copy_bytes(b->to, b->from, b->half);
}

double bandwidth_measure(const bandwidth *b, const timing_limits *limits) {
    timing t;
    bandwidth own = *b;
    timing_measure(copy, &own, limits, &t);
    return t.median > 0 ? 2 * (double)b->half / t.median : 0;
}
