/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shapes: parsing, and the memory that they touch. */
#include "tools/data/shape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool set_reason(char why[SHAPE_MESSAGE], const char *text) {
    snprintf(why, SHAPE_MESSAGE, "%s", text);
    return false;
}

/* A number at *at, which moves behind it. */
static bool read_number(const char **at, bool may_be_negative, int64_t *number) {
    char *end;
    if (!(**at >= '0' && **at <= '9') && !(may_be_negative && **at == '-')) return false;
    errno = 0;
    *number = strtoll(*at, &end, 10);
    bool fine = end != *at && errno == 0;
    *at = end;
    return fine;
}

static bool read_strides(const char *at, shape_word *shape, char why[SHAPE_MESSAGE]) {
    shape->strided = true;
    for (int32_t d = 0; d < shape->rank; d++) {
        if (d > 0 && *at++ != ',')
            return set_reason(why, "a stride per dimension expected behind the colon, as 4096,4");
        if (!read_number(&at, true, &shape->strides[d]))
            return set_reason(why, "strides are numbers of bytes, as 4096,4");
    }
    return *at == '\0' || set_reason(why, "more strides than dimensions");
}

static const char *const expected = "sizes expected, as 1024x8, or scalar";

bool shape_parse(const char *word, shape_word *shape, char why[SHAPE_MESSAGE]) {
    *shape = (shape_word){0};
    if (strcmp(word, "scalar") == 0) return true;
    const char *at = word;
    for (;;) {
        if (shape->rank == TOSAJIT_MAX_RANK) return set_reason(why, "more than 16 dimensions");
        if (!read_number(&at, false, &shape->dims[shape->rank])) return set_reason(why, expected);
        shape->rank++;
        if (*at != 'x') break;
        at++;
    }
    if (*at == ':') return read_strides(at + 1, shape, why);
    if (*at == ',') return set_reason(why, "sizes are joined by x, as 1024x8");
    return *at == '\0' || set_reason(why, expected);
}

/* a * b of numbers that are not negative; false beyond half of the address space. */
static bool multiply(int64_t a, int64_t b, int64_t *product) {
    if (a != 0 && b > INT64_MAX / 4 / a) return false;
    *product = a * b;
    return true;
}

bool shape_extent(const shape_word *shape, int64_t element_size, int64_t *low, int64_t *high) {
    int64_t dense = element_size;
    *low = 0;
    *high = 0;
    for (int32_t d = 0; d < shape->rank; d++)
        if (shape->dims[d] == 0) return true;
    *high = element_size;
    for (int32_t d = shape->rank; d-- > 0;) {
        int64_t stride = shape->strided ? shape->strides[d] : dense, span;
        if (stride == INT64_MIN ||
            !multiply(shape->dims[d] - 1, stride < 0 ? -stride : stride, &span))
            return false;
        if (stride < 0)
            *low -= span;
        else
            *high += span;
        if (*high - *low > INT64_MAX / 4 || !multiply(dense, shape->dims[d], &dense)) return false;
    }
    return true;
}
