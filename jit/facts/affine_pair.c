/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Affine pairs: the search. The results are steps, and each step is a line through the pairs of
 * bytes: on one side of it the pairs that reach the step, on the other side those that do not.
 * Multipliers are right if one addend puts all pairs on their side. As results grow with x and with
 * y, only pairs next to a line need a look:
 *
 *     a row of pairs        y0  y1  y2  y3  y4  y5
 *     results                4   4   5   5   5   6
 *     step 5              missed ^   ^ reached
 *
 * The slopes are known nearly. Multipliers of 23 bits lie about them, and nearly every sum that
 * models have is such a function. */
#include "jit/facts/affine_pair.h"

#include <math.h>

enum {
    FIRST = -128,
    MOST_OUTER = 255,
    MOST_SHIFT = 30,
    TRIES = 4, /* multipliers to each side of the slope */
    SHIFTS = 3,
    MOST_TIGHT = 1024,
    LOOKS = 4, /* at all pairs, which takes 0.3 ms; most searches end at the first */
    SOME = 8,  /* rows that are enough to know nearly what is added */
};

/* A pair next to the line of a step. */
typedef struct pair {
    int16_t x, y, step;
    bool reached;
} pair;

/* The pairs that decide, and what multiplies. */
typedef struct search {
    const byte_sum *sum;
    bool falls;                    /* the second term */
    double slopes[2], least, most; /* of what is added, in results */
    pair tight[MOST_TIGHT];        /* that decide which multipliers serve */
    double tight_from, tight_to;
    int tight_count;
    int64_t multipliers[2], from, to; /* of the addend */
    int shift, looks;                 /* that are left */
} search;

typedef void look(search *s, const pair *p);
#define INLINE inline __attribute__((always_inline))

/* Show `look` two pairs of each row, in one of `every` rows: the last that misses a step, and the
 * first that reaches it. Inline, since the search spends its time here. */
static INLINE void for_each_pair(search *s, int every, look *look) {
    const int64_t *first = s->sum->terms[0], *second = s->sum->terms[1];
    const int last = AFFINE_PAIR_TERMS - 1, steps = s->sum->high - s->sum->low;
    for (int x = 0; x < AFFINE_PAIR_TERMS; x += every) {
        int k = 0, y = 0;
        /* the row begins at the last one of these steps */
        while (k + 1 < steps && s->sum->steps[k + 1] <= first[x] + second[s->falls ? last : 0]) k++;
        for (; k < steps && y < AFFINE_PAIR_TERMS; k++) {
            while (y < AFFINE_PAIR_TERMS &&
                   first[x] + second[s->falls ? last - y : y] < s->sum->steps[k])
                y++;
            for (int reached = 0; reached < 2; reached++) {
                const int at = y - 1 + reached;
                if (at < 0 || at > last) continue;
                look(s,
                     &(pair){(int16_t)(x + FIRST), (int16_t)((s->falls ? last - at : at) + FIRST),
                             (int16_t)(s->sum->low + 1 + k), reached});
            }
        }
    }
}

/* The addend, in results, for the pair to be on its side. */
static double missing(const search *s, const pair *p) {
    return p->step - s->slopes[0] * p->x - s->slopes[1] * p->y;
}

static void bound_slopes(search *s, const pair *p) {
    const double added = missing(s, p);
    if (p->reached ? added > s->least : added < s->most)
        *(p->reached ? &s->least : &s->most) = added;
}

/* How far multipliers near the slopes may move a pair. */
static double window(const search *s) { return ldexp(2 * TRIES * AFFINE_PAIR_TERMS, -s->shift); }

static void keep_tight(search *s, const pair *p) {
    const double added = missing(s, p);
    const bool is_tight = p->reached ? added >= s->tight_from : added <= s->tight_to;
    if (is_tight && s->tight_count < MOST_TIGHT) s->tight[s->tight_count++] = *p;
}

static void find_tight(search *s) {
    const double near = window(s);
    s->tight_from = fmin(s->least, s->most) - near;
    s->tight_to = fmax(s->least, s->most) + near;
    s->tight_count = 0;
    for_each_pair(s, 1, keep_tight);
}

static void bound_addend(search *s, const pair *p) {
    const int64_t added =
        p->step * (INT64_C(1) << s->shift) - p->x * s->multipliers[0] - p->y * s->multipliers[1];
    if (p->reached && added > s->from) s->from = added;
    if (!p->reached && added - 1 < s->to) s->to = added - 1;
}

