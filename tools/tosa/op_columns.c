/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/tosa/op_columns.h"

const op_columns op_columns_of[TOSAJIT_OP_COUNT] = {
#define TOSAJIT_OP(name, arity, signature, elements, attributes, result, ...)                      \
    {(ATTRIBUTE_##attributes & ATTRIBUTE_EXTENSION) != 0,                                          \
     RESULT_##result,                                                                              \
     false,                                                                                        \
     SIGNATURE_##signature == SIGNATURE_REDUCE,                                                    \
     false,                                                                                        \
     false,                                                                                        \
     false},
/* Views have forms of their own in TOSA's files, with shapes as operands. */
#define TOSAJIT_VIEW_OP(name, arity, signature, elements, attributes, result, ...)                 \
    {SIGNATURE_##signature == SIGNATURE_VIEW ||                                                    \
         (ATTRIBUTE_##attributes & (ATTRIBUTE_EXTENSION | ATTRIBUTE_INDEX_MODE)) != 0,             \
     RESULT_##result,                                                                              \
     SIGNATURE_##signature == SIGNATURE_VIEW,                                                      \
     SIGNATURE_##signature == SIGNATURE_POSITION,                                                  \
     SIGNATURE_##signature == SIGNATURE_POSITION,                                                  \
     SIGNATURE_##signature == SIGNATURE_GATHER ||                                                  \
         (SIGNATURE_##signature == SIGNATURE_SCATTER &&                                            \
          !(ATTRIBUTE_##attributes & ATTRIBUTE_EXTENSION)),                                        \
     SIGNATURE_##signature == SIGNATURE_GATHER || SIGNATURE_##signature == SIGNATURE_SCATTER},
#include "tosajit/ops.def"
#undef TOSAJIT_OP
};
