/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streaming: the code writes a block of results into a buffer in the L1 cache, and from there the
 * block is copied to memory past the caches. An ordinary store would first read the line that it
 * writes, in vain, since results of this size do not stay in a cache anyway. The code itself needs
 * no other loop for that. Blocks are small, so that the processor overlaps the reads of one with
 * the writes of the one before. */
#include <string.h>

#include "runtime/plan/costs.h"
#include "runtime/run/tile.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static void stream_copy(char *to, const char *from, int64_t bytes) {
#if defined(__SSE2__)
    enum { LINE = 64 }; /* only whole ones */
    int64_t start = (int64_t)(-(uintptr_t)to & (LINE - 1));
    if (start > bytes) start = bytes;
    memcpy(to, from, (size_t)start);
    for (; bytes - start >= LINE; start += LINE)
        for (int k = 0; k < LINE; k += 16) {
            const void *source = from + start + k;
            void *target = to + start + k;
            _mm_stream_si128(target, _mm_loadu_si128(source));
        }
    memcpy(to + start, from + start, (size_t)(bytes - start));
#else
    memcpy(to, from, (size_t)bytes);
#endif
}

/* Other threads see what was streamed before what this one writes next. */
static void stream_end(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

void tile_run_streamed(const tile_job *job) {
    _Alignas(64) char buffer[COST_STREAM_BLOCK_BYTES];
    void *pointers[TOSAJIT_MAX_TENSORS];
    const int32_t leaves = job->part->leaf_count, tensors = job->w->tensors;
    const uint8_t *sizes = job->tensors->element_sizes;
    const int64_t block = job->choice->cols, cols = job->w->sizes[0];
    for (int64_t col = 0; col < cols; col += block) {
        const int64_t count = cols - col < block ? cols - col : block;
        char *next = buffer;
        for (int32_t t = 0; t < tensors; t++) {
            char *own = job->tensors->pointers[t];
            pointers[t] =
                t >= leaves ? next : own + (job->choice->splat >> t & 1 ? 0 : col * sizes[t]);
            if (t >= leaves) next += block * sizes[t];
        }
        job->entry(pointers, job->strides, 1, 1, count);
        for (int32_t t = leaves; t < tensors; t++) {
            char *own = job->tensors->pointers[t];
            stream_copy(own + col * sizes[t], pointers[t], count * sizes[t]);
        }
    }
    stream_end();
}
