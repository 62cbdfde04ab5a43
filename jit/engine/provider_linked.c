/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Provider: the compiler where it is linked into the same library or program. */
#include "jit/engine/compiler.h"

extern const compiler_table tosajit_private_compiler;

const compiler_table *compiler_find(void) { return &tosajit_private_compiler; }
