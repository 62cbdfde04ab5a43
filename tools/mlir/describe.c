/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MLIR's attributes as flags, numbers, words and texts. */
#include "tools/mlir/describe.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/escape.h"
#include "tools/mlir/graph.h"
#include "tools/mlir/values.h"

/* The C API asks for a number of no other type than these. */
static void describe_number(MlirAttribute attribute, tosa_attribute *found) {
    const MlirType type = mlirAttributeGetType(attribute);
    mlir_phrase text = {0};
    found->kind = TOSA_NUMBER;
    mlirTypePrint(type, mlir_phrase_append, &text);
    snprintf(found->text, sizeof found->text, "%.60s", text.text);
    if (mlir_element_type(type) == TOSAJIT_TYPE_COUNT) return;
    if (mlirAttributeIsAInteger(attribute) && mlirIntegerTypeIsUnsigned(type))
        found->value.i = (int64_t)mlirIntegerAttrGetValueUInt(attribute);
    else if (mlirAttributeIsAInteger(attribute))
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

static MlirOperation op_of(const tosa_graph *g, int32_t op) {
    return ((const mlir_graph *)g->source)->ops[op];
}

/* dense<[2, 3]> : tensor<2xindex> of tosa.const_shape. */
static void read_shape(const tosa_graph *g, int32_t value, tosa_attribute *found) {
    if (g->kinds.at[value] != TOSA_VALUE_SHAPE) return;
    const MlirAttribute values = attribute_of(op_of(g, g->producers.at[value]), "values");
    if (mlirAttributeIsNull(values) || !mlirAttributeIsADenseIntElements(values) ||
        !mlirTypeIsAIndex(mlirShapedTypeGetElementType(mlirAttributeGetType(values))) ||
        mlirElementsAttrGetNumElements(values) > TOSAJIT_MAX_RANK)
        return;
    found->kind = TOSA_LIST;
    found->number_count = (size_t)mlirElementsAttrGetNumElements(values);
    for (size_t k = 0; k < found->number_count; k++)
        found->numbers[k] = (int64_t)mlirDenseElementsAttrGetIndexValue(values, (intptr_t)k);
}

/* Names have escapes, so that no two operations have the same. */
static void begin(const tosa_graph *g, int32_t number, tosa_op *description) {
    const MlirOperation op = op_of(g, number);
    const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    description->operand_count = (size_t)mlirOperationGetNumOperands(op);
    description->result_count = (size_t)mlirOperationGetNumResults(op);
    description->nests =
        mlirOperationGetNumRegions(op) > 0 || mlirOperationGetNumSuccessors(op) > 0;
    description->unknown = !mlirContextIsRegisteredOperation(mlirOperationGetContext(op), name);
    escape_name(name.data, name.length, description->name, sizeof description->name);
}

static bool read_attribute(const tosa_graph *g, int32_t op, tosa_attribute *found) {
    const MlirAttribute attribute = attribute_of(op_of(g, op), found->name);
    if (mlirAttributeIsNull(attribute)) return false;
    describe_attribute(attribute, found);
    return true;
}

static tosajit_status read_type(const tosa_graph *g, int32_t value, tosajit_tensor_type *type,
                                char why[TOSA_WHY]) {
    return mlir_tensor_type(mlirValueGetType(((const mlir_graph *)g->source)->values[value]), type,
                            why);
}

/* arith.constant calls its elements value, as tosa.const did until MLIR 20. That cannot be seen
 * here: a property that MLIR does not know is lost in parsing. */
static tosajit_status read_constant(const tosa_graph *g, int32_t number, tosajit_tensor_type *type,
                                    void **elements, char why[TOSA_WHY]) {
    const MlirOperation op = op_of(g, number);
    const bool arith = mlir_is_called(op, "arith.constant");
    const char *name = arith ? "value" : "values";
    const MlirAttribute attribute = attribute_of(op, name);
    if (!mlirAttributeIsNull(attribute)) return mlir_constant(attribute, type, elements, why);
    snprintf(why, TOSA_WHY, "attribute %s is missing%s", name,
             arith ? "" : "; where an older file says value, it must be renamed");
    return TOSAJIT_BAD_MODULE;
}

static void find_place(const tosa_graph *g, int32_t op, tosa_place *place) {
    const mlir_graph *m = g->source;
    const int32_t input = TOSA_AT_INPUT(op); /* which is its own inverse */
    mlir_find_place(m->report,
                    op >= 0            ? mlirOperationGetLocation(m->ops[op])
                    : op == TOSA_BLOCK ? mlirOperationGetLocation(m->function)
                                       : mlirValueGetLocation(m->values[g->inputs.at[input]]),
                    place);
}

const tosa_reader mlir_reader = {.block = "func.func",
                                 .input = "argument",
                                 .output = "result",
                                 .begin = begin,
                                 .attribute = read_attribute,
                                 .shape = read_shape,
                                 .type = read_type,
                                 .constant = read_constant,
                                 .place = find_place};

/* ---------------------------------------------------------------------------------------------
 * Functions */

bool mlir_describe_accuracy(MlirOperation function, tosajit_accuracy *accuracy) {
    const MlirAttribute attribute = attribute_of(function, "tosajit.accuracy");
    static const char *const words[] = {"exact", "reproducible", "contracted"};
    tosa_attribute found = {.kind = TOSA_OTHER};
    if (mlirAttributeIsNull(attribute)) return true;
    describe_attribute(attribute, &found);
    for (int k = 0; found.kind == TOSA_TEXT && k <= TOSAJIT_CONTRACTED; k++) {
        if (strcmp(found.text, words[k]) != 0) continue;
        if (k > (int)*accuracy) *accuracy = (tosajit_accuracy)k;
        return true;
    }
    return false;
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
