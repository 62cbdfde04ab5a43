/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting without overflow, and i48, which files keep in six bytes. */
#include "tools/tosa/elements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tosajit_status tosa_count_constant(const tosajit_tensor_type *type, int64_t *count,
                                   char why[TOSA_WHY]) {
    const int64_t limit = INT64_MAX / (int64_t)tosajit_type_size(type->element);
    *count = 1;
    if (type->rank == TOSAJIT_UNRANKED) {
        snprintf(why, TOSA_WHY, "the constant has no rank");
        return TOSAJIT_UNRANKED_SHAPE;
    }
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] == TOSAJIT_DYNAMIC) {
            snprintf(why, TOSA_WHY, "the constant's size along dimension %d is dynamic", (int)d);
            return TOSAJIT_SHAPE_MISMATCH;
        }
    for (int32_t d = 0; d < type->rank; d++) {
        if (type->dims[d] != 0 && *count > limit / type->dims[d]) {
            snprintf(why, TOSA_WHY, "the constant has more than 2^63 - 1 bytes");
            return TOSAJIT_OVERFLOW;
        }
        *count *= type->dims[d];
    }
    return TOSAJIT_OK;
}

static void unpack_i48(const unsigned char *bytes, int64_t count, int64_t *values) {
    const uint64_t sign = UINT64_C(1) << 47;
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits = 0;
        for (int b = TOSA_I48_PACKED_SIZE; b-- > 0;)
            bits = bits << 8 | bytes[k * TOSA_I48_PACKED_SIZE + b];
        const uint64_t extended = (bits ^ sign) - sign;
        memcpy(&values[k], &extended, sizeof extended);
    }
}

void *tosa_copy_elements(tosajit_type element, const void *bytes, int64_t stored, bool packed,
                         int64_t count) {
    const size_t each = tosajit_type_size(element);
    char *made = malloc(count > 0 ? (size_t)count * each : 1);
    if (!made) return NULL;
    if (element == TOSAJIT_I48 && packed)
        unpack_i48(bytes, stored, (int64_t *)(void *)made);
    else if (stored > 0)
        memcpy(made, bytes, (size_t)stored * each);
    for (int64_t k = 0; element == TOSAJIT_I1 && k < stored; k++) made[k] = made[k] != 0;
    for (int64_t k = stored; k < count; k++)
        memcpy(made + (size_t)k * each, made + (size_t)(k - 1) * each, each);
    return made;
}
