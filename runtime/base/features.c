/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Features: the tables. Rows are only ever appended: their position is a bit in kernel images. */
#include "runtime/base/features.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "runtime/system/system.h"

/* Where a feature is told: bits of a word of system_cpu, which must all be set; and, on x86, of the
 * state that the system must save. */
typedef struct feature_row {
    const char *name;
    uint8_t word, state;
    uint32_t bits;
} feature_row;

/* Source: Intel SDM, CPUID, and AMD APM 3, appendix E. */
enum { STATE_NONE, STATE_YMM = 0x06, STATE_ZMM = 0xe6 }; /* bits of XCR0 */
/* Rows that this library's own code asks for. */
enum { AVX2 = 13, AVX512F = 16 };
static const feature_row x86_rows[] = {
    {"sse3", CPU_LEAF1_C, STATE_NONE, 1u << 0},
    {"ssse3", CPU_LEAF1_C, STATE_NONE, 1u << 9},
    {"cx16", CPU_LEAF1_C, STATE_NONE, 1u << 13},
    {"sse4.1", CPU_LEAF1_C, STATE_NONE, 1u << 19},
    {"sse4.2", CPU_LEAF1_C, STATE_NONE, 1u << 20},
    {"movbe", CPU_LEAF1_C, STATE_NONE, 1u << 22},
    {"popcnt", CPU_LEAF1_C, STATE_NONE, 1u << 23},
    {"fma", CPU_LEAF1_C, STATE_YMM, 1u << 12},
    {"avx", CPU_LEAF1_C, STATE_YMM, 1u << 28},
    {"f16c", CPU_LEAF1_C, STATE_YMM, 1u << 29},
    {"sahf", CPU_EXTENDED_C, STATE_NONE, 1u << 0},
    {"lzcnt", CPU_EXTENDED_C, STATE_NONE, 1u << 5},
    {"bmi", CPU_LEAF7_B, STATE_NONE, 1u << 3},
    [AVX2] = {"avx2", CPU_LEAF7_B, STATE_YMM, 1u << 5},
    {"bmi2", CPU_LEAF7_B, STATE_NONE, 1u << 8},
    {"adx", CPU_LEAF7_B, STATE_NONE, 1u << 19},
    [AVX512F] = {"avx512f", CPU_LEAF7_B, STATE_ZMM, 1u << 16},
    {"evex512", CPU_LEAF7_B, STATE_ZMM, 1u << 16}, /* LLVM's name for the registers' full width */
    {"avx512dq", CPU_LEAF7_B, STATE_ZMM, 1u << 17},
    {"avx512ifma", CPU_LEAF7_B, STATE_ZMM, 1u << 21},
    {"avx512cd", CPU_LEAF7_B, STATE_ZMM, 1u << 28},
    {"avx512bw", CPU_LEAF7_B, STATE_ZMM, 1u << 30},
    {"avx512vl", CPU_LEAF7_B, STATE_ZMM, 1u << 31},
    {"avx512vbmi", CPU_LEAF7_C, STATE_ZMM, 1u << 1},
    {"avx512vbmi2", CPU_LEAF7_C, STATE_ZMM, 1u << 6},
    {"gfni", CPU_LEAF7_C, STATE_NONE, 1u << 8},
    {"avx512vnni", CPU_LEAF7_C, STATE_ZMM, 1u << 11},
    {"avx512bitalg", CPU_LEAF7_C, STATE_ZMM, 1u << 12},
    {"avx512vpopcntdq", CPU_LEAF7_C, STATE_ZMM, 1u << 14},
    {"avx512fp16", CPU_LEAF7_D, STATE_ZMM, 1u << 23},
    {"avxvnni", CPU_LEAF71_A, STATE_YMM, 1u << 4},
    {"avx512bf16", CPU_LEAF71_A, STATE_ZMM, 1u << 5},
    {"avxifma", CPU_LEAF71_A, STATE_YMM, 1u << 23},
    {"avxvnniint8", CPU_LEAF71_D, STATE_YMM, 1u << 4},
    {"avxneconvert", CPU_LEAF71_D, STATE_YMM, 1u << 5},
};

/* Source: Linux, Documentation/arch/arm64/elf_hwcaps.rst. */
static const feature_row arm_rows[] = {
    {"fp-armv8", CPU_HWCAP, 0, 1u << 0},
    {"neon", CPU_HWCAP, 0, 1u << 1},
    {"fullfp16", CPU_HWCAP, 0, 1u << 9 | 1u << 10},
    {"dotprod", CPU_HWCAP, 0, 1u << 20},
    {"sha3", CPU_HWCAP, 0, 1u << 17},
    {"sve", CPU_HWCAP, 0, 1u << 22},
    {"sve2", CPU_HWCAP2, 0, 1u << 1},
    {"i8mm", CPU_HWCAP2, 0, 1u << 13},
    {"bf16", CPU_HWCAP2, 0, 1u << 14},
};

