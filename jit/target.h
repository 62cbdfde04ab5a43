/* Targets: which CPU code is made for, and what follows for the shape of its loops. */
#ifndef TOSAJIT_JIT_TARGET_H
#define TOSAJIT_JIT_TARGET_H

#include <llvm-c/TargetMachine.h>
#include <pthread.h>
#include <stdbool.h>

#include "jit/lane.h"
#include "tosajit/tosajit.h"

typedef struct target {
    char *triple, *cpu, *features; /* owned, by LLVM's allocator */
    uint64_t needs;                /* the features that code for it may use; runtime/features.h */
    unsigned vector_bytes;         /* of a register: 64 AVX-512, 32 AVX2, 16 NEON */
    unsigned mask_bytes;           /* smallest element of masked loads and stores; 1: they cost no more than whole ones; 0: none */
    lane_extremes extremes;
    bool quick_select; /* LLVM's quick instruction selection makes good code of simple vectors */
} target;

/* The CPU of that name; null or "native" is this machine. It must be one that this machine can run. INVALID_ARGUMENT for an
 * unknown or unsuitable name, NOT_EXECUTABLE if this machine lacks what every kernel needs (x86: AVX2 and FMA). */
tosajit_status target_find(const char *name, target *t);
void target_destroy(target *t);

/* A new target machine; null on failure. Not to be used by two threads at once. */
LLVMTargetMachineRef target_machine(const target *t);

/* Idle target machines: making one costs a fifth of a compilation, and two threads must not share one. */
typedef struct machine_pool {
    pthread_mutex_t mutex;
    LLVMTargetMachineRef idle[8];
    int count;
} machine_pool;

void machine_pool_create(machine_pool *pool);
void machine_pool_destroy(machine_pool *pool);
/* An idle machine or a new one, null on failure; and back. */
LLVMTargetMachineRef machine_pool_take(machine_pool *pool, const target *t);
void machine_pool_give(machine_pool *pool, LLVMTargetMachineRef machine);

#endif
