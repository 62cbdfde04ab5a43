/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by all tests: engines, random elements, comparisons. See support.h. */
#define _XOPEN_SOURCE 700 /* setitimer */
#include "tests/support/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32)
#include <sys/time.h>
#endif
#include <time.h>

#include "tosajit/inspect.h"

static const struct {
    const char *name, *cpu;
    tosajit_backend backend;
} engine_rows[TEST_MAX_ENGINES] = {
    {"interpreter", NULL, TOSAJIT_BACKEND_INTERPRET},
    {"native", "native", TOSAJIT_BACKEND_NATIVE},
    {"x86-64-v2", "x86-64-v2", TOSAJIT_BACKEND_NATIVE},
    {"x86-64-v3", "x86-64-v3", TOSAJIT_BACKEND_NATIVE},
    {"x86-64-v4", "x86-64-v4", TOSAJIT_BACKEND_NATIVE},
    {"aarch64", "aarch64", TOSAJIT_BACKEND_NATIVE},
    {"precompiled", "native", TOSAJIT_BACKEND_PRECOMPILED},
    {"precompiled-v2", "x86-64-v2", TOSAJIT_BACKEND_PRECOMPILED},
    {"precompiled-v3", "x86-64-v3", TOSAJIT_BACKEND_PRECOMPILED},
};

/* True if TOSAJIT_ENGINES, a list of names with spaces between them, has the name; without the
 * variable every engine is wanted. */
static bool is_wanted(const char *name) {
    const char *list = getenv("TOSAJIT_ENGINES");
    size_t length = strlen(name);
    if (!list || !*list) return true;
    for (; *list; list += strcspn(list, " "), list += *list == ' ')
        if (strcspn(list, " ") == length && strncmp(list, name, length) == 0) return true;
    return false;
}

/* Where a level stands among those of its architecture; -1: it is none of them. */
static int rank_of(const char *cpu) {
    static const char *const levels[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    for (int k = 0; cpu && k < (int)(sizeof levels / sizeof *levels); k++)
        if (strcmp(levels[k], cpu) == 0 || strcmp(levels[k] + sizeof "x86-64-" - 1, cpu) == 0)
            return k;
    return -1;
}

bool test_is_lowered(const char *cpu) {
    const int most = rank_of(getenv("TOSAJIT_CPU"));
    return most >= 0 && rank_of(cpu) > most;
}

size_t test_engines_open(test_engine *engines, tosajit_accuracy accuracy) {
    size_t count = 0;
    for (size_t k = 0; k < TEST_MAX_ENGINES; k++) {
        if (k > 0 && !is_wanted(engine_rows[k].name)) {
            printf("*** NOT TESTED: code for %s: TOSAJIT_ENGINES does not name it\n",
                   engine_rows[k].name);
            continue;
        }
        if (test_is_lowered(engine_rows[k].cpu)) {
            printf("*** NOT TESTED: code for %s: TOSAJIT_CPU lowers it\n", engine_rows[k].name);
            continue;
        }
        tosajit_engine_options options = {.size = sizeof options,
                                          .backend = engine_rows[k].backend,
                                          .cpu = engine_rows[k].cpu,
                                          .any_strides = 1,
                                          .accuracy = accuracy};
        tosajit_engine *engine = NULL;
        tosajit_status status = tosajit_engine_create(&options, &engine);
        if (status == TOSAJIT_OK) {
            engines[count++] =
                (test_engine){engine_rows[k].name, engine_rows[k].cpu,
                              engine_rows[k].backend == TOSAJIT_BACKEND_NATIVE, engine};
            continue;
        }
        /* A program of the library's objects may have no ops; precompiled_test insists. */
        const bool is_without = status == TOSAJIT_NOT_EXECUTABLE &&
                                engine_rows[k].backend == TOSAJIT_BACKEND_PRECOMPILED;
        if (is_without || (status == TOSAJIT_INVALID_ARGUMENT && k >= 2)) {
            printf("*** NOT TESTED: code for %s: %s\n", engine_rows[k].name, tosajit_last_error());
            continue;
        }
        printf("*** engine %s: %s: %s\n", engine_rows[k].name, tosajit_status_name(status),
               tosajit_last_error());
        test_engines_close(engines, count);
        return 0;
    }
    if (count > 1) return count;
    printf("*** TOSAJIT_ENGINES names no engine of this machine\n");
    test_engines_close(engines, count);
    return 0;
}

void test_engines_close(test_engine *engines, size_t count) {
    for (size_t k = 0; k < count; k++) tosajit_engine_destroy(engines[k].engine);
}

test_engine test_engines[TEST_MAX_ENGINES];
size_t test_engine_count;

int test_setup_exact(void **state) {
    (void)state;
    test_engine_count = test_engines_open(test_engines, TOSAJIT_EXACT);
    return test_engine_count > 0 ? 0 : -1;
}

int test_setup_fast(void **state) {
    (void)state;
    test_engine_count = test_engines_open(test_engines, TOSAJIT_REPRODUCIBLE);
    return test_engine_count > 0 ? 0 : -1;
}

int test_teardown(void **state) {
    (void)state;
    test_engines_close(test_engines, test_engine_count);
    return 0;
}

int32_t test_dims(const char *shape, int64_t *dims) {
    int32_t rank = 0;
    while (*shape) {
        char *end = NULL;
        if (*shape == '?') {
            dims[rank++] = TOSAJIT_DYNAMIC;
            shape++;
        } else {
            dims[rank++] = strtoll(shape, &end, 10);
            shape = end;
        }
        if (*shape == 'x') shape++;
    }
    return rank;
}

tosajit_tensor_type test_type(tosajit_type element, const char *shape) {
    tosajit_tensor_type type = {element, TOSAJIT_UNRANKED, {0}};
    if (*shape != '*') type.rank = test_dims(shape, type.dims);
    return type;
}

uint64_t test_setting(const char *variable, uint64_t standard) {
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 0) : standard;
}

