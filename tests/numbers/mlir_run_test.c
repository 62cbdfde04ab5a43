/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Results against MLIR's own lowering: one module with a function per case goes through mlir-opt
 * (tosa-to-linalg and down to LLVM) and mlir-runner, which prints every result as integers; the
 * interpreter and native code here get the same operands. All ops and element types that MLIR can
 * run, and the broadcast examples of the RFC "TOSA-to-Linalg lowering of element-wise ops". What
 * the two may do differently is listed in tables, with reasons.
 *
 * TOSAJIT_SEED sets the data. MLIR_OPT, MLIR_RUNNER and MLIR_LIB (environment) replace the programs
 * and their library directory. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp, popen */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/guard.h"
#include "tests/support/support.h"
#include "tosajit/inspect.h"

enum { MAX_CASES = 1200, ELEMENTS = 150, TEXT = 1000 };

/* One function: declared and run-time shapes, attributes, data, and what MLIR gave. */
typedef struct run_case {
    tosajit_op op;
    tosajit_type from[TOSAJIT_MAX_ARITY], to;
    const char *declared[TOSAJIT_MAX_ARITY], *result, *actual[TOSAJIT_MAX_ARITY];
    tosajit_attributes attributes;
    int parameter_count; /* constants in MLIR's function, operands of the call here */
    test_parameter parameters[4];
    int64_t parameter_sizes[4];
    unsigned char data[TOSAJIT_MAX_ARITY][ELEMENTS * 8], parameter_data[4][513 * 2];
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    uint64_t results[ELEMENTS];
    int64_t count;
} run_case;

static run_case cases[MAX_CASES];
static size_t case_count;

/* Differences of MLIR: element types, data, precision. */

static const char *const without[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_I48] = "i48 takes 6 bytes in MLIR's dense constants and 8 here",
    [TOSAJIT_F8E4M3FN] = "no lowering of fp8 to LLVM",
    [TOSAJIT_F8E5M2] = "no lowering of fp8 to LLVM",
    [TOSAJIT_F64] = "f64 is no type of TOSA's",
    [TOSAJIT_U8] = "u8 is no type of TOSA's",
    [TOSAJIT_U16] = "u16 is no type of TOSA's",
    [TOSAJIT_U32] = "u32 is no type of TOSA's",
    [TOSAJIT_U64] = "u64 is no type of TOSA's",
};

/* MLIR computes these in the element type's own libm function or a formula over it. */
static const struct {
    tosajit_op op;
    uint64_t ulps;
    const char *reason;
} precision[] = {
    {TOSAJIT_OP_cos, 2, "cosf of the C library"},
    {TOSAJIT_OP_erf, 2, "erff of the C library"},
    {TOSAJIT_OP_exp, 2, "expf of the C library"},
    {TOSAJIT_OP_log, 2, "logf of the C library"},
    {TOSAJIT_OP_pow, 2, "powf of the C library"},
    {TOSAJIT_OP_sin, 2, "sinf of the C library"},
    {TOSAJIT_OP_tanh, 3, "tanhf of the C library"},
    {TOSAJIT_OP_rsqrt, 2, "1 / sqrt(x), rounded twice"},
    {TOSAJIT_OP_sigmoid, 4, "1 / (1 + exp(-x)), rounded three times"},
};

static uint64_t allowed_ulps(tosajit_op op) {
    for (size_t k = 0; k < sizeof precision / sizeof *precision; k++)
        if (precision[k].op == op) return precision[k].ulps;
    return 0;
}

/* Values as numbers, for the rules below. */
static int64_t as_integer(tosajit_type type, const unsigned char *element) {
    unsigned unused = 64 - 8 * (unsigned)tosajit_type_size(type);
    uint64_t bits = test_bits(type, element) << unused;
    return bits >> 63 ? -(int64_t)(~bits >> unused) - 1 : (int64_t)(bits >> unused);
}

static void set_bits(tosajit_type type, unsigned char *element, uint64_t bits) {
    for (size_t k = 0; k < tosajit_type_size(type); k++)
        element[k] = (unsigned char)(bits >> 8 * k);
}

static bool is_shift(tosajit_op op) {
    return op == TOSAJIT_OP_arithmetic_right_shift || op == TOSAJIT_OP_logical_left_shift ||
           op == TOSAJIT_OP_logical_right_shift;
}

/* MLIR adds and multiplies elements one after the other, in types of its own choice, which takes
 * no other order than the one here where every step is exact. Its maximum begins with the largest
 * finite value instead of infinity. */
static void make_exact(tosajit_op op, tosajit_type type, unsigned char *element) {
    static const struct {
        uint64_t one, two, three, infinity, sign;
    } values[TOSAJIT_TYPE_COUNT] = {
        [TOSAJIT_F16] = {0x3c00, 0x4000, 0x4200, 0x7c00, 0x8000},
        [TOSAJIT_BF16] = {0x3f80, 0x4000, 0x4040, 0x7f80, 0x8000},
        [TOSAJIT_F32] = {0x3f800000, 0x40000000, 0x40400000, 0x7f800000, 0x80000000},
    };
    const uint64_t bits = test_bits(type, element), sign = bits & values[type].sign,
                   some[4] = {values[type].one, values[type].two, values[type].three, 0};
    const bool multiplies = op == TOSAJIT_OP_reduce_product;
    if (multiplies || op == TOSAJIT_OP_reduce_sum)
        set_bits(type, element, sign | some[bits % (multiplies ? 2 : 4)]);
    else if ((bits | values[type].sign) == (values[type].infinity | values[type].sign))
        set_bits(type, element, bits - 1);
}

