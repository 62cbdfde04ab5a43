/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of the .npy reader. The first byte is the element type that is expected, the rest the
 * file. An accepted file is written and read again, and must be the same. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/bytes.h"
#include "tests/fuzz/check.h"
#include "tools/data/array.h"
#include "tools/data/npy.h"

/* Dense, in row-major order. */
static void gather(const npy_array *array, int32_t d, const char *at, char **to) {
    size_t size = tosajit_type_size(array->element);
    if (d == array->rank) {
        memcpy(*to, at, size);
        *to += size;
        return;
    }
    for (int64_t k = 0; k < array->dims[d]; k++)
        gather(array, d + 1, at + k * array->strides[d], to);
}

static void write_again(const npy_array *array) {
    static char path[64];
    output_file pending;
    npy_error error;
    npy_array again;
    size_t bytes = (size_t)array_count(array) * tosajit_type_size(array->element);
    char *dense = malloc(bytes ? bytes : 1), *to = dense;
    if (bytes > 0) gather(array, 0, array->data, &to);
    if (!*path) {
        snprintf(path, sizeof path, "%s/fuzz_npy.XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"); /* files are synced */
        close(mkstemp(path));
    }
    REQUIRE(npy_write(path, array->element, array->rank, array->dims, dense, &pending, &error) &&
            npy_commit(path, &pending, &error));
    REQUIRE(npy_read(path, array->element, &again, &error));
    REQUIRE(again.rank == array->rank &&
            memcmp(again.dims, array->dims, (size_t)array->rank * sizeof *array->dims) == 0);
    REQUIRE(memcmp(again.data, dense, bytes) == 0);
    unlink(path);
    npy_release(&again);
    free(dense);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static FILE *null;
    static char path[64];
    static int descriptor; /* of memory */
    if (size == 0) return 0;
    if (!null) {
        null = fopen("/dev/null", "w");
        descriptor = memfd_create("npy", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    REQUIRE(descriptor >= 0 && ftruncate(descriptor, 0) == 0 &&
            pwrite(descriptor, data + 1, size - 1, 0) == (ssize_t)(size - 1));
    npy_array array;
    npy_error error = {""};
    if (npy_read(path, (tosajit_type)(data[0] % TOSAJIT_TYPE_COUNT), &array, &error)) {
        REQUIRE(array.data);
        array_print_shape(null, &array);
        write_again(&array);
        npy_release(&array);
    } else {
        REQUIRE(*error.text && !array.data);
    }
    return 0;
}