uint64_t test_day(void) {
    enum { SECONDS_A_DAY = 86400 };
    static uint64_t day; /* also where midnight comes meanwhile */
    if (day == 0) day = (uint64_t)time(NULL) / SECONDS_A_DAY;
    return day;
}

uint64_t test_seed(void) {
    static uint64_t seed;
    static bool is_known;
    if (!is_known) {
        seed = test_setting("TOSAJIT_SEED", test_day());
        printf("TOSAJIT_SEED=%" PRIu64 "\n", seed);
        is_known = true;
    }
    return seed;
}

bool test_is_drawn(uint64_t number, uint64_t n) {
    n = test_setting("TOSAJIT_THIN", n);
    return n <= 1 || (number + test_seed()) % n == 0;
}

uint64_t test_thinning(void) {
    const uint64_t n = test_setting("TOSAJIT_THIN", 1);
    return n > 0 ? n : 1;
}

bool test_is_mine(uint64_t number) {
    const char *text = getenv("TOSAJIT_PART");
    unsigned part = 1, parts = 1;
    if (text && (sscanf(text, "%u/%u", &part, &parts) != 2 || part < 1 || part > parts)) {
        fprintf(stderr, "TOSAJIT_PART is %s, should be like 1/4\n", text);
        exit(2);
    }
    return number % parts == part - 1;
}

bool test_is_emulated(void) {
    const char *emulator = getenv("TOSAJIT_EMULATOR");
    return emulator && *emulator;
}

void test_limit_processor_time(int seconds) {
#if defined(_WIN32)
    (void)seconds; /* CTest has a limit, too */
#else
    const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_PROF, &limit, NULL);
#endif
}

tosajit_status test_run_bound(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                              size_t operand_count, const tosajit_tensor *results,
                              size_t result_count) {
    void *data[2 * TOSAJIT_MAX_TENSORS];
    tosajit_bound *bound = NULL;
    tosajit_status status = tosajit_bind((tosajit_kernel *)(uintptr_t)kernel, operands,
                                         operand_count, results, result_count, &bound);
    if (status) return status;
    for (size_t k = 0; k < operand_count; k++) data[k] = operands[k].data;
    for (size_t k = 0; k < result_count; k++) data[operand_count + k] = results[k].data;
    status = tosajit_bound_run(bound, data);
    tosajit_bound_release(bound);
    return status;
}