/* Replace an element for which MLIR's result is undefined or differs on purpose. */
static void avoid_differences(const run_case *c, int operand, unsigned char *element) {
    tosajit_type type = c->from[operand];
    int width = 8 * (int)tosajit_type_size(type);
    bool is_float = test_is_float(type);
    int64_t integer = is_float ? 0 : as_integer(type, element);
    bool smallest = !is_float && (uint64_t)integer == ~UINT64_C(0) << (width - 1);
    if (type == TOSAJIT_I1) set_bits(type, element, integer != 0); /* its i1 has no other bytes */
    /* Division by 0 and min / -1 end the process. */
    if (c->op == TOSAJIT_OP_intdiv && operand == 1 && integer == 0) set_bits(type, element, 3);
    if (c->op == TOSAJIT_OP_intdiv && operand == 0 && smallest)
        set_bits(type, element, (uint64_t)integer + 1);
    /* A shift by the width or more is poison. */
    if (is_shift(c->op) && operand == 1)
        set_bits(type, element, (uint64_t)integer & (uint64_t)(width - 1));
    /* min * min, shifted by 63, overflows the 64-bit sum with the rounding term. */
    if (c->op == TOSAJIT_OP_mul && smallest) set_bits(type, element, (uint64_t)integer + 1);
    /* negate of the smallest i64 wraps there and saturates here. */
    if (c->op == TOSAJIT_OP_negate && smallest && width == 64)
        set_bits(type, element, (uint64_t)integer + 1);
    if (!is_float) return;
    if (test_reduces(c->op)) make_exact(c->op, type, element);
    uint64_t bits = test_bits(type, element), sign = UINT64_C(1) << (width - 1);
    /* powf(1, x) and powf(x, 0) are NaN for a signalling x in the C library; TOSA does not
     * distinguish the two kinds of NaN. */
    if (c->op == TOSAJIT_OP_pow && type == TOSAJIT_F32 && test_is_nan(type, bits))
        set_bits(type, element, bits | 0x400000);
    /* NaN to integer is poison. */
    if (c->op == TOSAJIT_OP_cast && !test_is_float(c->to) && c->to != TOSAJIT_I1 &&
        test_is_nan(type, bits))
        set_bits(type, element, 0);
    /* exp(-x) overflows for the most negative x, and 0 results instead of a tiny number. */
    if (c->op == TOSAJIT_OP_sigmoid && type == TOSAJIT_F32 && bits > (sign | 0x42A00000))
        set_bits(type, element, bits & ~sign);
    if (c->op == TOSAJIT_OP_sigmoid && type != TOSAJIT_F32) set_bits(type, element, bits & ~sign);
}

/* Making cases. */

static int64_t shape_count(const char *shape) {
    int64_t dims[TOSAJIT_MAX_RANK];
    int32_t rank = test_dims(shape, dims);
    return guard_count(rank, dims);
}

static run_case *add_case(tosajit_op op, const tosajit_type *from, tosajit_type to,
                          const char *const *declared, const char *result,
                          const char *const *actual) {
    assert_true(case_count < MAX_CASES);
    run_case *c = &cases[case_count++];
    *c = (run_case){.op = op, .to = to, .result = result};
    for (int k = 0; k < tosajit_op_arity(op); k++) {
        c->from[k] = from[k];
        c->declared[k] = declared[k];
        c->actual[k] = actual[k];
    }
    return c;
}

/* A shift of rescale that keeps what MLIR computes within its 32 bits; TOSA demands that, here the
 * result saturates. */
static void fill_parameter(run_case *c, int k, test_random *random) {
    test_parameter p = c->parameters[k];
    if (c->op == TOSAJIT_OP_rescale && k == 1) p.low = c->attributes.scale32 ? 32 : 16;
    size_t size = tosajit_type_size(p.element);
    assert_true((size_t)c->parameter_sizes[k] * size <= sizeof c->parameter_data[k]);
    for (int64_t n = 0; n < c->parameter_sizes[k]; n++)
        test_parameter_element(random, &p, c->parameter_data[k] + (size_t)n * size);
}

static void fill_case(run_case *c, uint64_t seed) {
    test_random random = test_random_start(seed);
    for (int k = 0; k < c->parameter_count; k++) fill_parameter(c, k, &random);
    for (int k = 0; k < tosajit_op_arity(c->op); k++) {
        size_t size = tosajit_type_size(c->from[k]);
        int64_t count = shape_count(c->actual[k]);
        assert_true(count <= ELEMENTS);
        for (int64_t i = 0; i < count; i++) {
            unsigned char *element = c->data[k] + (size_t)i * size;
            test_random_element(&random, c->from[k], element);
            avoid_differences(c, k, element);
        }
    }
}

