/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by all tests: the engines of this machine, random numbers and elements, comparing
 * elements, shapes as text. In: settings from the environment. Out: values; nothing here decides
 * whether a test passes. */
#ifndef TOSAJIT_TESTS_SUPPORT_SUPPORT_H
#define TOSAJIT_TESTS_SUPPORT_SUPPORT_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

/* The interpreter, native code for every CPU that this machine can run, and precompiled code. */
enum { TEST_MAX_ENGINES = 9 };
typedef struct test_engine {
    const char *name, *cpu; /* cpu: as of the engine's options */
    bool native;
    tosajit_engine *engine;
} test_engine;

/* Open them all, or the interpreter and those that the environment variable TOSAJIT_ENGINES names
 * ("native x86-64-v2"); prints which are left out. 0 if one fails for another reason than a CPU
 * that this machine is not, or not with TOSAJIT_CPU. */
size_t test_engines_open(test_engine *engines, tosajit_accuracy accuracy);
void test_engines_close(test_engine *engines, size_t count);

/* The engines of a whole program: setups and a teardown of a group of tests, for cmocka. */
extern test_engine test_engines[TEST_MAX_ENGINES];
extern size_t test_engine_count;
int test_setup_exact(void **state);
int test_setup_fast(void **state);
int test_teardown(void **state);

/* True if TOSAJIT_CPU makes code that runs here of a lower level than this one's. */
bool test_is_lowered(const char *cpu);

/* "2x?" -> a tensor type; "*" is unranked, "" is rank 0. */
tosajit_tensor_type test_type(tosajit_type element, const char *shape);
/* "4x3" -> sizes, which may be 0; returns the rank. */
int32_t test_dims(const char *shape, int64_t *dims);

/* A number from the environment variable, or the default. */
uint64_t test_setting(const char *variable, uint64_t standard);

/* The days since 1970: what a test draws changes from day to day. */
uint64_t test_day(void);
/* TOSAJIT_SEED=<n>, or the day. It is printed once. */
uint64_t test_seed(void);
/* True if the case with this number is one of the n-th part that the seed chooses. TOSAJIT_THIN=<n>
 * sets n. */
bool test_is_drawn(uint64_t number, uint64_t n);
/* 1, or n by TOSAJIT_THIN=<n>: a test makes an n-th of its cases, for emulators. */
uint64_t test_thinning(void);
/* True if this process makes the case with this number: TOSAJIT_PART=2/4 takes the second quarter,
 * which are 1, 5, 9, ... Without the variable every case is. */
bool test_is_mine(uint64_t number);
/* True if an emulator runs this program, which TOSAJIT_EMULATOR tells: resident memory and limits
 * of addresses are then the emulator's. */
bool test_is_emulated(void);

/* End the process when it has used so much processor time from now on; 0: no such end. What is slow
 * because others use the processor goes on; what hangs without using it is for CTest's TIMEOUT. Not
 * inherited by children. */
void test_limit_processor_time(int seconds);

/* tosajit_run, as a call that is bound, run and released. The types are the kernel's. */
tosajit_status test_run_bound(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                              size_t operand_count, const tosajit_tensor *results,
                              size_t result_count);

/* xorshift64*, started through splitmix64 so that neighbouring seeds differ. While there are bytes,
 * two of them are mixed into every number, so that a fuzzer decides. */
typedef struct test_random {
    uint64_t state;
    const unsigned char *bytes;
    size_t left;
} test_random;
test_random test_random_start(uint64_t seed);
test_random test_random_bytes(const unsigned char *bytes, size_t count);
uint64_t test_random_next(test_random *random);
int64_t test_random_range(test_random *random, int64_t low, int64_t high); /* both included */
bool test_random_chance(test_random *random, int percent);

/* An element of any type: special values, everyday values and arbitrary bits in turn. */
void test_random_element(test_random *random, tosajit_type type, void *element);
/* An everyday value alone: sums of thousands are finite. Of integers any. */
void test_random_everyday(test_random *random, tosajit_type type, void *element);
/* The same, so near 1 that products of thousands are finite, too; of integers odd ones. */
void test_random_near_one(test_random *random, tosajit_type type, void *element);

/* Bits of an element as a number, for comparing and printing. */
uint64_t test_bits(tosajit_type type, const void *element);
bool test_is_nan(tosajit_type type, uint64_t bits);
bool test_is_float(tosajit_type type);
/* Equal bits, or both NaN, or floating-point values at most `ulps` representable values apart. */
bool test_same(tosajit_type type, uint64_t a, uint64_t b, uint64_t ulps);
/* Parameter k of an op, as TOSA's tables say it: an element type, a number of elements,
 * legal values. */
typedef struct test_parameter {
    tosajit_type element;
    int64_t count;     /* 0: one per channel */
    int64_t low, high; /* legal values; floating-point ones are 0 */
    bool only_ends;    /* nothing between low and high is legal */
} test_parameter;
test_parameter test_parameter_of(tosajit_op op, int k, tosajit_type operand, tosajit_type result,
                                 const tosajit_attributes *attributes);
/* An element that a constant may have. */
void test_parameter_element(test_random *random, const test_parameter *parameter, void *element);
/* Legal attributes of a rescale. */
tosajit_attributes test_random_scaling(test_random *random, tosajit_type operand,
                                       tosajit_type result);

/* The next legal combination of operand and result element types of op after *state, which starts
 * at 0; false at the end. */
bool test_next_signature(tosajit_op op, unsigned *state, tosajit_type *operands,
                         tosajit_type *result);

/* True if an op moves elements and computes none, gives positions, scans or scatters. What goes
 * over all ops leaves these out. tests/api/views_test.c, and in tests/numbers positions_test.c,
 * scan_test.c and scatter_test.c have them. */
bool test_is_view(tosajit_op op);
bool test_is_position(tosajit_op op);
bool test_is_scan(tosajit_op op);
bool test_is_scatter(tosajit_op op);
/* Extensions, and ops that TOSA has in another form: an op, and element types of an op, of its data
 * operands and its result. */
bool test_is_extension_op(tosajit_op op);
/* True if an op makes the size of a dimension 1, instead of working on each element alone. */
bool test_reduces(tosajit_op op);
bool test_is_extension(tosajit_op op, tosajit_type operand, tosajit_type result);
bool test_is_unsigned(tosajit_type type);

#endif
