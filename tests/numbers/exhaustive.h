/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The exhaustive proof, shared by its files: a job is one op on one combination of element types,
 * walked over all its operands. exhaustive_jobs.c says which jobs there are and makes their
 * operands; exhaustive_reference.c computes what they should give, independently of the library;
 * exhaustive_state.c keeps what has been found; exhaustive.c runs and prints. */
#ifndef TOSAJIT_TESTS_NUMBERS_EXHAUSTIVE_H
#define TOSAJIT_TESTS_NUMBERS_EXHAUSTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tosajit/tosajit.h"

enum {
    CHUNK = 1 << 13,     /* points that are computed and compared together */
    BLOCK = CHUNK * 256, /* points that a thread takes at once, and the grain of the saved state */
    MAX_LANES = 18,      /* engines times ways of calling them */
    MAX_ELEMENT = 8,     /* bytes */
};

/* Where the operands of point k come from. */
typedef enum source {
    SOURCE_ALL,        /* one operand: the bits of k, of 32 rotated by one */
    SOURCE_PAIRS,      /* two operands of at most 16 bits: the high and low bits of k */
    SOURCE_STRUCTURED, /* i16: all values with 1024 structured ones */
    SOURCE_MIXED,      /* special, everyday and arbitrary values, by a hash of k */
    SOURCE_POWERS,     /* pairs for pow on f32, see powers_of in exhaustive_jobs.c */
} source;

typedef struct job {
    char name[64]; /* "cast f32 -> i8", for people */
    char id[64];   /* the same as a file name */
    tosajit_attributes attributes;
    size_t sizes[TOSAJIT_MAX_ARITY], result_size; /* bytes of an element */
    uint64_t total;                               /* points */
    tosajit_op op;
    int arity;
    tosajit_type operands[TOSAJIT_MAX_ARITY], result;
    source source;
    bool function; /* a transcendental function: its value is real and gets rounded */
} job;

/* Bytes of an element, as tosajit_type_size tells them; the reference calls nothing of the library.
 */
size_t exhaustive_size(tosajit_type type);
bool exhaustive_is_float(tosajit_type type);
/* The number that the bits of a floating-point type are, and the bits of the nearest one. */
double exhaustive_decode(tosajit_type type, uint64_t bits);
uint64_t exhaustive_encode(tosajit_type type, double number);
bool exhaustive_is_function(tosajit_op op);

/* All jobs, the long ones of functions and casts first; the array is static. `pairs` is the number
 * of points for pow on f32. */
const job *exhaustive_jobs(size_t *count, uint64_t pairs);

/* The operands of points first, first + step, ..., each operand as an array of its type in memory.
 */
void exhaustive_operands(const job *j, uint64_t first, uint64_t step, size_t count,
                         void *const *operands);

/* An element: integers and i1 as i, floating point as f. */
typedef union value {
    int64_t i;
    double f;
} value;

/* Expected results of a chunk, of at most CHUNK points. */
typedef struct expectation {
    _Alignas(64) uint8_t bits[CHUNK * MAX_ELEMENT]; /* the results, in memory form */
    double real[CHUNK];     /* functions: the real value, to 2^-50 relative */
    double distance[CHUNK]; /* functions: from the expected result, in ulp */
    double widest;          /* functions: the largest distance; at index widest_at */
    size_t widest_at;
    size_t hard_count; /* functions: operands for which f64 does not tell how to round, decided by
                          MPFR */
    uint32_t hard[CHUNK];
    value values[4][CHUNK]; /* of the operands and the results */
} expectation;

void exhaustive_expect(const job *j, void *const *operands, size_t count, expectation *e);

/* Distance of a result from the real value of point k in ulp: units of the last place that the
 * result type has around the real value. Infinity counts as the power of two behind the largest
 * value; a wrong NaN, sign of zero or pole is infinitely far away. */
double exhaustive_distance(const job *j, void *const *operands, const expectation *e, size_t k,
                           uint64_t actual);
/* True if a result is right: equal bits, or both NaN where the op does not move bits. */
bool exhaustive_same(const job *j, uint64_t actual, uint64_t expected);

/* An element of memory as a number, and back; by constant sizes, which compilers turn into one
 * instruction. */
static inline uint64_t exhaustive_load(const void *array, size_t k, size_t size) {
    const uint8_t *at = (const uint8_t *)array + k * size;
    uint64_t bits = 0; /* little-endian: the low bytes */
    switch (size) {
    case 1: return *at;
    case 2: memcpy(&bits, at, 2); break;
    case 4: memcpy(&bits, at, 4); break;
    default: memcpy(&bits, at, 8);
    }
    return bits;
}

static inline void exhaustive_store(void *array, size_t k, size_t size, uint64_t bits) {
    uint8_t *at = (uint8_t *)array + k * size;
    switch (size) {
    case 1: *at = (uint8_t)bits; break;
    case 2: memcpy(at, &bits, 2); break;
    case 4: memcpy(at, &bits, 4); break;
    default: memcpy(at, &bits, 8);
    }
}

/* The finding on one lane: an engine and a way of calling it. */
typedef struct finding {
    uint64_t checked, wrong;     /* wrong: other bits than expected; of functions: misrounded */
    uint64_t beyond;             /* functions: further than 1 ulp from the real value */
    double widest;               /* functions: the largest distance in ulp, NaN-free */
    uint64_t widest_operands[3]; /* where that is */
    uint64_t wrong_operands[3], wrong_result,
        expected_result; /* the worst wrong result, or the first */
    double wrong_distance;
} finding;

void finding_merge(finding *into, const finding *from);

/* A job in progress. */
typedef struct progress {
    uint64_t fingerprint, total,
        step; /* what the findings belong to: the code of all lanes, the points */
    int lane_count;
    finding lanes[MAX_LANES];
    uint64_t block_count;
    uint8_t *done; /* a byte per block */
} progress;

/* Read and write a state file; false where there is none, or none that belongs to the same code and
 * points. */
bool progress_load(progress *p, const char *directory, const char *id);
bool progress_save(const progress *p, const char *directory, const char *id);

#endif
