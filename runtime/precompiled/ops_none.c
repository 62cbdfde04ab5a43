/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ops where nobody has precompiled any: the tool that does, and tests that take the library apart.
 */
#include "runtime/precompiled/ops.h"
#include "runtime/base/diag.h"

const rows_library *ops_find(void) {
    diag_error(TOSAJIT_NOT_EXECUTABLE, "this program has no precompiled ops");
    return NULL;
}
