/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pack: patterns, and following them. With AVX2 a group of elements that lie near each other is one
 * load, one permutation and one store; AVX-512 moves twice as much. Elsewhere they are moved one by
 * one. */
#include "runtime/run/pack.h"

#include <string.h>

#include "runtime/base/features.h"
#include "runtime/plan/costs.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAS_PERMUTE 1
#else
#define HAS_PERMUTE 0
#endif

enum {
    LEAST_PERIOD = 64, /* elements, so that a period is worth its loop */
    MOST_WHOLE = 160,  /* elements, of a period made longer to be whole groups */
    NO_WINDOW = INT32_MIN,
};

/* Bytes that are permuted at once; 0: none. */
static int32_t vector_bytes(void) {
#if HAS_PERMUTE
    return features_permuted_bytes();
#else
    return 0;
#endif
}

/* Offsets of the period: those of the unit, in which dimensions d + 1.. are walked, again and
 * again. */
static void fill_offsets(const walk *w, int32_t t, int32_t d, int64_t unit, pack *p) {
    const int32_t step = (int32_t)walk_steps(w, d)[t];
    int64_t filled = 1;
    p->offsets[0] = 0;
    for (int32_t i = w->rank - 1; i > d; i--) {
        const int64_t row = filled, stride = walk_steps(w, i)[t];
        for (int64_t k = 1; k < w->sizes[i]; k++)
            for (int64_t c = 0; c < row; c++)
                p->offsets[filled++] = p->offsets[c] + (int32_t)(k * stride);
    }
    for (int64_t k = unit; k < p->period; k++) p->offsets[k] = p->offsets[k - unit] + step;
}

/* Work out a group of `count` elements, of `words` 32-bit words each: its window, and the words
 * that it picks from there. False if the elements reach beyond a vector of `lanes` elements, or do
 * not lie whole words apart. Constant arguments let the compiler make vectors of the loops. */
static inline bool fill_group(const int32_t *offsets, int64_t count, int32_t words, int32_t lanes,
                              pack_group *group) {
    int32_t low = offsets[0], high = low, askew = 0;
    for (int64_t k = 1; k < count; k++) {
        low = offsets[k] < low ? offsets[k] : low;
        high = offsets[k] > high ? offsets[k] : high;
    }
    for (int64_t k = 0; k < count; k++) askew |= (offsets[k] - low) & 3;
    group->window = low;
    group->words = (uint8_t)((high - low) / 4 + words);
    if (askew || (int64_t)high - low > 4 * words * (lanes - 1)) return false;
    for (int64_t k = 0; k < count; k++)
        for (int32_t word = 0; word < words; word++)
            group->picks[k * words + word] = (uint8_t)((offsets[k] - low) / 4 + word);
    return true;
}

/* The group of `count` elements from `position` on. */
static void add_group(pack *p, int64_t position, int64_t count) {
    const int32_t words = p->size / 4, *offsets = &p->offsets[position];
    pack_group *group = &p->groups[p->group_count++];
    group->position = (uint16_t)(position * p->size);
    memset(group->picks, 0, sizeof group->picks);
    /* Words of 4 bytes, as they fill it. */
    bool fits = count == PACK_LANES ? fill_group(offsets, PACK_LANES, 1, PACK_LANES, group)
                                    : fill_group(offsets, count, words, p->lanes, group);
    if (!fits) group->window = NO_WINDOW;
}

/* The groups of a run of elements. The last one must not write beyond the run, so it begins earlier
 * and writes some elements a second time: 20 elements in groups of 16 are 0..15 and 4..19. */
static void add_run(pack *p, int64_t start, int64_t run) {
    for (int64_t c = 0; c < run; c += p->lanes) {
        int64_t from = run > p->lanes && c + p->lanes > run ? run - p->lanes : c, left = run - from;
        add_group(p, start + from, left < p->lanes ? left : p->lanes);
    }
}

/* Cut the period into groups. Where a run ends, the next one may begin far away in memory, beyond
 * the window of one group. So runs of at least a group have groups of their own. Shorter runs share
 * groups, as long as a window takes them. */
