/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Choosing a strategy: a table of walks and their strategies; and walks at random, run by the
 * strategy that was chosen with a sum in C in the code's place, against the same sum element by
 * element. The sum in C has the loops that the part says it has, and notes what it is given first:
 * that is what the choice says. TOSAJIT_WALKS=<n> makes so many. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/plan/costs.h"
#include "runtime/tile/tile.h"
#include "tests/support/cmocka.h"

enum { A, B, R, TENSORS, SIZE = sizeof(float) };

static const uint8_t sizes[TENSORS] = {SIZE, SIZE, SIZE};

/* Two operands, with a loop for each combination of splats or for none; light, or long. */
static const tosajit_variant all_loops[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}},
                             plain_loop[] = {{0, 0}}, b_splat[] = {{2, 0}};

static const code_part masks = {.masked = true};

static plan_part make_part(const tosajit_variant *loops, int32_t count) {
    plan_part part = {.leaf_count = 2, .operand_count = 2, .result_count = 1};
    part.has_planes = true;
    part.cols_multiple = 1;
    part.element_ns = 3 * SIZE * cost_byte + cost_light_op;
    part.variant_count = count;
    memcpy(part.element_sizes, sizes, sizeof sizes);
    for (int32_t v = 0; v < count; v++) part.variants[v] = loops[v];
    return part;
}

/* A walk of a, b and the result: sizes, and strides of each in elements; what else is asked; and
 * the choice: strategy, planes, rows and columns, splats, packed tensors, interleaving. */
typedef struct way_case {
    const char *what, *sizes, *strides[TENSORS], *asked, *chosen;
} way_case;

static const way_case ways[] = {
    {"one element", "1", {"0", "0", "0"}, "", "direct 1x1x1"},
    {"equal", "1000", {"1", "1", "1"}, "", "direct 1x1x1000"},
    {"a value", "1000", {"1", "0", "1"}, "", "direct 1x1x1000 splat b"},
    {"a row", "50x1000", {"1000x1", "0x1", "1000x1"}, "", "direct 1x50x1000"},
    {"a column", "9x99", {"99x1", "1x0", "99x1"}, "", "direct 1x9x99 splat b"},
    {"a column, no loop for it",
     "9x99",
     {"99x1", "1x0", "99x1"},
     "plain",
     "packed 1x9x99 packed b"},
    {"planes", "5x6x70", {"70x0x1", "0x70x1", "420x70x1"}, "", "direct 5x6x70"},
    {"short rows, few", "30x2x20", {"20x0x1", "0x20x1", "40x20x1"}, "", "direct 2x30x20"},
    {"more rows",
     "170x3x2x16",
     {"32x0x16x1", "0x2x1x0", "96x32x16x1"},
     "",
     "direct 3x170x16 splat b"},
    {"rows far apart",
     "170x3x2x96",
     {"192x0x96x1", "0x2x1x0", "576x192x96x1"},
     "",
     "direct 170x2x96 splat b"},
    {"lines that count", "60x4x64", {"64x0x1", "0x64x1", "256x64x1"}, "", "direct 60x4x64"},
    {"a large operand", "400x2x32", {"32x0x1", "0x32x1", "64x32x1"}, "", "direct 400x2x32"},
    {"one that repeats",
     "200x7x2x32",
     {"64x0x32x1", "0x2x1x0", "448x64x32x1"},
     "",
     "direct 200x7x32 splat b"},
    {"rows that wait",
     "73x7x8",
     {"56x8x1", "0x1x0", "56x8x1"},
     "in place",
     "direct 7x73x8 splat b"},
    {"rows that do not",
     "73x7x32",
     {"224x32x1", "0x1x0", "224x32x1"},
     "in place",
     "direct 73x7x32 splat b"},
    {"a bias of three", "100000x3", {"3x1", "0x1", "3x1"}, "", "collapsed 1x1x1920 packed b"},
    {"few elements", "20x3", {"3x1", "0x1", "3x1"}, "", "direct 1x20x3"},
    {"a row of 100", "1000x100", {"100x1", "0x1", "100x1"}, "", "direct 1x1000x100"},
    {"in place", "1000x100", {"100x1", "0x1", "100x1"}, "in place", "direct 1x1000x100"},
    {"by masks", "90x11", {"11x1", "1x0", "11x1"}, "in place", "direct 1x45x11 splat b in 2"},
    {"far apart", "90x11", {"16x1", "1x0", "16x1"}, "in place", "direct 1x90x11 splat b"},
    {"by halves", "90x11", {"11x1", "1x0", "11x1"}, "in place, halves", "direct 1x90x11 splat b"},
    {"in planes",
     "4x30x11",
     {"330x11x1", "30x1x0", "330x11x1"},
     "in place",
     "direct 1x15x11 splat b in 2"},
    {"a transpose", "512x512", {"1x512", "512x1", "512x1"}, "", "packed 1x16x64 packed a"},
    {"its result", "512x512", {"512x1", "512x1", "1x512"}, "", "packed 1x16x64 packed r"},
    {"every other", "90x500", {"1200x2", "0x1", "500x1"}, "", "packed 1x2x500 packed a"},
    {"seven columns", "1024x7", {"1x1024", "7x1", "7x1"}, "", "collapsed 1x1x1792 packed a"},
    {"of the result", "2048x12", {"12x1", "12x1", "1x2048"}, "", "collapsed 1x1x1920 packed r"},
    {"in planes", "16x4x3", {"12x1x4", "12x3x1", "12x3x1"}, "", "collapsed 1x1x192 packed a"},
};

