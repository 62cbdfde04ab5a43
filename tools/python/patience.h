/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls with so much to compute that compiling first takes less time than answering at once. */
#ifndef TOSAJIT_TOOLS_PYTHON_PATIENCE_H
#define TOSAJIT_TOOLS_PYTHON_PATIENCE_H

#include "tools/python/engine.h"
#include "tools/python/view.h"

/* True if the kernel's answer to a call would take so long. */
bool patience_pays(const engine_object *e, kernel_object *k, const view *views);
/* Wait until the kernel is compiled, where that pays. */
void patience_wait(const engine_object *e, kernel_object *k, const view *views);

#endif
