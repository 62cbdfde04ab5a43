/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In the fuzzer a fault inside MLIR's parser returns to where crash_trap was set. */
#ifndef TOSAJIT_TESTS_FUZZ_CRASH_TRAP_H
#define TOSAJIT_TESTS_FUZZ_CRASH_TRAP_H

#include <setjmp.h>

extern sigjmp_buf crash_trap;

#endif
