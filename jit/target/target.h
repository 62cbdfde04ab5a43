/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Targets: which CPU code is made for, and what follows for the shape of its loops. */
#ifndef TOSAJIT_JIT_TARGET_TARGET_H
#define TOSAJIT_JIT_TARGET_TARGET_H

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

#include "jit/target/cpu.h"
#include "tosajit/tosajit.h"
#include "runtime/system/system.h"

typedef struct target {
    const cpu_level *level;
    char *triple, *cpu, *features; /* owned, by LLVM's allocator */
    int64_t cache_bytes; /* results that are larger are stored past the caches; 0: none are */
    uint64_t needs;      /* the features that code for it may use; runtime/base/features.h */
    char *tune;          /* the model whose timing is assumed; owned; null: that of cpu */
    bool has_fma, has_f16, has_f16_arithmetic, has_bf16, has_mul_i64,
        has_byte_permute; /* see cpu_level */
} target;

/* The CPU of that name, of any architecture; null or "native" is this machine. INVALID_ARGUMENT for
 * an unknown name, NOT_EXECUTABLE for a native one that lacks what every kernel needs (x86:
 * SSE4.2). */
tosajit_status target_find(const char *name, target *t);
void target_destroy(target *t);

/* A new target machine; null on failure. Not to be used by two threads at once. */
LLVMTargetMachineRef target_machine(const target *t, LLVMCodeGenOptLevel level);

/* Idle target machines: making one costs a fifth of a compilation, and two threads must not share
 * one. */
typedef struct machine_pool {
    system_mutex mutex;
    LLVMTargetMachineRef idle[8];
    int count;
} machine_pool;

void machine_pool_create(machine_pool *pool);
void machine_pool_destroy(machine_pool *pool);
/* An idle machine or a new one, null on failure; and back. */
LLVMTargetMachineRef machine_pool_take(machine_pool *pool, const target *t);
void machine_pool_give(machine_pool *pool, LLVMTargetMachineRef machine);

#endif
