/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/tile/scatter.h"

#include <math.h>
#include <string.h>

#include "runtime/base/features.h"
#include "runtime/base/types.h"
#include "runtime/expr/convert.h"
#include "runtime/expr/gather.h"
#include "runtime/expr/scatter.h"

/* ---------------------------------------------------------------------------------------------
 * What is done with an update */

/* Elements at places: `at` says how far each is from `to`, in bytes. */
typedef struct scatter_places {
    char *to;
    const int64_t *at;
    const char *from;
    int64_t from_stride, count;
} scatter_places;

/* Loops of a way in which elements are combined: at places; at indices that lie side by side, of
 * elements that do; and of rows at places, whose elements lie side by side, as many as fill
 * vectors, whose number is given. All but the first may be null. */
struct scatter_way;
typedef struct scatter_loops {
    void (*places)(const struct scatter_way *way, const scatter_places *p);
    void (*indices)(const struct scatter_way *way, const scatter_places *p, const gather_call *call,
                    const char *index);
    int64_t (*dense)(const struct scatter_way *way, const scatter_places *p, int64_t length);
    int64_t (*widest)(const struct scatter_way *way, const scatter_places *p, int64_t length);
} scatter_loops;
typedef struct scatter_way {
    const expr_node *node;
    tosajit_type type;
    int64_t flip; /* bits that are changed before integers are compared */
    scatter_loops loops;
} scatter_way;

/* Loops of a type. COMBINE changes a, an element or a vector, by b, the update. */
#define SCATTER_AT(name, type, COMBINE)                                                            \
    static void places_##name(const scatter_way *way, const scatter_places *all) {                 \
        const scatter_places p = *all; /* which no store changes */                                \
        const type flip = (type)way->flip;                                                         \
        const char *from = p.from;                                                                 \
        for (int64_t k = 0; k < p.count; k++, from += p.from_stride) {                             \
            type a, b;                                                                             \
            memcpy(&a, p.to + p.at[k], sizeof a);                                                  \
            memcpy(&b, from, sizeof b);                                                            \
            COMBINE(type, a, b, -(type));                                                          \
            memcpy(p.to + p.at[k], &a, sizeof a);                                                  \
        }                                                                                          \
        (void)flip;                                                                                \
    }
#define SCATTER_INDICES(name, type, index_type, COMBINE)                                           \
    static void name(const scatter_way *way, const scatter_places *all, int64_t places,            \
                     const char *index) {                                                          \
        const scatter_places p = *all;                                                             \
        const type flip = (type)way->flip;                                                         \
        const char *from = p.from;                                                                 \
        for (int64_t k = 0; k < p.count; k++, from += p.from_stride) {                             \
            index_type i;                                                                          \
            type a, b;                                                                             \
            memcpy(&i, index + k * (int64_t)sizeof i, sizeof i);                                   \
            char *const to =                                                                       \
                p.to + gather_place(TOSAJIT_INDEX_SIGNED, i, places) * (int64_t)sizeof a;          \
            memcpy(&a, to, sizeof a);                                                              \
            memcpy(&b, from, sizeof b);                                                            \
            COMBINE(type, a, b, -(type));                                                          \
            memcpy(to, &a, sizeof a);                                                              \
        }                                                                                          \
        (void)flip;                                                                                \
    }
#define SCATTER_ROWS(name, type, COMBINE, BYTES)                                                   \
    static int64_t name(const scatter_way *way, const scatter_places *all, int64_t length) {       \
        typedef type vector __attribute__((vector_size(BYTES)));                                   \
        const scatter_places p = *all;                                                             \
        const type flip = (type)way->flip;                                                         \
        const int64_t size = length / (BYTES / (int64_t)sizeof(type)) * BYTES;                     \
        for (int64_t k = 0; k < p.count; k++) {                                                    \
            char *const to = p.to + p.at[k];                                                       \
            const char *const from = p.from + k * p.from_stride;                                   \
            for (int64_t at = 0; at < size; at += BYTES) {                                         \
                vector a, b;                                                                       \
                memcpy(&a, to + at, sizeof a);                                                     \
                memcpy(&b, from + at, sizeof b);                                                   \
                COMBINE(vector, a, b, );                                                           \
                memcpy(to + at, &a, sizeof a);                                                     \
            }                                                                                      \
        }                                                                                          \
        (void)flip;                                                                                \
        return size / (int64_t)sizeof(type);                                                       \
    }

