/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gdb: names of kernels for the debugger. In: an object file about code in memory. Out: an entry in
 * the list that gdb reads. Source: GDB manual, "JIT Compilation Interface". */
#ifndef TOSAJIT_JIT_SHOW_GDB_H
#define TOSAJIT_JIT_SHOW_GDB_H

#include <stddef.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

/* Register an object, which becomes gdb's; its section .text is at `address`. Null if out of
 * memory. Thread-safe; so is the next one. */
void *gdb_add(unsigned char *object, size_t size, uint64_t address,
              const tosajit_allocator *allocator);
void gdb_remove(void *handle);

#endif
