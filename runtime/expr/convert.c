/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Conversion by the kind of type. */
#include "runtime/expr/convert.h"

#include <string.h>

#include "runtime/base/float_format.h"
#include "runtime/base/types.h"

cell convert_decode(tosajit_type type, uint64_t bits) {
    if (type_is_float(type)) return (cell){.f = float_decode(type, bits)};
    return (cell){.i = type == TOSAJIT_I1 ? (bits & 0xff) != 0 : type_wrap(type, bits)};
}

uint64_t convert_encode(tosajit_type type, cell value) {
    return type_is_float(type) ? float_encode(type, value.f) : (uint64_t)value.i;
}

uint64_t convert_load(tosajit_type type, const void *address) {
    uint64_t bits = 0;
    memcpy(&bits, address, tosajit_type_size(type)); /* little-endian: the low bytes */
    return bits;
}

void convert_store(tosajit_type type, void *address, uint64_t bits) {
    memcpy(address, &bits, tosajit_type_size(type));
}
