/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MLIR's types and constants as the library's. MLIR packs elements differently (i48 in 6 bytes, a
 * splat once), and a file's resource may have any number of bytes: all of that ends here. */
#include "tools/mlir/values.h"

#include <inttypes.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/mlir/parse.h"
#include "tools/tosa/elements.h"

/* A splat is a few bytes of a file but all its elements in memory; beyond this it is a mistake or
 * an attack. */
static const int64_t splat_limit = INT64_C(1) << 30;

static void *give_reason_as(tosajit_status status, mlir_phrase *why, const char *text) {
    mlir_phrase_append(mlirStringRefCreateFromCString(text), why);
    why->status = status;
    return NULL;
}

static void *give_reason(mlir_phrase *why, const char *text) {
    return give_reason_as(TOSAJIT_BAD_MODULE, why, text);
}

static bool is_unsigned(MlirType type) {
    return mlirTypeIsAInteger(type) && mlirIntegerTypeIsUnsigned(type);
}

tosajit_type mlir_element_type(MlirType type) {
    static const struct {
        unsigned width;
        tosajit_type type;
    } integers[] = {{1, TOSAJIT_I1},   {8, TOSAJIT_I8},   {16, TOSAJIT_I16},
                    {32, TOSAJIT_I32}, {48, TOSAJIT_I48}, {64, TOSAJIT_I64}},
      naturals[] = {{8, TOSAJIT_U8}, {16, TOSAJIT_U16}, {32, TOSAJIT_U32}};
    static const struct {
        bool (*is)(MlirType);
        tosajit_type type;
    } floats[] = {{mlirTypeIsAF16, TOSAJIT_F16},
                  {mlirTypeIsABF16, TOSAJIT_BF16},
                  {mlirTypeIsAF32, TOSAJIT_F32},
                  {mlirTypeIsAF64, TOSAJIT_F64},
                  {mlirTypeIsAFloat8E4M3FN, TOSAJIT_F8E4M3FN},
                  {mlirTypeIsAFloat8E5M2, TOSAJIT_F8E5M2}};
    if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsSignless(type))
        for (size_t k = 0; k < sizeof integers / sizeof *integers; k++)
            if (mlirIntegerTypeGetWidth(type) == integers[k].width) return integers[k].type;
    for (size_t k = 0; is_unsigned(type) && k < sizeof naturals / sizeof *naturals; k++)
        if (mlirIntegerTypeGetWidth(type) == naturals[k].width) return naturals[k].type;
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        if (floats[k].is(type)) return floats[k].type;
    return TOSAJIT_TYPE_COUNT;
}

/* Types of other kinds may nest so that printing them does not end. */
static bool refuse_type(tosajit_status status, MlirType type, const char *text, mlir_phrase *why) {
    bool plain = mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type) || mlirTypeIsAIndex(type) ||
                 mlirTypeIsAUnrankedTensor(type) ||
                 (mlirTypeIsARankedTensor(type) &&
                  mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)));
    if (plain)
        mlirTypePrint(type, mlir_phrase_append, why);
    else
        give_reason(why, "the type");
    give_reason_as(status, why, text);
    return false;
}