static void fill_groups(pack *p, int64_t run) {
    if (run < p->lanes) run = p->period;
    p->group_count = 0;
    if (p->lanes > 0 && (p->period / run) * ((run + p->lanes - 1) / p->lanes) > PACK_GROUPS)
        p->lanes = 0;
    for (int64_t start = 0; p->lanes > 0 && start < p->period; start += run) add_run(p, start, run);
}

/* The length of a run: how many elements follow each other with a single stride. That is a row at
 * least, and more where rows follow each other: all of a dense 5x3, but 3 of a 5x3 whose rows are
 * 4 elements apart. */
static int64_t run_of(const walk *w, int32_t t, int32_t d) {
    int64_t run = 1;
    for (int32_t i = w->rank - 1; i > d; i--) {
        if (i < w->rank - 1 && walk_steps(w, i)[t] != walk_steps(w, w->rank - 1)[t] * run) break;
        run *= w->sizes[i];
    }
    return run;
}

/* How many units make a period. It should be whole groups: for units of 3 elements and 16 lanes it
 * is 32 units, 96 elements, which is 6 groups; 22 units, 66 elements, would be 5. Lanes are a power
 * of two. */
static int64_t choose_times(int64_t unit, int64_t lanes) {
    const int64_t least = (LEAST_PERIOD + unit - 1) / unit;
    int64_t whole = lanes; /* units that are whole groups */
    if (lanes == 0) return least;
    for (int64_t left = unit; whole > 1 && left % 2 == 0; left /= 2) whole /= 2;
    const int64_t times = (least + whole - 1) & -whole;
    return (times - 1) * unit < MOST_WHOLE ? times : least;
}

/* How the pattern of a tensor is cut. */
typedef struct cut {
    int64_t unit;  /* elements of the dimensions inside d */
    int64_t run;   /* of these, as many as follow each other */
    int64_t times; /* units in a period */
    int32_t lanes; /* elements of a group; 0: elements go one by one */
} cut;

static cut cut_of(const walk *w, int32_t t, int32_t d, int32_t size) {
    cut c = {1, run_of(w, t, d), 0, size < 4 ? 0 : vector_bytes() / size};
    for (int32_t i = d + 1; i < w->rank; i++) c.unit *= w->sizes[i];
    c.times = choose_times(c.unit, c.lanes);
    if (c.times > w->sizes[d]) c.times = w->sizes[d];
    return c;
}

bool pack_count(const walk *w, int32_t t, int32_t d, int32_t size, double count, double *counts) {
    const cut c = cut_of(w, t, d, size);
    int64_t low = 0, high = 0; /* offsets that the pattern reaches */
    for (int32_t i = d; i < w->rank; i++) {
        const int64_t reach = walk_steps(w, i)[t] * ((i == d ? c.times : w->sizes[i]) - 1);
        *(reach < 0 ? &low : &high) += reach;
    }
    counts[PER_PATTERN_ELEMENT] += (double)(c.times * c.unit);
    if (c.lanes == 0) {
        counts[PER_GATHERED_ELEMENT] += count;
    } else {
        const int64_t run = 2 * c.run < c.lanes ? c.lanes : c.run;
        counts[PER_GATHERED_GROUP] += count / (double)run * (double)((run + c.lanes - 1) / c.lanes);
    }
    return low >= INT32_MIN / 2 && high <= INT32_MAX / 2;
}

void pack_prepare(const walk *w, int32_t t, int32_t d, int32_t size, pack *p) {
    const cut c = cut_of(w, t, d, size);
    p->size = size;
    p->lanes = c.lanes;
    p->period = c.times * c.unit;
    p->advance = c.times * walk_steps(w, d)[t];
    fill_offsets(w, t, d, c.unit, p);
    fill_groups(p, c.run);
}

/* Elements one by one; a constant size makes each copy one load and one store. */
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

