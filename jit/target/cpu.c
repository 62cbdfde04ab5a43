/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPUs by name: the tables. */
#include "jit/target/cpu.h"

#include <string.h>

#include "runtime/base/features.h"
#include "tosajit/inspect.h"

#define X86_V2 "+cx16,+sahf,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2"
#define X86_V3 X86_V2 ",+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe"
#define X86_V4 X86_V3 ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl"

/* By architecture: the features behind those that every CPU has. x86 converts f32 to bf16 only with
 * subnormals flushed, and more slowly than a shift and a mask do. */
#define X86                                                                                        \
    .architecture = "x86_64", .machine = MACHINE_X86_64, .fma = "+fma", .f16 = "+f16c",            \
    .f16_arithmetic = "+avx512fp16", .mul_i64 = "", .byte_permute = "+avx512vbmi",                 \
    .fence = "llvm.x86.sse.sfence"
#define ARM                                                                                        \
    .architecture = "aarch64", .machine = MACHINE_AARCH64, .fma = "", .f16 = "",                   \
    .f16_arithmetic = "+fullfp16", .bf16 = "+bf16", .mul_i64 = "+sve", .byte_tables = true,        \
    .extremes = CPU_EXTREMES_NATIVE

enum { V4, V3, V2, NEON, LEVELS };
_Static_assert(V4 < V3 && V3 < V2, "cpu_level_of takes the first that fits, cpu_floor the last");
static const cpu_level levels[LEVELS] = {
    [V4] = {X86, .cpu = "x86-64-v4", .features = X86_V4, .vector_bytes = 64, .access_bytes = 64,
            .mask_bytes = 1, .fast_isel = true, .permute = true, .entries = 32, .rsqrt_bits = 14,
            .extremes = CPU_EXTREMES_TERNARY},
    [V3] = {X86, .cpu = "x86-64-v3", .features = X86_V3, .vector_bytes = 32, .access_bytes = 32,
            .mask_bytes = 4, .fast_isel = true, .entries = 8, .rsqrt_bits = 11,
            .extremes = CPU_EXTREMES_SUBTRACT},
    [V2] = {X86, .cpu = "x86-64-v2", .features = X86_V2, .vector_bytes = 16, .access_bytes = 16,
            .extremes = CPU_EXTREMES_SUBTRACT},
    [NEON] = {ARM, .cpu = "generic", .features = "+fp-armv8,+neon", .vector_bytes = 16,
              .access_bytes = 32},
};

/* Models have those of their features here that elementwise code may gain from. Source: LLVM 22,
 * X86TargetParser.cpp and AArch64Processors.td. */
