/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Features: the tables. Rows are only ever appended: their position is a bit in kernel images. */
#define _DEFAULT_SOURCE
#include "runtime/base/features.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

/* Where a feature is told. x86: word is a register of CPUID, and the state that the system must
 * save. AArch64: word is AT_HWCAP or AT_HWCAP2. All bits must be set. */
typedef struct feature_row {
    const char *name;
    uint8_t word, state;
    uint32_t bits;
} feature_row;

/* Source: Intel SDM, CPUID, and AMD APM 3, appendix E. */
enum { LEAF1_C, LEAF7_B, LEAF7_C, LEAF7_D, LEAF71_A, LEAF71_D, EXTENDED_C, X86_WORDS };
enum { STATE_NONE, STATE_YMM = 0x06, STATE_ZMM = 0xe6 }; /* bits of XCR0 */
/* Rows that this library's own code asks for. */
enum { AVX2 = 13, AVX512F = 16 };
static const feature_row x86_rows[] = {
    {"sse3", LEAF1_C, STATE_NONE, 1u << 0},
    {"ssse3", LEAF1_C, STATE_NONE, 1u << 9},
    {"cx16", LEAF1_C, STATE_NONE, 1u << 13},
    {"sse4.1", LEAF1_C, STATE_NONE, 1u << 19},
    {"sse4.2", LEAF1_C, STATE_NONE, 1u << 20},
    {"movbe", LEAF1_C, STATE_NONE, 1u << 22},
    {"popcnt", LEAF1_C, STATE_NONE, 1u << 23},
    {"fma", LEAF1_C, STATE_YMM, 1u << 12},
    {"avx", LEAF1_C, STATE_YMM, 1u << 28},
    {"f16c", LEAF1_C, STATE_YMM, 1u << 29},
    {"sahf", EXTENDED_C, STATE_NONE, 1u << 0},
    {"lzcnt", EXTENDED_C, STATE_NONE, 1u << 5},
    {"bmi", LEAF7_B, STATE_NONE, 1u << 3},
    [AVX2] = {"avx2", LEAF7_B, STATE_YMM, 1u << 5},
    {"bmi2", LEAF7_B, STATE_NONE, 1u << 8},
    {"adx", LEAF7_B, STATE_NONE, 1u << 19},
    [AVX512F] = {"avx512f", LEAF7_B, STATE_ZMM, 1u << 16},
    {"evex512", LEAF7_B, STATE_ZMM, 1u << 16}, /* LLVM's name for the registers' full width */
    {"avx512dq", LEAF7_B, STATE_ZMM, 1u << 17},
    {"avx512ifma", LEAF7_B, STATE_ZMM, 1u << 21},
    {"avx512cd", LEAF7_B, STATE_ZMM, 1u << 28},
    {"avx512bw", LEAF7_B, STATE_ZMM, 1u << 30},
    {"avx512vl", LEAF7_B, STATE_ZMM, 1u << 31},
    {"avx512vbmi", LEAF7_C, STATE_ZMM, 1u << 1},
    {"avx512vbmi2", LEAF7_C, STATE_ZMM, 1u << 6},
    {"gfni", LEAF7_C, STATE_NONE, 1u << 8},
    {"avx512vnni", LEAF7_C, STATE_ZMM, 1u << 11},
    {"avx512bitalg", LEAF7_C, STATE_ZMM, 1u << 12},
    {"avx512vpopcntdq", LEAF7_C, STATE_ZMM, 1u << 14},
    {"avx512fp16", LEAF7_D, STATE_ZMM, 1u << 23},
    {"avxvnni", LEAF71_A, STATE_YMM, 1u << 4},
    {"avx512bf16", LEAF71_A, STATE_ZMM, 1u << 5},
    {"avxifma", LEAF71_A, STATE_YMM, 1u << 23},
    {"avxvnniint8", LEAF71_D, STATE_YMM, 1u << 4},
    {"avxneconvert", LEAF71_D, STATE_YMM, 1u << 5},
};

/* Source: Linux, Documentation/arch/arm64/elf_hwcaps.rst. */
enum { HWCAP, HWCAP2, ARM_WORDS };
static const feature_row arm_rows[] = {
    {"fp-armv8", HWCAP, 0, 1u << 0},
    {"neon", HWCAP, 0, 1u << 1},
    {"fullfp16", HWCAP, 0, 1u << 9 | 1u << 10},
    {"dotprod", HWCAP, 0, 1u << 20},
    {"sha3", HWCAP, 0, 1u << 17},
    {"sve", HWCAP, 0, 1u << 22},
    {"sve2", HWCAP2, 0, 1u << 1},
    {"i8mm", HWCAP2, 0, 1u << 13},
    {"bf16", HWCAP2, 0, 1u << 14},
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

#if defined(__x86_64__)
uint16_t features_machine(void) { return MACHINE_X86_64; }

/* What the system saves of the registers: XCR0, or nothing. */
static uint32_t saved_state(uint32_t leaf1_c) {
    enum { OSXSAVE = 1 << 27 };
    uint32_t low = 0, high;
    if (leaf1_c & OSXSAVE) __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static uint64_t detect(void) {
    uint32_t words[X86_WORDS] = {0}, unused;
    __get_cpuid(1, &unused, &unused, &words[LEAF1_C], &unused);
    __get_cpuid(0x80000001, &unused, &unused, &words[EXTENDED_C], &unused);
    if (__get_cpuid_count(7, 0, &unused, &words[LEAF7_B], &words[LEAF7_C], &words[LEAF7_D]))
        __get_cpuid_count(7, 1, &words[LEAF71_A], &unused, &unused, &words[LEAF71_D]);
    const uint32_t state = saved_state(words[LEAF1_C]);
    uint64_t found = 0;
    for (size_t k = 0; k < sizeof x86_rows / sizeof *x86_rows; k++) {
        const feature_row *row = &x86_rows[k];
        bool present =
            (words[row->word] & row->bits) == row->bits && (state & row->state) == row->state;
        found |= (uint64_t)present << k;
    }
    return found;
}
#elif defined(__aarch64__)
uint16_t features_machine(void) { return MACHINE_AARCH64; }

static uint64_t detect(void) {
    const unsigned long words[ARM_WORDS] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    uint64_t found = 0;
    for (size_t k = 0; k < sizeof arm_rows / sizeof *arm_rows; k++)
        found |= (uint64_t)((words[arm_rows[k].word] & arm_rows[k].bits) == arm_rows[k].bits) << k;
    return found;
}
#else
uint16_t features_machine(void) { return MACHINE_NONE; }
static uint64_t detect(void) { return 0; }
#endif

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

/* What every CPU of the machine has. */
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
