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
    MOST_WHOLE = 160,  /* elements, of a period made longer to be whole groups */
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

/* Offsets of the period: those of the unit, in which dimensions d + 1.. are walked, again and again. */
static void fill_offsets(const walk *w, int32_t t, int32_t d, int64_t unit, pack *p) {
    const int32_t step = (int32_t)strides_of(w, d)[t];
    int64_t filled = 1;
    p->offsets[0] = 0;
    for (int32_t i = w->rank - 1; i > d; i--) {
        const int64_t row = filled, stride = strides_of(w, i)[t];
        for (int64_t k = 1; k < w->sizes[i]; k++)
            for (int64_t c = 0; c < row; c++) p->offsets[filled++] = p->offsets[c] + (int32_t)(k * stride);
    }
    for (int64_t k = unit; k < p->period; k++) p->offsets[k] = p->offsets[k - unit] + step;
}

/* What a group of `count` elements of `words` 32-bit words each picks from its window; false if that is too small, or lies askew. Constant
 * arguments make vectors of the loops. */
static inline bool fill_group(const int32_t *offsets, int64_t count, int32_t words, int32_t lanes, pack_group *group) {
    int32_t low = offsets[0], high = low, askew = 0;
    for (int64_t k = 1; k < count; k++) {
        low = offsets[k] < low ? offsets[k] : low;
        high = offsets[k] > high ? offsets[k] : high;
    }
    for (int64_t k = 0; k < count; k++) askew |= (offsets[k] - low) & 3;
    group->window = low;
    group->words = (high - low) / 4 + words;
    if (askew || (int64_t)high - low > 4 * words * (lanes - 1)) return false;
    for (int64_t k = 0; k < count; k++)
        for (int32_t word = 0; word < words; word++) group->picks[k * words + word] = (uint8_t)((offsets[k] - low) / 4 + word);
    return true;
}

/* The group of `count` elements from `position` on. */
static void add_group(pack *p, int64_t position, int64_t count) {
    const int32_t words = p->size / 4, *offsets = &p->offsets[position];
    pack_group *group = &p->groups[p->group_count++];
    group->position = (int32_t)position * p->size;
    memset(group->picks, 0, sizeof group->picks);
    bool fits = count == PACK_LANES ? fill_group(offsets, PACK_LANES, 1, PACK_LANES, group) /* words of 4 bytes, as they fill it */
                                    : fill_group(offsets, count, words, p->lanes, group);
    if (!fits) group->window = NO_WINDOW;
}

/* The groups of a run of elements; the last overlaps the one before, or if it is alone, reaches beyond its run. */
static void add_run(pack *p, int64_t start, int64_t run) {
    for (int64_t c = 0; c < run; c += p->lanes) {
        int64_t from = run > p->lanes && c + p->lanes > run ? run - p->lanes : c, left = run - from;
        add_group(p, start + from, left < p->lanes ? left : p->lanes);
    }
}

/* Runs that nearly fill a group begin one each: where they repeat, their end and their beginning lie far apart. Shorter ones share
 * groups. */
static void fill_groups(pack *p, int64_t run) {
    if (2 * run < p->lanes) run = p->period;
    p->group_count = 0;
    p->run_groups = run < p->lanes && run < p->period;
    if (p->lanes > 0 && (p->period / run) * ((run + p->lanes - 1) / p->lanes) > PACK_GROUPS) p->lanes = 0;
    for (int64_t start = 0; p->lanes > 0 && start < p->period; start += run) add_run(p, start, run);
}

/* Elements of the pattern that the tensor walks with a single stride, at least a row: from one such run to the next it may jump. */
static int64_t run_of(const walk *w, int32_t t, int32_t d) {
    int64_t run = 1;
    for (int32_t i = w->rank - 1; i > d; i--) {
        if (i < w->rank - 1 && strides_of(w, i)[t] != strides_of(w, w->rank - 1)[t] * run) break;
        run *= w->sizes[i];
    }
    return run;
}

/* How often the unit makes a period: of whole groups, if that is not too long. */
static int64_t choose_times(int64_t unit, int64_t run, int32_t lanes) {
    const int64_t least = (LEAST_PERIOD + unit - 1) / unit;
    int64_t multiple = lanes;
    if (2 * run >= lanes) return least;                                     /* runs are groups of their own */
    while (multiple > 1 && multiple / 2 * unit % lanes == 0) multiple /= 2; /* lanes are a power of two */
    const int64_t times = (least + multiple - 1) / multiple * multiple;
    return times * unit <= MOST_WHOLE ? times : least;
}

/* How the pattern of a tensor is cut. */
typedef struct cut {
    int64_t unit, run, times; /* elements of dimensions inside d; of those the tensor's runs; units of a period */
    int32_t lanes;
} cut;

static cut cut_of(const walk *w, int32_t t, int32_t d, int32_t size) {
    cut c = {1, run_of(w, t, d), 0, size < 4 ? 0 : vector_bytes() / size};
    for (int32_t i = d + 1; i < w->rank; i++) c.unit *= w->sizes[i];
    c.times = choose_times(c.unit, c.run, c.lanes > 0 ? c.lanes : 1);
    if (c.times > w->sizes[d]) c.times = w->sizes[d];
    return c;
}

double pack_cost(const walk *w, int32_t t, int32_t d, int32_t size, double count) {
    static const double prepare = 110, element_prepared = 1.4, element = 0.25, group = 0.7;
    const cut c = cut_of(w, t, d, size);
    const double once = prepare + element_prepared * (double)(c.times * c.unit);
    if (c.lanes == 0) return once + element * count;
    const int64_t run = 2 * c.run < c.lanes ? c.lanes : c.run;
    return once + group * count / (double)run * (double)((run + c.lanes - 1) / c.lanes);
}