/* A multiplier as outer * inner. */
static bool divide(int64_t multiplier, int *outer, int *inner) {
    for (*outer = MOST_OUTER; *outer > 0; --*outer) {
        const int64_t rest = multiplier / *outer;
        if (rest * *outer == multiplier && rest >= INT16_MIN && rest <= INT16_MAX)
            return *inner = (int)rest, true;
    }
    return false;
}

static bool try_addend(search *s, bool all) {
    s->from = INT64_MIN, s->to = INT64_MAX;
    if (all)
        for_each_pair(s, 1, bound_addend);
    else
        for (int k = 0; k < s->tight_count; k++) bound_addend(s, &s->tight[k]);
    return s->from <= s->to;
}

/* The sum fits 32 bits at all corners, so everywhere. */
static bool fits(const search *s, int64_t addend) {
    bool all = true;
    for (int corner = 0; corner < 4; corner++) {
        const int64_t value = s->multipliers[0] * (corner & 1 ? -FIRST - 1 : FIRST) +
                              s->multipliers[1] * (corner & 2 ? -FIRST - 1 : FIRST) + addend;
        all &= value >= INT32_MIN && value <= INT32_MAX;
    }
    return all;
}

/* True if these multipliers serve all pairs, in order and falling as the terms do. */
static bool try_multipliers(search *s, affine_pair *pair) {
    if (s->falls ? s->multipliers[1] > 0 : s->multipliers[1] < 0) return false;
    if (s->looks == 0 || !try_addend(s, false)) return false;
    s->looks--;
    if (!try_addend(s, true)) return false;
    const int64_t addend = s->from + (s->to - s->from) / 2;
    if (!fits(s, addend)) return false;
    pair->addend = (int)addend, pair->shift = s->shift;
    pair->low = s->sum->low, pair->high = s->sum->high;
    return true;
}

static bool try_shift(search *s, affine_pair *pair) {
    const int64_t nearest[2] = {llround(ldexp(s->slopes[0], s->shift)),
                                llround(ldexp(s->slopes[1], s->shift))};
    find_tight(s);
    for (int a = -TRIES; a <= TRIES; a++) {
        s->multipliers[0] = nearest[0] + a;
        if (!divide(s->multipliers[0], &pair->outer[0], &pair->inner[0])) continue;
        for (int b = -TRIES; b <= TRIES; b++) {
            s->multipliers[1] = nearest[1] + b;
            if (divide(s->multipliers[1], &pair->outer[1], &pair->inner[1]) &&
                try_multipliers(s, pair))
                return true;
        }
    }
    return false;
}

static bool ascends(const int64_t *terms, bool falls) {
    bool all = true;
    for (int k = 1; k < AFFINE_PAIR_TERMS; k++)
        all &= falls ? terms[k] <= terms[k - 1] : terms[k] >= terms[k - 1];
    return all;
}

/* The most bits behind the point that 32 bits have room for. */
static int largest_shift(const search *s) {
    const double added = fabs((s->least + s->most) / 2),
                 largest = (fabs(s->slopes[0]) + fabs(s->slopes[1])) * -FIRST + added + 1;
    int shift = MOST_SHIFT;
    while (shift > 0 && ldexp(largest, shift) > -(double)INT32_MIN) shift--;
    return shift;
}

bool find_affine_pair(const byte_sum *sum, affine_pair *pair) {
    enum { LAST = AFFINE_PAIR_TERMS - 1 };
    search s = {.sum = sum, .least = -INFINITY, .most = INFINITY, .looks = LOOKS};
    s.falls = sum->terms[1][LAST] < sum->terms[1][0];
    for (int k = 0; k < 2; k++)
        s.slopes[k] = sum->slope * (double)(sum->terms[k][LAST] - sum->terms[k][0]) / (double)LAST;
    if (!ascends(sum->terms[1], s.falls) || sum->low >= sum->high) return false;
    for_each_pair(&s, SOME, bound_slopes);
    const int shift = largest_shift(&s);
    for (s.shift = shift; s.shift > 0 && s.shift > shift - SHIFTS; s.shift--)
        if (s.least - s.most <= window(&s) && try_shift(&s, pair)) return true;
    return false;
}
