/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Families of benchmarks: each registers its cases, named "family/case/contender". */
#ifndef TOSAJIT_BENCH_FAMILIES_H
#define TOSAJIT_BENCH_FAMILIES_H

#include <stdbool.h>

/* add/..., offset/..., narrow/..., op/..., chain/...: time per element over shapes and sizes.
 * Return false when memory runs out. */
bool elementwise_register(void);
void elementwise_release(void);

/* shape/..., view/...: time per element of broadcasts, views, sums in place and in memory. */
bool shapes_register(void);
void shapes_release(void);

/* roof/...: the machine's limits, and chains of operations below them. */
bool roof_register(void);
void roof_release(void);

/* forms_...: time per element of every case with static and dynamic sizes, in place and out of
 * place, on one thread and two. */
bool forms_register(void);
void forms_release(void);

/* threads/...: time per element on one thread and two, and two on one processor. */
bool threads_register(void);
void threads_release(void);

/* int8/...: what networks of int8 do between their products, beside copies. Uses the buffers, which
 * others release. */
bool bytes_register(void);
void bytes_release(void);

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
