/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MLIR's attributes as flags, numbers, words and texts. */
#include "tools/mlir/describe.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/escape.h"
#include "tools/mlir/report.h"
#include "tools/mlir/values.h"

/* The C API asks for a number of no other type than these. */
static void describe_number(MlirAttribute attribute, tosa_attribute *found) {
    const MlirType type = mlirAttributeGetType(attribute);
    mlir_phrase text = {0};
    found->kind = TOSA_NUMBER;
    mlirTypePrint(type, mlir_phrase_append, &text);
    snprintf(found->text, sizeof found->text, "%.60s", text.text);
    if (mlir_element_type(type) == TOSAJIT_TYPE_COUNT) return;
    if (mlirAttributeIsAInteger(attribute))
        found->value.i = mlirIntegerAttrGetValueInt(attribute);
    else
        found->value.f = mlirFloatAttrGetValueDouble(attribute);
}

/* IGNORE of #tosa.nan_mode<IGNORE>: the C API cannot look into the attributes of a dialect, but it
 * can print them. */
static void describe_word(MlirAttribute attribute, tosa_attribute *found) {
    const MlirDialect dialect = mlirAttributeGetDialect(attribute);
    mlir_phrase text = {0};
    if (!mlirStringRefEqual(mlirDialectGetNamespace(dialect),
                            mlirStringRefCreateFromCString("tosa")))
        return;
    mlirAttributePrint(attribute, mlir_phrase_append, &text);
    const char *word = text.text, *open = strchr(word, '<');
    if (open) word = open + 1;
    found->kind = TOSA_WORD;
    snprintf(found->text, sizeof found->text, "%.*s", (int)strcspn(word, ">"), word);
}

/* Longer ones are no list of the library's. */
static void describe_list(MlirAttribute attribute, tosa_attribute *found) {
    const intptr_t count = mlirDenseArrayGetNumElements(attribute);
    const bool narrow = mlirAttributeIsADenseI32Array(attribute);
    if (count > TOSA_MOST_NUMBERS) return;
    found->kind = TOSA_LIST;
    found->number_count = (size_t)count;
    for (intptr_t k = 0; k < count; k++)
        found->numbers[k] = narrow ? mlirDenseI32ArrayGetElement(attribute, k)
                                   : mlirDenseI64ArrayGetElement(attribute, k);
}

static void describe_attribute(MlirAttribute attribute, tosa_attribute *found) {
    if (mlirAttributeIsAUnit(attribute) || mlirAttributeIsABool(attribute)) {
        found->kind = TOSA_FLAG;
        found->value.i = mlirAttributeIsAUnit(attribute) || mlirBoolAttrGetValue(attribute);
    } else if (mlirAttributeIsAInteger(attribute) || mlirAttributeIsAFloat(attribute)) {
        describe_number(attribute, found);
    } else if (mlirAttributeIsAString(attribute)) {
        const MlirStringRef text = mlirStringAttrGetValue(attribute);
        found->kind = TOSA_TEXT;
        escape_name(text.data, text.length, found->text, sizeof found->text);
    } else if (mlirAttributeIsADenseI64Array(attribute) ||
               mlirAttributeIsADenseI32Array(attribute)) {
        describe_list(attribute, found);
    } else {
        describe_word(attribute, found);
    }
}

static MlirAttribute attribute_of(MlirOperation op, const char *name) {
    return mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
}

/* A shape that is an operand: dense<[2, 3]> : tensor<2xindex> of tosa.const_shape. */
static void describe_shape(MlirValue operand, tosa_attribute *found) {
    if (!mlirValueIsAOpResult(operand)) return;
    const MlirOperation op = mlirOpResultGetOwner(operand);
    if (!mlir_is_shape(op)) return;
    const MlirAttribute values = attribute_of(op, "values");
    if (mlirAttributeIsNull(values) || !mlirAttributeIsADenseIntElements(values) ||
        !mlirTypeIsAIndex(mlirShapedTypeGetElementType(mlirAttributeGetType(values))) ||
        mlirElementsAttrGetNumElements(values) > TOSAJIT_MAX_RANK)
        return;
    found->kind = TOSA_LIST;
    found->number_count = (size_t)mlirElementsAttrGetNumElements(values);
    for (size_t k = 0; k < found->number_count; k++)
        found->numbers[k] = (int64_t)mlirDenseElementsAttrGetIndexValue(values, (intptr_t)k);
}

