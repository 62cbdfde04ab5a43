/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ops that are linked into the same library or program. */
#include "jit/engine/ops.h"

extern const rows_library tosajit_private_ops;

const rows_library *ops_find(void) { return &tosajit_private_ops; }