bool pack_prepare(const walk *w, int32_t t, int32_t d, int32_t size, pack *p) {
    const cut c = cut_of(w, t, d, size);
    int64_t low = 0, high = 0;
    p->size = size;
    p->lanes = c.lanes;
    p->period = c.times * c.unit;
    p->advance = c.times * strides_of(w, d)[t];
    for (int32_t i = d; i < w->rank; i++) {
        int64_t reach = strides_of(w, i)[t] * ((i == d ? c.times : w->sizes[i]) - 1);
        *(reach < 0 ? &low : &high) += reach;
    }
    if (low < INT32_MIN / 2 || high > INT32_MAX / 2) return false;
    fill_offsets(w, t, d, c.unit, p);
    fill_groups(p, c.run);
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

/* Elements of a group that lie too far apart. */
static void move_each(const pack *p, const pack_group *group, const char *from, char *to, int64_t periods) {
    const int64_t first = group->position / p->size, left = p->period - first;
    for (to += group->position; periods > 0; periods--, from += p->advance, to += p->period * p->size)
        gather_each(p->offsets + first, p->size, from, left < p->lanes ? left : p->lanes, to);
}

#if HAS_PERMUTE
/* A vector of words, as far as they exist, put into the order of the picks. */
#define MOVE_32(to, from)                                                                                                                  \
    _mm256_storeu_si256((__m256i *)(to), _mm256_permutevar8x32_epi32(_mm256_maskload_epi32((const int *)(from), exists), picks))
#define MOVE_64(to, from) _mm512_storeu_si512(to, _mm512_permutexvar_epi32(picks, _mm512_maskz_loadu_epi32(exists, from)))
#define SET_UP_32(group)                                                                                                                   \
    const __m256i exists = _mm256_cmpgt_epi32(_mm256_set1_epi32((group)->words), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));               \
    const __m256i picks = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(group)->picks))
#define SET_UP_64(group)                                                                                                                   \
    const __mmask16 exists = (__mmask16)((UINT32_C(1) << (group)->words) - 1);                                                             \
    const __m512i picks = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(group)->picks))

/* One group of so many periods; and all groups of so many, where they are runs and so pick alike. What they need stays in registers. */
#define MOVES(bytes, isa)                                                                                                                  \
    __attribute__((target(isa))) static void move_group_##bytes(const pack *p, const pack_group *group, const char *from, char *to,        \
                                                                int64_t periods) {                                                         \
        SET_UP_##bytes(group);                                                                                                             \
        const int64_t advance = p->advance, step = p->period * p->size;                                                                    \
        for (from += group->window, to += group->position; periods > 0; periods--, from += advance, to += step) MOVE_##bytes(to, from);    \
    }                                                                                                                                      \
    __attribute__((target(isa))) static void move_runs_##bytes(const pack *p, const char *from, char *to, int64_t periods) {               \
        SET_UP_##bytes(p->groups);                                                                                                         \
        const pack_group *const end = p->groups + p->group_count;                                                                          \
        for (; periods > 0; periods--, from += p->advance, to += p->period * p->size)                                                      \
            for (const pack_group *g = p->groups; g < end; g++) MOVE_##bytes(to + g->position, from + g->window);                          \
    }
MOVES(32, "avx2")
MOVES(64, "avx512f")
#undef MOVES
#undef SET_UP_64
#undef SET_UP_32
#undef MOVE_64
#undef MOVE_32
#endif

static void move_group(const pack *p, const pack_group *group, const char *from, char *to, int64_t periods) {
#if HAS_PERMUTE
    if (group->window != NO_WINDOW) {
        (p->lanes * p->size == 64 ? move_group_64 : move_group_32)(p, group, from, to, periods);
        return;
    }
#endif
    move_each(p, group, from, to, periods);
}

/* A run reaches beyond itself, into the next, which must be written after it: period by period. */
static void move_runs(const pack *p, const char *from, char *to, int64_t periods) {
#if HAS_PERMUTE
    if (p->groups[0].window != NO_WINDOW) {
        (p->lanes * p->size == 64 ? move_runs_64 : move_runs_32)(p, from, to, periods);
        return;
    }
#endif
    for (; periods > 0; periods--, from += p->advance, to += p->period * p->size)
        for (int32_t g = 0; g < p->group_count; g++) move_each(p, &p->groups[g], from, to, 1);
}

/* Whole periods; of a last part of one the groups that it fills; what is left then goes one by one. */
static void gather_groups(const pack *p, const char *from, int64_t count, char *to) {
    const pack_group *g = p->groups, *const end = g + p->group_count;
    const int64_t periods = count / p->period, rest = count % p->period;
    if (p->run_groups)
        move_runs(p, from, to, periods);
    else
        for (; periods > 0 && g < end; g++) move_group(p, g, from, to, periods);
    from += periods * p->advance;
    to += periods * p->period * p->size;
    for (g = p->groups; g < end && g->position + p->lanes * p->size <= rest * p->size; g++) move_group(p, g, from, to, 1);
    const int64_t done = g < end ? g->position / p->size : rest;
    if (done < rest) gather_each(p->offsets + done, p->size, from, rest - done, to + done * p->size);
}

static void gather(const pack *p, const char *from, int64_t count, char *to) {
    if (p->lanes) {
        gather_groups(p, from, count, to);
        return;
    }
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
