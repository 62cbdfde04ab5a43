/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pack: patterns, and following them. With AVX2 a group of neighbouring elements is one load, one
 * permutation and one store; AVX-512 moves twice as much. Elsewhere elements move one by one.
 * Without groups f32[65536,3] * f32[65536,1] takes 3.1 times as long on Zen 4, and rows of 5 take 2
 * times. */
#include "runtime/tile/pack.h"

#include <string.h>

#include "runtime/base/features.h"
#include "runtime/base/types.h"
#include "runtime/plan/costs.h"

enum {
    MOST_WHOLE = 160,  /* elements, of a period that is whole groups */
    LEAST_PERIOD = 64, /* elements, of others, so that a period is worth its loop */
};

/* Offsets of the period: those of a row, again and again, dimension by dimension. */
static void fill_offsets(const walk *w, int32_t t, int32_t d, int64_t times, pack *p) {
    int64_t filled = 1;
    p->offsets[0] = 0;
    for (int32_t i = w->rank - 1; i >= d; i--) {
        const int64_t row = filled, size = i > d ? w->sizes[i] : times,
                      stride = walk_strides(w, i)[t];
        for (int64_t k = 1; k < size; k++)
            for (int64_t c = 0; c < row; c++)
                p->offsets[filled++] = p->offsets[c] + (int32_t)(k * stride);
    }
}

/* The words of the window that make a group. Constant arguments let the compiler make vectors of
 * the loops. */
static inline void fill_picks(const int32_t *offsets, int64_t count, int32_t words,
                              pack_group *group) {
    for (int64_t k = 0; k < count; k++)
        for (int32_t word = 0; word < words; word++)
            group->picks[k * words + word] = (uint8_t)((offsets[k] - group->window) / 4 + word);
}

/* The group from an element on: as many elements as one window takes, a vector at most. */
static void fill_group(const pack *p, int64_t start, pack_group *group) {
    const int32_t *const offsets = &p->offsets[start], reach = (p->lanes - 1) * p->size,
                         words = p->size / 4;
    const int64_t left = p->period - start, most = left < p->lanes ? left : p->lanes;
    int32_t low = offsets[0], high = low;
    int64_t count = 1;
    for (; count < most; count++) {
        const int32_t offset = offsets[count], least = offset < low ? offset : low,
                      highest = offset > high ? offset : high;
        if (highest - least > reach || ((offset - low) & 3)) break;
        low = least;
        high = highest;
    }
    *group = (pack_group){.window = low,
                          .start = (uint16_t)start,
                          .end = (uint16_t)(start + count),
                          .words = (uint8_t)((high - low) / 4 + words)};
    if (count == PACK_LANES)
        fill_picks(offsets, PACK_LANES, 1, group);
    else
        fill_picks(offsets, count, words, group);
}

/* Cut the period into groups. Where the next elements lie far away, a group is short. It still
 * writes a whole vector, and the next group writes the end again. So the order of groups matters:
 * the first is one that no other overwrites, behind a full group. Elements go one by one where no
 * group is full, or most are short. */
static void fill_groups(pack *p) {
    int64_t done = 0;
    p->group_count = p->first = 0;
    while (p->lanes > 1 && done < p->period && p->group_count * PACK_LEAST <= done) {
        pack_group *const group = &p->groups[p->group_count++];
        fill_group(p, done, group);
        if (group->end - group->start == p->lanes) p->first = p->group_count;
        done = group->end;
    }
    if (done < p->period || p->first == 0) p->group_count = 0;
}

/* How the pattern of a tensor is cut. */
typedef struct cut {
    int64_t unit;  /* elements of the dimensions inside d */
    int64_t times; /* units in a period */
    int32_t lanes; /* elements of a vector; 1: there is none for such */
} cut;

/* A period should be whole groups: for units of 3 elements and 16 lanes it is 16 units, 48
 * elements, which is 3 groups. Lanes are a power of two. */
static cut cut_of(const walk *w, int32_t d, int32_t size) {
    const int32_t bytes = features_permuted_bytes();
    cut c = {1, 0, size < 4 || bytes == 0 ? 1 : bytes / size};
    for (int32_t i = d + 1; i < w->rank; i++) c.unit *= w->sizes[i];
    int64_t whole = c.lanes; /* units that are whole groups */
    for (int64_t left = c.unit; whole > 1 && left % 2 == 0; left /= 2) whole /= 2;
    const bool fits = c.lanes > 1 && whole * c.unit <= MOST_WHOLE;
    c.times = fits ? whole : (LEAST_PERIOD + c.unit - 1) / c.unit;
    if (c.times > w->sizes[d]) c.times = w->sizes[d];
    return c;
}

