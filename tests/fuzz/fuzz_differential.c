/* Fuzzer of the kernels: the bytes decide expression, types, shapes, views and data of a case of the differential test; their number
 * decides on which CPU level it runs, whether kernels come from images, and, if odd, that runs are divided among threads. */
#include <stdlib.h>

#include "runtime/kernel.h"
#include "tests/differential.h"
#include "tests/fuzz/bytes.h"

/* The host's pool: in turn backwards, which no thread order would be. */
static void backwards(void *context, size_t count, void (*task)(void *argument, size_t index), void *argument) {
    (void)context;
    for (size_t k = count; k-- > 0;) task(argument, k);
}

static void divide(tosajit_kernel *kernel) {
    kernel->parallel = (tosajit_parallel){backwards, NULL, 3};
    for (int32_t p = 0; p < kernel->plan.part_count; p++) kernel->plan.parts[p].element_ns = 1e5;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static differential *d;
    if (!d) d = differential_open();
    if (!d) abort();
    differential_prepare(d, size % 2 ? divide : NULL);
    differential_choose(d, size / 2);
    differential_case(d, size / 2, test_random_bytes(data, size));
    return 0;
}
