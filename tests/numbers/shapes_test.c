/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shapes: the same kernel called with many sizes, fitting and not (shape_walk.h); and sizes that no
 * cache holds.
 *
 *     TOSAJIT_SEED=7 TOSAJIT_KERNELS=1000 shapes_test      # another or a longer walk
 *     TOSAJIT_HUGE=1 shapes_test                           # MiB of the largest result; 32 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/numbers/shape_walk.h"
#include "tests/support/cmocka.h"
#include "tests/support/guard.h"
#include "tests/support/support.h"

enum { CALLS = 24, MAX_ELEMENTS = 6000 };

static void calls_agree_with_the_interpreter(void **state) {
    const uint64_t first = test_setting("TOSAJIT_SEED", 1),
                   kernels = test_setting("TOSAJIT_KERNELS", 250);
    shape_walk *w = shape_walk_open(MAX_ELEMENTS);
    assert_non_null(w);
    for (uint64_t seed = first; seed < first + kernels; seed++) {
        shape_walk_kernel(w, seed);
        for (int call = 0; call < CALLS; call++) shape_walk_call(w);
    }
    const shape_walk_counts c = *shape_walk_count(w);
    printf("%zu calls fit, of them %zu in place; %zu refused\n", c.fitting, c.in_place, c.refused);
    assert_true(c.fitting > kernels && c.in_place > kernels / 4 && c.refused > kernels);
    shape_walk_close(w);
}

/* Results that no cache holds are written past them, in lines: at any address, and up to the last
 * byte. */
static void huge_results_are_written_to_the_last_byte(void **state) {
    enum { ODD = 3 };
    const size_t count = ((size_t)test_setting("TOSAJIT_HUGE", 32) << 20) / 4 + 37;
    tosajit_engine_options options = {.size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE};
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_I8, 1, (int64_t[]){TOSAJIT_DYNAMIC}),
                        result = {TOSAJIT_F32, TOSAJIT_UNRANKED, {0}};
    assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_cast, &type, 1, NULL, &result, &kernel),
                     TOSAJIT_OK);
    guard_tensor from, to;
    assert_true(guard_create(&from, count) && guard_create(&to, 4 * count + ODD));
    for (int round = 0; round < 3; round++) { /* at the end, at the start, at an odd address */
        const int64_t dims[1] = {(int64_t)count};
        guard_edge edge = round == 1 ? GUARD_AT_START : GUARD_AT_END;
        assert_true(guard_place(&from, TOSAJIT_I8, 1, dims, NULL, edge) &&
                    guard_place(&to, TOSAJIT_F32, 1, dims, NULL, edge));
        for (size_t k = 0; k < count; k++) from.memory[k] = (unsigned char)(k * 7 ^ k >> 9);
        guard_remember(&from);
        guard_remember(&to);
        tosajit_tensor written = to.tensor;
        if (round == 2) written.data = (char *)written.data - ODD;
        assert_int_equal(tosajit_run(kernel, &from.tensor, 1, &written, 1), TOSAJIT_OK);
        for (size_t k = 0; k < count; k++) {
            float value;
            memcpy(&value, (char *)written.data + 4 * k, sizeof value);
            if (value != (float)(signed char)from.memory[k])
                fail_msg("round %d: element %zu is %g", round, k, (double)value);
        }
        assert_true(guard_intact(&from, false));
        if (round < 2) assert_true(guard_intact(&to, true));
    }
    guard_destroy(&from);
    guard_destroy(&to);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(calls_agree_with_the_interpreter),
                    TEST(huge_results_are_written_to_the_last_byte));
}
