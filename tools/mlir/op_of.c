/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/mlir/op_of.h"

#include <mlir-c/BuiltinAttributes.h>
#include <string.h>

#include "tools/mlir/op_columns.h"

enum { NAME_CAPACITY = 64 };

/* The op of that name if it is one of TOSA's, or else if it is not. */
static tosajit_op find(MlirStringRef name, bool extension) {
    char text[NAME_CAPACITY] = "";
    if (name.length >= sizeof text) return TOSAJIT_OP_COUNT;
    memcpy(text, name.data, name.length);
    const tosajit_op op = strlen(text) == name.length ? tosajit_op_find(text) : TOSAJIT_OP_COUNT;
    if (op == TOSAJIT_OP_COUNT) return op;
    return (op_columns_of[op].takes == TAKES_EXTENSION) == extension ? op : TOSAJIT_OP_COUNT;
}

static MlirStringRef text_of(MlirOperation op, const char *attribute) {
    MlirAttribute text =
        mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(attribute));
    bool fine = !mlirAttributeIsNull(text) && mlirAttributeIsAString(text);
    return fine ? mlirStringAttrGetValue(text) : mlirStringRefCreateFromCString("");
}

tosajit_op mlir_op_of(MlirOperation op) {
    static const char dialect[] = "tosa.";
    const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op)),
                        ours = mlirStringRefCreateFromCString("tosajit");
    if (name.length < sizeof dialect || memcmp(name.data, dialect, sizeof dialect - 1) != 0)
        return TOSAJIT_OP_COUNT;
    if (!mlirStringRefEqual(name, mlirStringRefCreateFromCString("tosa.custom")))
        return find(name, false);
    if (!mlirStringRefEqual(text_of(op, "domain_name"), ours)) return TOSAJIT_OP_COUNT;
    return find(text_of(op, "operator_name"), true);
}
