/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Comparing element by element. */
#include "tools/data/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/data/element.h"

static bool is_nan(tosajit_type type, const void *at) {
    return element_is_float(type) && isnan(element_value(type, at));
}

comparison compare_elements(tosajit_type type, const void *kernel, const void *interpreter,
                            int64_t count) {
    comparison c = {0, -1};
    const size_t size = tosajit_type_size(type);
    for (int64_t k = 0; k < count; k++) {
        const char *a = (const char *)kernel + (size_t)k * size,
                   *b = (const char *)interpreter + (size_t)k * size;
        if (memcmp(a, b, size) == 0 || (is_nan(type, a) && is_nan(type, b))) continue;
        if (c.different++ == 0) c.first = k;
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