static int32_t parse(const char *text, int64_t *numbers) {
    int32_t count = 0;
    for (char *end; *text; text = *end ? end + 1 : end) numbers[count++] = strtoll(text, &end, 10);
    return count;
}

static walk make_walk(const char *sizes, const char *const *strides) {
    walk w = {.tensors = TENSORS};
    int64_t numbers[TOSAJIT_MAX_RANK];
    w.rank = parse(sizes, w.sizes);
    for (int32_t t = 0; t < TENSORS; t++) {
        assert_int_equal(parse(strides[t], numbers), w.rank);
        for (int32_t d = 0; d < w.rank; d++) walk_mutable_strides(&w, d)[t] = SIZE * numbers[d];
    }
    return w;
}

static int print_set(char *to, const char *name, uint64_t set) {
    if (!set) return 0;
    return sprintf(to, " %s %s%s%s", name, set & 1 ? "a" : "", set & 2 ? "b" : "",
                   set & 4 ? "r" : "");
}

static void print_choice(const tile_choice *c, char *to) {
    static const char *const names[] = {
        [TILE_DIRECT] = "direct", [TILE_COLLAPSED] = "collapsed", [TILE_PACKED] = "packed"};
    to +=
        sprintf(to, "%s %dx%dx%d", names[c->strategy], (int)c->planes, (int)c->rows, (int)c->cols);
    to += print_set(to, "splat", c->splat);
    to += print_set(to, "packed", c->packed);
    if (c->interleave > 1) sprintf(to, " in %d", (int)c->interleave);
}

static void walks_take_their_way(void **state) {
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const way_case *c = &ways[k];
        const walk w = make_walk(c->sizes, c->strides);
        const bool plain = strstr(c->asked, "plain");
        plan_part part = plain ? make_part(plain_loop, 1) : make_part(all_loops, 4);
        const code_part code = {.masked = !strstr(c->asked, "halves")};
        tile_choice choice;
        tile_choose(&part, &code, &w, strstr(c->asked, "in place"), &choice);
        char text[128];
        print_choice(&choice, text);
        print_message("%s: %s\n", c->what, text);
        assert_string_equal(text, c->chosen);
    }
}

/* In the code's place. */
static bool called;
static int64_t first_planes, first_rows, first_cols;

static bool has_loop(const plan_part *part, uint64_t splat) {
    for (int32_t v = 0; v < part->variant_count; v++)
        if (((splat ^ part->variants[v].splat) & ~part->variants[v].either) == 0) return true;
    return false;
}

TOSAJIT_CODE static void sum(const void *context, void *const *pointers, const int64_t *strides,
                             int64_t planes, int64_t rows, int64_t cols) {
    const char *plane[TENSORS] = {pointers[A], pointers[B], pointers[R]};
    uint64_t splat = 0;
    for (int t = 0; t < TENSORS; t++) {
        assert_true(strides[2 * t + 1] == SIZE || (t != R && strides[2 * t + 1] == 0));
        splat |= (uint64_t)(strides[2 * t + 1] == 0) << t;
    }
    assert_true(cols == 1 || has_loop(context, splat));
    assert_true(planes > 0 && rows > 0 && cols > 0);
    if (!called) {
        first_planes = planes;
        first_rows = rows;
        first_cols = cols;
    }
    called = true;
    for (int64_t p = 0; p < planes; p++) {
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < cols; c++) {
                float a, b, result;
                memcpy(&a, plane[A] + r * strides[0] + c * strides[1], SIZE);
                memcpy(&b, plane[B] + r * strides[2] + c * strides[3], SIZE);
                result = a + b;
                memcpy((char *)(uintptr_t)plane[R] + r * strides[4] + c * strides[5], &result,
                       SIZE);
            }
        for (int t = 0; t < TENSORS && p + 1 < planes; t++)
            plane[t] += rows * strides[2 * t] + strides[2 * TENSORS + t];
    }
}

