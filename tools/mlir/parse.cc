/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Parts that MLIR's C API (22) does not offer, in C++. In: text or bytecode, or a resource
// attribute. Out: an unverified module, or the resource's bytes; whether a module's constants are
// whole. No C++ exception or type leaves this file.
#include "tools/mlir/parse.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"

extern "C" MlirModule mlir_parse_module(MlirContext context, const char *text, size_t length,
                                        const char *name) {
    mlir::ParserConfig config(unwrap(context), /*verifyAfterParse=*/false);
    return wrap(mlir::parseSourceString<mlir::ModuleOp>(llvm::StringRef(text, length), config, name)
                    .release());
}

namespace {

bool is_whole(mlir::DenseIntOrFPElementsAttr attribute) {
    mlir::Type element = attribute.getType().getElementType();
    if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
        element = complex.getElementType();
    bool splat;
    return element.isIntOrIndexOrFloat() && attribute.getType().hasStaticShape() &&
           mlir::DenseElementsAttr::isValidRawBuffer(attribute.getType(), attribute.getRawData(),
                                                     splat) &&
           splat == attribute.isSplat();
}

} // namespace

// Of every attribute that any op has, also within others.
extern "C" bool mlir_module_is_whole(MlirModule module) {
    mlir::AttrTypeWalker walker;
    walker.addWalk([](mlir::DenseIntOrFPElementsAttr attribute) {
        return is_whole(attribute) ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
    });
    const mlir::WalkResult result = unwrap(module)->walk([&](mlir::Operation *op) {
        return walker.walk(op->getAttrDictionary()).wasInterrupted() ||
                       walker.walk<mlir::Attribute>(op->getLoc()).wasInterrupted()
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
    });
    return !result.wasInterrupted();
}

extern "C" bool mlir_resource_bytes(MlirAttribute attribute, const char **bytes, size_t *size) {
    auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(unwrap(attribute));
    const mlir::AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
    if (!blob) return false;
    *bytes = blob->getData().data();
    *size = blob->getData().size();
    return true;
}
