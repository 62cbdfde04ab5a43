/* Emitters of TOSAJIT_FAST: evaluated in f32, at most 1 ulp off. */
#include "jit/emit.h"

emitter *const fast_emitters[TOSAJIT_OP_COUNT] = {0};