enum { VECTOR = 32, WIDEST = 64 };
#if defined(__x86_64__) && !defined(_WIN32)
#define SCATTER_WIDE __attribute__((target("avx2")))
#define SCATTER_WIDEST __attribute__((target("avx512f")))
static int32_t widest_vector(void) { return features_permuted_bytes(); }
#else
#define SCATTER_WIDE
#define SCATTER_WIDEST
static int32_t widest_vector(void) { return VECTOR; }
#endif
/* A library with a limit of size has one loop of each kind. */
#if defined(__OPTIMIZE_SIZE__)
#define SCATTER_PLACES(name, type, COMBINE) SCATTER_AT(name, type, COMBINE)
#define SCATTER_BOTH(name, type, COMBINE)                                                          \
    SCATTER_AT(name, type, COMBINE)                                                                \
    SCATTER_WIDE SCATTER_ROWS(dense_##name, type, COMBINE, VECTOR)
#define SCATTER_PUTS(name)                                                                         \
    { places_##name, NULL, NULL, NULL }
#define SCATTER_ALL(name)                                                                          \
    { places_##name, NULL, dense_##name, NULL }
#else
#define SCATTER_PLACES(name, type, COMBINE)                                                        \
    SCATTER_AT(name, type, COMBINE)                                                                \
    SCATTER_INDICES(narrow_##name, type, int32_t, COMBINE)                                         \
    SCATTER_INDICES(full_##name, type, int64_t, COMBINE)                                           \
    static void indices_##name(const scatter_way *way, const scatter_places *p,                    \
                               const gather_call *call, const char *index) {                       \
        (call->index == TOSAJIT_I32 ? narrow_##name : full_##name)(way, p, call->count, index);    \
    }
#define SCATTER_BOTH(name, type, COMBINE)                                                          \
    SCATTER_PLACES(name, type, COMBINE)                                                            \
    SCATTER_WIDE SCATTER_ROWS(dense_##name, type, COMBINE, VECTOR)                                 \
    SCATTER_WIDEST SCATTER_ROWS(widest_##name, type, COMBINE, WIDEST)
#define SCATTER_PUTS(name)                                                                         \
    { places_##name, indices_##name, NULL, NULL }
#define SCATTER_ALL(name)                                                                          \
    { places_##name, indices_##name, dense_##name, widest_##name }
#endif

#define SCATTER_PUT(type, a, b, IF) a = b
SCATTER_PLACES(put_8, uint8_t, SCATTER_PUT)
SCATTER_PLACES(put_16, uint16_t, SCATTER_PUT)
SCATTER_PLACES(put_32, uint32_t, SCATTER_PUT)
SCATTER_PLACES(put_64, uint64_t, SCATTER_PUT)

#define SCATTER_SUM(type, a, b, IF) a += b
SCATTER_BOTH(sum_32, uint32_t, SCATTER_SUM)
SCATTER_BOTH(sum_64, uint64_t, SCATTER_SUM)
SCATTER_BOTH(sum_f32, float, SCATTER_SUM)
SCATTER_BOTH(sum_f64, double, SCATTER_SUM)

/* The greater of two integers, whose bits were flipped. IF makes all bits of what holds: of vectors
 * a comparison has done so. */
#define SCATTER_GREATEST(type, a, b, IF)                                                           \
    do {                                                                                           \
        const type x = a ^ flip, y = b ^ flip, first = IF(x > y);                                  \
        a = (a & first) | (b & ~first);                                                            \
    } while (0)
SCATTER_BOTH(greatest_32, int32_t, SCATTER_GREATEST)
SCATTER_BOTH(greatest_64, int64_t, SCATTER_GREATEST)

/* The same of the bits of numbers: as integers those below 0 are in order backwards, so -0 is
 * before +0. Of two of which one is NaN it is a quiet NaN. */
#define SCATTER_NUMBER(type, a, b, IF, bits, infinity, quiet)                                      \
    do {                                                                                           \
        const type x = a ^ ((a >> (bits - 1)) & INT##bits##_MAX) ^ flip,                           \
                   y = b ^ ((b >> (bits - 1)) & INT##bits##_MAX) ^ flip, first = IF(x > y),        \
                   none = (infinity - (a & INT##bits##_MAX)) >> (bits - 1) |                       \
                          (infinity - (b & INT##bits##_MAX)) >> (bits - 1);                        \
        a = (((a & first) | (b & ~first)) & ~none) | (quiet & none);                               \
    } while (0)
#define SCATTER_F32(type, a, b, IF) SCATTER_NUMBER(type, a, b, IF, 32, 0x7F800000, 0x7FC00000)
#define SCATTER_F64(type, a, b, IF)                                                                \
    SCATTER_NUMBER(type, a, b, IF, 64, INT64_C(0x7FF0000000000000), INT64_C(0x7FF8000000000000))
SCATTER_BOTH(greatest_f32, int32_t, SCATTER_F32)
SCATTER_BOTH(greatest_f64, int64_t, SCATTER_F64)

static bool is_less(tosajit_type type, cell a, cell b) {
    if (!type_is_float(type)) return type_is_less(type, a.i, b.i);
    return a.f < b.f || (a.f == b.f && signbit(a.f) && !signbit(b.f));
}

/* Of any type; also where NaN is ignored. */
static void combine_any(const scatter_way *way, char *to, const char *from) {
    const cell a = convert_decode(way->type, convert_load(way->type, to)),
               b = convert_decode(way->type, convert_load(way->type, from));
    const bool real = type_is_float(way->type), lost = real && isnan(a.f),
               none = real && isnan(b.f);
    const tosajit_op op = way->node->op;
    cell made = a;
    if (op == TOSAJIT_OP_scatter)
        made = b;
    else if (op == TOSAJIT_OP_scatter_add)
        made.f = a.f + b.f; /* of f16 and bf16, which f64 has exactly, or rounds to the same */
    else if (lost || none)
        made = way->node->attributes.nan_mode == TOSAJIT_NAN_IGNORE ? (lost ? b : a)
                                                                    : (cell){.f = (double)NAN};
    else if (op == TOSAJIT_OP_scatter_max ? is_less(way->type, a, b) : is_less(way->type, b, a))
        made = b;
    convert_store(way->type, to, convert_encode(way->type, made));
}

static void places_any(const scatter_way *way, const scatter_places *p) {
    for (int64_t k = 0; k < p->count; k++)
        combine_any(way, p->to + p->at[k], p->from + k * p->from_stride);
}

#define SCATTER_TYPES(a, b) (1u << TOSAJIT_##a | 1u << TOSAJIT_##b)
static const struct scatter_rule {
    uint32_t types; /* as bits */
    bool adds;      /* else the greatest, or the least */
    scatter_loops loops;
} rules[] = {
    {SCATTER_TYPES(I32, U32), true, SCATTER_ALL(sum_32)},
    {SCATTER_TYPES(I64, U64), true, SCATTER_ALL(sum_64)},
    {SCATTER_TYPES(F32, F32), true, SCATTER_ALL(sum_f32)},
    {SCATTER_TYPES(F64, F64), true, SCATTER_ALL(sum_f64)},
    {SCATTER_TYPES(I32, U32), false, SCATTER_ALL(greatest_32)},
    {SCATTER_TYPES(I64, U64), false, SCATTER_ALL(greatest_64)},
    {SCATTER_TYPES(F32, F32), false, SCATTER_ALL(greatest_f32)},
    {SCATTER_TYPES(F64, F64), false, SCATTER_ALL(greatest_f64)},
};

/* Any byte but 0 is true in an operand; in a result that is 1. */
static scatter_way put_way(const expr_node *node) {
    static const scatter_loops puts[] = {SCATTER_PUTS(put_8), SCATTER_PUTS(put_16),
                                         SCATTER_PUTS(put_32), SCATTER_PUTS(put_64)};
    static const scatter_loops any = {places_any, NULL, NULL, NULL};
    const tosajit_type type = node->type.element;
    const size_t size = tosajit_type_size(type);
    const int power = (size > 1) + (size > 2) + (size > 4);
    return (scatter_way){node, type, 0, type == TOSAJIT_I1 ? any : puts[power]};
}

static scatter_way way_of(const expr_node *node) {
    const tosajit_type type = node->type.element;
    const bool adds = node->op == TOSAJIT_OP_scatter_add,
               ignores = type_is_float(type) && node->attributes.nan_mode == TOSAJIT_NAN_IGNORE;
    scatter_way way = {
        node, type, node->op == TOSAJIT_OP_scatter_min ? -1 : 0, {places_any, NULL, NULL, NULL}};
    const int32_t bytes = widest_vector();
    if (node->op == TOSAJIT_OP_scatter) return put_way(node);
    if (type == TOSAJIT_U32) way.flip ^= INT32_MIN;
    if (type == TOSAJIT_U64) way.flip ^= INT64_MIN;
    for (size_t k = 0; !ignores && k < sizeof rules / sizeof *rules; k++)
        if (rules[k].adds == adds && rules[k].types >> type & 1) way.loops = rules[k].loops;
    if (bytes < VECTOR) way.loops.dense = NULL;
    if (bytes < WIDEST) way.loops.widest = NULL;
    return way;
}

/* Rows at places, of elements that are so far apart: what lies side by side by vectors, the rest
 * one by one. */
typedef struct scatter_row {
    int64_t length, to_stride, from_stride;
} scatter_row;

static void combine_rest(const scatter_way *way, const scatter_places *p, const scatter_row *r,
                         int64_t first) {
    enum { PIECE = 64 };
    int64_t at[PIECE];
    for (int64_t k = 0; k < p->count; k++)
        for (int64_t i = first, count; i < r->length; i += count) {
            count = r->length - i < PIECE ? r->length - i : PIECE;
            for (int64_t e = 0; e < count; e++) at[e] = (i + e) * r->to_stride;
            const scatter_places own = {p->to + p->at[k], at,
                                        p->from + k * p->from_stride + i * r->from_stride,
                                        r->from_stride, count};
            way->loops.places(way, &own);
        }
}

/* One element in all of a row: what is there already is copied behind itself. */
static void fill(char *to, const char *from, int64_t size, int64_t bytes) {
    enum { RUN = 4096 }; /* which the first cache holds */
    if (bytes > 0) memcpy(to, from, (size_t)size);
    for (int64_t at = size, run; at < bytes; at += run) {
        run = at < RUN ? at : RUN;
        if (run > bytes - at) run = bytes - at;
        memcpy(to + at, to, (size_t)run);
    }
}

static void fill_rows(const scatter_places *p, int64_t size, int64_t bytes) {
    for (int64_t k = 0; k < p->count; k++)
        if (k > 0 && p->from_stride == 0)
            memmove(p->to + p->at[k], p->to + p->at[0], (size_t)bytes); /* may be the same */
        else
            fill(p->to + p->at[k], p->from + k * p->from_stride, size, bytes);
}

static void combine_all(const scatter_way *way, const scatter_places *p, const scatter_row *r,
                        bool dense) {
    const scatter_loops *l = &way->loops;
    const bool widest =
        l->widest && r->length * (int64_t)tosajit_type_size(way->type) % WIDEST == 0;
    int64_t done = 0;
    if (dense && l->dense) done = (widest ? l->widest : l->dense)(way, p, r->length);
    if (done < r->length) combine_rest(way, p, r, done);
}

static void combine_rows(const scatter_way *way, const scatter_places *p, const scatter_row *r) {
    const int64_t size = (int64_t)tosajit_type_size(way->type);
    const bool dense = r->to_stride == size && r->from_stride == size,
               puts = way->loops.places != places_any && way->node->op == TOSAJIT_OP_scatter;
    if (puts && r->to_stride == size && r->from_stride == 0)
        fill_rows(p, size, r->length * size);
    else if (dense && puts)
        for (int64_t k = 0; k < p->count; k++)
            memcpy(p->to + p->at[k], p->from + k * p->from_stride, (size_t)(r->length * size));
    else
        combine_all(way, p, r, dense);
}

/* ---------------------------------------------------------------------------------------------
 * The base */

/* Copy the base, or repeat a number: a walk over the result's own sizes. */
static void copy_base(const expr_node *node, const scatter_call *call, const walk *w,
                      const tile_tensors *tensors, const plan_part *part, int32_t base,
                      const char *number) {
    const expr_node put = {.op = TOSAJIT_OP_scatter, .type = node->type};
    const scatter_way way = put_way(&put);
    const int32_t result = part->leaf_count;
    walk own; /* not cleared: see walk.h */
    own.rank = w->rank;
    own.tensors = 2;
    own.apart = 0;
    for (int32_t d = 0; d < w->rank; d++) {
        const int64_t from = base < 0 ? 0
                             : d      ? walk_strides(w, d)[base]
                                      : call->base_stride,
                      to = d ? walk_strides(w, d)[result] : call->to.stride;
        own.sizes[d] = d ? w->sizes[d] : call->to.count;
        walk_mutable_strides(&own, d)[0] = from;
        walk_mutable_strides(&own, d)[1] = to;
        if (own.sizes[d] <= 0) return;
    }
    void *pointers[] = {base < 0 ? (void *)(uintptr_t)number : tensors->pointers[base],
                        tensors->pointers[result]};
    if (pointers[0] == pointers[1] && way.type != TOSAJIT_I1) return; /* in place */
    walk_coalesce(&own);
    const int32_t inner = own.rank - 1;
    const int64_t *strides = walk_strides(&own, inner);
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    do {
        const scatter_places p = {pointers[1], &(int64_t){0}, pointers[0], 0, 1};
        combine_rows(&way, &p, &(scatter_row){own.sizes[inner], strides[1], strides[0]});
    } while (walk_next(&own, (UINT32_C(1) << inner) - 1, index, pointers));
}

/* ---------------------------------------------------------------------------------------------
 * The updates */

enum { INDEX, UPDATES, RESULT, TENSORS };

/* The walk over updates, with a stride of 0 along whatever repeats; the result has none along the
 * first dimension, which stays the first one. */
static void update_walk(const plan_part *part, plan_scatter s, const walk *w, walk *own) {
    own->rank = w->rank;
    own->tensors = TENSORS;
    own->apart = 1;
    for (int32_t d = 0; d < w->rank; d++) {
        int64_t *strides = walk_mutable_strides(own, d);
        own->sizes[d] = w->sizes[d];
        strides[INDEX] = walk_strides(w, d)[s.index];
        strides[UPDATES] = s.updates < 0 ? 0 : walk_strides(w, d)[s.updates];
        strides[RESULT] = d ? walk_strides(w, d)[part->leaf_count] : 0;
    }
    walk_coalesce(own);
}

/* Where elements of a line go, in bytes; of a type of index and a mode that are constants. */
static inline void find_of(tosajit_type type, tosajit_index_mode mode, const gather_call *call,
                           const char *index, int64_t index_stride, int64_t result_stride,
                           int64_t count, int64_t *at) {
    const int64_t places = call->count, stride = call->stride;
    for (int64_t k = 0, moved = 0; k < count; k++, moved += result_stride, index += index_stride)
        at[k] = gather_place(mode, gather_index(type, index), places) * stride + moved;
}

/* The same of indices side by side, by AVX-512: how many were found. Wrong ones have the last
 * place. */
#if defined(__x86_64__)
#include <immintrin.h>
#pragma GCC diagnostic push /* where nothing is optimised, these are GCC's macros with full masks  \
                             */
#pragma GCC diagnostic ignored "-Wsign-conversion"
__attribute__((target("avx512f"))) static int64_t
find_wide(const gather_call *call, const char *index, int64_t count, int64_t *at) {
    const __m512i zero = _mm512_setzero_si512(), places = _mm512_set1_epi64(call->count),
                  last = _mm512_set1_epi64(call->count - 1);
    const __m128i shift = _mm_cvtsi32_si128(__builtin_ctzll((unsigned long long)call->stride));
    const bool narrow = call->index == TOSAJIT_I32;
    int64_t k = 0;
    for (; k + 8 <= count; k += 8) {
        __m512i i = narrow ? _mm512_cvtepi32_epi64(
                                 _mm256_loadu_si256((const __m256i *)(const void *)(index + 4 * k)))
                           : _mm512_loadu_si512(index + 8 * k);
        i = _mm512_mask_add_epi64(i, _mm512_cmplt_epi64_mask(i, zero), i, places);
        _mm512_storeu_si512(at + k, _mm512_sll_epi64(_mm512_min_epu64(i, last), shift));
    }
    return k;
}
#pragma GCC diagnostic pop
static bool has_find_wide(void) { return features_permuted_bytes() == 64; }
#else
static int64_t find_wide(const gather_call *call, const char *index, int64_t count, int64_t *at) {
    return (void)call, (void)index, (void)count, (void)at, 0;
}
static bool has_find_wide(void) { return false; }
#endif

static bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

static void find_places(const gather_call *call, const char *index, int64_t index_stride,
                        int64_t result_stride, int64_t count, int64_t *at) {
    const bool dense = index_stride == (call->index == TOSAJIT_I32 ? 4 : 8) && result_stride == 0;
    if (dense && gather_may_fail(call->mode) && is_power_of_two(call->stride) && has_find_wide()) {
        const int64_t found = find_wide(call, index, count, at);
        index += found * index_stride, count -= found, at += found;
    }
    if (!gather_may_fail(call->mode))
        find_of(call->index, call->mode, call, index, index_stride, result_stride, count, at);
    else if (call->index == TOSAJIT_I32)
        find_of(TOSAJIT_I32, TOSAJIT_INDEX_SIGNED, call, index, index_stride, result_stride, count,
                at);
    else
        find_of(TOSAJIT_I64, TOSAJIT_INDEX_SIGNED, call, index, index_stride, result_stride, count,
                at);
}

/* True if indices lie side by side, and so do the elements that they count. */
static bool are_side_by_side(const scatter_way *way, const gather_call *call,
                             const int64_t *strides) {
    return way->loops.indices && gather_may_fail(call->mode) &&
           strides[INDEX] == (int64_t)tosajit_type_size(call->index) && strides[RESULT] == 0 &&
           call->stride == (int64_t)tosajit_type_size(way->type);
}

/* Dimension `inner` of a walk, at pointers. */
static void scatter_elements(const scatter_way *way, const gather_call *call, const walk *w,
                             int32_t inner, void *const *pointers) {
    enum { PIECE = 128 };
    const int64_t *strides = walk_strides(w, inner);
    int64_t at[PIECE];
    if (are_side_by_side(way, call, strides)) {
        const scatter_places p = {pointers[RESULT], NULL, pointers[UPDATES], strides[UPDATES],
                                  w->sizes[inner]};
        way->loops.indices(way, &p, call, pointers[INDEX]);
        return;
    }
    for (int64_t k = 0, count; k < w->sizes[inner]; k += count) {
        const int64_t left = w->sizes[inner] - k;
        count = left < PIECE ? left : PIECE;
        find_places(call, (const char *)pointers[INDEX] + k * strides[INDEX], strides[INDEX],
                    strides[RESULT], count, at);
        const scatter_places p = {(char *)pointers[RESULT] + k * strides[RESULT], at,
                                  (const char *)pointers[UPDATES] + k * strides[UPDATES],
                                  strides[UPDATES], count};
        way->loops.places(way, &p);
    }
}

/* Along dimension 0 an index each, and along `inner` its row. Where a row is, is no pattern that
 * the processor sees, so of a large result all of some rows are asked for before. */
static void scatter_rows(const scatter_way *way, const gather_call *call, const walk *w,
                         int32_t inner, void *const *pointers) {
    enum { PIECE = 16, CACHE_LINE = 64, ASKED = 512, CACHED = 1 << 21 };
    const int64_t *strides = walk_strides(w, 0), *row = walk_strides(w, inner);
    const int64_t bytes = w->sizes[inner] * row[RESULT], asked = bytes < ASKED ? bytes : ASKED;
    const bool large = size_without_sign(call->stride) > CACHED / (call->count + 1);
    const scatter_row r = {w->sizes[inner], row[RESULT], row[UPDATES]};
    int64_t at[PIECE];
    for (int64_t k = 0, count; k < w->sizes[0]; k += count) {
        count = w->sizes[0] - k < PIECE ? w->sizes[0] - k : PIECE;
        find_places(call, (const char *)pointers[INDEX] + k * strides[INDEX], strides[INDEX], 0,
                    count, at);
        for (int64_t i = 0; i < count && large; i++)
            for (int64_t b = 0; b < asked; b += CACHE_LINE)
                __builtin_prefetch((char *)pointers[RESULT] + at[i] + b, 1);
        const scatter_places p = {pointers[RESULT], at,
                                  (const char *)pointers[UPDATES] + k * strides[UPDATES],
                                  strides[UPDATES], count};
        combine_rows(way, &p, &r);
    }
}

/* The last dimension behind the first one along which results lie side by side, or any; 0: there is
 * none. */
static int32_t find_inner(const walk *w, int64_t size) {
    for (int32_t d = w->rank; d-- > 1;)
        if (walk_strides(w, d)[RESULT] == size) return d;
    return w->rank - 1;
}

/* Updates in the order of dimension 0, for each index of the others: as rows; or as elements, along
 * the dimension along which they lie side by side. */
static void scatter_updates(const scatter_way *way, const gather_call *call, walk *w,
                            void **pointers) {
    const int64_t size = (int64_t)tosajit_type_size(way->type);
    const int32_t inner = find_inner(w, size);
    const uint32_t all = (UINT32_C(1) << w->rank) - 1;
    const bool rows = inner > 0 && walk_strides(w, inner)[INDEX] == 0,
               along = inner > 0 && (rows || walk_strides(w, inner)[RESULT] == size);
    const uint32_t outer = all & ~(UINT32_C(1) | (along ? UINT32_C(1) << inner : 0)),
                   steps = rows    ? outer
                           : along ? outer | 1
                                   : outer;
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    do
        if (rows)
            scatter_rows(way, call, w, inner, pointers);
        else
            scatter_elements(way, call, w, along ? inner : 0, pointers);
    while (walk_next(w, steps, index, pointers));
}

void scatter_run(const tosajit_expr *program, const plan_part *part, const scatter_call *call,
                 const walk *w, const tile_tensors *tensors) {
    const expr_node *node = &program->nodes[part->values[0]];
    const plan_scatter s = plan_scatter_of(part, program);
    const char *base = program->nodes[node->operands[SCATTER_BASE]].data,
               *number = program->nodes[node->operands[SCATTER_UPDATES]].data;
    const scatter_way way = way_of(node);
    void *pointers[] = {tensors->pointers[s.index],
                        s.updates < 0 ? (void *)(uintptr_t)number : tensors->pointers[s.updates],
                        tensors->pointers[part->leaf_count]};
    walk own; /* not cleared: see walk.h */
    if (call->begins) copy_base(node, call, w, tensors, part, s.base, base);
    if (walk_elements(w) <= 0) return;
    update_walk(part, s, w, &own);
    scatter_updates(&way, &call->to, &own, pointers);
}
