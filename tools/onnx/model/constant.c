/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tensor has its elements as bytes, or as a list of numbers of one of four widths. */
#include "tools/onnx/model/constant.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* By TensorProto.DataType. Of unsigned types the library has the bits. */
static const struct element {
    const char *name;
    tosajit_type type;
    unsigned char bytes;
    bool is_unsigned;
} elements[] = {
    {"such elements", TOSAJIT_TYPE_COUNT, 0, false}, /* numbers that are no type here */
    {"float", TOSAJIT_F32, 4, false},
    {"uint8", TOSAJIT_I8, 1, true},
    {"int8", TOSAJIT_I8, 1, false},
    {"uint16", TOSAJIT_I16, 2, true},
    {"int16", TOSAJIT_I16, 2, false},
    {"int32", TOSAJIT_I32, 4, false},
    {"int64", TOSAJIT_I64, 8, false},
    {"string", TOSAJIT_TYPE_COUNT, 0, false},
    {"bool", TOSAJIT_I1, 1, false},
    {"float16", TOSAJIT_F16, 2, false},
    {"double", TOSAJIT_F64, 8, false},
    {"uint32", TOSAJIT_TYPE_COUNT, 4, true},
    {"uint64", TOSAJIT_TYPE_COUNT, 8, true},
    {"complex64", TOSAJIT_TYPE_COUNT, 8, false},
    {"complex128", TOSAJIT_TYPE_COUNT, 16, false},
    {"bfloat16", TOSAJIT_BF16, 2, false},
    {"float8e4m3fn", TOSAJIT_TYPE_COUNT, 0, false},
    {"float8e4m3fnuz", TOSAJIT_TYPE_COUNT, 0, false},
    {"float8e5m2", TOSAJIT_TYPE_COUNT, 0, false},
    {"float8e5m2fnuz", TOSAJIT_TYPE_COUNT, 0, false},
    {"uint4", TOSAJIT_TYPE_COUNT, 0, true},
    {"int4", TOSAJIT_TYPE_COUNT, 0, false},
};
enum { ELEMENTS = sizeof elements / sizeof *elements };

static const struct element *element_of(int32_t number) {
    return &elements[number > 0 && number < ELEMENTS ? number : 0];
}

tosajit_type onnx_element(int32_t element) { return element_of(element)->type; }
bool onnx_element_is_unsigned(int32_t element) { return element_of(element)->is_unsigned; }
int64_t onnx_element_bytes(int32_t element) { return element_of(element)->bytes; }
const char *onnx_element_name(int32_t element) { return element_of(element)->name; }

int64_t onnx_elements(const onnx_type *type) {
    int64_t count = 1;
    if (type->rank < 0) return -1;
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] < 0 || __builtin_mul_overflow(count, type->dims[d], &count)) return -1;
    return count;
}

static int64_t joined(int64_t a, int64_t b) {
    if (a == 1) return b;
    if (b == 1 || a == b) return a;
    if (a < 0) return b; /* unknown: it is b, or 1 */
    return b < 0 ? a : -1;
}

onnx_type onnx_broadcast(const onnx_type *a, const onnx_type *b) {
    const onnx_type *longer = a->rank >= b->rank ? a : b, *shorter = longer == a ? b : a;
    onnx_type result = *longer;
    int32_t behind = longer->rank - shorter->rank;
    result.element = a->element;
    if (shorter->rank < 0) result.rank = -1;
    for (int32_t d = 0; d < shorter->rank; d++) {
        int64_t size = joined(longer->dims[behind + d], shorter->dims[d]);
        if (size == -1) result.rank = -1;
        result.dims[behind + d] = size;
    }
    return result;
}

onnx_type onnx_constant_type(const Onnx__TensorProto *tensor) {
    onnx_type type = {.element = tensor->has_data_type ? tensor->data_type : 0, .rank = -1};
    if (tensor->n_dims > TOSAJIT_MAX_RANK) return type;
    type.rank = (int32_t)tensor->n_dims;
    for (size_t d = 0; d < tensor->n_dims; d++) {
        type.dims[d] = tensor->dims[d];
        if (tensor->dims[d] < 0) type.rank = -1;
    }
    return type;
}

/* The bytes of an element of raw_data, which is little-endian as this machine. */
static bool raw_at(const Onnx__TensorProto *t, size_t k, size_t bytes, uint64_t *bits) {
    *bits = 0;
    if (bytes == 0 || bytes > 8 || t->raw_data.len / bytes <= k) return false;
    memcpy(bits, t->raw_data.data + k * bytes, bytes);
    return true;
}