/* The attributes to try, one case each; `round` etc. are taken where the op has them. */
static size_t attribute_sets(tosajit_op op, tosajit_type type, tosajit_attributes *sets) {
    size_t count = 1;
    sets[0] = (tosajit_attributes){0};
    if (op == TOSAJIT_OP_clamp) {
        if (test_is_float(type)) {
            sets[0].min_val.f = -1.0;
            sets[0].max_val.f = 6.0;
        } else {
            sets[0].min_val.i = -17;
            sets[0].max_val.i = 100;
        }
    }
    if ((op == TOSAJIT_OP_clamp || op == TOSAJIT_OP_maximum || op == TOSAJIT_OP_minimum ||
         op == TOSAJIT_OP_reduce_max || op == TOSAJIT_OP_reduce_min) &&
        test_is_float(type)) {
        sets[count] = sets[0];
        sets[count++].nan_mode = TOSAJIT_NAN_IGNORE;
    }
    if (op == TOSAJIT_OP_mul && type == TOSAJIT_I32)
        for (int32_t shift = 1; shift <= 63; shift += 10)
            sets[count++] = (tosajit_attributes){.shift = shift};
    if (op == TOSAJIT_OP_arithmetic_right_shift) sets[count++] = (tosajit_attributes){.round = 1};
    if (op == TOSAJIT_OP_negate && type == TOSAJIT_I8)
        sets[count++] = (tosajit_attributes){.input_zp = -100, .output_zp = 77};
    return count;
}

/* The parameters that the op needs, or that stand for attributes. */
static void add_parameters(run_case *c) {
    c->parameter_count = tosajit_op_parameters(c->op, NULL);
    for (int k = 0; k < c->parameter_count; k++) {
        int64_t dims[TOSAJIT_MAX_RANK];
        int32_t rank = test_dims(c->actual[0], dims);
        c->parameters[k] = test_parameter_of(c->op, k, c->from[0], c->to, &c->attributes);
        c->parameter_sizes[k] = c->parameters[k].count ? c->parameters[k].count : dims[rank - 1];
    }
}

/* Rescale with every legal choice of its attributes. */
static size_t scaling_sets(tosajit_type from, tosajit_type to, tosajit_attributes *sets) {
    size_t count = 0;
    bool small =
        (from == TOSAJIT_I8 || from == TOSAJIT_I16) && (to == TOSAJIT_I8 || to == TOSAJIT_I16);
    for (int k = 0; k < 24; k++) {
        tosajit_attributes a = {.scale32 = k % 4 != 0,
                                .rounding_mode =
                                    k % 4 == 3 ? TOSAJIT_DOUBLE_ROUND : TOSAJIT_SINGLE_ROUND};
        a.per_channel = (uint8_t)(k / 4 % 2);
        a.input_unsigned = k / 8 == 1;
        a.output_unsigned = k / 8 == 2;
        if (k % 4 != 2 && (k < 8 || small)) sets[count++] = a;
    }
    return count;
}

/* Along both axes, of static and of dynamic sizes. */
static void add_reductions(tosajit_op op, const tosajit_type *from, tosajit_type to) {
    static const char *const declared[] = {"7x15", "?x?"}, *const actual = "7x15",
                             *const results[][2] = {{"1x15", "7x1"}, {"1x?", "?x1"}};
    tosajit_attributes sets[24];
    const size_t count = attribute_sets(op, from[0], sets);
    for (size_t k = 0; k < 4 * count; k++) {
        const size_t axis = k % 2, dynamic = k / 2 % 2;
        run_case *c = add_case(op, from, to, &declared[dynamic], results[dynamic][axis], &actual);
        c->attributes = sets[k / 4];
        c->attributes.axis = (int64_t)axis;
    }
}

static void make_op_cases(void) {
    static const char *const full[3] = {"150", "150", "150"},
                             *const mixed[3] = {"?x?", "?x?", "?x?"},
                             *const run[3] = {"7x15", "1x15", "7x1"};
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        tosajit_type from[TOSAJIT_MAX_ARITY], to;
        for (unsigned next = 0; test_next_signature((tosajit_op)op, &next, from, &to);) {
            int last = tosajit_op_arity((tosajit_op)op) - 1;
            const char *why = without[from[last]] ? without[from[last]] : without[to];
            if (test_is_extension_op((tosajit_op)op)) why = "TOSA has no such op";
            if (!why && from[last] != TOSAJIT_F32 && to != TOSAJIT_F32 &&
                test_is_extension((tosajit_op)op, from[last], to))
                why = "the types are not TOSA's";
            if (why) {
                print_message("  not run: %s of %s to %s: %s\n", tosajit_op_name((tosajit_op)op),
                              tosajit_type_name(from[last]), tosajit_type_name(to), why);
                continue;
            }
            if (test_reduces((tosajit_op)op)) {
                add_reductions((tosajit_op)op, from, to);
                continue;
            }
            tosajit_attributes sets[24];
            int required;
            size_t count = op == TOSAJIT_OP_rescale
                               ? scaling_sets(from[0], to, sets)
                               : attribute_sets((tosajit_op)op, from[last], sets);
            tosajit_op_parameters((tosajit_op)op, &required);
            for (size_t k = 0; k < count; k++) {
                run_case *c = add_case((tosajit_op)op, from, to, full, "150", full);
                c->attributes = sets[k];
                if (required) add_parameters(c);
            }
            /* Channels are a static size in MLIR's lowering. */
            if (op == TOSAJIT_OP_rescale && count > 1) sets[0] = sets[1];
            run_case *c = add_case((tosajit_op)op, from, to, mixed, "?x?", run);
            c->attributes = sets[0];
            add_parameters(c);
        }
    }
}

