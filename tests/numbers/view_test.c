/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views: transposed, strided and reversed operands and results of many sizes around those of
 * blocks, of every element size, between inaccessible pages; every element where the indices say.
 */
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/guard.h"

enum { ROOM = 1 << 19, PLANES = 2, RANK = 3 };

/* How a tensor lies: its dimensions from the innermost outwards in memory; the distance of
 * neighbours; whether columns run backwards. */
typedef struct layout {
    const char *name;
    int order[RANK], step;
    int backwards;
} layout;

static const layout layouts[] = {
    {"dense", {2, 1, 0}, 1, 0},
    {"transposed", {1, 2, 0}, 1, 0},
    {"transposed, apart", {1, 2, 0}, 2, 0},
    {"every second", {2, 1, 0}, 2, 0},
    {"transposed, backwards", {1, 2, 0}, 1, 1},
    {"planes innermost", {0, 1, 2}, 1, 0},
    {"every third", {2, 1, 0}, 3, 0},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static void strides_of(const layout *l, const int64_t *dims, int64_t size, int64_t *strides) {
    int64_t stride = size * l->step;
    for (int k = 0; k < RANK; k++) {
        strides[l->order[k]] = stride;
        stride *= dims[l->order[k]];
    }
    if (l->backwards) strides[2] = -strides[2];
}

static void fill(guard_tensor *g, size_t size) {
    int64_t index[RANK] = {0};
    uint64_t value = 1;
    do {
        const uint64_t small = value++ * 0x9e3779b97f4a7c15u >> 20; /* 44 bits: also an i48 */
        memcpy(guard_at(g, index), &small, size);
    } while (guard_next(RANK, g->dims, index));
}

static bool equal(const guard_tensor *a, const guard_tensor *b, size_t size) {
    int64_t index[RANK] = {0};
    do
        if (memcmp(guard_at(a, index), guard_at(b, index), size) != 0) return false;
    while (guard_next(RANK, a->dims, index));
    return true;
}

static void copy_every_view(tosajit_backend backend) {
    const tosajit_engine_options options = {.size = sizeof options, .backend = backend};
    static const tosajit_type elements[] = {TOSAJIT_I8, TOSAJIT_I16, TOSAJIT_I32, TOSAJIT_I48};
    static const int64_t rows[] = {7, 8, 16, 17, 35}, cols[] = {17, 63, 64, 66, 131};
    static const int64_t any[RANK] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC};
    enum {
        ROWS = sizeof rows / sizeof *rows,
        COLS = sizeof cols / sizeof *cols,
        CASES = ROWS * COLS * LAYOUTS * LAYOUTS
    };
    tosajit_engine *engine;
    guard_tensor operand, result;
    assert_true(guard_create(&operand, ROOM) && guard_create(&result, ROOM));
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    for (int e = 0; e < 4; e++) {
        const tosajit_tensor_type type = tosajit_ranked(elements[e], RANK, any);
        const size_t size = tosajit_type_size(elements[e]);
        tosajit_kernel *kernel;
        assert_int_equal(
            tosajit_compile(engine, TOSAJIT_OP_identity, &type, 1, NULL, NULL, &kernel),
            TOSAJIT_OK);
        for (int k = 0; k < CASES; k++) {
            const layout *from = &layouts[k % LAYOUTS], *to = &layouts[k / LAYOUTS % LAYOUTS];
            const int64_t dims[RANK] = {PLANES, rows[k / LAYOUTS / LAYOUTS % ROWS],
                                        cols[k / LAYOUTS / LAYOUTS / ROWS]};
            int64_t strides[RANK];
            strides_of(from, dims, (int64_t)size, strides);
            assert_true(guard_place(&operand, elements[e], RANK, dims, strides,
                                    k % 2 ? GUARD_AT_START : GUARD_AT_END));
            strides_of(to, dims, (int64_t)size, strides);
            assert_true(guard_place(&result, elements[e], RANK, dims, strides,
                                    k % 2 ? GUARD_AT_START : GUARD_AT_END));
            fill(&operand, size);
            guard_remember(&operand);
            guard_remember(&result);
            assert_int_equal(tosajit_run(kernel, &operand.tensor, 1, &result.tensor, 1),
                             TOSAJIT_OK);
            if (!equal(&operand, &result, size) || !guard_intact(&operand, false) ||
                !guard_intact(&result, true))
                fail_msg("%s of %dx%dx%d, %s to %s", tosajit_type_name(elements[e]), (int)dims[0],
                         (int)dims[1], (int)dims[2], from->name, to->name);
        }
        tosajit_kernel_release(kernel);
    }
    tosajit_engine_destroy(engine);
    guard_destroy(&operand);
    guard_destroy(&result);
}

static void every_view_is_copied(void **state) { copy_every_view(TOSAJIT_BACKEND_NATIVE); }

static void every_view_is_copied_by_precompiled_ops(void **state) {
    copy_every_view(TOSAJIT_BACKEND_PRECOMPILED);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(every_view_is_copied),
                    TEST(every_view_is_copied_by_precompiled_ops));
}
