/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The things of MLIR that its C API (22) does not offer. In: text or bytecode; out: a module that
 * MLIR has parsed but not verified, and whether its constants are whole. In: a resource attribute;
 * out: its bytes. */
#ifndef TOSAJIT_TOOLS_MLIR_PARSE_H
#define TOSAJIT_TOOLS_MLIR_PARSE_H

#include <mlir-c/IR.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The module in text, or a null module after a diagnostic. Not verified: MLIR's verifier refuses
 * operands of unequal rank, which are legal here unless strict. text must stay until the module is
 * destroyed, be followed by a 0 byte and, for bytecode, be aligned as its sections demand. */
MlirModule mlir_parse_module(MlirContext context, const char *text, size_t length,
                             const char *name);

/* True if every constant has as many elements as its type. Operations of bytecode may have fewer,
 * and reading or printing such an operation reads beyond them. */
bool mlir_module_is_whole(MlirModule module);

/* The bytes of a dense resource; false if the file does not define it. They belong to the context.
 */
bool mlir_resource_bytes(MlirAttribute attribute, const char **bytes, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
