/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The only C++ of the project: what MLIR's C API (22) does not offer. In: text or bytecode, or a
// resource attribute. Out: an unverified module, or the resource's bytes. No C++ exception or type
// leaves this file.
#include "tools/mlir/parse.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"

extern "C" MlirModule mlir_parse_module(MlirContext context, const char *text, size_t length,
                                        const char *name) {
    mlir::ParserConfig config(unwrap(context), /*verifyAfterParse=*/false);
    return wrap(mlir::parseSourceString<mlir::ModuleOp>(llvm::StringRef(text, length), config, name)
                    .release());
}

extern "C" bool mlir_resource_bytes(MlirAttribute attribute, const char **bytes, size_t *size) {
    auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(unwrap(attribute));
    const mlir::AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
    if (!blob) return false;
    *bytes = blob->getData().data();
    *size = blob->getData().size();
    return true;
}