/* The RFC's examples: declared operands and result, run-time operands. MLIR is right in all of
 * these; it is not asked for sizes that do not match (undefined there, an error here), for a size
 * of 0 beside a 1 (it takes 1 and reads an empty tensor) and for operands of different rank
 * (refused there). */
static const struct {
    tosajit_op op;
    const char *declared[3], *result, *actual[3];
} broadcasts[] = {
    {TOSAJIT_OP_add, {"?x?", "?x?"}, "?x?", {"2x3", "2x3"}},
    {TOSAJIT_OP_add, {"?x?", "?x?"}, "?x?", {"1x3", "2x3"}},
    {TOSAJIT_OP_add, {"?x?", "?x?"}, "?x?", {"2x1", "2x3"}},
    {TOSAJIT_OP_add, {"?x?", "?x?"}, "?x?", {"1x1", "2x3"}},
    {TOSAJIT_OP_add, {"?x?", "?x?"}, "?x?", {"1x3", "2x1"}},
    {TOSAJIT_OP_add, {"?x?", "?x?"}, "?x?", {"2x3", "1x1"}},
    {TOSAJIT_OP_add, {"1x?", "?x?"}, "?x?", {"1x4", "6x4"}},
    {TOSAJIT_OP_add, {"1x?", "?x?"}, "?x?", {"1x4", "6x1"}},
    {TOSAJIT_OP_add, {"1x?", "?x?"}, "?x?", {"1x1", "6x5"}},
    {TOSAJIT_OP_add, {"1x5", "3x5"}, "?x?", {"1x5", "3x5"}},
    {TOSAJIT_OP_add, {"3x5", "3x5"}, "?x?", {"3x5", "3x5"}},
    {TOSAJIT_OP_add, {"2x?", "?x?"}, "?x?", {"2x7", "2x7"}},
    {TOSAJIT_OP_add, {"2x?", "?x?"}, "?x?", {"2x7", "1x7"}},
    {TOSAJIT_OP_add, {"2x?", "?x?"}, "?x?", {"2x7", "2x1"}},
    {TOSAJIT_OP_add, {"2x?", "?x?"}, "?x?", {"2x7", "1x1"}},
    {TOSAJIT_OP_add, {"2x?", "?x?"}, "?x?", {"2x1", "1x7"}},
    {TOSAJIT_OP_add, {"2x2", "?x?"}, "?x?", {"2x2", "2x2"}},
    {TOSAJIT_OP_add, {"2x2", "?x?"}, "?x?", {"2x2", "1x2"}},
    {TOSAJIT_OP_add, {"2x2", "?x?"}, "?x?", {"2x2", "2x1"}},
    {TOSAJIT_OP_add, {"2x2", "?x?"}, "?x?", {"2x2", "1x1"}},
    {TOSAJIT_OP_add, {"?x2", "2x?"}, "?x?", {"2x2", "2x2"}},
    {TOSAJIT_OP_add, {"?x2", "2x?"}, "?x?", {"1x2", "2x2"}},
    {TOSAJIT_OP_add, {"?x2", "2x?"}, "?x?", {"2x2", "2x1"}},
    {TOSAJIT_OP_add, {"?x2", "2x?"}, "?x?", {"1x2", "2x1"}},
    {TOSAJIT_OP_sub, {"5", "1"}, "5", {"5", "1"}},
    {TOSAJIT_OP_add, {"?", "?"}, "5", {"1", "5"}},
    {TOSAJIT_OP_add, {"?", "?"}, "5", {"5", "5"}},
    {TOSAJIT_OP_add, {"3", "3"}, "3", {"3", "3"}},
    {TOSAJIT_OP_abs, {"?"}, "?", {"9"}},
    {TOSAJIT_OP_abs, {"5"}, "?", {"5"}},
    {TOSAJIT_OP_add, {"1", "3"}, "3", {"1", "3"}},
    {TOSAJIT_OP_add, {"5", "?"}, "5", {"5", "1"}},
    {TOSAJIT_OP_add, {"5", "?"}, "5", {"5", "5"}},
    {TOSAJIT_OP_add, {"1", "?"}, "?", {"1", "9"}},
    {TOSAJIT_OP_add, {"?", "?"}, "?", {"1", "1"}},
    {TOSAJIT_OP_add, {"", ""}, "", {"", ""}},
    {TOSAJIT_OP_add, {"?x?x?", "?x?x?"}, "?x?x?", {"1x1x4", "2x3x1"}},
    {TOSAJIT_OP_add, {"?x?x?", "?x?x?"}, "?x?x?", {"1x3x1", "2x1x4"}},
    {TOSAJIT_OP_add, {"1x3x4", "2x3x4"}, "2x3x4", {"1x3x4", "2x3x4"}},
    {TOSAJIT_OP_add, {"?", "?"}, "?", {"0", "0"}},
    {TOSAJIT_OP_select, {"2x?", "2x?", "2x?"}, "2x?", {"2x3", "2x3", "2x3"}},
    {TOSAJIT_OP_select, {"2x?", "2x?", "2x?"}, "2x?", {"2x1", "2x3", "2x3"}},
    {TOSAJIT_OP_select, {"2x?", "2x?", "2x?"}, "2x?", {"2x3", "2x1", "2x3"}},
    {TOSAJIT_OP_select, {"2x?", "2x?", "2x?"}, "2x?", {"2x3", "2x3", "2x1"}},
    {TOSAJIT_OP_select, {"2x?", "2x?", "2x?"}, "2x?", {"2x1", "2x1", "2x3"}},
    {TOSAJIT_OP_select, {"2x?", "2x?", "2x?"}, "2x?", {"2x1", "2x3", "2x1"}},
    {TOSAJIT_OP_select, {"2x?", "2x?", "2x?"}, "2x?", {"2x3", "2x1", "2x1"}},
    {TOSAJIT_OP_select, {"2x?", "2x?", "2x?"}, "2x?", {"2x1", "2x1", "2x1"}},
};

