/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of calls. The first byte chooses one of the kernels that are compiled once, on every CPU
 * level of the machine, a third of which divide their runs; the others decide the sizes, strides
 * and places of a call, whose operands have the same elements for the same bytes. */
#include <stdlib.h>

#include "tests/fuzz/bytes.h"
#include "tests/numbers/divide.h"
#include "tests/numbers/shape_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MOST_ELEMENTS = 400 };
    static shape_walk *w;
    if (!w) w = shape_walk_open(MOST_ELEMENTS);
    if (!w) abort();
    if (size == 0) return 0;
    const unsigned kernel = data[0] % SHAPE_WALK_KEPT;
    shape_walk_case(w, kernel, test_random_bytes(data + 1, size - 1),
                    kernel % 3 == 0 ? divide_runs : NULL);
    return 0;
}
