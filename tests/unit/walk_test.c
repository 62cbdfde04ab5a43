/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walks: a table of what coalesces to what, and the odometer over some of the dimensions. */
#include "runtime/plan/walk.h"
#include "tests/support/cmocka.h"

/* Of two tensors of one byte an element. */
typedef struct coalesce_case {
    const char *what;
    int32_t rank;
    int64_t sizes[4], strides[4][2];
    int32_t left;
    int64_t left_sizes[4], left_strides[4][2];
} coalesce_case;

static const coalesce_case cases[] = {
    {"nothing is left of ones", 2, {1, 1}, {{7, 7}, {3, 3}}, 1, {1}, {{0, 0}}},
    {"rank 0", 0, {0}, {{0}}, 1, {1}, {{0, 0}}},
    {"dense", 3, {2, 3, 4}, {{12, 12}, {4, 4}, {1, 1}}, 1, {24}, {{1, 1}}},
    {"a row", 2, {5, 4}, {{4, 0}, {1, 1}}, 2, {5, 4}, {{4, 0}, {1, 1}}},
    {"a channel",
     4,
     {2, 3, 4, 5},
     {{60, 0}, {20, 1}, {5, 0}, {1, 0}},
     3,
     {2, 3, 20},
     {{60, 0}, {20, 1}, {1, 0}}},
    {"ones between", 4, {2, 1, 1, 4}, {{4, 4}, {9, 9}, {9, 9}, {1, 1}}, 1, {8}, {{1, 1}}},
    {"one tensor with a gap", 2, {5, 4}, {{4, 6}, {1, 1}}, 2, {5, 4}, {{4, 6}, {1, 1}}},
    {"backwards", 2, {5, 4}, {{-4, -4}, {-1, -1}}, 1, {20}, {{-1, -1}}},
    {"both repeat", 2, {5, 4}, {{0, 0}, {0, 0}}, 1, {20}, {{0, 0}}},
};

static void walks_coalesce(void **state) {
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const coalesce_case *c = &cases[k];
        walk w = {.rank = c->rank, .tensors = 2};
        for (int32_t d = 0; d < c->rank; d++) {
            w.sizes[d] = c->sizes[d];
            for (int t = 0; t < 2; t++) walk_mutable_strides(&w, d)[t] = c->strides[d][t];
        }
        print_message("%s\n", c->what);
        walk_coalesce(&w);
        assert_int_equal(w.rank, c->left);
        for (int32_t d = 0; d < w.rank; d++) {
            assert_int_equal(w.sizes[d], c->left_sizes[d]);
            for (int t = 0; t < 2; t++)
                assert_int_equal(walk_strides(&w, d)[t], c->left_strides[d][t]);
        }
    }
}

static void tensors_follow_or_stand(void **state) {
    /* Dense; a row of columns; a column; a value; columns with gaps. */
    const walk w = {
        .rank = 2, .tensors = 5, .sizes = {5, 4}, .strides = {16, 0, 4, 0, 32, 4, 4, 0, 0, 8}};
    static const bool follows[2][5] = {{true, false, false, false, false},
                                       {true, true, false, false, false}};
    static const bool stands[2][5] = {{false, false, false, true, false},
                                      {false, false, true, true, false}};
    for (int32_t d = 0; d < 2; d++)
        for (int32_t t = 0; t < 5; t++) {
            assert_int_equal(walk_is_contiguous(&w, t, d, 4), follows[d][t]);
            assert_int_equal(walk_is_broadcast(&w, t, d), stands[d][t]);
        }
    assert_int_equal(walk_elements(&w), 20);
}

/* Every index of the dimensions of a set once, in order, and the pointers back at the end. */
static void steps_visit_every_index(void **state) {
    static char bytes[1000];
    const walk w = {.rank = 3, .tensors = 1, .sizes = {3, 4, 5}, .strides = {100, 10, 1}};
    for (uint32_t dims = 0; dims < 8; dims++) {
        void *at[1] = {bytes};
        int64_t index[3] = {0}, last = -1, count = 0;
        do {
            const int64_t now = (char *)at[0] - bytes;
            assert_true(now > last);
            assert_int_equal(now, 100 * index[0] + 10 * index[1] + index[2]);
            last = now;
            count++;
        } while (walk_next(&w, dims, index, at));
        assert_int_equal(count, (dims & 1 ? 3 : 1) * (dims & 2 ? 4 : 1) * (dims & 4 ? 5 : 1));
        assert_ptr_equal(at[0], bytes);
    }
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(walks_coalesce), TEST(tensors_follow_or_stand),
                    TEST(steps_visit_every_index));
}