test_random test_random_start(uint64_t seed) {
    uint64_t z = seed + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return (test_random){z ? z : 1, NULL, 0};
}

test_random test_random_bytes(const unsigned char *bytes, size_t count) {
    test_random random = test_random_start(0);
    random.bytes = bytes;
    random.left = count;
    return random;
}

uint64_t test_random_next(test_random *random) {
    uint64_t x = random->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    uint64_t number = x * UINT64_C(0x2545F4914F6CDD1D);
    if (random->left < 2) return number;
    uint64_t decided = (uint64_t)random->bytes[0] | (uint64_t)random->bytes[1] << 8;
    random->bytes += 2;
    random->left -= 2;
    /* The lowest bits that test_random_range uses. */
    return (number & ~(UINT64_C(0xFFFF) << 11)) ^ decided << 11;
}

int64_t test_random_range(test_random *random, int64_t low, int64_t high) {
    /* Unsigned, as the numbers from 0 to INT64_MAX are one more than an int64_t counts. */
    const uint64_t count = (uint64_t)high - (uint64_t)low + 1;
    return (int64_t)((uint64_t)low + (test_random_next(random) >> 11) % count);
}

bool test_random_chance(test_random *random, int percent) {
    return test_random_range(random, 0, 99) < percent;
}

/* The layout of the floating-point types; exponent 0 for the others. */
typedef struct float_layout {
    unsigned exponent, mantissa;
    bool finite_only; /* no infinity; all ones is the only NaN */
} float_layout;

static const float_layout layouts[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_F16] = {5, 10, false},    [TOSAJIT_BF16] = {8, 7, false},
    [TOSAJIT_F32] = {8, 23, false},    [TOSAJIT_F8E5M2] = {5, 2, false},
    [TOSAJIT_F8E4M3FN] = {4, 3, true}, [TOSAJIT_F64] = {11, 52, false},
};

bool test_is_float(tosajit_type type) { return layouts[type].exponent != 0; }

static uint64_t special_float(test_random *random, const float_layout *f) {
    uint64_t bias = (UINT64_C(1) << (f->exponent - 1)) - 1, top = (UINT64_C(1) << f->exponent) - 1,
             m = f->mantissa;
    uint64_t ones = (UINT64_C(1) << m) - 1, infinity = top << m,
             largest = f->finite_only ? infinity | (ones - 1) : infinity - 1;
    const uint64_t values[] = {
        0,                                /* zero */
        1,                                /* smallest subnormal */
        ones,                             /* largest subnormal */
        ones + 1,                         /* smallest normal */
        bias << m,                        /* 1 */
        (bias - 1) << m,                  /* 0.5 */
        bias << m | (ones + 1) / 2,       /* 1.5 */
        (bias + 1) << m | (ones + 1) / 4, /* 2.5 */
        (bias << m) + 1,                  /* the value after 1 */
        (bias + 6) << m,                  /* 64 */
        largest,
        f->finite_only ? largest : infinity,
        infinity | ones,                        /* NaN */
        infinity | (f->finite_only ? ones : 1), /* signalling NaN */
    };
    return values[test_random_range(random, 0, (int64_t)(sizeof values / sizeof *values) - 1)];
}

/* From 1/32 to 32, of either sign. */
static uint64_t everyday_float(test_random *random, const float_layout *f, uint64_t noise) {
    const uint64_t sign = (noise >> 63) << (f->exponent + f->mantissa);
    const int64_t exponent =
        (INT64_C(1) << (f->exponent - 1)) - 1 + test_random_range(random, -5, 4);
    return sign | (uint64_t)exponent << f->mantissa | (noise & ((UINT64_C(1) << f->mantissa) - 1));
}

static uint64_t random_float(test_random *random, tosajit_type type) {
    const float_layout *f = &layouts[type];
    uint64_t noise = test_random_next(random), sign = (noise >> 63) << (f->exponent + f->mantissa);
    int64_t way = test_random_range(random, 0, 9);
    if (way < 3) return sign | special_float(random, f);
    if (way < 5) return noise & (~UINT64_C(0) >> (63 - f->exponent - f->mantissa));
    return everyday_float(random, f, noise);
}

