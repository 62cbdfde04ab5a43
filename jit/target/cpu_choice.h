/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The choice of a CPU to compile for: whether there is one of that name, and whether this machine
 * is one. Without LLVM, so that an engine can be made without it. */
#ifndef TOSAJIT_JIT_TARGET_CPU_CHOICE_H
#define TOSAJIT_JIT_TARGET_CPU_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

/* name: null or "native" is this machine. *chosen receives the name to compile for, in full and for
 * ever, null for this machine's own: TOSAJIT_CPU may have lowered this machine and what is to run
 * on it. runs: whether the code is to run here. INVALID_ARGUMENT for an unknown name, or one whose
 * code this machine cannot run; NOT_EXECUTABLE if it lacks what every kernel needs. */
tosajit_status cpu_choose(const char *name, bool runs, const char **chosen);

/* Features that code for a chosen CPU may use on this machine; bits of runtime/base/features.h. */
uint64_t cpu_features(const char *chosen);

#endif
