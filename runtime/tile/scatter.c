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

/* A row of one index. */
typedef struct scatter_row {
    char *to;
    const char *from;
    int64_t to_stride, from_stride, count;
} scatter_row;

/* How elements are combined: at places; and of rows that lie side by side as many as fill vectors,
 * whose number `dense` gives. */
typedef struct scatter_way {
    const expr_node *node;
    tosajit_type type;
    int64_t flip; /* bits that are changed before integers are compared */
    void (*places)(const struct scatter_way *way, const scatter_places *p);
    int64_t (*dense)(const struct scatter_way *way, const scatter_row *r); /* or null */
} scatter_way;

/* Loops of a type. COMBINE changes a, an element or a vector, by b, the update. */
#define SCATTER_PLACES(name, type, COMBINE)                                                        \
    static void places_##name(const scatter_way *way, const scatter_places *p) {                   \
        const type flip = (type)way->flip;                                                         \
        for (int64_t k = 0; k < p->count; k++) {                                                   \
            type a, b;                                                                             \
            memcpy(&a, p->to + p->at[k], sizeof a);                                                \
            memcpy(&b, p->from + k * p->from_stride, sizeof b);                                    \
            COMBINE(type, a, b, -(type));                                                          \
            memcpy(p->to + p->at[k], &a, sizeof a);                                                \
        }                                                                                          \
        (void)flip;                                                                                \
    }
#define SCATTER_DENSE(name, type, COMBINE)                                                         \
    SCATTER_WIDE static int64_t dense_##name(const scatter_way *way, const scatter_row *r) {       \
        typedef type vector __attribute__((vector_size(VECTOR)));                                  \
        const int64_t size = (int64_t)sizeof(type);                                                \
        const type flip = (type)way->flip;                                                         \
        int64_t k = 0;                                                                             \
        for (; k + VECTOR / size <= r->count; k += VECTOR / size) {                                \
            vector a, b;                                                                           \
            memcpy(&a, r->to + k * size, sizeof a);                                                \
            memcpy(&b, r->from + k * size, sizeof b);                                              \
            COMBINE(vector, a, b, );                                                               \
            memcpy(r->to + k * size, &a, sizeof a);                                                \
        }                                                                                          \
        (void)flip;                                                                                \
        return k;                                                                                  \
    }
#define SCATTER_BOTH(name, type, COMBINE)                                                          \
    SCATTER_PLACES(name, type, COMBINE) SCATTER_DENSE(name, type, COMBINE)

enum { VECTOR = 32 };
#if defined(__x86_64__) && !defined(_WIN32)
#define SCATTER_WIDE __attribute__((target("avx2")))
static bool has_wide(void) { return features_permuted_bytes() > 0; }
#else
#define SCATTER_WIDE
static bool has_wide(void) { return true; }
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

#define SCATTER_WAY(name) places_##name, dense_##name
#define SCATTER_TYPES(a, b) (1u << TOSAJIT_##a | 1u << TOSAJIT_##b)
static const struct scatter_loops {
    uint32_t types; /* as bits */
    bool adds;      /* else the greatest, or the least */
    void (*places)(const scatter_way *way, const scatter_places *p);
    int64_t (*dense)(const scatter_way *way, const scatter_row *r);
} loops[] = {
    {SCATTER_TYPES(I32, U32), true, SCATTER_WAY(sum_32)},
    {SCATTER_TYPES(I64, U64), true, SCATTER_WAY(sum_64)},
    {SCATTER_TYPES(F32, F32), true, SCATTER_WAY(sum_f32)},
    {SCATTER_TYPES(F64, F64), true, SCATTER_WAY(sum_f64)},
    {SCATTER_TYPES(I32, U32), false, SCATTER_WAY(greatest_32)},
    {SCATTER_TYPES(I64, U64), false, SCATTER_WAY(greatest_64)},
    {SCATTER_TYPES(F32, F32), false, SCATTER_WAY(greatest_f32)},
    {SCATTER_TYPES(F64, F64), false, SCATTER_WAY(greatest_f64)},
};

/* Any byte but 0 is true in an operand; in a result that is 1. */
static scatter_way put_way(const expr_node *node) {
    scatter_way way = {node, node->type.element, 0, places_put_64, NULL};
    const size_t size = tosajit_type_size(way.type);
    if (size == 1) way.places = way.type == TOSAJIT_I1 ? places_any : places_put_8;
    if (size == 2) way.places = places_put_16;
    if (size == 4) way.places = places_put_32;
    return way;
}

