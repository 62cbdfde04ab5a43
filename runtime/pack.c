/* Pack: patterns, and following them. On x86 a group of elements that lie near each other is one load, one permutation and one store where
 * there is AVX2, and AVX-512 moves twice as much. */
#include "runtime/pack.h"

#include <string.h>

#include "runtime/features.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAS_PERMUTE 1
#else
#define HAS_PERMUTE 0
#endif

enum {
    LEAST_PERIOD = 64, /* elements, so that a period is worth its loop */
    MOST_WHOLE = 128,  /* elements, of a period made longer to be whole groups */
    NO_WINDOW = INT32_MIN,
};

static const int64_t *strides_of(const walk *w, int32_t d) { return &w->strides[d * w->tensors]; }

/* Bytes that are permuted at once; 0: none. */
static int32_t vector_bytes(void) {
#if HAS_PERMUTE
    return features_permuted_bytes();
#else
    return 0;
#endif
}

/* Offsets of the first `p->period` indices of dimensions d.., d being walked without bound. */
static void fill_offsets(const walk *w, int32_t t, int32_t d, pack *p) {
    const int32_t last = w->rank - 1;
    const int64_t columns = last == d ? p->period : w->sizes[last], stride = strides_of(w, last)[t];
    int64_t index[TOSAJIT_MAX_RANK] = {0}, row = 0;
    for (int64_t k = 0; k < p->period;) {
        for (int64_t c = 0; c < columns; c++) p->offsets[k++] = (int32_t)(row + c * stride);
        for (int32_t i = last - 1; i >= d; i--) {
            row += strides_of(w, i)[t];
            if (++index[i] < w->sizes[i] || i == d) break;
            row -= strides_of(w, i)[t] * w->sizes[i];
            index[i] = 0;
        }
    }
}

/* The group of `count` elements from `position` on. */
static void add_group(pack *p, int32_t position, int32_t count) {
    const int32_t words = p->size / 4, *offsets = &p->offsets[position];
    int32_t low = offsets[0], high = offsets[0];
    for (int32_t k = 1; k < count; k++) {
        low = offsets[k] < low ? offsets[k] : low;
        high = offsets[k] > high ? offsets[k] : high;
    }
    pack_group *group = &p->groups[p->group_count++];
    bool fits = (int64_t)high - low <= (p->lanes - 1) * p->size;
    memset(group->picks, 0, sizeof group->picks);
    for (int32_t k = 0; fits && k < count; k++) {
        fits = (offsets[k] - low) % 4 == 0;
        for (int32_t word = 0; word < words; word++) group->picks[k * words + word] = (uint8_t)((offsets[k] - low) / 4 + word);
    }
    group->position = position * p->size;
    group->window = fits ? low : NO_WINDOW;
    group->words = (high - low + p->size) / 4;
}

/* Rows that nearly fill a group begin one each: where rows repeat, their end and their beginning lie far apart. A longer row ends with a
 * group that overlaps the one before. */
static void fill_groups(pack *p, int64_t row) {
    if (2 * row < p->lanes) row = p->period;
    p->group_count = 0;
    if (p->lanes > 0 && (p->period / row) * ((row + p->lanes - 1) / p->lanes) > PACK_GROUPS) p->lanes = 0;
    if (p->lanes == 0) return;
    for (int64_t start = 0; start < p->period; start += row)
        for (int64_t c = 0; c < row; c += p->lanes) {
            bool beyond = row > p->lanes && c + p->lanes > row;
            int64_t from = beyond ? row - p->lanes : c, left = row - from;
            add_group(p, (int32_t)(start + from), left < p->lanes ? (int32_t)left : p->lanes);
        }
}

/* How often the unit makes a period. */
static int64_t choose_times(int64_t unit, int64_t row, int32_t lanes) {
    int64_t least = (LEAST_PERIOD + unit - 1) / unit, times = least;
    if (2 * row >= lanes) return least; /* rows are groups of their own */
    while (times * unit % lanes != 0 && times * unit <= MOST_WHOLE) times++;
    return times * unit <= MOST_WHOLE ? times : least;
}

