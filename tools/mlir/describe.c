/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MLIR's attributes as flags, numbers, words and texts. */
#include "tools/mlir/describe.h"

#include <mlir-c/BuiltinAttributes.h>
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
    } else {
        describe_word(attribute, found);
    }
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
        const MlirAttribute attribute =
            mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(wanted));
        if (mlirAttributeIsNull(attribute)) continue;
        tosa_attribute *found = &description->attributes[description->attribute_count++];
        found->name = wanted;
        describe_attribute(attribute, found);
    }
    description->op = tosa_op_of(description);
}
