/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Beside: the libraries that libtosajit.so loads when it needs them. */
#ifndef TOSAJIT_JIT_ENGINE_BESIDE_H
#define TOSAJIT_JIT_ENGINE_BESIDE_H

#include <stddef.h>

/* Open the library of this file name, with dlopen's flags: in the directory of this library, then
 * where the system looks. If only the latter was tried in vain, dlerror tells why, and `reason`
 * what was wrong with the former. */
void *beside_open(const char *name, int flags, char *reason, size_t capacity);

/* A hash of the sources that this build is made of. */
extern const char tosajit_build[];

#endif
