/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A console of Windows has a window that scrolls, and no pager that everybody has. */
#include "tools/base/pager.h"

void pager_begin(bool goes_on) { (void)goes_on; }
void pager_end(void) {}