static bool read_dims(MlirType type, tosajit_tensor_type *tensor, mlir_phrase *why) {
    int64_t rank = mlirShapedTypeGetRank(type);
    if (rank > TOSAJIT_MAX_RANK)
        return refuse_type(TOSAJIT_LIMIT_EXCEEDED, type, " has more than 16 dimensions", why);
    if (!mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
        return refuse_type(TOSAJIT_TYPE_MISMATCH, type,
                           " has an encoding; only plain tensors are read", why);
    tensor->rank = (int32_t)rank;
    for (int32_t d = 0; d < tensor->rank; d++)
        tensor->dims[d] = mlirShapedTypeIsDynamicDim(type, d) ? TOSAJIT_DYNAMIC
                                                              : mlirShapedTypeGetDimSize(type, d);
    return true;
}

#define ELEMENT_TYPES "i1 i8 i16 i32 i48 i64 f16 bf16 f32 f8E4M3FN f8E5M2 f64 ui8 ui16 ui32"

static const char *element_problem(MlirType element) {
    if (is_unsigned(element))
        return " has unsigned elements, which TOSA tells by attributes: `tosa-opt "
               "--tosa-convert-integer-type-to-signless` writes it so";
    if (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 4)
        return " has elements of which two share a byte; there are " ELEMENT_TYPES;
    return " has an element type other than " ELEMENT_TYPES;
}

bool mlir_tensor_type(MlirType type, tosajit_tensor_type *tensor, mlir_phrase *why) {
    memset(tensor, 0, sizeof *tensor);
    if (!mlirTypeIsATensor(type))
        return refuse_type(TOSAJIT_TYPE_MISMATCH, type, " is not a tensor", why);
    const MlirType element = mlirShapedTypeGetElementType(type);
    tensor->element = mlir_element_type(element);
    if (tensor->element == TOSAJIT_TYPE_COUNT)
        return refuse_type(TOSAJIT_TYPE_MISMATCH, type, element_problem(element), why);
    tensor->rank = TOSAJIT_UNRANKED;
    return mlirTypeIsAUnrankedTensor(type) || read_dims(type, tensor, why);
}

static void *dense_values(MlirAttribute attribute, tosajit_type element, int64_t count,
                          mlir_phrase *why) {
    int64_t size = (int64_t)tosajit_type_size(element);
    bool splat = mlirDenseElementsAttrIsSplat(attribute);
    if (splat && count * size > splat_limit)
        return give_reason_as(TOSAJIT_LIMIT_EXCEEDED, why, "a splat constant of more than 1 GiB");
    char *values = malloc(count > 0 ? (size_t)(count * size) : 1);
    if (!values) return give_reason_as(TOSAJIT_OUT_OF_MEMORY, why, "out of memory for a constant");
    int64_t stored = splat && count > 0 ? 1 : count; /* how many the attribute holds */
    const char *raw = mlirDenseElementsAttrGetRawData(attribute);
    if (element == TOSAJIT_I1)
        for (int64_t k = 0; k < stored; k++)
            values[k] = mlirDenseElementsAttrGetBoolValue(attribute, (intptr_t)k);
    else if (element == TOSAJIT_I48)
        tosa_unpack_i48(raw, stored, (int64_t *)(void *)values);
    else if (stored > 0)
        memcpy(values, raw, (size_t)(stored * size));
    for (int64_t k = stored; k < count; k++) memcpy(values + k * size, values, (size_t)size);
    return values;
}

static void *resource_values(MlirAttribute attribute, tosajit_type element, int64_t count,
                             mlir_phrase *why) {
    const char *bytes;
    size_t found, size = tosajit_type_size(element), wanted = (size_t)count * size;
    if (!mlir_resource_bytes(attribute, &bytes, &found))
        return give_reason(why, "the dense_resource is not in the file's dialect_resources");
    bool packed = element == TOSAJIT_I48 && found == (size_t)count * TOSA_I48_PACKED_SIZE;
    if (found != wanted && !packed) {
        char text[128];
        snprintf(text, sizeof text, "the dense_resource has %zu bytes, but its type needs %zu",
                 found, wanted);
        return give_reason(why, text);
    }
    char *values = malloc(wanted ? wanted : 1);
    if (!values) return give_reason_as(TOSAJIT_OUT_OF_MEMORY, why, "out of memory for a constant");
    if (packed)
        tosa_unpack_i48(bytes, count, (int64_t *)(void *)values);
    else if (wanted > 0)
        memcpy(values, bytes, wanted);
    for (size_t k = 0; element == TOSAJIT_I1 && k < wanted; k++) values[k] = values[k] != 0;
    return values;
}

void *mlir_constant(MlirAttribute attribute, tosajit_tensor_type *type, mlir_phrase *why) {
    bool dense = mlirAttributeIsADenseElements(attribute);
    if (!dense && !mlirAttributeIsADenseResourceElements(attribute))
        return give_reason(why, "values must be dense<...> or dense_resource<...>");
    int64_t count;
    if (!mlir_tensor_type(mlirAttributeGetType(attribute), type, why)) return NULL;
    if (type->rank == TOSAJIT_UNRANKED)
        return give_reason_as(TOSAJIT_UNRANKED_SHAPE, why, "values have no rank");
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] == TOSAJIT_DYNAMIC)
            return give_reason_as(TOSAJIT_SHAPE_MISMATCH, why, "values have a dynamic size");
    if (!tosa_count_elements(type, &count))
        return give_reason_as(TOSAJIT_OVERFLOW, why, "a constant of more than 2^63 - 1 bytes");
    return dense ? dense_values(attribute, type->element, count, why)
                 : resource_values(attribute, type->element, count, why);
}