bool mlir_is_shape(MlirOperation op) {
    return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)),
                              mlirStringRefCreateFromCString("tosa.const_shape")) &&
           mlirOperationGetNumOperands(op) == 0 && mlirOperationGetNumResults(op) == 1;
}

void mlir_describe(MlirOperation op, tosa_op *description) {
    const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    const char *wanted;
    *description = (tosa_op){.op = TOSAJIT_OP_COUNT,
                             .operand_count = (size_t)mlirOperationGetNumOperands(op),
                             .result_count = (size_t)mlirOperationGetNumResults(op),
                             .origin = op.ptr};
    escape_name(name.data, name.length, description->name, sizeof description->name);
    for (size_t k = 0; (wanted = tosa_attribute_name(description, k)) != NULL; k++) {
        const MlirAttribute attribute = attribute_of(op, wanted);
        if (mlirAttributeIsNull(attribute)) continue;
        tosa_attribute *found = tosa_attribute_add(description, wanted);
        if (found) describe_attribute(attribute, found);
    }
    description->op = tosa_op_of(description);
    for (size_t k = 0; k < description->operand_count; k++) {
        if (!(wanted = tosa_shape_name(description, k))) continue;
        tosa_attribute *found = tosa_attribute_add(description, wanted);
        if (found) describe_shape(mlirOperationGetOperand(op, (intptr_t)k), found);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Functions */

bool mlir_describe_accuracy(MlirOperation function, tosajit_accuracy *accuracy) {
    const MlirAttribute attribute = attribute_of(function, "tosajit.accuracy");
    tosa_attribute found = {.kind = TOSA_OTHER};
    if (mlirAttributeIsNull(attribute)) return true;
    describe_attribute(attribute, &found);
    const bool fast = strcmp(found.text, "fast") == 0;
    if (fast) *accuracy = TOSAJIT_FAST;
    return found.kind == TOSA_TEXT && (fast || strcmp(found.text, "exact") == 0);
}

static MlirAttribute contracts_of(MlirOperation function, intptr_t argument) {
    const MlirAttribute all = attribute_of(function, "arg_attrs"), none = {NULL};
    if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all) ||
        argument >= mlirArrayAttrGetNumElements(all))
        return none;
    const MlirAttribute own = mlirArrayAttrGetElement(all, argument);
    if (!mlirAttributeIsADictionary(own)) return none;
    return mlirDictionaryAttrGetElementByName(own,
                                              mlirStringRefCreateFromCString("tosajit.contract"));
}

intptr_t mlir_contract_count(MlirOperation function, intptr_t argument) {
    const MlirAttribute list = contracts_of(function, argument);
    if (mlirAttributeIsNull(list)) return 0;
    const intptr_t count = mlirAttributeIsAArray(list) ? mlirArrayAttrGetNumElements(list) : 0;
    return count > 0 ? count : -1;
}

bool mlir_describe_contract(MlirOperation function, intptr_t argument, intptr_t index,
                            int32_t *dimension, tosajit_contract *contract) {
    enum { DIMENSION, SMALLEST, LARGEST, MULTIPLE, NUMBERS };
    const MlirAttribute list = mlirArrayAttrGetElement(contracts_of(function, argument), index);
    int64_t n[NUMBERS];
    if (!mlirAttributeIsAArray(list) || mlirArrayAttrGetNumElements(list) != NUMBERS) return false;
    for (intptr_t k = 0; k < NUMBERS; k++) {
        const MlirAttribute element = mlirArrayAttrGetElement(list, k);
        if (!mlirAttributeIsAInteger(element)) return false;
        n[k] = mlirIntegerAttrGetValueInt(element);
    }
    *dimension = (int32_t)n[DIMENSION];
    *contract =
        (tosajit_contract){.smallest = n[SMALLEST], .largest = n[LARGEST], .multiple = n[MULTIPLE]};
    return n[DIMENSION] >= 0 && n[DIMENSION] < TOSAJIT_MAX_RANK;
}