static void make_broadcast_cases(void) {
    for (size_t k = 0; k < sizeof broadcasts / sizeof *broadcasts; k++) {
        tosajit_type from[TOSAJIT_MAX_ARITY] = {TOSAJIT_F32, TOSAJIT_F32, TOSAJIT_F32};
        if (broadcasts[k].op == TOSAJIT_OP_select) from[0] = TOSAJIT_I1;
        add_case(broadcasts[k].op, from, TOSAJIT_F32, broadcasts[k].declared, broadcasts[k].result,
                 broadcasts[k].actual);
    }
}

/* Writing the module. */

static void write_type(FILE *file, tosajit_type element, const char *shape) {
    fprintf(file, "tensor<%s%s%s>", shape, *shape ? "x" : "", tosajit_type_name(element));
}

static void write_constant(FILE *file, const run_case *c, int operand) {
    size_t size = tosajit_type_size(c->from[operand]);
    int64_t count = shape_count(c->actual[operand]);
    if (count == 0) {
        fprintf(file, "dense<>");
    } else if (c->from[operand] == TOSAJIT_I1) {
        /* Hexadecimal i1 data would be packed bits; write a list in the shape's brackets instead.
         */
        int64_t dims[TOSAJIT_MAX_RANK], index[TOSAJIT_MAX_RANK] = {0}, at = 0;
        int32_t rank = test_dims(c->actual[operand], dims);
        fprintf(file, "dense<");
        do {
            for (int32_t d = rank; d-- > 0 && index[d] == 0;) fprintf(file, "[");
            fprintf(file, "%s", c->data[operand][at++] ? "true" : "false");
            int32_t closed = rank;
            while (closed > 0 && index[closed - 1] == dims[closed - 1] - 1) closed--;
            for (int32_t d = closed; d < rank; d++) fprintf(file, "]");
            if (closed > 0) fprintf(file, ", ");
        } while (guard_next(rank, dims, index));
        fprintf(file, ">");
    } else {
        fprintf(file, "dense<\"0x");
        for (size_t k = 0; k < (size_t)count * size; k++)
            fprintf(file, "%02X", c->data[operand][k]);
        fprintf(file, "\">");
    }
    fprintf(file, " : ");
    write_type(file, c->from[operand], c->actual[operand]);
}

static void write_number(FILE *file, tosajit_type type, tosajit_scalar value) {
    if (test_is_float(type))
        fprintf(file, "%.17e : %s", value.f, tosajit_type_name(type));
    else
        fprintf(file, "%" PRId64 " : %s", value.i, tosajit_type_name(type));
}

static void write_properties(FILE *file, const run_case *c) {
    const char *nan_mode =
        c->attributes.nan_mode ? "#tosa.nan_mode<IGNORE>" : "#tosa.nan_mode<PROPAGATE>";
    if (c->op == TOSAJIT_OP_clamp) {
        fprintf(file, " <{min_val = ");
        write_number(file, c->from[0], c->attributes.min_val);
        fprintf(file, ", max_val = ");
        write_number(file, c->from[0], c->attributes.max_val);
        fprintf(file, ", nan_mode = %s}>", nan_mode);
    }
    if (c->op == TOSAJIT_OP_maximum || c->op == TOSAJIT_OP_minimum)
        fprintf(file, " <{nan_mode = %s}>", nan_mode);
    const bool ends = c->op == TOSAJIT_OP_reduce_max || c->op == TOSAJIT_OP_reduce_min;
    if (test_reduces(c->op))
        fprintf(file, " <{axis = %" PRId64 " : i32%s%s}>", c->attributes.axis,
                ends ? ", nan_mode = " : "", ends ? nan_mode : "");
    if (c->op == TOSAJIT_OP_arithmetic_right_shift)
        fprintf(file, " <{round = %s}>", c->attributes.round ? "true" : "false");
    static const char *const flags[] = {"false", "true"}, *const modes[] = {"SINGLE_ROUND",
                                                                            "INEXACT_ROUND",
                                                                            "DOUBLE_ROUND"};
    const tosajit_attributes *a = &c->attributes;
    if (c->op == TOSAJIT_OP_rescale)
        fprintf(file,
                " <{input_unsigned = %s, output_unsigned = %s, per_channel = %s, rounding_mode = "
                "#tosa.rounding_mode<%s>, scale32 = %s}>",
                flags[a->input_unsigned], flags[a->output_unsigned], flags[a->per_channel],
                modes[a->rounding_mode], flags[a->scale32]);
}

