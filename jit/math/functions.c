/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of the functions of f64: the steps of runtime/functions as lanes. */
#include "jit/math/emitters.h"
#include "jit/math/steps_lane.h"

#include "runtime/functions/angle.h"
#include "runtime/functions/error.h"
#include "runtime/functions/power.h"

#define F64_FUNCTION(name)                                                                         \
    LLVMValueRef double_##name(const lane *l, const emit_op *op, const LLVMValueRef *x) {          \
        return (void)op, f64_function_##name(l, x);                                                \
    }
#include "runtime/functions/list.h"
#undef F64_FUNCTION
