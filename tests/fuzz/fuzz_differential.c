/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of the kernels: the bytes decide expression, types, shapes, views and data of a case of
 * the differential test; their number decides on which CPU level it runs, whether kernels come from
 * images, and, if odd, that runs are divided among threads. */
#include <stdlib.h>

#include "tests/fuzz/bytes.h"
#include "tests/numbers/divide.h"
#include "tests/numbers/differential.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static differential *d;
    if (!d) d = differential_open();
    if (!d) abort();
    differential_prepare(d, size % 2 ? divide_runs : NULL);
    differential_choose(d, size / 2);
    differential_case(d, size / 2, test_random_bytes(data, size));
    return 0;
}