/* The bits of an element, wherever they are. */
static bool bits_at(const Onnx__TensorProto *t, size_t k, uint64_t *bits) {
    *bits = 0;
    if (t->has_data_location && t->data_location != 0) return false;
    if (t->has_raw_data) return raw_at(t, k, element_of(t->data_type)->bytes, bits);
    switch (onnx_element(t->data_type)) {
    case TOSAJIT_F32:
        if (k < t->n_float_data) memcpy(bits, &t->float_data[k], 4);
        return k < t->n_float_data;
    case TOSAJIT_F64:
        if (k < t->n_double_data) memcpy(bits, &t->double_data[k], 8);
        return k < t->n_double_data;
    case TOSAJIT_I64:
        if (k < t->n_int64_data) memcpy(bits, &t->int64_data[k], 8);
        return k < t->n_int64_data;
    default:
        if (k < t->n_int32_data) memcpy(bits, &t->int32_data[k], 4);
        return k < t->n_int32_data;
    }
}

static double half_value(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    double value = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

static double float_value(uint64_t bits) {
    float value;
    uint32_t low = (uint32_t)bits;
    memcpy(&value, &low, 4);
    return (double)value;
}

bool onnx_constant_at(const Onnx__TensorProto *tensor, size_t k, double *value) {
    uint64_t bits;
    if (!tensor->has_data_type || !bits_at(tensor, k, &bits)) return false;
    const bool is_unsigned = onnx_element_is_unsigned(tensor->data_type);
    switch (onnx_element(tensor->data_type)) {
    case TOSAJIT_F32: *value = float_value(bits); return true;
    case TOSAJIT_F64: memcpy(value, &bits, 8); return true;
    case TOSAJIT_F16: *value = half_value(bits & 0xffff); return true;
    case TOSAJIT_BF16: *value = float_value((bits & 0xffff) << 16); return true;
    case TOSAJIT_I64: *value = (double)(int64_t)bits; return true;
    case TOSAJIT_I32: *value = (int32_t)bits; return true;
    case TOSAJIT_I16: *value = is_unsigned ? (uint16_t)bits : (int16_t)bits; return true;
    case TOSAJIT_I8: *value = is_unsigned ? (uint8_t)bits : (int8_t)bits; return true;
    case TOSAJIT_I1: *value = (bits & 0xff) != 0; return true;
    default: return false;
    }
}

/* Decimal, which reads back as the same number of whatever type stands beside it; -0 keeps its
 * sign. */
static void float_text(double value, int digits, char text[32]) {
    if (isnan(value))
        snprintf(text, 32, "nan");
    else if (isinf(value))
        snprintf(text, 32, value < 0 ? "(-inf)" : "inf");
    else
        snprintf(text, 32, signbit(value) ? "(%.*g)" : "%.*g", digits, value);
}

/* As few digits as give the number back, but at least those of a number without exponent. */
void onnx_number_text(float value, char text[32]) {
    for (int digits = 6; digits <= 9; digits++) {
        char decimal[32];
        double back = 0;
        snprintf(decimal, sizeof decimal, "%.*g", digits, (double)value);
        sscanf(decimal, "%lf", &back);
        if (!isfinite(value) || (float)back == value || digits == 9) {
            float_text((double)value, digits, text);
            return;
        }
    }
}

bool onnx_constant_text(const Onnx__TensorProto *tensor, char text[32]) {
    uint64_t bits;
    double value;
    if (!onnx_constant_at(tensor, 0, &value) || !bits_at(tensor, 0, &bits)) return false;
    switch (onnx_element(tensor->data_type)) {
    case TOSAJIT_F32: onnx_number_text((float)value, text); return true;
    case TOSAJIT_F64: float_text(value, 17, text); return true;
    case TOSAJIT_F16:
    case TOSAJIT_BF16: snprintf(text, 32, "0x%04x", (unsigned)(bits & 0xffff)); return true;
    case TOSAJIT_I1: snprintf(text, 32, value != 0 ? "true" : "false"); return true;
    case TOSAJIT_I64:
        snprintf(text, 32, (int64_t)bits < 0 ? "(%" PRId64 ")" : "%" PRId64, (int64_t)bits);
        return true;
    default:
        if (onnx_element_is_unsigned(tensor->data_type)) /* the bits: 200 is no value of i8 */
            snprintf(text, 32, "0x%x", (unsigned)value);
        else
            snprintf(text, 32, value < 0 ? "(%.0f)" : "%.0f", value);
        return true;
    }
}
