/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The emitters' table. An op whose emitter is missing does not link, and the linker names it. */
#include "jit/math/emitters.h"
#include "runtime/expr/ops.h"

const op_emitters emitters[TOSAJIT_OP_COUNT] = {
#define TOSAJIT_OP(name, arity, signature, elements, attributes, result, ...)                      \
    [TOSAJIT_OP_##name] = {emit_##name,                                                            \
                           RESULT_##result == RESULT_FUNCTION ? fast_##name : emit_##name,         \
                           RESULT_##result == RESULT_FUNCTION ? half_##name : emit_##name,         \
                           RESULT_##result == RESULT_FUNCTION ? double_##name : emit_##name},
#include "tosajit/ops.def"
#undef TOSAJIT_OP
};
