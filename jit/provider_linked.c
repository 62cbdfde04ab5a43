/* Provider: the compiler where it is linked into the same library or program. */
#include "jit/compiler.h"

extern const compiler_table tosajit_private_compiler;

const compiler_table *compiler_find(void) { return &tosajit_private_compiler; }
