/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random tensors, indices and kernels: see drawn.h. */
#include "tests/numbers/drawn.h"

#include <string.h>

#include "tests/numbers/divide.h"
#include "tests/support/cmocka.h"

void drawn_kernels(forms *f, uint64_t *form, const char *what, const tosajit_expr *expr,
                   tosajit_kernel **kernels) {
    for (size_t e = 0; e < test_engine_count; e++) {
        const test_engine *engine = &test_engines[e];
        const uint64_t number = (*form)++;
        if (forms_make(f, engine, number, expr, &kernels[e]) || tosajit_kernel_wait(kernels[e]))
            fail_msg("%s on %s, %s: %s", what, engine->name, forms_name(engine, number),
                     tosajit_last_error());
        divide_pieces(kernels[e]);
    }
}

void drawn_place(test_random *random, guard_tensor *guard, tosajit_type type, int32_t rank,
                 const int64_t *dims) {
    const int64_t size = (int64_t)tosajit_type_size(type);
    const bool dense = test_random_chance(random, 50), outwards = test_random_chance(random, 40),
               gaps = test_random_chance(random, 40);
    int64_t strides[TOSAJIT_MAX_RANK], step = gaps ? 2 * size : size;
    for (int32_t k = 0; k < rank; k++) {
        const int32_t d = outwards ? k : rank - 1 - k;
        strides[d] = test_random_chance(random, 30) ? -step : step;
        step = step * (dims[d] ? dims[d] : 1) + (gaps ? size : 0);
    }
    const guard_edge edge = test_random_chance(random, 50) ? GUARD_AT_END : GUARD_AT_START;
    assert_true(guard_place(guard, type, rank, dims, dense ? NULL : strides, edge));
}

bool drawn_may_fail(tosajit_index_mode mode) {
    return mode == TOSAJIT_INDEX_STRICT || mode == TOSAJIT_INDEX_SIGNED;
}

int64_t drawn_index(test_random *random, tosajit_type type, tosajit_index_mode mode, int64_t count,
                    bool hostile) {
    const int64_t beyond[] = {count,     -count - 1, -1,        INT32_MAX,
                              INT32_MIN, 2 * count,  INT64_MAX, INT64_MIN};
    if (hostile) return beyond[test_random_range(random, 0, type == TOSAJIT_I32 ? 5 : 7)];
    return test_random_range(random, mode == TOSAJIT_INDEX_STRICT ? 0 : -count, count - 1);
}

int64_t drawn_read(tosajit_type type, const unsigned char *at) {
    int32_t narrow;
    int64_t wide;
    if (type == TOSAJIT_I32) return memcpy(&narrow, at, sizeof narrow), narrow;
    return memcpy(&wide, at, sizeof wide), wide;
}

void drawn_write(tosajit_type type, unsigned char *at, int64_t index) {
    const int32_t narrow = (int32_t)index;
    memcpy(at, type == TOSAJIT_I32 ? (const void *)&narrow : (const void *)&index,
           tosajit_type_size(type));
}
