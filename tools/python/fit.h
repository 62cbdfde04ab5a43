/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sizes that are worth code of their own, and that types do not tell. So a kernel of dynamic sizes
 * has others beside it. */
#ifndef TOSAJIT_TOOLS_PYTHON_FIT_H
#define TOSAJIT_TOOLS_PYTHON_FIT_H

#include "tools/python/engine.h"

/* The kernel for a call with these operands: k's own, or a kernel for such sizes. That kernel is
 * made when the sizes come again. It lives as long as k. */
const tosajit_kernel *fit_kernel(engine_object *e, kernel_object *k,
                                 const tosajit_tensor *operands);
void fit_release(fitted *f);

#endif