/* Elements of a group that lie too far apart. */
static void move_each(const pack *p, const pack_group *group, const char *from, char *to,
                      int64_t periods) {
    const int64_t first = group->position / p->size, left = p->period - first;
    for (to += group->position; periods > 0;
         periods--, from += p->advance, to += p->period * p->size)
        gather_each(p->offsets + first, p->size, from, left < p->lanes ? left : p->lanes, to);
}

#if HAS_PERMUTE
/* Each of these twice: with registers of 32 bytes, and of 64. */
#define AVX2 __attribute__((target("avx2"))) static
#define AVX512 __attribute__((target("avx512f"))) static
#define INLINE inline __attribute__((always_inline))

/* The words of a group's window that exist; others are not read. */
AVX2 INLINE __m256i words_of_32(const pack_group *group) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(group->words),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
AVX512 INLINE __mmask16 words_of_64(const pack_group *group) {
    return (__mmask16)((UINT32_C(1) << group->words) - 1);
}

AVX2 INLINE __m256i picks_of_32(const pack_group *group) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)group->picks));
}
AVX512 INLINE __m512i picks_of_64(const pack_group *group) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)group->picks));
}

/* Words, as far as they exist, in the order of the picks. */
AVX2 INLINE void move_32(char *to, const char *from, __m256i words, __m256i picks) {
    const __m256i window = _mm256_maskload_epi32((const int *)from, words);
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(window, picks));
}
AVX512 INLINE void move_64(char *to, const char *from, __mmask16 words, __m512i picks) {
    const __m512i window = _mm512_maskz_loadu_epi32(words, from);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi32(picks, window));
}

/* One group, in so many periods. Words and picks stay in registers. */
AVX2 void move_group_32(const pack *p, const pack_group *group, const char *from, char *to,
                        int64_t periods) {
    const __m256i words = words_of_32(group), picks = picks_of_32(group);
    const int64_t advance = p->advance, step = p->period * p->size;
    for (from += group->window, to += group->position; periods > 0;
         periods--, from += advance, to += step)
        move_32(to, from, words, picks);
}
AVX512 void move_group_64(const pack *p, const pack_group *group, const char *from, char *to,
                          int64_t periods) {
    const __mmask16 words = words_of_64(group);
    const __m512i picks = picks_of_64(group);
    const int64_t advance = p->advance, step = p->period * p->size;
    for (from += group->window, to += group->position; periods > 0;
         periods--, from += advance, to += step)
        move_64(to, from, words, picks);
}

#endif

static void move_group(const pack *p, const pack_group *group, const char *from, char *to,
                       int64_t periods) {
#if HAS_PERMUTE
    if (group->window != NO_WINDOW) {
        (p->lanes * p->size == 64 ? move_group_64 : move_group_32)(p, group, from, to, periods);
        return;
    }
#endif
    move_each(p, group, from, to, periods);
}

/* First the whole periods. Of a last, shorter one the groups that lie in it whole; then what is
 * left, one element after the other. */
static void gather_groups(const pack *p, const char *from, int64_t count, char *to) {
    const pack_group *g = p->groups, *const end = g + p->group_count;
    const int64_t periods = count / p->period, rest = count % p->period;
    for (; periods > 0 && g < end; g++) move_group(p, g, from, to, periods);
    from += periods * p->advance;
    to += periods * p->period * p->size;
    for (g = p->groups; g < end && g->position + p->lanes * p->size <= rest * p->size; g++)
        move_group(p, g, from, to, 1);
    const int64_t done = g < end ? g->position / p->size : rest;
    if (done < rest)
        gather_each(p->offsets + done, p->size, from, rest - done, to + done * p->size);
}

void pack_gather(const pack *p, const char *from, int64_t count, char *to) {
    if (p->lanes) {
        gather_groups(p, from, count, to);
        return;
    }
    for (int64_t done = 0; done < count;
         done += p->period, from += p->advance, to += p->period * p->size)
        gather_each(p->offsets, p->size, from, count - done < p->period ? count - done : p->period,
                    to);
}
