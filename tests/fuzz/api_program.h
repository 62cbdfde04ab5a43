/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bytes of a fuzzer as a program of calls of the C API on a few engines, expressions and
 * kernels: any types, ranks, sizes, strides, attributes, values and null pointers, in any order,
 * with allocations that fail. Checked: no call does anything undefined (sanitizers), failing calls
 * have a message and write nothing, runs write no byte beside their results, and in the end nothing
 * is left allocated. */
#ifndef TOSAJIT_TESTS_FUZZ_API_PROGRAM_H
#define TOSAJIT_TESTS_FUZZ_API_PROGRAM_H

#include "tests/fuzz/bytes.h"
#include "tests/fuzz/check.h"

/* Beside engines of the program's own it has `shared`, which lives on. */
void api_program_run(const uint8_t *data, size_t size, tosajit_engine *shared);

#endif