#define ICE ",+avx512bitalg,+avx512ifma,+avx512vbmi,+avx512vbmi2,+avx512vnni,+avx512vpopcntdq,+gfni"
#define ARM82 ",+fullfp16,+dotprod"
static const cpu_model models[] = {
    {"x86-64-v2", &levels[V2], ""},
    {"x86-64-v3", &levels[V3], ""},
    {"x86-64-v4", &levels[V4], ""},
    {"aarch64", &levels[NEON], ""},
    {"nehalem", &levels[V2], ""},
    {"westmere", &levels[V2], ""},
    {"silvermont", &levels[V2], ",+movbe"},
    {"goldmont", &levels[V2], ",+movbe"},
    {"tremont", &levels[V2], ",+movbe"},
    {"sandybridge", &levels[V2], ",+avx"},
    {"ivybridge", &levels[V2], ",+avx,+f16c"},
    {"btver2", &levels[V2], ",+avx,+bmi,+f16c,+lzcnt,+movbe"},
    {"haswell", &levels[V3], ""},
    {"broadwell", &levels[V3], ""},
    {"skylake", &levels[V3], ""},
    {"alderlake", &levels[V3], ",+gfni"},
    {"gracemont", &levels[V3], ",+gfni"},
    {"znver1", &levels[V3], ""},
    {"znver2", &levels[V3], ""},
    {"znver3", &levels[V3], ""},
    {"skylake-avx512", &levels[V4], ""},
    {"cascadelake", &levels[V4], ",+avx512vnni"},
    {"icelake-client", &levels[V4], ICE},
    {"icelake-server", &levels[V4], ICE},
    {"tigerlake", &levels[V4], ICE},
    {"rocketlake", &levels[V4], ICE},
    {"sapphirerapids", &levels[V4], ICE ",+avx512fp16"},
    {"graniterapids", &levels[V4], ICE ",+avx512fp16"},
    {"znver4", &levels[V4], ICE},
    {"znver5", &levels[V4], ICE},
    {"cortex-a53", &levels[NEON], ""},
    {"cortex-a57", &levels[NEON], ""},
    {"cortex-a72", &levels[NEON], ""},
    {"cortex-a55", &levels[NEON], ARM82},
    {"cortex-a75", &levels[NEON], ARM82},
    {"cortex-a76", &levels[NEON], ARM82},
    {"cortex-a78", &levels[NEON], ARM82},
    {"cortex-x1", &levels[NEON], ARM82},
    {"cortex-a710", &levels[NEON], ARM82 ",+bf16,+i8mm,+sve,+sve2"},
    {"cortex-x2", &levels[NEON], ARM82 ",+bf16,+i8mm,+sve,+sve2"},
    {"neoverse-n1", &levels[NEON], ARM82},
    {"neoverse-v1", &levels[NEON], ARM82 ",+bf16,+i8mm,+sve"},
    {"neoverse-n2", &levels[NEON], ARM82 ",+bf16,+i8mm,+sve,+sve2"},
    {"neoverse-v2", &levels[NEON], ARM82 ",+bf16,+i8mm,+sve,+sve2"},
    {"ampere1", &levels[NEON], ARM82 ",+bf16,+i8mm"},
    {"a64fx", &levels[NEON], ",+fullfp16,+sve"},
    {"apple-m1", &levels[NEON], ARM82},
    {"apple-m2", &levels[NEON], ARM82 ",+bf16,+i8mm"},
};

const cpu_model *cpu_at(size_t index) {
    return index < sizeof models / sizeof *models ? &models[index] : NULL;
}

const char *tosajit_cpu_name(size_t index) {
    const cpu_model *model = cpu_at(index);
    return model ? model->name : NULL;
}

/* v3 is short for x86-64-v3. */
static const char *short_name(const cpu_model *model) {
    static const char levels[] = "x86-64-";
    const bool has = strncmp(model->name, levels, sizeof levels - 1) == 0;
    return has ? model->name + sizeof levels - 1 : model->name;
}

const cpu_model *cpu_find(const char *name) {
    const cpu_model *model;
    for (size_t k = 0; (model = cpu_at(k)); k++)
        if (strcmp(model->name, name) == 0 || strcmp(short_name(model), name) == 0) return model;
    return NULL;
}

const cpu_level *cpu_level_of(uint16_t machine, uint64_t features) {
    for (size_t k = 0; k < LEVELS; k++)
        if (levels[k].machine == machine && !(features_of(machine, levels[k].features) & ~features))
            return &levels[k];
    return NULL;
}

const cpu_level *cpu_floor(uint16_t machine) {
    for (size_t k = LEVELS; k-- > 0;)
        if (levels[k].machine == machine) return &levels[k];
    return NULL;
}

bool cpu_has(const char *list, const char *needs, const char **missing) {
    while (*needs) {
        size_t length = strcspn(needs, ",");
        bool found = length == 0;
        for (const char *word = list; !found && *word;
             word += strcspn(word, ","), word += *word == ',')
            found = strcspn(word, ",") == length && strncmp(word, needs, length) == 0;
        if (!found) {
            if (missing) *missing = needs;
            return false;
        }
        needs += length;
        needs += *needs == ',';
    }
    return true;
}
