/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ops: the library of precompiled ops, wherever it is. */
#ifndef TOSAJIT_RUNTIME_PRECOMPILED_OPS_H
#define TOSAJIT_RUNTIME_PRECOMPILED_OPS_H

#include "runtime/precompiled/rows.h"

/* The library, found once per process; null, with NOT_EXECUTABLE in mind and a message, if there is
 * none. Thread-safe. */
const rows_library *ops_find(void);

/* A hash of the sources that precompiled code depends on: what libraries of one build agree about.
 */
extern const char tosajit_ops_build[];

#endif
