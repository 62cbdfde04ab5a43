/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The peer for compile time: a scalar loop in LLVM IR through LLVM's own O3 pipeline and its JIT,
 * as a program without this library would do it. In: the computation as IR text. Out: a linked
 * function, dropped at once. */
#ifndef TOSAJIT_BENCH_PEER_LLVM_H
#define TOSAJIT_BENCH_PEER_LLVM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct peer_jit peer_jit;

/* Null: no LLVM for this machine, or no memory. */
peer_jit *peer_jit_create(void);
void peer_jit_destroy(peer_jit *jit);

typedef struct peer_function peer_function;

/* `computation` defines %v from the f32 values %x and %y. Null: LLVM refused. */
peer_function *peer_jit_compile(peer_jit *jit, const char *computation);
void peer_jit_release(peer_jit *jit, peer_function *function);

#endif