/* 1 and a little more, or less. */
static uint64_t float_near_one(test_random *random, tosajit_type type) {
    const float_layout *f = &layouts[type];
    const uint64_t noise = test_random_next(random), ones = (UINT64_C(1) << f->mantissa) - 1,
                   one = ((UINT64_C(1) << (f->exponent - 1)) - 1) << f->mantissa,
                   small = noise >> 8 & ones >> (f->mantissa > 10 ? 10 : 3);
    return noise & 1 ? one + small : one - small;
}

static const unsigned widths[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_I1] = 1,   [TOSAJIT_I8] = 8,   [TOSAJIT_I16] = 16, [TOSAJIT_I32] = 32,
    [TOSAJIT_I48] = 48, [TOSAJIT_I64] = 64, [TOSAJIT_U8] = 8,   [TOSAJIT_U16] = 16,
    [TOSAJIT_U32] = 32, [TOSAJIT_U64] = 64,
};

static uint64_t random_integer(test_random *random, unsigned width) {
    static const int64_t numbers[] = {0,  1,  -1, 2,  -2, 3,  7,  8,   9,   15,   16, 17,
                                      31, 32, 33, 63, 64, 65, -8, -31, 127, -128, 100};
    uint64_t noise = test_random_next(random), smallest = UINT64_C(1) << (width - 1), value = noise;
    int64_t way = test_random_range(random, 0, 9);
    if (way < 3)
        value = (uint64_t)numbers[noise % (sizeof numbers / sizeof *numbers)];
    else if (way < 4)
        value = smallest - 2 + noise % 4; /* max - 1, max, min, min + 1 */
    else if (way < 6)
        value = noise % 64 - 16;
    /* An i48 fills its 8 bytes. */
    return (value & (2 * smallest - 1)) | (value & smallest ? ~(2 * smallest - 1) : 0);
}

static void put(tosajit_type type, uint64_t bits, void *element) {
    const unsigned char bytes[8] = {(unsigned char)bits,         (unsigned char)(bits >> 8),
                                    (unsigned char)(bits >> 16), (unsigned char)(bits >> 24),
                                    (unsigned char)(bits >> 32), (unsigned char)(bits >> 40),
                                    (unsigned char)(bits >> 48), (unsigned char)(bits >> 56)};
    /* Every host that LLVM compiles for here is little-endian. */
    memcpy(element, bytes, tosajit_type_size(type));
}

void test_random_element(test_random *random, tosajit_type type, void *element) {
    static const uint8_t truths[] = {0, 0, 0, 1, 1, 2, 0x80, 0xFF};
    put(type,
        type == TOSAJIT_I1    ? truths[test_random_range(random, 0, 7)]
        : test_is_float(type) ? random_float(random, type)
                              : random_integer(random, widths[type]),
        element);
}

void test_random_everyday(test_random *random, tosajit_type type, void *element) {
    if (test_is_float(type))
        put(type, everyday_float(random, &layouts[type], test_random_next(random)), element);
    else
        test_random_element(random, type, element);
}

void test_random_near_one(test_random *random, tosajit_type type, void *element) {
    if (test_is_float(type)) {
        put(type, float_near_one(random, type), element);
        return;
    }
    test_random_element(random, type, element);
    *(unsigned char *)element |= 1; /* a product of odd integers keeps all of its bits */
}

uint64_t test_bits(tosajit_type type, const void *element) {
    const unsigned char *bytes = element;
    uint64_t bits = 0;
    for (size_t k = tosajit_type_size(type); k-- > 0;) bits = bits << 8 | bytes[k];
    return bits;
}

bool test_is_nan(tosajit_type type, uint64_t bits) {
    if (!test_is_float(type)) return false;
    const float_layout *f = &layouts[type];
    uint64_t magnitude = bits & ((UINT64_C(1) << (f->exponent + f->mantissa)) - 1);
    uint64_t infinity = ((UINT64_C(1) << f->exponent) - 1) << f->mantissa;
    return f->finite_only ? magnitude == (infinity | ((UINT64_C(1) << f->mantissa) - 1))
                          : magnitude > infinity;
}

