/* What the emitters of f32 mathematics share. */
#ifndef TOSAJIT_JIT_EMIT_MATH_H
#define TOSAJIT_JIT_EMIT_MATH_H

#include "jit/lane.h"

#define COUNT(array) (unsigned)(sizeof(array) / sizeof(*(array)))

/* A double x = 2^k m > 0 that was widened from f32, m in sqrt(1/2)..sqrt(2): k, m - 1 and m + 1 as exact doubles. */
typedef struct split {
    LLVMValueRef k, below, above;
} split;

split split_f64(const lane *l, LLVMValueRef x);

#endif