bool pack_count(const walk *w, int32_t t, int32_t d, int32_t size, double count, double *counts) {
    const cut c = cut_of(w, d, size);
    int64_t reach = 0; /* of the pattern's offsets, at most */
    for (int32_t i = d; i < w->rank; i++)
        reach += size_without_sign(walk_strides(w, i)[t]) * ((i == d ? c.times : w->sizes[i]) - 1);
    counts[PER_PATTERN_ELEMENT] += (double)(c.times * c.unit);
    counts[c.lanes > 1 ? PER_GATHERED_GROUP : PER_GATHERED_ELEMENT] += count / c.lanes;
    return reach <= INT32_MAX / 2;
}

void pack_prepare(const walk *w, int32_t t, int32_t d, int32_t size, pack *p) {
    const cut c = cut_of(w, d, size);
    p->size = size;
    p->lanes = c.lanes;
    p->period = c.times * c.unit;
    p->advance = c.times * walk_strides(w, d)[t];
    fill_offsets(w, t, d, c.times, p);
    fill_groups(p);
}

/* Elements one by one. With a constant size each copy is one load and one store. */
static void gather_each(const int32_t *offsets, int32_t size, const char *from, int64_t count,
                        char *to) {
    switch (size) {
    case 1:
        for (int64_t k = 0; k < count; k++) to[k] = from[offsets[k]];
        break;
    case 2:
        for (int64_t k = 0; k < count; k++) memcpy(to + 2 * k, from + offsets[k], 2);
        break;
    case 4:
        for (int64_t k = 0; k < count; k++) memcpy(to + 4 * k, from + offsets[k], 4);
        break;
    default:
        for (int64_t k = 0; k < count; k++) memcpy(to + 8 * k, from + offsets[k], 8);
        break;
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* One group, in so many periods: the words of its window that exist, in the order of its picks.
 * Words and picks stay in registers. Once with registers of 32 bytes, and once of 64. */
__attribute__((target("avx2"))) static void
move_group_32(const pack *p, const pack_group *group, const char *from, char *to, int64_t periods) {
    const __m256i words = _mm256_cmpgt_epi32(_mm256_set1_epi32(group->words),
                                             _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)),
                  picks = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)group->picks));
    const int64_t advance = p->advance, step = p->period * p->size;
    for (; periods > 0; periods--, from += advance, to += step) {
        const __m256i window = _mm256_maskload_epi32((const int *)from, words);
        _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(window, picks));
    }
}
__attribute__((target("avx512f"))) static void
move_group_64(const pack *p, const pack_group *group, const char *from, char *to, int64_t periods) {
    const __mmask16 words = (__mmask16)((UINT32_C(1) << group->words) - 1);
    const __m512i picks = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)group->picks));
    const int64_t advance = p->advance, step = p->period * p->size;
    for (; periods > 0; periods--, from += advance, to += step) {
        const __m512i window = _mm512_maskz_loadu_epi32(words, from);
        _mm512_storeu_si512(to, _mm512_permutexvar_epi32(picks, window));
    }
}
static void move_group(const pack *p, const pack_group *group, const char *from, char *to,
                       int64_t periods) {
    (p->lanes * p->size == 64 ? move_group_64 : move_group_32)(
        p, group, from + group->window, to + group->start * p->size, periods);
}
#else
static void move_group(const pack *p, const pack_group *group, const char *from, char *to,
                       int64_t periods) {
    (void)p, (void)group, (void)from, (void)to, (void)periods; /* there are none */
}
#endif

/* The groups of all whole periods, and the whole groups of a last, shorter period. Then the rest,
 * one element after the other. */
void pack_gather(const pack *p, const char *from, int64_t count, char *to) {
    const int64_t periods = p->group_count ? count / p->period : 0,
                  rest = count - periods * p->period, bytes = p->period * p->size;
    int64_t done = 0; /* of the rest */
    const pack_group *g = p->groups + p->first, *const end = p->groups + p->group_count;
    for (int32_t k = 0; k < p->group_count; k++, g++) {
        if (g == end) g = p->groups;
        move_group(p, g, from, to, periods);
    }
    from += periods * p->advance;
    to += periods * bytes;
    for (g = p->groups; g < end && g->end <= rest; done = g->end, g++)
        move_group(p, g, from, to, 1);
    for (int64_t left = rest; left > done; left -= p->period, from += p->advance, to += bytes)
        gather_each(p->offsets + done, p->size, from, (left < p->period ? left : p->period) - done,
                    to + done * p->size);
}