/* Representable values in order: -0 and +0 are neighbours at -1 and 0. */
static int64_t ordered(tosajit_type type, uint64_t bits) {
    uint64_t sign = UINT64_C(1) << (layouts[type].exponent + layouts[type].mantissa);
    return bits & sign ? -1 - (int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

bool test_same(tosajit_type type, uint64_t a, uint64_t b, uint64_t ulps) {
    if (a == b) return true;
    if (!test_is_float(type)) return false;
    if (test_is_nan(type, a) || test_is_nan(type, b))
        return test_is_nan(type, a) && test_is_nan(type, b);
    if (ulps == 0) return false;
    int64_t distance = ordered(type, a) - ordered(type, b);
    return (uint64_t)(distance < 0 ? -distance : distance) <= ulps;
}

static test_parameter zero_point(tosajit_type type, bool is_unsigned) {
    if (type == TOSAJIT_I8)
        return (test_parameter){type, 1, is_unsigned ? 0 : -128, is_unsigned ? 255 : 127, false};
    if (type == TOSAJIT_I16 && is_unsigned) return (test_parameter){type, 1, 0, 32768, true};
    return (test_parameter){type, 1, 0, 0, false};
}

test_parameter test_parameter_of(tosajit_op op, int k, tosajit_type operand, tosajit_type result,
                                 const tosajit_attributes *a) {
    bool small = operand == TOSAJIT_I8;
    int64_t channels = a->per_channel ? 0 : 1;
    if (op == TOSAJIT_OP_mul)
        return (test_parameter){TOSAJIT_I8, 1, 0, operand == TOSAJIT_I32 ? 63 : 0, false};
    if (op == TOSAJIT_OP_negate) return zero_point(operand, false);
    if (op == TOSAJIT_OP_table)
        return (test_parameter){operand, small ? 256 : 513, small ? INT8_MIN : INT16_MIN,
                                small ? INT8_MAX : INT16_MAX, false};
    switch (k) { /* rescale */
    case 0:
        return (test_parameter){a->scale32 ? TOSAJIT_I32 : TOSAJIT_I16, channels, 0,
                                a->scale32 ? INT32_MAX : INT16_MAX, false};
    case 1: return (test_parameter){TOSAJIT_I8, channels, 2, 62, false};
    case 2: return zero_point(operand, a->input_unsigned);
    default: return zero_point(result, a->output_unsigned);
    }
}

void test_parameter_element(test_random *random, const test_parameter *p, void *element) {
    int64_t value = p->only_ends ? (test_random_chance(random, 50) ? p->high : p->low)
                                 : test_random_range(random, p->low, p->high);
    if (test_random_chance(random, 10)) value = test_random_chance(random, 50) ? p->high : p->low;
    /* Little-endian; a floating-point 0 is all zero. */
    memcpy(element, &value, tosajit_type_size(p->element));
}

tosajit_attributes test_random_scaling(test_random *random, tosajit_type operand,
                                       tosajit_type result) {
    tosajit_attributes a = {0};
    bool narrow = (operand == TOSAJIT_I8 || operand == TOSAJIT_I16) &&
                  (result == TOSAJIT_I8 || result == TOSAJIT_I16);
    a.scale32 = operand != TOSAJIT_I48 && test_random_chance(random, 60);
    a.rounding_mode = (tosajit_rounding_mode)test_random_range(
        random, 0, a.scale32 ? TOSAJIT_DOUBLE_ROUND : TOSAJIT_INEXACT_ROUND);
    a.per_channel = test_random_chance(random, 50);
    if (narrow && test_random_chance(random, 50))
        *(test_random_chance(random, 50) ? &a.input_unsigned : &a.output_unsigned) = 1;
    return a;
}

bool test_next_signature(tosajit_op op, unsigned *state, tosajit_type *operands,
                         tosajit_type *result) {
    const unsigned types = TOSAJIT_TYPE_COUNT;
    const bool other =
        test_is_view(op) || test_is_position(op) || test_is_scan(op) || test_is_scatter(op);
    for (; *state < types * types && !other; ++*state) {
        tosajit_type from = (tosajit_type)(*state / types), to = (tosajit_type)(*state % types);
        int arity = tosajit_op_arity(op);
        for (int k = 0; k < arity; k++)
            operands[k] = op == TOSAJIT_OP_select && k == 0 ? TOSAJIT_I1 : from;
        if (!tosajit_op_accepts(op, operands, to)) continue;
        *result = to;
        ++*state;
        return true;
    }
    return false;
}

bool test_is_view(tosajit_op op) { return op >= TOSAJIT_OP_reshape && op <= TOSAJIT_OP_pad; }

bool test_is_position(tosajit_op op) {
    return op == TOSAJIT_OP_argmax || op == TOSAJIT_OP_argmin || op == TOSAJIT_OP_index;
}

bool test_is_scan(tosajit_op op) {
    return op >= TOSAJIT_OP_cumsum && op <= TOSAJIT_OP_logcumsumexp;
}

bool test_is_scatter(tosajit_op op) {
    return op >= TOSAJIT_OP_scatter && op <= TOSAJIT_OP_scatter_min;
}

bool test_is_extension_op(tosajit_op op) {
    if (op > TOSAJIT_OP_floor_divide)
        return op == TOSAJIT_OP_reduce_count || op == TOSAJIT_OP_nextafter ||
               op == TOSAJIT_OP_argmin || op == TOSAJIT_OP_index || op == TOSAJIT_OP_gather ||
               op == TOSAJIT_OP_fma || test_is_view(op) || test_is_scan(op) || test_is_scatter(op);
    return op > TOSAJIT_OP_rescale; /* the last one of TOSA's */
}

bool test_reduces(tosajit_op op) { return strncmp(tosajit_op_name(op), "reduce_", 7) == 0; }

bool test_is_unsigned(tosajit_type type) { return type >= TOSAJIT_U8 && type <= TOSAJIT_U64; }

static bool is_half(tosajit_type type) { return type == TOSAJIT_F16 || type == TOSAJIT_BF16; }

/* TOSA has no casts between i64 and what is not i1 or i32, nor of f16 and bf16 between each other
 * and i1. */
static bool is_extension_cast(tosajit_type a, tosajit_type b) {
    if (is_half(a) && is_half(b)) return true;
    if (a == TOSAJIT_I64 || b == TOSAJIT_I64) {
        const tosajit_type other = a == TOSAJIT_I64 ? b : a;
        return other != TOSAJIT_I1 && other != TOSAJIT_I32;
    }
    return (is_half(a) && b == TOSAJIT_I1) || (is_half(b) && a == TOSAJIT_I1);
}

/* True for ops that TOSA has of i32 and i64 alone, or not at all of them. */
static bool is_extension_integer(tosajit_op op, tosajit_type type) {
    static const tosajit_op wide[] = {
        TOSAJIT_OP_abs,     TOSAJIT_OP_clz,     TOSAJIT_OP_add,           TOSAJIT_OP_sub,
        TOSAJIT_OP_equal,   TOSAJIT_OP_greater, TOSAJIT_OP_greater_equal, TOSAJIT_OP_intdiv,
        TOSAJIT_OP_maximum, TOSAJIT_OP_minimum};
    if (op == TOSAJIT_OP_clamp) return type == TOSAJIT_I32 || type == TOSAJIT_I64;
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
        if (op == wide[k]) return type == TOSAJIT_I8 || type == TOSAJIT_I16;
    return op == TOSAJIT_OP_reduce_product && !test_is_float(type);
}

bool test_is_extension(tosajit_op op, tosajit_type operand, tosajit_type result) {
    return test_is_extension_op(op) || operand == TOSAJIT_F64 || result == TOSAJIT_F64 ||
           test_is_unsigned(operand) || test_is_unsigned(result) ||
           is_extension_integer(op, operand) ||
           (op == TOSAJIT_OP_cast && is_extension_cast(operand, result));
}
