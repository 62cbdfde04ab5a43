/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mutations of MLIR's bytecode behind which the reader goes on: magic, version and producer stay,
 * and the sections' lengths are right, so that what lies inside of them is read. */
#ifndef TOSAJIT_TESTS_FUZZ_MUTATE_BYTECODE_H
#define TOSAJIT_TESTS_FUZZ_MUTATE_BYTECODE_H

#include <stddef.h>
#include <stdint.h>

/* Change `size` bytes with room for `capacity`, by a seed; the new size, or 0 if there are no
 * sections to be found. */
size_t mutate_bytecode(uint8_t *data, size_t size, size_t capacity, unsigned seed);

#endif
