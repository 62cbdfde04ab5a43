/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Comparing element by element. */
#include "tools/data/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/data/element.h"

typedef enum agreement { EQUAL, NEIGHBOURS, DIFFERENT } agreement;

static agreement compare_one(tosajit_type type, const void *a, const void *b, compare_rule rule) {
    if (memcmp(a, b, tosajit_type_size(type)) == 0) return EQUAL;
    if (rule == COMPARE_BITS || !element_is_float(type)) return DIFFERENT;
    uint64_t distance = element_distance(type, a, b), limit = rule == COMPARE_ULP;
    bool zeros = distance == 0 && element_value(type, a) == 0;
    if (distance == 0 && !zeros) return EQUAL;
    /* The sign of a zero is never a rounding error. */
    return distance <= limit && !zeros ? NEIGHBOURS : DIFFERENT;
}

comparison compare_elements(tosajit_type type, const void *kernel, const void *interpreter,
                            int64_t count, compare_rule rule) {
    comparison c = {0, 0, -1};
    size_t size = tosajit_type_size(type);
    for (int64_t k = 0; k < count; k++) {
        agreement found = compare_one(type, (const char *)kernel + (size_t)k * size,
                                      (const char *)interpreter + (size_t)k * size, rule);
        c.neighbours += found == NEIGHBOURS;
        if (found == DIFFERENT && c.different++ == 0) c.first = k;
    }
    return c;
}

/* "[1, 2]" */
static size_t describe_index(int32_t rank, const int64_t *dims, int64_t index, char *text,
                             size_t capacity) {
    int64_t place[TOSAJIT_MAX_RANK];
    for (int32_t d = rank; d-- > 0; index /= dims[d]) place[d] = index % dims[d];
    size_t used = (size_t)snprintf(text, capacity, "[");
    for (int32_t d = 0; d < rank && used < capacity; d++)
        used +=
            (size_t)snprintf(text + used, capacity - used, "%s%" PRId64, d ? ", " : "", place[d]);
    if (used < capacity) used += (size_t)snprintf(text + used, capacity - used, "]");
    return used < capacity ? used : capacity - 1;
}

const char *compare_describe(tosajit_type type, int32_t rank, const int64_t *dims,
                             const void *kernel, const void *interpreter, int64_t index, char *text,
                             size_t capacity) {
    size_t size = tosajit_type_size(type);
    const char *a = (const char *)kernel + (size_t)index * size,
               *b = (const char *)interpreter + (size_t)index * size;
    element_text value_a = element_print(type, a), value_b = element_print(type, b);
    size_t used = describe_index(rank, dims, index, text, capacity);
    snprintf(text + used, capacity - used,
             ": kernel 0x%0*" PRIx64 " (%s), interpreter 0x%0*" PRIx64 " (%s)", (int)(2 * size),
             element_bits(type, a), value_a.text, (int)(2 * size), element_bits(type, b),
             value_b.text);
    return text;
}
