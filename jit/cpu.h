/* CPUs by name: instruction set levels, and models, which are a level and more. Data and the reading of feature lists, without LLVM. */
#ifndef TOSAJIT_JIT_CPU_H
#define TOSAJIT_JIT_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What all CPUs of a level have, and how loops are shaped for it. Feature lists are LLVM's: "+avx2,+fma". */
typedef struct cpu_level {
    const char *architecture, *cpu; /* as LLVM calls them */
    uint16_t machine;               /* EM_* of ELF */
    const char *features;           /* all that code for the level may use */
    unsigned vector_bytes;          /* of a register: 64 AVX-512, 32 AVX2, 16 SSE and NEON */
    unsigned mask_bytes;            /* smallest element of masked loads and stores; 1: they cost no more than whole ones; 0: none */
} cpu_level;

typedef struct cpu_model {
    const char *name;
    const cpu_level *level;
    const char *features; /* beyond the level, each with a comma before it */
} cpu_model;

/* The model or level of that name; null if there is none. */
const cpu_model *cpu_find(const char *name);
/* Every one in turn, levels first; null at the end. */
const cpu_model *cpu_at(size_t index);
/* The highest level of the architecture all of whose features are in the list; null if there is none. */
const cpu_level *cpu_level_of(const char *architecture, const char *features);
/* The lowest level of the architecture; null if there is none. */
const cpu_level *cpu_floor(const char *architecture);
/* Whether the list has every one of the comma-separated words of needs, as whole words. The first one that it lacks, if not null, is
 * left in *missing, up to a comma or the end. */
bool cpu_has(const char *list, const char *needs, const char **missing);

#endif