bool pack_prepare(const walk *w, int32_t t, int32_t d, int32_t size, pack *p) {
    int64_t unit = 1, low = 0, high = 0, row = w->rank - 1 > d ? w->sizes[w->rank - 1] : 1;
    for (int32_t i = d + 1; i < w->rank; i++) unit *= w->sizes[i];
    p->size = size;
    p->lanes = size < 4 ? 0 : vector_bytes() / size;
    int64_t times = choose_times(unit, row, p->lanes > 0 ? p->lanes : 1);
    if (times > w->sizes[d]) times = w->sizes[d];
    p->period = times * unit;
    p->advance = times * strides_of(w, d)[t];
    for (int32_t i = d; i < w->rank; i++) {
        int64_t reach = strides_of(w, i)[t] * ((i == d ? times : w->sizes[i]) - 1);
        *(reach < 0 ? &low : &high) += reach;
    }
    if (low < INT32_MIN / 2 || high > INT32_MAX / 2) return false;
    fill_offsets(w, t, d, p);
    fill_groups(p, row);
    return true;
}

/* Elements one by one; a constant size makes each copy one load and one store. */
static void gather_each(const int32_t *offsets, int32_t size, const char *from, int64_t count, char *to) {
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

#if HAS_PERMUTE
__attribute__((target("avx2"))) static inline void move_32(const pack_group *group, const char *from, char *to) {
    const __m256i exists = _mm256_cmpgt_epi32(_mm256_set1_epi32(group->words), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    const __m256i words = _mm256_maskload_epi32((const int *)(from + group->window), exists);
    const __m256i picks = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)group->picks));
    _mm256_storeu_si256((__m256i *)(to + group->position), _mm256_permutevar8x32_epi32(words, picks));
}

__attribute__((target("avx512f"))) static inline void move_64(const pack_group *group, const char *from, char *to) {
    const __m512i words = _mm512_maskz_loadu_epi32((__mmask16)(0xffffu >> (16 - group->words)), from + group->window);
    const __m512i picks = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)group->picks));
    _mm512_storeu_si512(to + group->position, _mm512_permutexvar_epi32(picks, words));
}

static void move_each(const pack *p, const pack_group *group, const char *from, int64_t count, char *to) {
    const int64_t first = group->position / p->size, left = count - first;
    gather_each(p->offsets + first, p->size, from, left < p->lanes ? left : p->lanes, to + group->position);
}

/* Whole periods, and of a last part of one the groups that it fills; what is left then goes one by one. */
#define GATHER(bytes, isa)                                                                                                                 \
    __attribute__((target(isa))) static void gather_##bytes(const pack *p, const char *from, int64_t count, char *to) {                    \
        const int64_t period = p->period, advance = p->advance, groups = p->group_count, size = p->size, lanes = p->lanes;                 \
        for (; count > 0; count -= period, from += advance, to += period * size) {                                                         \
            int64_t here = count < period ? count : period, g = 0;                                                                         \
            for (; g < groups && (here == period || p->groups[g].position + lanes * size <= here * size); g++)                             \
                if (p->groups[g].window != NO_WINDOW)                                                                                      \
                    move_##bytes(&p->groups[g], from, to);                                                                                 \
                else                                                                                                                       \
                    move_each(p, &p->groups[g], from, here, to);                                                                           \
            int64_t done = g < groups ? p->groups[g].position / size : here;                                                               \
            if (done < here) gather_each(p->offsets + done, p->size, from, here - done, to + done * size);                                 \
        }                                                                                                                                  \
    }
GATHER(32, "avx2")
GATHER(64, "avx512f")
#undef GATHER
#endif

static void gather(const pack *p, const char *from, int64_t count, char *to) {
#if HAS_PERMUTE
    if (p->lanes) {
        (p->lanes * p->size == 64 ? gather_64 : gather_32)(p, from, count, to);
        return;
    }
#endif
    for (int64_t done = 0; done < count; done += p->period, from += p->advance, to += p->period * p->size)
        gather_each(p->offsets, p->size, from, count - done < p->period ? count - done : p->period, to);
}

void pack_gather(const pack *p, const char *from, int64_t count, char *to) {
    const int64_t first = p->advance == 0 && p->period < count ? p->period : count;
    gather(p, from, first, to);
    for (int64_t done = first; done < count; done *= 2) { /* what repeats is copied, twice as much each time */
        int64_t part = count - done < done ? count - done : done;
        memcpy(to + done * p->size, to, (size_t)(part * p->size));
    }
}
