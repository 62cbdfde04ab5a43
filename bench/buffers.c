/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Buffers: huge pages, and starts that differ modulo the page size, so that equal indices of two
 * buffers do not compete for one cache set. */
#define _DEFAULT_SOURCE
#include "bench/buffers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 * 1024 * 1024, STAGGER = 64 * 13, MAX_BUFFERS = 64 };

static void *operands[TOSAJIT_TYPE_COUNT][BUFFER_OPERANDS], *positive, *sums,
    *results[BUFFER_RESULTS], *large[BUFFER_LARGES];
static void *blocks[MAX_BUFFERS];
static int block_count;

static void *new_block(size_t bytes) {
    size_t whole = (bytes + MAX_BUFFERS * STAGGER + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *block;
    if (block_count == MAX_BUFFERS || posix_memalign(&block, HUGE_PAGE, whole)) return NULL;
    madvise(block, whole, MADV_HUGEPAGE); /* refused: ordinary pages, the same for all contenders */
    memset(block, 0, whole);
    blocks[block_count] = block;
    return (char *)block + (size_t)block_count++ * STAGGER;
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

static void fill(tosajit_type type, void *memory, int64_t count, uint64_t seed) {
    for (int64_t k = 0; k < count; k++) {
        uint32_t bits = next_random(&seed);
        switch (type) {
        case TOSAJIT_F32: ((float *)memory)[k] = (float)(bits >> 8) * 0x1p-21f - 4.0f; break;
        case TOSAJIT_I32: ((int32_t *)memory)[k] = (int32_t)(bits >> 27); break;
        case TOSAJIT_I1: ((uint8_t *)memory)[k] = (uint8_t)(bits >> 31); break;
        case TOSAJIT_F16:
            ((uint16_t *)memory)[k] =
                (uint16_t)((bits >> 31) << 15 | (12 + (bits >> 10) % 4) << 10 | (bits & 0x3ff));
            break;
        case TOSAJIT_BF16:
            ((uint16_t *)memory)[k] =
                (uint16_t)((bits >> 31) << 15 | (124 + (bits >> 7) % 4) << 7 | (bits & 0x7f));
            break;
        default: ((uint8_t *)memory)[k] = (uint8_t)(bits >> 24); break;
        }
    }
}

void *buffer_operand(tosajit_type type, int index) {
    void **slot = &operands[type][index];
    if (*slot) return *slot;
    int64_t count = type == TOSAJIT_F32 ? BUFFER_MAX_F32 : BUFFER_MAX_OTHER;
    *slot = new_block((size_t)count * tosajit_type_size(type));
    if (*slot) fill(type, *slot, count, (uint64_t)index + 1);
    return *slot;
}

void *buffer_positive(void) {
    if (positive) return positive;
    float *values = new_block(BUFFER_MAX_OTHER * sizeof(float));
    uint64_t seed = BUFFER_OPERANDS + 1;
    for (int64_t k = 0; values && k < BUFFER_MAX_OTHER; k++)
        values[k] = (float)((next_random(&seed) >> 8) + 1) * 0x1p-22f;
    return positive = values;
}

void *buffer_sums(void) {
    if (sums) return sums;
    int32_t *values = new_block(BUFFER_MAX_OTHER * sizeof *values);
    uint64_t seed = BUFFER_OPERANDS + 2;
    for (int64_t k = 0; values && k < BUFFER_MAX_OTHER; k++)
        values[k] = (int32_t)(next_random(&seed) >> 12) - (1 << 19);
    return sums = values;
}

void *buffer_result(int index) {
    if (!results[index]) results[index] = new_block(BUFFER_MAX_F32 * sizeof(float));
    return results[index];
}

void *buffer_large(int index) {
    if (large[index]) return large[index];
    large[index] = new_block((size_t)BUFFER_LARGE * sizeof(float));
    if (large[index] && index < 2)
        fill(TOSAJIT_F32, large[index], BUFFER_LARGE, (uint64_t)index + 1);
    return large[index];
}

void buffers_release(void) {
    while (block_count) free(blocks[--block_count]);
    memset(operands, 0, sizeof operands);
    positive = sums = NULL;
    memset(results, 0, sizeof results);
    memset(large, 0, sizeof large);
}

bool buffer_agrees(tosajit_type type, const void *a, const void *b, int64_t count,
                   double tolerance) {
    if (type != TOSAJIT_F32) return memcmp(a, b, (size_t)count * tosajit_type_size(type)) == 0;
    for (int64_t k = 0; k < count; k++) {
        double x = ((const float *)a)[k], y = ((const float *)b)[k];
        if (!(fabs(x - y) <= tolerance * fmax(1, fabs(y))) && !(isnan(x) && isnan(y))) return false;
    }
    return true;
}
