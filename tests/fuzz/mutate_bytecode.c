/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mutations of MLIR's bytecode: see mutate_bytecode.h. */
#include "tests/fuzz/mutate_bytecode.h"

#include <string.h>

#include "tests/fuzz/bytes.h"
#include "tests/support/support.h"
#include "tools/mlir/bytecode.h"

enum { LARGEST = 1 << 16, PADDING = 0xCB };

/* Writing. */

static size_t put_number(uint8_t *to, uint64_t number, size_t bytes) {
    to[0] = 0;
    if (bytes < 9) number = number << bytes | UINT64_C(1) << (bytes - 1);
    for (size_t k = bytes == 9; k < bytes; k++, number >>= 8) to[k] = (uint8_t)number;
    return bytes;
}

static size_t bytes_of(uint64_t number) {
    size_t bytes = 1;
    while (bytes < 9 && number >> (7 * bytes)) bytes++;
    return bytes;
}

/* 0 if there is no room. */
static size_t put_file(const uint8_t *head, const bytecode_file *f, uint8_t *to, size_t capacity) {
    enum { MOST_NUMBERS = 1 + 9 + 9 };
    size_t at = f->head;
    if (at > capacity) return 0;
    memcpy(to, head, at);
    for (size_t k = 0; k < f->count; k++) {
        const bytecode_section *s = &f->sections[k];
        if (capacity - at < MOST_NUMBERS + s->alignment + s->size) return 0;
        to[at++] = s->identifier;
        at += put_number(to + at, s->size, bytes_of(s->size));
        if (s->identifier & BYTECODE_ALIGNED) {
            at += put_number(to + at, s->alignment, bytes_of(s->alignment));
            while (at % s->alignment) to[at++] = PADDING;
        }
        if (s->size) memcpy(to + at, s->contents, s->size);
        at += s->size;
    }
    return at;
}

/* Mutations. */

/* A number somewhere becomes another one of as many bytes, so that lengths within stay right. */
static void change_number(test_random *random, uint8_t *contents, size_t size) {
    if (size == 0) return;
    size_t at = (size_t)test_random_range(random, 0, (int64_t)size - 1), end = at;
    uint64_t number;
    if (!bytecode_number(contents, size, &end, &number)) return;
    const uint64_t some[] = {0,          1,          number + 1,      number - 1,
                             number ^ 1, number * 2, UINT64_MAX >> 1, test_random_next(random)};
    number = some[test_random_range(random, 0, (int64_t)(sizeof some / sizeof *some) - 1)];
    put_number(contents + at, number, end - at);
}

static void change_sections(test_random *random, bytecode_file *f) {
    const size_t k = (size_t)test_random_range(random, 0, (int64_t)f->count - 1),
                 other = (size_t)test_random_range(random, 0, (int64_t)f->count - 1);
    const bytecode_section first = f->sections[k];
    switch (test_random_range(random, 0, 3)) {
    case 0: f->sections[k] = f->sections[other], f->sections[other] = first; break;
    case 1:
        f->sections[k].contents = f->sections[other].contents,
        f->sections[k].size = f->sections[other].size;
        break;
    case 2: f->sections[k].identifier = (uint8_t)test_random_range(random, 0, 9); break;
    default:
        if (f->count < BYTECODE_MOST_SECTIONS) f->sections[f->count++] = first;
    }
}

size_t mutate_bytecode(uint8_t *data, size_t size, size_t capacity, unsigned seed) {
    static uint8_t before[LARGEST], contents[LARGEST];
    test_random random = test_random_start(seed);
    bytecode_file f;
    if (size > LARGEST || capacity > LARGEST) return 0;
    memcpy(before, data, size);
    if (!bytecode_open(before, size, &f)) return 0;
    bytecode_section *s = &f.sections[test_random_range(&random, 0, (int64_t)f.count - 1)];
    memcpy(contents, s->contents, s->size);
    s->contents = contents;
    if (test_random_chance(&random, 10)) {
        change_sections(&random, &f);
    } else if (test_random_chance(&random, 50)) {
        for (int64_t k = test_random_range(&random, 1, 3); k > 0; k--)
            change_number(&random, contents, s->size);
    } else {
        const size_t most = s->size + (capacity > size ? capacity - size : 0) / 2;
        s->size = LLVMFuzzerMutate(contents, s->size, most < 1 ? 1 : most);
    }
    return put_file(before, &f, data, capacity);
}
