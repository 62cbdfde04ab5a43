/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/tile/gather.h"

#include <string.h>

#include "runtime/base/features.h"
#include "runtime/base/types.h"
#include "runtime/expr/gather.h"

/* A line of the walk: bytes from element to element of values, index and result. */
typedef struct line {
    const char *values, *index;
    char *result;
    int64_t values_stride, index_stride, result_stride, count;
} line;

/* ---------------------------------------------------------------------------------------------
 * Single elements */

/* With constants for type, mode and size each element is two loads and a store. Strict indices are
 * signed ones that are not negative. */
static inline void move_elements(const line *l, const gather_call *call, tosajit_type type,
                                 tosajit_index_mode mode, size_t size) {
    for (int64_t k = 0; k < l->count; k++) {
        const int64_t index = gather_index(type, l->index + k * l->index_stride);
        memcpy(l->result + k * l->result_stride,
               l->values + k * l->values_stride +
                   gather_place(mode, index, call->count) * call->stride,
               size);
    }
}

/* Words by the processor's own gathers: how many are moved. Others are moved one by one. Places
 * stay inside, as gather_place says. */
#if defined(__x86_64__)
#include <immintrin.h>
#pragma GCC diagnostic push /* where nothing is optimised, these are GCC's macros with full masks  \
                             */
#pragma GCC diagnostic ignored "-Wsign-conversion"
__attribute__((target("avx512f"))) static int64_t move_words(const line *l, tosajit_type type,
                                                             int64_t count) {
    const __m512i zero = _mm512_setzero_si512(), narrow = _mm512_set1_epi32((int32_t)count),
                  wide = _mm512_set1_epi64(count), last = _mm512_set1_epi32((int32_t)(count - 1)),
                  wide_last = _mm512_set1_epi64(count - 1);
    int64_t k = 0;
    for (; type == TOSAJIT_I32 && k + 16 <= l->count; k += 16) {
        __m512i index = _mm512_loadu_si512(l->index + 4 * k);
        index = _mm512_mask_add_epi32(index, _mm512_cmplt_epi32_mask(index, zero), index, narrow);
        index = _mm512_min_epu32(index, last);
        _mm512_storeu_si512(l->result + 4 * k, _mm512_i32gather_epi32(index, l->values, 4));
    }
    for (; type == TOSAJIT_I64 && k + 8 <= l->count; k += 8) {
        __m512i index = _mm512_loadu_si512(l->index + 8 * k);
        index = _mm512_mask_add_epi64(index, _mm512_cmplt_epi64_mask(index, zero), index, wide);
        index = _mm512_min_epu64(index, wide_last);
        _mm256_storeu_si256((__m256i *)(void *)(l->result + 4 * k),
                            _mm512_i64gather_epi32(index, l->values, 4));
    }
    return k;
}
#pragma GCC diagnostic pop
#else
static int64_t move_words(const line *l, tosajit_type type, int64_t count) {
    return (void)l, (void)type, (void)count, 0;
}
#endif

/* The same where indices and results lie side by side, and all are of one array. */
static inline void move_dense(const line *l, const gather_call *call, tosajit_type type,
                              size_t size) {
    const line dense = {l->values,     l->index, l->result, 0, type == TOSAJIT_I32 ? 4 : 8,
                        (int64_t)size, l->count};
    const gather_call each = {call->mode, false, call->element, type, call->count, (int64_t)size};
    const bool words = size == 4 && call->count <= INT32_MAX && features_permuted_bytes() == 64;
    const int64_t moved = words ? move_words(l, type, call->count) : 0;
    const line rest = {l->values,
                       l->index + moved * dense.index_stride,
                       l->result + moved * dense.result_stride,
                       0,
                       dense.index_stride,
                       dense.result_stride,
                       l->count - moved};
    move_elements(&rest, &each, type, TOSAJIT_INDEX_SIGNED, size);
}

