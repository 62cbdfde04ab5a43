/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Families of benchmarks: each registers its cases, named "family/case/contender". */
#ifndef TOSAJIT_BENCH_FAMILIES_H
#define TOSAJIT_BENCH_FAMILIES_H

#include <stdbool.h>

/* add/..., broadcast/..., offset/..., narrow/..., op/..., math/..., chain/..., int8/..., shape/...,
 * view/..., forms_...: time per element. Uses the buffers, which others release. Returns false when
 * memory runs out. */
bool cases_register(void);
void cases_release(void);

/* call/...: time per call on few elements. */
bool calls_register(void);
void calls_release(void);

/* precompiled/...: kernels of precompiled ops: calls, making them, a fresh process, the background.
 * Uses the buffers, which others release. */
bool precompiled_register(void);
void precompiled_release(void);

/* sweep/...: time per element of broadcasting patterns, about `wanted` of them; 0: all. Uses the
 * buffers, which others release. */
bool sweep_register(int wanted);
void sweep_release(void);

/* compile/..., long/..., memory/...: what a kernel costs before it runs. */
void compile_register(void);
void compile_release(void);

/* A child process of this program: measure in a fresh process and write the figures to standard
 * output. The exit status. */
int compile_child_first(void);
int compile_child_llvm(void);
int compile_child_memory(void);

#endif