static uint64_t state_of_random;
static int64_t random_below(int64_t end) {
    state_of_random = state_of_random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (int64_t)(state_of_random >> 33) % end;
}

enum { FLOATS = 1 << 18 };
static float memory[TENSORS][FLOATS], expected[FLOATS];

/* Sizes, and strides of operands that repeat, are dense, have gaps or lie in another order; the
 * result has no stride of 0. False if it does not fit the memory. */
static bool draw_walk(walk *w) {
    w->rank = 1 + (int32_t)random_below(4);
    w->tensors = TENSORS;
    for (int32_t d = 0; d < w->rank; d++) {
        const int64_t most = random_below(4) ? 9 : 200;
        w->sizes[d] = 2 + random_below(most);
    }
    for (int32_t t = 0; t < TENSORS; t++) {
        int32_t order[TOSAJIT_MAX_RANK];
        int64_t stride = random_below(4) ? 1 : 2;
        for (int32_t d = 0; d < w->rank; d++) order[d] = w->rank - 1 - d;
        if (random_below(3) == 0) {
            const int32_t d = (int32_t)random_below(w->rank), swapped = order[0];
            order[0] = order[d];
            order[d] = swapped;
        }
        for (int32_t k = 0; k < w->rank; k++) {
            const bool repeats = t != R && random_below(3) == 0;
            walk_mutable_strides(w, order[k])[t] = repeats ? 0 : SIZE * stride;
            if (!repeats) stride *= w->sizes[order[k]] + (random_below(5) ? 0 : 3);
            if (stride > FLOATS) return false;
        }
    }
    walk_coalesce(w);
    return true;
}

static void sum_each(const walk *w, const float *a, const float *b) {
    void *at[TENSORS] = {(void *)(uintptr_t)a, (void *)(uintptr_t)b, expected};
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    do *(float *)at[R] = *(const float *)at[A] + *(const float *)at[B];
    while (walk_next(w, (UINT32_C(1) << w->rank) - 1, index, at));
}

static void check_walk(const walk *w, plan_part *part, bool masked, bool in_place) {
    const code_part code = {sum, part, masked, false};
    tile_tensors tensors = {.splat_strides = {0}};
    for (int32_t t = 0; t < TENSORS; t++) tensors.pointers[t] = memory[t];
    for (int k = 0; k < FLOATS; k++) {
        memory[A][k] = (float)(k % 1021);
        memory[B][k] = (float)(k % 4093) * 2048;
        memory[R][k] = expected[k] = -1;
    }
    if (in_place) {
        memcpy(expected, memory[A], sizeof expected);
        tensors.pointers[R] = memory[A];
    }
    sum_each(w, memory[A], memory[B]);
    called = false;
    tile_choice choice;
    tile_choose(part, &code, w, in_place, &choice);
    tile_run(part, &code, w, &tensors);
    assert_int_equal(first_planes, choice.planes);
    assert_int_equal(first_rows, choice.rows);
    assert_int_equal(first_cols, choice.cols);
    assert_memory_equal(tensors.pointers[R], expected, sizeof expected);
}

static void random_walks_give_their_sums(void **state) {
    int taken[TILE_PACKED + 1] = {0}, patterns = 0;
    const char *walks = getenv("TOSAJIT_WALKS");
    const uint64_t count = walks ? strtoull(walks, NULL, 10) : 1500;
    for (uint64_t seed = 1; seed <= count; seed++) {
        walk w;
        state_of_random = seed * 7919;
        plan_part part = seed % 3 ? make_part(all_loops, 4) : make_part(plain_loop, 1);
        part.has_planes = seed % 2;
        const code_part code = {.masked = seed % 4 < 2};
        if (!draw_walk(&w)) continue;
        bool in_place = seed % 5 == 0; /* a lies as the result does */
        for (int32_t d = 0; in_place && d < w.rank; d++)
            walk_mutable_strides(&w, d)[A] = walk_strides(&w, d)[R];
        tile_choice choice;
        tile_choose(&part, &code, &w, in_place, &choice);
        taken[choice.strategy]++;
        patterns += choice.strategy == TILE_COLLAPSED && choice.by_pattern;
        check_walk(&w, &part, code.masked, in_place);
    }
    print_message("%d direct, %d collapsed, %d of them by patterns, %d packed\n",
                  taken[TILE_DIRECT], taken[TILE_COLLAPSED], patterns, taken[TILE_PACKED]);
    /* Fewer by patterns where no instruction permutes a vector. */
    assert_true(taken[TILE_DIRECT] > 9 && patterns > 4 && taken[TILE_COLLAPSED] - patterns > 9 &&
                taken[TILE_PACKED] > 9);
}

