/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A host program. */
#include "tests/support/host.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)
#define DYN TOSAJIT_DYNAMIC

int64_t *host_dims(int64_t a, int64_t b) {
    static int64_t ring[16][2];
    static int at;
    int64_t *d = ring[at++ % 16];
    d[0] = a, d[1] = b;
    return d;
}
tosajit_tensor_type host_type(int64_t a, int64_t b) {
    return tosajit_ranked(TOSAJIT_F32, 2, host_dims(a, b));
}
tosajit_tensor host_tensor(float *data, int64_t a, int64_t b) {
    return tosajit_dense(TOSAJIT_F32, data, 2, host_dims(a, b));
}

tosajit_engine *host_engine(tosajit_backend backend, const tosajit_allocator *allocator) {
    tosajit_engine_options options = {
        .size = sizeof options, .backend = backend, .allocator = allocator, .uncached = 1};
    tosajit_engine *engine = NULL;
    CHECK(tosajit_engine_create(&options, &engine));
    return engine;
}

tosajit_kernel *host_add_kernel(tosajit_engine *engine) {
    tosajit_tensor_type types[2] = {host_type(DYN, DYN), host_type(DYN, DYN)};
    tosajit_kernel *kernel = NULL;
    CHECK(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel));
    return kernel;
}

void host_assert_error(tosajit_status status, tosajit_status expected, const char *words) {
    assert_int_equal(status, expected);
    if (!strstr(tosajit_last_error(), words))
        fail_msg("\"%s\" does not say \"%s\"", tosajit_last_error(), words);
}

/* r = a + b for 4x3 and 1x3. */
void host_assert_adds(const tosajit_kernel *kernel) {
    float a[12], b[3] = {100, 200, 300}, r[12] = {0};
    for (int k = 0; k < 12; k++) a[k] = (float)k;
    tosajit_tensor operands[2] = {host_tensor(a, 4, 3), host_tensor(b, 1, 3)},
                   result = host_tensor(r, 4, 3);
    CHECK(tosajit_run(kernel, operands, 2, &result, 1));
    for (int k = 0; k < 12; k++) assert_true(r[k] == a[k] + b[k % 3]);
}
