/* Targets: which CPU code is made for, and what follows for the shape of its loops. */
#ifndef TOSAJIT_JIT_TARGET_H
#define TOSAJIT_JIT_TARGET_H

#include <llvm-c/TargetMachine.h>
#include <pthread.h>
#include <stdbool.h>

#include "tosajit/tosajit.h"

/* What the larger of two floating-point numbers is made of, NaN and signed zeros included. */
typedef enum target_extremes {
    TARGET_EXTREMES_NATIVE,   /* one instruction does it all */
    TARGET_EXTREMES_SUBTRACT, /* one that gives its second operand where neither is larger, twice, and arithmetic */
    TARGET_EXTREMES_TERNARY,  /* the same, and instructions for any logic of three operands */
} target_extremes;

typedef struct target {
    char *triple, *cpu, *features; /* owned, by LLVM's allocator */
    uint64_t needs;                /* the features that code for it may use; runtime/features.h */
    char *tune;                    /* the model whose timing is assumed; owned; null: that of cpu */
    unsigned vector_bytes;         /* of a register: 64 AVX-512, 32 AVX2, 16 SSE and NEON */
    unsigned mask_bytes;           /* smallest element of masked loads and stores; 1: they cost no more than whole ones; 0: none */
    bool quick_select;             /* LLVM's quick instruction selection makes good code of simple vectors */
    target_extremes extremes;
    bool has_permute;        /* one instruction that takes 8 of 8 64-bit values by 8 indices, in registers */
    bool has_fma;            /* instructions that multiply, add and round once */
    bool has_f16;            /* conversions between f16 and f32 */
    bool has_f16_arithmetic; /* of vectors of f16 */
    bool has_bf16;           /* conversion from f32 to bf16 that keeps subnormals */
    bool has_byte_tables;    /* an instruction that looks bytes up in registers, 64 at a time */
    bool has_mul_i64;        /* LLVM multiplies vectors of i64 as vectors */
} target;

/* The CPU of that name, of any architecture; null or "native" is this machine. INVALID_ARGUMENT for an unknown name, NOT_EXECUTABLE for
 * a native one that lacks what every kernel needs (x86: SSE4.2). */
tosajit_status target_find(const char *name, target *t);
void target_destroy(target *t);

/* A new target machine; null on failure. Not to be used by two threads at once. */
LLVMTargetMachineRef target_machine(const target *t, LLVMCodeGenOptLevel level);

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