static inline void move_of(const line *l, const gather_call *call, tosajit_type type, size_t size) {
    const bool dense = l->values_stride == 0 && call->stride == (int64_t)size &&
                       l->result_stride == (int64_t)size &&
                       l->index_stride == (type == TOSAJIT_I32 ? 4 : 8);
    if (call->mode == TOSAJIT_INDEX_WRAP)
        move_elements(l, call, type, TOSAJIT_INDEX_WRAP, size);
    else if (call->mode == TOSAJIT_INDEX_CLIP)
        move_elements(l, call, type, TOSAJIT_INDEX_CLIP, size);
    else if (dense)
        move_dense(l, call, type, size);
    else
        move_elements(l, call, type, TOSAJIT_INDEX_SIGNED, size);
}

static void gather_elements(const line *l, const gather_call *call, size_t size) {
    const bool narrow = call->index == TOSAJIT_I32;
    switch (size) { /* a constant size makes each copy one load and one store */
    case 1: narrow ? move_of(l, call, TOSAJIT_I32, 1) : move_of(l, call, TOSAJIT_I64, 1); break;
    case 2: narrow ? move_of(l, call, TOSAJIT_I32, 2) : move_of(l, call, TOSAJIT_I64, 2); break;
    case 4: narrow ? move_of(l, call, TOSAJIT_I32, 4) : move_of(l, call, TOSAJIT_I64, 4); break;
    default: narrow ? move_of(l, call, TOSAJIT_I32, 8) : move_of(l, call, TOSAJIT_I64, 8); break;
    }
}

/* ---------------------------------------------------------------------------------------------
 * Rows */

/* Elements of one index. */
static void copy_row(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                     int64_t count, size_t size) {
    if (to_stride == (int64_t)size && from_stride == (int64_t)size) {
        memcpy(to, from, (size_t)count * size);
        return;
    }
    for (int64_t k = 0; k < count; k++) switch (size) {
        case 1: memcpy(to + k * to_stride, from + k * from_stride, 1); break;
        case 2: memcpy(to + k * to_stride, from + k * from_stride, 2); break;
        case 4: memcpy(to + k * to_stride, from + k * from_stride, 4); break;
        default: memcpy(to + k * to_stride, from + k * from_stride, 8); break;
        }
}

/* Any byte but 0 is true in an operand; in a result that is 1. */
static void settle_truth(const line *l, const line *inner) {
    for (int64_t k = 0; k < l->count; k++)
        for (int64_t i = 0; i < inner->count; i++) {
            char *at = l->result + k * l->result_stride + i * inner->result_stride;
            *at = *at != 0;
        }
}

/* Bytes of a row, 64 at a time: the compiler knows more of them than of any number. */
static inline void copy_bytes(char *to, const char *from, int64_t bytes) {
    enum { BLOCK = 64, MOST = 1024 };
    int64_t b = 0;
    if (bytes <= MOST)
        for (; b + BLOCK <= bytes; b += BLOCK) memcpy(to + b, from + b, BLOCK);
    memcpy(to + b, from + b, (size_t)(bytes - b));
}

/* Dense rows of a table that is no larger than a cache is likely to hold. */
static inline void copy_rows(const line *l, const gather_call *call, tosajit_type type,
                             int64_t bytes) {
    for (int64_t k = 0; k < l->count; k++) {
        const int64_t place = gather_place(
            TOSAJIT_INDEX_SIGNED, gather_index(type, l->index + k * l->index_stride), call->count);
        copy_bytes(l->result + k * l->result_stride,
                   l->values + k * l->values_stride + place * call->stride, bytes);
    }
}

/* A line of rows: of each index elements of dimension `inner`. Where a row begins is no pattern
 * that the processor sees, so of a large table the next ones are asked for in time. */