/* Parameters as constants; returns their names. */
static const char *write_parameters(FILE *file, const run_case *c, char *types) {
    static const char *const names[] = {"", ", %p0", ", %p0, %p1", NULL, ", %p0, %p1, %p2, %p3"};
    size_t used = 0;
    for (int k = 0; k < c->parameter_count; k++) {
        char type[40];
        size_t bytes = (size_t)c->parameter_sizes[k] * tosajit_type_size(c->parameters[k].element);
        snprintf(type, sizeof type, "tensor<%" PRId64 "x%s>", c->parameter_sizes[k],
                 tosajit_type_name(c->parameters[k].element));
        used += (size_t)snprintf(types + used, TEXT - used, ", %s", type);
        fprintf(file, "  %%p%d = \"tosa.const\"() <{values = dense<\"0x", k);
        for (size_t n = 0; n < bytes; n++) fprintf(file, "%02X", c->parameter_data[k][n]);
        fprintf(file, "\"> : %s}> : () -> %s\n", type, type);
    }
    return names[c->parameter_count];
}

/* Operands of MLIR's op that are attributes or parameters here; returns their names, and their
 * types for the signature. */
static const char *write_extras(FILE *file, const run_case *c, char *types) {
    const char *element = tosajit_type_name(c->from[0]),
               *zero = test_is_float(c->from[0]) ? ".0" : "";
    *types = 0;
    if (c->parameter_count > 0) return write_parameters(file, c, types);
    if (c->op == TOSAJIT_OP_mul) {
        fprintf(
            file,
            "  %%x = \"tosa.const\"() <{values = dense<%d> : tensor<1xi8>}> : () -> tensor<1xi8>\n",
            (int)c->attributes.shift);
        snprintf(types, TEXT, ", tensor<1xi8>");
        return ", %x";
    }
    if (c->op != TOSAJIT_OP_negate) return "";
    fprintf(
        file,
        "  %%x = \"tosa.const\"() <{values = dense<%d%s> : tensor<1x%s>}> : () -> tensor<1x%s>\n",
        (int)c->attributes.input_zp, zero, element, element);
    fprintf(
        file,
        "  %%y = \"tosa.const\"() <{values = dense<%d%s> : tensor<1x%s>}> : () -> tensor<1x%s>\n",
        (int)c->attributes.output_zp, zero, element, element);
    snprintf(types, TEXT, ", tensor<1x%s>, tensor<1x%s>", element, element);
    return ", %x, %y";
}

static void write_operand_types(FILE *file, const run_case *c) {
    for (int k = 0; k < tosajit_op_arity(c->op); k++) {
        fprintf(file, "%s", k ? ", " : "");
        write_type(file, c->from[k], c->declared[k]);
    }
}

static void write_function(FILE *file, size_t number) {
    const run_case *c = &cases[number];
    char types[TEXT];
    fprintf(file, "func.func private @case_%zu(", number);
    for (int k = 0; k < tosajit_op_arity(c->op); k++) {
        fprintf(file, "%s%%a%d: ", k ? ", " : "", k);
        write_type(file, c->from[k], c->declared[k]);
    }
    fprintf(file, ") -> ");
    write_type(file, c->to, c->result);
    fprintf(file, " {\n");
    const char *extras = write_extras(file, c, types);
    fprintf(file, "  %%r = \"tosa.%s\"(", tosajit_op_name(c->op));
    for (int k = 0; k < tosajit_op_arity(c->op); k++) fprintf(file, "%s%%a%d", k ? ", " : "", k);
    fprintf(file, "%s)", extras);
    write_properties(file, c);
    fprintf(file, " : (");
    write_operand_types(file, c);
    fprintf(file, "%s) -> ", types);
    write_type(file, c->to, c->result);
    fprintf(file, "\n  return %%r : ");
    write_type(file, c->to, c->result);
    fprintf(file, "\n}\n");
}

/* Results become i64 tensors, which the runner's library prints. */
static void write_conversion(FILE *file, const run_case *c) {
    tosajit_type integer = c->to;
    if (test_is_float(c->to)) {
        integer = tosajit_type_size(c->to) == 4 ? TOSAJIT_I32 : TOSAJIT_I16;
        fprintf(file, "  %%b = arith.bitcast %%r : ");
        write_type(file, c->to, c->result);
        fprintf(file, " to ");
        write_type(file, integer, c->result);
        fprintf(file, "\n");
    }
    const char *bits = test_is_float(c->to) ? "%b" : "%r";
    if (integer != TOSAJIT_I64) {
        fprintf(file, "  %%w = arith.extui %s : ", bits);
        write_type(file, integer, c->result);
        fprintf(file, " to ");
        write_type(file, TOSAJIT_I64, c->result);
        fprintf(file, "\n");
        bits = "%w";
    }
    fprintf(file, "  %%u = tensor.cast %s : ", bits);
    write_type(file, TOSAJIT_I64, c->result);
    fprintf(file, " to tensor<*xi64>\n  call @printMemrefI64(%%u) : (tensor<*xi64>) -> ()\n");
}

