/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pack: the elements that a tensor contributes to consecutive indices of a walk, one after the
 * other in a buffer. Where short rows repeat or stretch, the same pattern of offsets comes again
 * and again; it is worked out once and then followed in vectors. */
#ifndef TOSAJIT_RUNTIME_TILE_PACK_H
#define TOSAJIT_RUNTIME_TILE_PACK_H

#include "runtime/plan/walk.h"

enum {
    PACK_PERIOD = 1024, /* elements of a pattern, at most */
    PACK_LANES = 16,    /* elements that are moved at once, at most */
    PACK_LEAST = 4,     /* elements of a group, on average: fewer are not worth a permutation */
    PACK_GROUPS = PACK_PERIOD / PACK_LEAST, /* in a period, at most */
    PACK_SLACK = 64,                        /* bytes that may be written behind the last element */
};

/* Elements that one permutation of the words at `window` gives. A whole vector is written, even for
 * fewer elements; the bytes behind the group mean nothing. */
typedef struct pack_group {
    int32_t window;      /* in bytes of the tensor */
    uint16_t start, end; /* elements of the period */
    uint8_t words;       /* 32-bit ones from the first element to the last: no other is touched */
    uint8_t picks[PACK_LANES]; /* words that make the group */
} pack_group;

typedef struct pack {
    int64_t period, advance;      /* elements of the pattern; bytes from one period to the next */
    int32_t size, lanes;          /* bytes of an element; elements of a vector */
    int32_t group_count, first;   /* 0: elements go one by one; the group that is moved first */
    int32_t offsets[PACK_PERIOD]; /* of each element of the period, in bytes */
    pack_group groups[PACK_GROUPS];
} pack;

/* Prepare the pattern of tensor t in dimensions d.. of the walk, d + 1.. being no more than
 * PACK_PERIOD elements, of `size` bytes. */
void pack_prepare(const walk *w, int32_t t, int32_t d, int32_t size, pack *p);

/* Add what preparing the same pattern and then packing `count` elements costs to the counts of
 * costs.h. False if it cannot be prepared: its offsets are too large. */
bool pack_count(const walk *w, int32_t t, int32_t d, int32_t size, double count, double *counts);

/* Write `count` elements from index 0 of the pattern on, which lies at `from`. */
void pack_gather(const pack *p, const char *from, int64_t count, char *to);

#endif