static void gather_rows(const line *l, const gather_call *call, const line *inner, size_t size) {
    enum { AHEAD = 4, CACHE_LINE = 64, ASKED = 512, CACHED = 1 << 20 };
    const int64_t bytes = inner->count * (int64_t)size, asked = bytes < ASKED ? bytes : ASKED;
    const bool dense = inner->result_stride == (int64_t)size &&
                       inner->values_stride == (int64_t)size && gather_may_fail(call->mode),
               small = size_without_sign(call->stride) < CACHED / (call->count + 1);
    if (dense && small && call->index == TOSAJIT_I32) {
        copy_rows(l, call, TOSAJIT_I32, bytes);
        return;
    }
    if (dense && small) {
        copy_rows(l, call, TOSAJIT_I64, bytes);
        return;
    }
    for (int64_t k = 0; k < l->count; k++) {
        const char *const at = l->index + k * l->index_stride;
        if (k + AHEAD < l->count) {
            const int64_t next = gather_place(
                call->mode, gather_index(call->index, at + AHEAD * l->index_stride), call->count);
            const char *row = l->values + (k + AHEAD) * l->values_stride + next * call->stride;
            for (int64_t b = 0; b < asked; b += CACHE_LINE) __builtin_prefetch(row + b);
        }
        const int64_t place = gather_place(call->mode, gather_index(call->index, at), call->count);
        copy_row(l->result + k * l->result_stride, inner->result_stride,
                 l->values + k * l->values_stride + place * call->stride, inner->values_stride,
                 inner->count, size);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Blocks */

/* The line of dimension d of a walk; below 0: one element. */
static line line_of(const plan_part *part, const walk *w, int32_t d, void *const *pointers) {
    const plan_gather g = plan_gather_of(part);
    line l = {pointers[g.values], pointers[g.index], pointers[part->leaf_count], 0, 0, 0, 1};
    if (d < 0) return l;
    const int64_t *strides = walk_strides(w, d);
    l.values_stride = strides[g.values];
    l.index_stride = strides[g.index];
    l.result_stride = strides[part->leaf_count];
    l.count = w->sizes[d];
    return l;
}

void gather_run(const plan_part *part, const gather_call *call, walk *w,
                const tile_tensors *tensors) {
    const size_t size = part->element_sizes[part->leaf_count];
    walk_coalesce(w);
    const int32_t inner = w->rank - 1;
    const bool rows = walk_strides(w, inner)[plan_gather_of(part).index] == 0;
    const int32_t first = rows ? inner - 1 : inner; /* of the dimensions that are lines here */
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    void *pointers[3];
    for (int32_t t = 0; t < 3; t++) pointers[t] = tensors->pointers[t];
    do {
        const line l = line_of(part, w, first, pointers),
                   own = line_of(part, w, rows ? inner : -1, pointers);
        if (rows)
            gather_rows(&l, call, &own, size);
        else
            gather_elements(&l, call, size);
        if (call->element == TOSAJIT_I1) settle_truth(&l, &own);
    } while (first > 0 && walk_next(w, (UINT32_C(1) << first) - 1, index, pointers));
}

bool gather_is_legal(const callee *kernel, const plan_part *part, const gather_call *call,
                     const walk *w, const tile_tensors *tensors, int64_t *bad) {
    const int32_t t = plan_index_of(part, kernel->program);
    walk own; /* not cleared: see walk.h */
    if (!gather_may_fail(call->mode)) return true;
    own.rank = w->rank;
    own.tensors = 1;
    own.apart = 0;
    for (int32_t d = 0; d < w->rank; d++) {
        const int64_t stride = walk_strides(w, d)[t];
        *walk_mutable_strides(&own, d) = stride;
        const bool each = d == 0 && call->once && w->sizes[d] > 0; /* update has an index */
        own.sizes[d] = stride || each ? w->sizes[d] : 1;
        if (own.sizes[d] <= 0) return true;
    }
    return gather_are_legal(kernel, call, &own, tensors->pointers[t], bad);
}
