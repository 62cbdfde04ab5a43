/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting without overflow, and i48, which files keep in six bytes. */
#include "tools/tosa/elements.h"

#include <string.h>

bool tosa_count_elements(const tosajit_tensor_type *type, int64_t *count) {
    int64_t limit = INT64_MAX / (int64_t)tosajit_type_size(type->element);
    *count = 1;
    for (int32_t d = 0; d < type->rank; d++) {
        if (type->dims[d] != 0 && *count > limit / type->dims[d]) return false;
        *count *= type->dims[d];
    }
    return true;
}

void tosa_unpack_i48(const void *packed, int64_t count, int64_t *values) {
    const unsigned char *bytes = packed;
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits = 0;
        for (int b = TOSA_I48_PACKED_SIZE; b-- > 0;)
            bits = bits << 8 | bytes[k * TOSA_I48_PACKED_SIZE + b];
        const uint64_t sign = UINT64_C(1) << 47;
        uint64_t extended = (bits ^ sign) - sign;
        memcpy(&values[k], &extended, sizeof extended);
    }
}