static void write_call(FILE *file, size_t number) {
    const run_case *c = &cases[number];
    fprintf(file, "func.func private @call_%zu() {\n", number);
    for (int k = 0; k < tosajit_op_arity(c->op); k++) {
        fprintf(file, "  %%c%d = arith.constant ", k);
        write_constant(file, c, k);
        fprintf(file, "\n  %%a%d = tensor.cast %%c%d : ", k, k);
        write_type(file, c->from[k], c->actual[k]);
        fprintf(file, " to ");
        write_type(file, c->from[k], c->declared[k]);
        fprintf(file, "\n");
    }
    fprintf(file, "  %%r = call @case_%zu(", number);
    for (int k = 0; k < tosajit_op_arity(c->op); k++) fprintf(file, "%s%%a%d", k ? ", " : "", k);
    fprintf(file, ") : (");
    write_operand_types(file, c);
    fprintf(file, ") -> ");
    write_type(file, c->to, c->result);
    fprintf(file, "\n");
    write_conversion(file, c);
    fprintf(file, "  return\n}\n");
}

static void write_module(FILE *file) {
    fprintf(file, "func.func private @printMemrefI64(tensor<*xi64>)\n");
    for (size_t k = 0; k < case_count; k++) {
        write_function(file, k);
        write_call(file, k);
    }
    fprintf(file, "func.func @main() {\n");
    for (size_t k = 0; k < case_count; k++) fprintf(file, "  call @call_%zu() : () -> ()\n", k);
    fprintf(file, "  return\n}\n");
}

/* Running MLIR. */

static const char *const pipeline =
    "builtin.module("
    "func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith{include-apply-rescale=true},tosa-"
    "to-tensor),"
    "convert-elementwise-to-linalg,"
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map},"
    "func.func(convert-linalg-to-loops,convert-scf-to-cf),"
    "expand-strided-metadata,lower-affine,convert-math-to-llvm,convert-math-to-libm,convert-arith-"
    "to-llvm,"
    "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)";

static const char *program(const char *variable, const char *standard) {
    const char *value = getenv(variable);
    return value && *value ? value : standard;
}

/* "... sizes = [2, 3] ... data =" followed by numbers in brackets. */
static void read_result(FILE *file, run_case *c) {
    int letter;
    char line[TEXT];
    do
        if (!fgets(line, sizeof line, file)) fail_msg("MLIR's output ends before all results");
    while (!strstr(line, "rank = "));
    c->rank = (int32_t)strtol(strstr(line, "rank = ") + 7, NULL, 10);
    char *at = strstr(line, "sizes = [");
    assert_non_null(at);
    at += 9;
    for (int32_t d = 0; d < c->rank; d++) {
        c->dims[d] = strtoll(at, &at, 10);
        while (*at == ',' || *at == ' ') at++;
    }
    int64_t expected = guard_count(c->rank, c->dims);
    assert_true(expected <= ELEMENTS);
    while (c->count < expected) {
        while ((letter = fgetc(file)) != EOF && !isdigit(letter) && letter != '-') {
        }
        ungetc(letter, file);
        int64_t number;
        if (fscanf(file, "%" SCNd64, &number) != 1) fail_msg("MLIR's output ends within a result");
        c->results[c->count++] = (uint64_t)number;
    }
}

static void run_mlir(void) {
    char directory[] = "/tmp/tosajit_mlir_XXXXXX", path[TEXT], command[4 * TEXT];
    if (!mkdtemp(directory)) fail_msg("no temporary directory");
    snprintf(path, sizeof path, "%s/in.mlir", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    write_module(file);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command, "%s '%s' --pass-pipeline='%s' -o '%s/out.mlir'",
             program("MLIR_OPT", "mlir-opt-22"), path, pipeline, directory);
    if (system(command) != 0) fail_msg("failed: %s", command);
    const char *libraries = program("MLIR_LIB", "/usr/lib/llvm-22/lib");
    snprintf(command, sizeof command,
             "%s '%s/out.mlir' -e main --entry-point-result=void "
             "--shared-libs='%s/libmlir_runner_utils.so,%s/libmlir_c_runner_utils.so'",
             program("MLIR_RUNNER", "mlir-runner-22"), directory, libraries, libraries);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    for (size_t k = 0; k < case_count; k++) read_result(output, &cases[k]);
    if (pclose(output) != 0) fail_msg("failed: %s", command);
    unlink(path);
    snprintf(path, sizeof path, "%s/out.mlir", directory);
    unlink(path);
    rmdir(directory);
}

/* Comparing. */

static void print_case(const run_case *c, const char *engine) {
    fprintf(stderr, "\n%s: tosa.%s", engine, tosajit_op_name(c->op));
    for (int k = 0; k < tosajit_op_arity(c->op); k++)
        fprintf(stderr, " %sx%s (called with %s)", c->declared[k], tosajit_type_name(c->from[k]),
                c->actual[k]);
    fprintf(stderr, " -> %sx%s; nan_mode %d, shift %d, zero points %d %d, round %d\n", c->result,
            tosajit_type_name(c->to), (int)c->attributes.nan_mode, (int)c->attributes.shift,
            (int)c->attributes.input_zp, (int)c->attributes.output_zp, (int)c->attributes.round);
}

/* The x86 instruction that rounds f32 to bf16, which LLVM takes where there is one, gives 0 for
 * subnormal results and operands. */