enum { KNOWN = 63 }; /* the bit that says that this CPU has been looked at */
_Static_assert(sizeof x86_rows / sizeof *x86_rows <= KNOWN &&
                   sizeof arm_rows / sizeof *arm_rows <= KNOWN,
               "a set of features is 64 bits, of which the last is taken");

typedef struct feature_table {
    const feature_row *rows;
    size_t count;
} feature_table;

static feature_table machine_table(uint16_t machine) {
    if (machine == MACHINE_X86_64)
        return (feature_table){x86_rows, sizeof x86_rows / sizeof *x86_rows};
    if (machine == MACHINE_AARCH64)
        return (feature_table){arm_rows, sizeof arm_rows / sizeof *arm_rows};
    return (feature_table){NULL, 0};
}

/* This CPU. */

uint16_t features_machine(void) {
#if defined(__x86_64__)
    return MACHINE_X86_64;
#elif defined(__aarch64__)
    return MACHINE_AARCH64;
#else
    return MACHINE_NONE;
#endif
}

static uint64_t detect(void) {
    const feature_table t = machine_table(features_machine());
    uint32_t words[CPU_WORDS];
    uint64_t found = 0;
    system_cpu(words);
    for (size_t k = 0; k < t.count; k++) {
        const feature_row *row = &t.rows[k];
        const bool present = (words[row->word] & row->bits) == row->bits &&
                             (words[CPU_XCR0] & row->state) == row->state;
        found |= (uint64_t)present << k;
    }
    return found;
}

uint64_t features_host(void) {
    static atomic_uint_least64_t
        cache; /* CPUID takes some microseconds, and longer in a virtual machine */
    uint64_t known = atomic_load_explicit(&cache, memory_order_relaxed);
    if (!known) {
        known = detect() | UINT64_C(1) << KNOWN;
        atomic_store_explicit(&cache, known, memory_order_relaxed);
    }
    return known & ~(UINT64_C(1) << KNOWN);
}

bool features_masked(uint64_t features) {
    return features_machine() == MACHINE_X86_64 && features >> AVX512F & 1;
}

int32_t features_permuted_bytes(void) {
    const uint64_t host = features_machine() == MACHINE_X86_64 ? features_host() : 0;
    return host >> AVX512F & 1 ? 64 : host >> AVX2 & 1 ? 32 : 0;
}

/* Lists. */

static size_t find_feature(feature_table t, const char *name, size_t length) {
    size_t k = 0;
    while (k < t.count &&
           !(strlen(t.rows[k].name) == length && memcmp(t.rows[k].name, name, length) == 0))
        k++;
    return k;
}

uint64_t features_of(uint16_t machine, const char *list) {
    const feature_table t = machine_table(machine);
    uint64_t features = 0;
    while (*list) {
        size_t length = strcspn(list, ",");
        size_t k = *list == '+' ? find_feature(t, list + 1, length - 1) : t.count;
        if (k < t.count) features |= UINT64_C(1) << k;
        list += length;
        list += *list == ',';
    }
    return features;
}

/* True if every CPU of the machine has it. */
static bool is_baseline(const char *name, size_t length) {
    static const char *const names[] = {"64bit", "cmov", "cx8",  "fxsr",
                                        "mmx",   "sse",  "sse2", "x87"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strlen(names[k]) == length && memcmp(names[k], name, length) == 0) return true;
    return false;
}

void features_restrict(uint16_t machine, char *list) {
    const feature_table t = machine_table(machine);
    while (*list) {
        size_t length = strcspn(list, ",");
        if (*list == '+' && find_feature(t, list + 1, length - 1) == t.count &&
            !is_baseline(list + 1, length - 1))
            *list = '-';
        list += length;
        list += *list == ',';
    }
}

void features_print(uint16_t machine, uint64_t features, bool absent, char *text, size_t capacity) {
    const feature_table t = machine_table(machine);
    size_t used = 0;
    *text = 0;
    for (size_t k = 0; k < t.count && used < capacity; k++) {
        bool present = features >> k & 1;
        if (present || absent)
            used += (size_t)snprintf(text + used, capacity - used, "%s%c%s", used ? "," : "",
                                     present ? '+' : '-', t.rows[k].name);
    }
}
