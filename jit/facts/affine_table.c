/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Affine tables: the search. Two entries within the limits tell the slope up to a few hundred
 * multipliers. Each entry then bounds what may be added, and mostly the first ones refuse a
 * multiplier. */
#include "jit/facts/affine_table.h"

enum { COUNT = 256, FIRST = -128, MOST_SHIFT = 8 };

static int entry_at(const int8_t *entries, int x) { return entries[x - FIRST]; }

/* floor(a / 2^bits) */
static int shift_right(int a, int bits) { return a >= 0 ? a >> bits : -((-a - 1) >> bits) - 1; }

/* Finds what may be added with this multiplier; false: nothing. An entry at a limit may be beyond
 * it. */
static bool find_addend(const int8_t *entries, affine_table *line) {
    const int one = 1 << line->shift;
    int least = INT16_MIN, most = INT16_MAX;
    for (int x = FIRST; x < FIRST + COUNT && least <= most; x++) {
        const int entry = entry_at(entries, x), y = shift_right(x * line->multiplier, 8);
        const int from = entry * one - y, to = from + one - 1;
        if (entry > line->low && from > least) least = from;
        if (entry < line->high && to < most) most = to;
    }
    line->addend = shift_right(least + most, 1);
    return least <= most;
}

/* The largest shift leaves the most bits: of 16 the product and the result must keep theirs. */
static int find_shift(int rise, int run) {
    int shift = MOST_SHIFT;
    while (shift > 0 && ((rise < 0 ? -rise : rise) + 1) << (8 + shift) >= run << 15) shift--;
    return shift;
}

/* Without limits where a byte's own give the same. */
static void forget_limits(const int8_t *entries, affine_table *line) {
    for (int x = FIRST; x < FIRST + COUNT; x++) {
        int sum = shift_right(x * line->multiplier, 8) + line->addend;
        sum = sum < INT16_MIN ? INT16_MIN : sum > INT16_MAX ? INT16_MAX : sum;
        const int y = shift_right(sum, line->shift);
        const int entry = y < INT8_MIN ? INT8_MIN : y > INT8_MAX ? INT8_MAX : y;
        if (entry != entry_at(entries, x)) return;
    }
    line->low = INT8_MIN;
    line->high = INT8_MAX;
}

/* The first multiplier between two that serves. */
static bool find_multiplier(const int8_t *entries, affine_table *line, int first, int last) {
    for (line->multiplier = first; line->multiplier <= last; line->multiplier++)
        if (line->multiplier >= INT16_MIN && line->multiplier <= INT16_MAX &&
            find_addend(entries, line))
            return true;
    return false;
}

bool find_affine(const int8_t *entries, affine_table *line) {
    int first = COUNT, last = FIRST;
    line->low = INT8_MAX;
    line->high = INT8_MIN;
    for (int k = 0; k < COUNT; k++) {
        if (entries[k] < line->low) line->low = entries[k];
        if (entries[k] > line->high) line->high = entries[k];
    }
    for (int x = FIRST; x < FIRST + COUNT; x++) {
        const int entry = entry_at(entries, x);
        if (entry == line->low || entry == line->high) continue;
        if (first == COUNT) first = x;
        last = x;
    }
    if (first >= last) return false;
    const int run = last - first, rise = entry_at(entries, last) - entry_at(entries, first);
    line->shift = find_shift(rise, run);
    const int scale = 1 << (8 + line->shift);
    if (!find_multiplier(entries, line, (rise - 1) * scale / run, (rise + 1) * scale / run))
        return false;
    forget_limits(entries, line);
    return true;
}

void turn_entries(const int8_t *entries, bool operand, bool result, int8_t *turned) {
    for (int k = 0; k < TABLE_BYTES; k++)
        turned[k] = (int8_t)(entries[operand ? k ^ TABLE_TURN : k] ^ (result ? -TABLE_TURN : 0));
}
