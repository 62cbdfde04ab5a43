/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPUs by name: instruction set levels, and models, which are a level and more. Data and the
 * reading of feature lists, without LLVM. */
#ifndef TOSAJIT_JIT_TARGET_CPU_H
#define TOSAJIT_JIT_TARGET_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/features.h"

/* Code for the larger of two floating-point numbers, NaN and signed zeros included. */
typedef enum cpu_extremes {
    CPU_EXTREMES_NATIVE,   /* one instruction does it all */
    CPU_EXTREMES_SUBTRACT, /* one that gives its second operand where neither is larger, twice, and
                              arithmetic */
    CPU_EXTREMES_TERNARY,  /* the same, and instructions for any logic of three operands */
} cpu_extremes;

/* An instruction set level: the features of its CPUs, the shape of its loops, and the instructions
 * that emitters may count on. Feature lists are LLVM's: "+avx2,+fma". */
typedef struct cpu_level {
    const char *architecture, *cpu; /* as LLVM calls them */
    uint16_t machine;               /* MACHINE_* */
    const char *features;           /* all that code for the level may use */
    unsigned vector_bytes;          /* of a register */
    unsigned access_bytes;          /* of the largest load or store: two registers, if by pairs */
    unsigned mask_bytes; /* smallest element of masked loads and stores; 1: they cost no more than
                            whole ones; 0: none */
    bool fast_isel;      /* LLVM's FastISel makes good code of simple vectors */
    bool permute;        /* one instruction takes 8 of 8 64-bit values by 8 indices, in registers */
    unsigned entries; /* f32 in registers that one instruction looks up by an index per lane; 0 */
    unsigned rsqrt_bits; /* of an instruction's estimate of 1 / sqrt x, of f32; 0: there is none */
    bool byte_tables;    /* an instruction looks bytes up in four registers, by any index */
    const char *fence;   /* LLVM's intrinsic that orders stores past the caches; null: these are not
                            made, for want of a machine to measure them on */
    cpu_extremes extremes;
    /* Features by which a CPU has this; "": every CPU has it; null: none has. */
    const char *fma;            /* instructions that multiply, add and round once */
    const char *f16;            /* conversions between f16 and f32 */
    const char *f16_arithmetic; /* of vectors of f16 */
    const char *bf16;           /* a conversion from f32 to bf16 that keeps subnormals */
    const char *mul_i64;        /* LLVM multiplies vectors of i64 as vectors */
    const char *byte_permute;   /* one instruction takes 64 of 128 bytes, in registers */
} cpu_level;

enum { CPU_MASK_LANES = 64 /* of a masked access, at most */ };

typedef struct cpu_model {
    const char *name;
    const cpu_level *level;
    const char *features; /* beyond the level, each with a comma before it */
} cpu_model;

/* The model or level of that name, of which v3 is short for x86-64-v3; null if there is none. */
const cpu_model *cpu_find(const char *name);
/* Every one in turn, levels first; null at the end. */
const cpu_model *cpu_at(size_t index);
/* The highest level of the machine all of whose features are among these (runtime/base/features.h);
 * null if there is none. */
const cpu_level *cpu_level_of(uint16_t machine, uint64_t features);
/* The lowest level of the machine; null if it has no kernels. */
const cpu_level *cpu_floor(uint16_t machine);
/* True if the list has every one of the comma-separated words of needs, as whole words. The first
 * one that it lacks, if not null, is left in *missing, up to a comma or the end. */
bool cpu_has(const char *list, const char *needs, const char **missing);

#endif