static scatter_way way_of(const expr_node *node) {
    const tosajit_type type = node->type.element;
    const bool adds = node->op == TOSAJIT_OP_scatter_add,
               ignores = type_is_float(type) && node->attributes.nan_mode == TOSAJIT_NAN_IGNORE;
    scatter_way way = {node, type, node->op == TOSAJIT_OP_scatter_min ? -1 : 0, places_any, NULL};
    if (node->op == TOSAJIT_OP_scatter) return put_way(node);
    if (type == TOSAJIT_U32) way.flip ^= INT32_MIN;
    if (type == TOSAJIT_U64) way.flip ^= INT64_MIN;
    for (size_t k = 0; !ignores && k < sizeof loops / sizeof *loops; k++)
        if (loops[k].adds == adds && loops[k].types >> type & 1) {
            way.places = loops[k].places;
            way.dense = has_wide() ? loops[k].dense : NULL;
        }
    return way;
}

/* A row: what lies side by side by vectors, the rest as places. */
static void combine_row(const scatter_way *way, const scatter_row *r) {
    enum { PIECE = 64 };
    const int64_t size = (int64_t)tosajit_type_size(way->type);
    const bool dense = r->to_stride == size && r->from_stride == size;
    int64_t at[PIECE], k = 0, count;
    if (dense && way->dense) k = way->dense(way, r);
    if (dense && way->places != places_any && way->node->op == TOSAJIT_OP_scatter) {
        memcpy(r->to, r->from, (size_t)(r->count * size));
        return;
    }
    for (; k < r->count; k += count) {
        count = r->count - k < PIECE ? r->count - k : PIECE;
        for (int64_t i = 0; i < count; i++) at[i] = (k + i) * r->to_stride;
        const scatter_places p = {r->to, at, r->from + k * r->from_stride, r->from_stride, count};
        way->places(way, &p);
    }
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
        const scatter_row r = {pointers[1], pointers[0], strides[1], strides[0], own.sizes[inner]};
        combine_row(&way, &r);
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

/* Where elements of a line go, in bytes. Of a large table the next ones are asked for in time. */
static void find_places(const gather_call *call, const char *index, int64_t index_stride,
                        int64_t result_stride, int64_t count, int64_t *at) {
    const bool narrow = call->index == TOSAJIT_I32, simple = gather_may_fail(call->mode);
    for (int64_t k = 0; simple && narrow && k < count; k++)
        at[k] = gather_place(TOSAJIT_INDEX_SIGNED,
                             gather_index(TOSAJIT_I32, index + k * index_stride), call->count) *
                    call->stride +
                k * result_stride;
    for (int64_t k = 0; simple && !narrow && k < count; k++)
        at[k] = gather_place(TOSAJIT_INDEX_SIGNED,
                             gather_index(TOSAJIT_I64, index + k * index_stride), call->count) *
                    call->stride +
                k * result_stride;
    for (int64_t k = 0; !simple && k < count; k++)
        at[k] = gather_place(call->mode, gather_index(call->index, index + k * index_stride),
                             call->count) *
                    call->stride +
                k * result_stride;
}

/* Dimension `inner` of a walk, at pointers. */
static void scatter_elements(const scatter_way *way, const gather_call *call, const walk *w,
                             int32_t inner, void *const *pointers) {
    enum { PIECE = 256 };
    const int64_t *strides = walk_strides(w, inner);
    int64_t at[PIECE];
    for (int64_t k = 0, count; k < w->sizes[inner]; k += count) {
        const int64_t left = w->sizes[inner] - k;
        count = left < PIECE ? left : PIECE;
        find_places(call, (const char *)pointers[INDEX] + k * strides[INDEX], strides[INDEX],
                    strides[RESULT], count, at);
        const scatter_places p = {(char *)pointers[RESULT] + k * strides[RESULT], at,
                                  (const char *)pointers[UPDATES] + k * strides[UPDATES],
                                  strides[UPDATES], count};
        way->places(way, &p);
    }
}

/* Along dimension 0 an index each, and along `inner` its row. */
static void scatter_rows(const scatter_way *way, const gather_call *call, const walk *w,
                         int32_t inner, void *const *pointers) {
    enum { PIECE = 64, AHEAD = 4, CACHE_LINE = 64, ASKED = 512 };
    const int64_t *strides = walk_strides(w, 0), *row = walk_strides(w, inner);
    const int64_t bytes = w->sizes[inner] * row[RESULT], asked = bytes < ASKED ? bytes : ASKED;
    int64_t at[PIECE];
    for (int64_t k = 0; k < w->sizes[0]; k++) {
        const int64_t n = k % PIECE, left = w->sizes[0] - k;
        if (n == 0)
            find_places(call, (const char *)pointers[INDEX] + k * strides[INDEX], strides[INDEX], 0,
                        left < PIECE ? left : PIECE, at);
        if (n + AHEAD < PIECE && AHEAD < left)
            for (int64_t b = 0; b < asked; b += CACHE_LINE)
                __builtin_prefetch((char *)pointers[RESULT] + at[n + AHEAD] + b, 1);
        const scatter_row r = {(char *)pointers[RESULT] + at[n],
                               (const char *)pointers[UPDATES] + k * strides[UPDATES], row[RESULT],
                               row[UPDATES], w->sizes[inner]};
        combine_row(way, &r);
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
