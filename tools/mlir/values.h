/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MLIR's types and constants. In: an MLIR type or attribute; out: the tosajit type or the elements
 * in memory, or the reason why there is none. */
#ifndef TOSAJIT_TOOLS_MLIR_VALUES_H
#define TOSAJIT_TOOLS_MLIR_VALUES_H

#include <mlir-c/IR.h>

#include "tools/tosa/elements.h"

/* TOSAJIT_TYPE_COUNT if the library has no such element type. */
tosajit_type mlir_element_type(MlirType type);

/* tensor<...> or tensor<*x...>; else why it is none. */
tosajit_status mlir_tensor_type(MlirType type, tosajit_tensor_type *tensor, char why[TOSA_WHY]);

/* The elements of a dense or dense_resource attribute, row-major, as the library keeps them; to be
 * freed; else why there are none. type receives the attribute's type. */
tosajit_status mlir_constant(MlirAttribute attribute, tosajit_tensor_type *type, void **elements,
                             char why[TOSA_WHY]);

#endif
