/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Caches: how large this machine's are. */
#ifndef TOSAJIT_JIT_TARGET_CACHES_H
#define TOSAJIT_JIT_TARGET_CACHES_H

#include <stdint.h>

/* Bytes of the largest cache of the first processor, as the kernel knows it; 0 where it does not
 * say. Read once. Thread-safe. */
int64_t caches_largest(void);

#endif