static bool is_flushed(const run_case *c, uint64_t ours, uint64_t theirs) {
    return c->to == TOSAJIT_BF16 && (theirs & 0x7fff) == 0 && (ours & 0x7fff) <= 0x80 &&
           (ours & 0x8000) == (theirs & 0x8000);
}

static int compare_elements(const run_case *c, const char *engine, const unsigned char *got) {
    int failures = 0;
    for (int64_t k = 0; k < c->count; k++) {
        size_t size = tosajit_type_size(c->to);
        uint64_t ours = test_bits(c->to, got + (size_t)k * size), theirs = c->results[k];
        if (test_same(c->to, ours, theirs, allowed_ulps(c->op)) || is_flushed(c, ours, theirs))
            continue;
        if (failures++ == 0) print_case(c, engine);
        if (failures > 5) break;
        fprintf(stderr, "  element %" PRId64 ": 0x%" PRIx64 ", MLIR 0x%" PRIx64, k, ours, theirs);
        for (int o = 0; o < tosajit_op_arity(c->op) && shape_count(c->actual[o]) == c->count; o++)
            fprintf(stderr, ", operand %d is 0x%" PRIx64, o,
                    test_bits(c->from[o], c->data[o] + (size_t)k * tosajit_type_size(c->from[o])));
        fprintf(stderr, "\n");
    }
    return failures > 0;
}

static int compare_case(const run_case *c, const test_engine *engine) {
    tosajit_tensor_type types[TOSAJIT_MAX_OPERANDS], declared = test_type(c->to, c->result);
    tosajit_tensor operands[TOSAJIT_MAX_OPERANDS];
    int64_t sizes[TOSAJIT_MAX_ARITY][TOSAJIT_MAX_RANK], dims[TOSAJIT_MAX_RANK];
    static unsigned char copies[TOSAJIT_MAX_ARITY][ELEMENTS * 8], got[ELEMENTS * 8];
    size_t arity = (size_t)tosajit_op_arity(c->op);
    for (size_t k = 0; k < arity; k++) {
        types[k] = test_type(c->from[k], c->declared[k]);
        int32_t rank = test_dims(c->actual[k], sizes[k]);
        memcpy(copies[k], c->data[k], sizeof copies[k]);
        operands[k] = tosajit_dense(c->from[k], copies[k], rank, sizes[k]);
    }
    static unsigned char parameters[4][sizeof c->parameter_data[0]];
    for (int k = 0; k < c->parameter_count; k++, arity++) {
        types[arity] = tosajit_ranked(c->parameters[k].element, 1, &c->parameter_sizes[k]);
        memcpy(parameters[k], c->parameter_data[k], sizeof parameters[k]);
        operands[arity] =
            tosajit_dense(types[arity].element, parameters[k], 1, &c->parameter_sizes[k]);
    }
    tosajit_kernel *kernel = NULL;
    int32_t rank = 0;
    tosajit_status status =
        tosajit_compile(engine->engine, c->op, types, arity, &c->attributes, &declared, &kernel);
    if (!status) status = tosajit_kernel_result_dims(kernel, operands, arity, 0, &rank, dims);
    tosajit_tensor result = tosajit_dense(c->to, got, rank, dims);
    if (!status && (rank != c->rank || memcmp(dims, c->dims, (size_t)rank * sizeof *dims) != 0)) {
        print_case(c, engine->name);
        fail_msg("MLIR gives another shape");
    }
    if (!status) status = tosajit_run(kernel, operands, arity, &result, 1);
    tosajit_kernel_release(kernel);
    if (!status) return compare_elements(c, engine->name, got);
    print_case(c, engine->name);
    fprintf(stderr, "  %s: %s\n", tosajit_status_name(status), tosajit_last_error());
    return 1;
}

static void results_are_those_of_mlir(void **state) {
    uint64_t seed = test_setting("TOSAJIT_SEED", 1);
    make_op_cases();
    make_broadcast_cases();
    size_t mine = 0;
    for (size_t k = 0; k < case_count; k++) {
        fill_case(&cases[k], seed + k);
        if (test_is_mine(k)) cases[mine++] = cases[k];
    }
    case_count = mine;
    run_mlir();
    test_engine engines[TEST_MAX_ENGINES];
    size_t engine_count = test_engines_open(engines, TOSAJIT_EXACT);
    assert_true(engine_count > 0);
    int failures = 0;
    size_t compared = engine_count < 2 ? engine_count : 2; /* other CPUs: the differential test */
    for (size_t e = 0; e < compared; e++)
        for (size_t k = 0; k < case_count; k++) failures += compare_case(&cases[k], &engines[e]);
    test_engines_close(engines, engine_count);
    print_message("TOSAJIT_SEED=%" PRIu64 ": %zu functions on %zu engines\n", seed, case_count,
                  compared);
    for (size_t k = 0; k < sizeof precision / sizeof *precision; k++)
        print_message("  %s: %" PRIu64 " ulp allowed: MLIR uses %s\n",
                      tosajit_op_name(precision[k].op), precision[k].ulps, precision[k].reason);
    assert_int_equal(failures, 0);
}

int main(void) { return TEST_RUN(NULL, NULL, TEST(results_are_those_of_mlir)); }
