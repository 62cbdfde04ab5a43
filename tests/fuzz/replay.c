/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a fuzzer's stored inputs, and mutations of them for some seconds, where there is no
 * libFuzzer. fuzz_NAME SECONDS FILE...     TOSAJIT_SEED=<n> chooses the mutations A failing
 * mutation is left in crash-replay in the working directory. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/fuzz/bytes.h"
#include "tests/support/support.h"

enum { CAPACITY = 1 << 16 };

static size_t read_file(const char *path, uint8_t *data) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    size_t size = fread(data, 1, CAPACITY, file);
    fclose(file);
    return size;
}

static void keep(const uint8_t *data, size_t size) {
    FILE *file = fopen("crash-replay", "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        fprintf(stderr, "crash-replay cannot be written\n");
}

/* A few bytes changed, inserted, taken out or copied from elsewhere in the input. */
static size_t mutate(test_random *random, uint8_t *data, size_t size) {
    for (int64_t changes = test_random_range(random, 1, 6); changes > 0; changes--) {
        size_t at = size ? (size_t)test_random_range(random, 0, (int64_t)size - 1) : 0;
        size_t length = (size_t)test_random_range(random, 1, 8);
        int64_t way = test_random_range(random, 0, 3);
        if (way == 0 && size > at + length) {
            memmove(data + at, data + at + length, size - at - length);
            size -= length;
        } else if (way == 1 && size + length <= CAPACITY) {
            memmove(data + at + length, data + at, size - at);
            size += length;
        } else if (way == 2 && size > 2 * length) {
            memmove(data + (at < size - length ? at : size - length),
                    data + (size_t)test_random_range(random, 0, (int64_t)(size - length)), length);
        } else if (size > 0) {
            data[at] = (uint8_t)test_random_next(random);
        }
    }
    return size;
}

int main(int count, char **arguments) {
    static uint8_t data[CAPACITY];
    if (count < 3) return fprintf(stderr, "usage: %s SECONDS FILE...\n", arguments[0]), 2;
    for (int k = 2; k < count; k++) LLVMFuzzerTestOneInput(data, read_file(arguments[k], data));
    uint64_t seed = test_setting("TOSAJIT_SEED", 1), runs = 0;
    test_random random = test_random_start(seed);
    for (time_t end = time(NULL) + strtol(arguments[1], NULL, 10); time(NULL) < end; runs++) {
        size_t size = read_file(arguments[test_random_range(&random, 2, count - 1)], data);
        size = mutate(&random, data, size);
        keep(data, size);
        LLVMFuzzerTestOneInput(data, size);
    }
    remove("crash-replay");
    printf("%d stored inputs, %llu mutations\n", count - 2, (unsigned long long)runs);
    return 0;
}
