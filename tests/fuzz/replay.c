/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a fuzzer's stored inputs, and mutations of them for some seconds, where there is no
 * libFuzzer. fuzz_NAME SECONDS FILE...     TOSAJIT_SEED=<n> chooses the mutations. A child does it,
 * in optimised builds a million times a second where inputs are as cheap as images are; its parent
 * shares the input's memory, and leaves one that failed in crash-replay in the working directory.
 */
#define _DEFAULT_SOURCE /* mmap */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fuzz/bytes.h"
#include "tests/fuzz/place.h"
#include "tests/support/support.h"

enum { CAPACITY = 1 << 16 };

typedef struct input {
    size_t size;
    uint8_t bytes[CAPACITY];
} input;

/* The child's progress. */
typedef struct progress {
    unsigned long long mutations;
    input now;
} progress;

static void *memory(size_t size, int flags) {
    void *made = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) {
        perror("memory for inputs");
        exit(1);
    }
    return made;
}

static void read_file(const char *path, input *read) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    read->size = fread(read->bytes, 1, CAPACITY, file);
    fclose(file);
}

static void copy(const input *from, input *to) {
    to->size = from->size;
    memcpy(to->bytes, from->bytes, from->size);
}

/* A few bytes changed, inserted, taken out or copied from elsewhere in the input. */
static size_t mutate(test_random *random, uint8_t *data, size_t size, size_t capacity) {
    for (int64_t changes = test_random_range(random, 1, 6); changes > 0; changes--) {
        size_t at = size ? (size_t)test_random_range(random, 0, (int64_t)size - 1) : 0;
        size_t length = (size_t)test_random_range(random, 1, 8);
        int64_t way = test_random_range(random, 0, 3);
        if (way == 0 && size > at + length) {
            memmove(data + at, data + at + length, size - at - length);
            size -= length;
        } else if (way == 1 && size + length <= capacity) {
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

static test_random mutations;

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity) {
    return mutate(&mutations, data, size, capacity);
}

#pragma weak LLVMFuzzerCustomMutator
static size_t mutate_input(uint8_t *data, size_t size) {
    if (!LLVMFuzzerCustomMutator) return LLVMFuzzerMutate(data, size, CAPACITY);
    return LLVMFuzzerCustomMutator(data, size, CAPACITY, (unsigned)test_random_next(&mutations));
}

static void run(const input *now) {
    LLVMFuzzerTestOneInput(fuzz_place(now->bytes, now->size), now->size);
}

static void run_all(const input *stored, int count, int64_t seconds, progress *p) {
    mutations = test_random_start(test_setting("TOSAJIT_SEED", 1));
    for (int k = 0; k < count; k++) {
        copy(&stored[k], &p->now);
        run(&p->now);
    }
    for (time_t end = time(NULL) + seconds; time(NULL) < end; p->mutations++) {
        copy(&stored[test_random_range(&mutations, 0, count - 1)], &p->now);
        p->now.size = mutate_input(p->now.bytes, p->now.size);
        run(&p->now);
    }
}

static int keep(const input *failed) {
    FILE *file = fopen("crash-replay", "wb");
    if (!file || fwrite(failed->bytes, 1, failed->size, file) != failed->size || fclose(file))
        perror("crash-replay");
    else
        fprintf(stderr, "the input that failed is in crash-replay\n");
    return 1;
}

int main(int count, char **arguments) {
    if (count < 3) return fprintf(stderr, "usage: %s SECONDS FILE...\n", arguments[0]), 2;
    const int files = count - 2;
    input *stored = memory((size_t)files * sizeof *stored, MAP_PRIVATE);
    progress *p = memory(sizeof *p, MAP_SHARED);
    for (int k = 0; k < files; k++) read_file(arguments[k + 2], &stored[k]);
    const pid_t child = fork();
    if (child == 0) {
        run_all(stored, files, strtol(arguments[1], NULL, 10), p);
        exit(0);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return keep(&p->now);
    remove("crash-replay");
    printf("%d stored inputs, %llu mutations\n", files, p->mutations);
    return 0;
}