/* Windows of an operand: the second begins where the last, shorter chunk of the first did. */
static void a_shorter_chunk_is_not_kept(void **state) {
    const walk w = make_walk("2x1000x3", (const char *[]){"640x1x0", "3000x3x1", "3000x3x1"});
    plan_part part = make_part(plain_loop, 1);
    tile_choice choice;
    tile_choose(&part, &masks, &w, false, &choice);
    assert_int_equal(choice.strategy, TILE_COLLAPSED);
    assert_int_equal(choice.step, 640);
    check_walk(&w, &part, true, false);
}

/* The loop that takes most of the splats is taken; what it does not take is packed. */
static void the_best_loop_is_taken(void **state) {
    static const tosajit_variant either[] = {{0, 0}, {0, 3}}, one[] = {{0, 0}, {1, 0}, {2, 0}};
    const struct {
        const tosajit_variant *loops;
        int32_t count;
        const char *a, *b;
        uint64_t splat, packed;
    } cases[] = {{either, 2, "1000x0", "1000x1", 1, 0},
                 {either, 2, "1000x0", "1000x0", 3, 0},
                 {one, 3, "1000x1", "1000x0", 2, 0},
                 {one, 3, "1000x0", "1000x0", 1, 2},
                 {b_splat, 1, "1000x1", "1000x0", 2, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const walk w = make_walk("90x500", (const char *[]){cases[k].a, cases[k].b, "1000x1"});
        const plan_part part = make_part(cases[k].loops, cases[k].count);
        tile_choice choice;
        tile_choose(&part, &masks, &w, false, &choice);
        assert_int_equal(choice.splat, cases[k].splat);
        assert_int_equal(choice.packed, cases[k].packed);
    }
}

/* Columns become what the result's memory has for columns, if less is packed then: a walk's sizes
 * after that. */
static void a_result_gives_the_order(void **state) {
    const struct {
        const char *what, *sizes, *strides[TENSORS];
        const tosajit_variant *loops;
        int32_t count, multiple;
        const char *ordered;
    } cases[] = {
        {"dense", "5x7", {"7x1", "0x1", "7x1"}, all_loops, 4, 1, "5x7"},
        {"transposed", "5x7", {"1x5", "1x5", "1x5"}, all_loops, 4, 1, "35"},
        {"from dense", "5x7", {"7x1", "7x1", "1x5"}, all_loops, 4, 1, "5x7"},
        {"in squares", "80x64", {"1x80", "64x1", "1x80"}, all_loops, 4, 1, "64x80"},
        {"more to pack", "80x64", {"64x1", "64x1", "1x80"}, all_loops, 4, 1, "80x64"},
        {"no squares", "80x7", {"1x80", "7x1", "1x80"}, all_loops, 4, 1, "80x7"},
        {"a value packed", "5x7", {"1x5", "0x1", "1x5"}, all_loops, 1, 1, "5x7"},
        {"a row", "5x7", {"1x5", "0x1", "1x5"}, all_loops, 4, 1, "7x5"},
        {"backwards", "3x5x7", {"1x3x15", "1x3x15", "1x3x15"}, all_loops, 4, 1, "105"},
        {"in planes", "3x5x7", {"35x1x5", "0x0x0", "35x1x5"}, all_loops, 4, 1, "105"},
        {"with gaps", "5x7", {"2x10", "2x10", "2x10"}, all_loops, 4, 1, "5x7"},
        {"last row first", "5x7", {"-1x5", "-1x5", "-1x5"}, all_loops, 4, 1, "5x7"},
        {"a promise", "64x30", {"1x64", "1x64", "1x64"}, all_loops, 4, 64, "1920"},
        {"broken", "30x64", {"1x30", "1x30", "1x30"}, all_loops, 4, 64, "30x64"},
        {"no loop", "5x7", {"1x5", "1x0", "1x5"}, b_splat, 1, 1, "5x7"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plan_part part = make_part(cases[k].loops, cases[k].count);
        walk w = make_walk(cases[k].sizes, cases[k].strides);
        int64_t ordered[TOSAJIT_MAX_RANK];
        part.cols_multiple = cases[k].multiple;
        print_message("%s\n", cases[k].what);
        tile_order(&part, &w);
        assert_int_equal(w.rank, parse(cases[k].ordered, ordered));
        assert_memory_equal(w.sizes, ordered, (size_t)w.rank * sizeof *ordered);
    }
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(walks_take_their_way), TEST(the_best_loop_is_taken),
                    TEST(a_result_gives_the_order), TEST(a_shorter_chunk_is_not_kept),
                    TEST(random_walks_give_their_sums));
}
