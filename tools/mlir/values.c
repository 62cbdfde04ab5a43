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
#include "tools/mlir/report.h"
#include "tools/tosa/elements.h"

/* A splat is a few bytes of a file but all its elements in memory; beyond this it is a mistake or
 * an attack. */
static const int64_t splat_limit = INT64_C(1) << 30;

static bool is_unsigned(MlirType type) {
    return mlirTypeIsAInteger(type) && mlirIntegerTypeIsUnsigned(type);
}

tosajit_type mlir_element_type(MlirType type) {
    static const struct {
        unsigned width;
        tosajit_type type;
    } integers[] = {{1, TOSAJIT_I1},   {8, TOSAJIT_I8},   {16, TOSAJIT_I16},
                    {32, TOSAJIT_I32}, {48, TOSAJIT_I48}, {64, TOSAJIT_I64}},
      naturals[] = {{8, TOSAJIT_U8}, {16, TOSAJIT_U16}, {32, TOSAJIT_U32}, {64, TOSAJIT_U64}};
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
static tosajit_status refuse_type(tosajit_status status, MlirType type, const char *text,
                                  char why[TOSA_WHY]) {
    mlir_phrase printed = {.length = 0};
    bool plain = mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type) || mlirTypeIsAIndex(type) ||
                 mlirTypeIsAUnrankedTensor(type) ||
                 (mlirTypeIsARankedTensor(type) &&
                  mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)));
    if (plain) mlirTypePrint(type, mlir_phrase_append, &printed);
    snprintf(why, TOSA_WHY, "%.300s%s", plain ? printed.text : "the type", text);
    return status;
}

static tosajit_status read_dims(MlirType type, tosajit_tensor_type *tensor, char why[TOSA_WHY]) {
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
    return TOSAJIT_OK;
}

#define ELEMENT_TYPES "i1 i8 i16 i32 i48 i64 f16 bf16 f32 f8E4M3FN f8E5M2 f64 ui8 ui16 ui32 ui64"

static const char *element_problem(MlirType element) {
    if (is_unsigned(element))
        return " has unsigned elements, which TOSA tells by attributes: `tosa-opt "
               "--tosa-convert-integer-type-to-signless` writes it so";
    if (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 4)
        return " has elements of which two share a byte; there are " ELEMENT_TYPES;
    return " has an element type other than " ELEMENT_TYPES;
}

tosajit_status mlir_tensor_type(MlirType type, tosajit_tensor_type *tensor, char why[TOSA_WHY]) {
    memset(tensor, 0, sizeof *tensor);
    if (!mlirTypeIsATensor(type))
        return refuse_type(TOSAJIT_TYPE_MISMATCH, type, " is not a tensor", why);
    const MlirType element = mlirShapedTypeGetElementType(type);
    tensor->element = mlir_element_type(element);
    if (tensor->element == TOSAJIT_TYPE_COUNT)
        return refuse_type(TOSAJIT_TYPE_MISMATCH, type, element_problem(element), why);
    tensor->rank = TOSAJIT_UNRANKED;
    return mlirTypeIsAUnrankedTensor(type) ? TOSAJIT_OK : read_dims(type, tensor, why);
}

/* A splat is there once. */
static void *copy_dense(MlirAttribute attribute, tosajit_type element, int64_t count) {
    const bool splat = mlirDenseElementsAttrIsSplat(attribute);
    const int64_t stored = splat && count > 0 ? 1 : count;
    if (element != TOSAJIT_I1)
        return tosa_copy_elements(element, mlirDenseElementsAttrGetRawData(attribute), stored, true,
                                  count);
    char *values = malloc(count > 0 ? (size_t)count : 1);
    for (int64_t k = 0; values && k < count; k++)
        values[k] = mlirDenseElementsAttrGetBoolValue(attribute, (intptr_t)(splat ? 0 : k));
    return values;
}

static tosajit_status dense_values(MlirAttribute attribute, tosajit_type element, int64_t count,
                                   void **elements, char why[TOSA_WHY]) {
    if (mlirDenseElementsAttrIsSplat(attribute) &&
        count * (int64_t)tosajit_type_size(element) > splat_limit) {
        snprintf(why, TOSA_WHY, "a splat constant of more than 1 GiB");
        return TOSAJIT_LIMIT_EXCEEDED;
    }
    *elements = copy_dense(attribute, element, count);
    return *elements ? TOSAJIT_OK : TOSAJIT_OUT_OF_MEMORY;
}

static tosajit_status resource_values(MlirAttribute attribute, tosajit_type element, int64_t count,
                                      void **elements, char why[TOSA_WHY]) {
    const char *bytes;
    size_t found, wanted = (size_t)count * tosajit_type_size(element);
    if (!mlir_resource_bytes(attribute, &bytes, &found)) {
        snprintf(why, TOSA_WHY, "the dense_resource is not in the file's dialect_resources");
        return TOSAJIT_BAD_MODULE;
    }
    const bool packed = element == TOSAJIT_I48 && found == (size_t)count * TOSA_I48_PACKED_SIZE;
    if (found != wanted && !packed) {
        snprintf(why, TOSA_WHY, "the dense_resource has %zu bytes, but its type needs %zu", found,
                 wanted);
        return TOSAJIT_BAD_MODULE;
    }
    *elements = tosa_copy_elements(element, bytes, count, packed, count);
    return *elements ? TOSAJIT_OK : TOSAJIT_OUT_OF_MEMORY;
}

tosajit_status mlir_constant(MlirAttribute attribute, tosajit_tensor_type *type, void **elements,
                             char why[TOSA_WHY]) {
    const bool dense = mlirAttributeIsADenseElements(attribute);
    if (!dense && !mlirAttributeIsADenseResourceElements(attribute)) {
        snprintf(why, TOSA_WHY, "values must be dense<...> or dense_resource<...>");
        return TOSAJIT_BAD_MODULE;
    }
    int64_t count;
    tosajit_status status = mlir_tensor_type(mlirAttributeGetType(attribute), type, why);
    if (!status) status = tosa_count_constant(type, &count, why);
    if (status) return status;
    status =
        (dense ? dense_values : resource_values)(attribute, type->element, count, elements, why);
    if (status == TOSAJIT_OUT_OF_MEMORY) snprintf(why, TOSA_WHY, "out of memory for a constant");
    return status;
}
