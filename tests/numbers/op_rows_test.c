/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every row of TOSA's tables of legal element types, in this project's own form: each combination
 * of element types is legal exactly if a row says so, and every legal one is compiled for static
 * and for dynamic shapes and compared with the interpreter.
 *
 * A golden file pins, row by row, the results, the text of the expressions and the images without
 * their code.
 *
 * Each use of an op is compiled for static or for dynamic shapes, in turn, and on the next day for
 * the other ones; for this CPU, and for one of its levels, on the next day for another one.
 * TOSAJIT_SHAPES=2 compiles it for both and for all. Precompiled code of every level is always run.
 * TOSAJIT_SEED=<n> sets the operands. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/golden.h"
#include "tests/support/support.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

/* An op and its rows, "operand types > result type" or, where all are the same, just the type. (x)
 * marks extensions of this library, refused where strict. [x] marks those that came later: they are
 * computed behind all others, whose operands and digest they leave as they were. {x} marks the ones
 * that came after these, likewise, <x> those after them, then |x|, /x/, and \x\ the last. */
typedef struct op_rows {
    tosajit_op op;
    const char *rows;
} op_rows;

#define FLOATS "f16 bf16 f32"
#define UNSIGNED " <u8> <u16> <u32> \\u64\\"
#define INTEGERS "i8 i16 i32 i64" UNSIGNED
#define NARROW " /i8/ /i16/"
#define NUMBERS "i32 i64 " FLOATS " (f64)" UNSIGNED NARROW
#define FUNCTION FLOATS " {f64}"
#define REALS_LATEST "{f16} {bf16} {f32} {f64}"
#define WHOLE " /i8/ /i16/ /i32/ /i64/ /u8/ /u16/ /u32/ \\u64\\"
#define REALS_LATER "[f16] [bf16] [f32] [f64]"
#define COMPARES                                                                                   \
    "i32>i1 i64>i1 f16>i1 bf16>i1 f32>i1 (f64>i1) <u8>i1> <u16>i1> <u32>i1> /i8>i1/ /i16>i1/ "     \
    "\\u64>i1\\"
static const op_rows table[] = {
    {TOSAJIT_OP_abs, NUMBERS},
    {TOSAJIT_OP_bitwise_not, INTEGERS},
    {TOSAJIT_OP_cast,
     "i1>i8 i1>i16 i1>i32 i1>i64 i1>f32 i8>i1 i8>i16 i8>i32 i8>f16 i8>bf16 i8>f32 i16>i1 i16>i8 "
     "i16>i32 i16>f16 i16>bf16 i16>f32 "
     "i32>i1 i32>i8 i32>i16 i32>i64 i32>f16 i32>bf16 i32>f32 i64>i1 i64>i32 f16>i8 f16>i16 f16>i32 "
     "f16>f32 f16>f8E4M3FN f16>f8E5M2 "
     "bf16>i8 bf16>i16 bf16>i32 bf16>f32 bf16>f8E4M3FN bf16>f8E5M2 f32>i1 f32>i8 f32>i16 f32>i32 "
     "f32>f16 f32>bf16 f32>f8E4M3FN "
     "f32>f8E5M2 f8E4M3FN>f16 f8E4M3FN>bf16 f8E4M3FN>f32 f8E5M2>f16 f8E5M2>bf16 f8E5M2>f32 "
     "(i1>f64) (i8>f64) (i16>f64) (i32>f64) (i64>f64) (f16>f64) (bf16>f64) (f32>f64) "
     "(f64>i1) (f64>i8) (f64>i16) (f64>i32) (f64>i64) (f64>f16) (f64>bf16) (f64>f32) "
     "[i64>f32] [f32>i64] "
     "<i1>u8> <i1>u16> <i1>u32> <i8>u8> <i8>u16> <i8>u32> <i16>u8> <i16>u16> <i16>u32> "
     "<i32>u8> <i32>u16> <i32>u32> <i64>u8> <i64>u16> <i64>u32> <f16>u8> <f16>u16> <f16>u32> "
     "<bf16>u8> <bf16>u16> <bf16>u32> <f32>u8> <f32>u16> <f32>u32> <f64>u8> <f64>u16> <f64>u32> "
     "<u8>i1> <u8>i8> <u8>i16> <u8>i32> <u8>i64> <u8>u16> <u8>u32> "
     "<u8>f16> <u8>bf16> <u8>f32> <u8>f64> "
     "<u16>i1> <u16>i8> <u16>i16> <u16>i32> <u16>i64> <u16>u8> <u16>u32> "
     "<u16>f16> <u16>bf16> <u16>f32> <u16>f64> "
     "<u32>i1> <u32>i8> <u32>i16> <u32>i32> <u32>i64> <u32>u8> <u32>u16> "
     "<u32>f16> <u32>bf16> <u32>f32> <u32>f64> "
     "/i1>f16/ /i1>bf16/ /i8>i64/ /i16>i64/ /i64>i8/ /i64>i16/ /i64>f16/ /i64>bf16/ "
     "/f16>i1/ /f16>i64/ /f16>bf16/ /bf16>i1/ /bf16>i64/ /bf16>f16/ "
     "\\i1>u64\\ \\i8>u64\\ \\i16>u64\\ \\i32>u64\\ \\i64>u64\\ \\u8>u64\\ \\u16>u64\\ \\u32>u64\\ "
     "\\f16>u64\\ \\bf16>u64\\ \\f32>u64\\ \\f64>u64\\ "
     "\\u64>i1\\ \\u64>i8\\ \\u64>i16\\ \\u64>i32\\ \\u64>i64\\ \\u64>u8\\ \\u64>u16\\ \\u64>u32\\ "
     "\\u64>f16\\ \\u64>bf16\\ \\u64>f32\\ \\u64>f64\\"},
    {TOSAJIT_OP_ceil, FLOATS " (f64)"},
    {TOSAJIT_OP_clamp, "i8 i16 " FLOATS UNSIGNED " /i32/ /i64/ /f64/"},
    {TOSAJIT_OP_clz, "i32 i64" UNSIGNED NARROW},
    {TOSAJIT_OP_cos, FUNCTION},
    {TOSAJIT_OP_erf, FUNCTION},
    {TOSAJIT_OP_exp, FUNCTION},
    {TOSAJIT_OP_floor, FLOATS " (f64)"},
    {TOSAJIT_OP_identity, "i1 i8 i16 i32 i48 i64 f8E4M3FN f8E5M2 " FLOATS " (f64)" UNSIGNED},
    {TOSAJIT_OP_log, FUNCTION},
    {TOSAJIT_OP_logical_not, "i1"},
    {TOSAJIT_OP_negate, INTEGERS " " FLOATS " (f64)"},
    {TOSAJIT_OP_reciprocal, FUNCTION},
    {TOSAJIT_OP_rsqrt, FUNCTION},
    {TOSAJIT_OP_sigmoid, FUNCTION},
    {TOSAJIT_OP_sin, FUNCTION},
    {TOSAJIT_OP_tanh, FUNCTION},
    {TOSAJIT_OP_add, NUMBERS},
    {TOSAJIT_OP_arithmetic_right_shift, INTEGERS},
    {TOSAJIT_OP_bitwise_and, INTEGERS},
    {TOSAJIT_OP_bitwise_or, INTEGERS},
    {TOSAJIT_OP_bitwise_xor, INTEGERS},
    {TOSAJIT_OP_intdiv, "i32 i64" UNSIGNED NARROW},
    {TOSAJIT_OP_equal, COMPARES},
    {TOSAJIT_OP_greater, COMPARES},
    {TOSAJIT_OP_greater_equal, COMPARES},
    {TOSAJIT_OP_logical_and, "i1"},
    {TOSAJIT_OP_logical_or, "i1"},
    {TOSAJIT_OP_logical_xor, "i1"},
    {TOSAJIT_OP_logical_left_shift, INTEGERS},
    {TOSAJIT_OP_logical_right_shift, INTEGERS},
    {TOSAJIT_OP_maximum, NUMBERS},
    {TOSAJIT_OP_minimum, NUMBERS},
    {TOSAJIT_OP_mul, "i8>i32 i16>i32 i32 i64 " FLOATS " (f64)" UNSIGNED},
    {TOSAJIT_OP_pow, FUNCTION},
    {TOSAJIT_OP_sub, NUMBERS},
    {TOSAJIT_OP_select, "i1 " INTEGERS " " FLOATS " (f64)"},
    {TOSAJIT_OP_table, "i8>i8 i16>i32"},
    {TOSAJIT_OP_rescale,
     "i8>i8 i8>i16 i8>i32 i16>i8 i16>i16 i16>i32 i32>i8 i32>i16 i32>i32 i48>i8 i48>i16 i48>i32"},
    {TOSAJIT_OP_sqrt, REALS_LATER},
    {TOSAJIT_OP_divide, REALS_LATER},
    {TOSAJIT_OP_roundeven, REALS_LATER},
    {TOSAJIT_OP_exp2, REALS_LATEST},
    {TOSAJIT_OP_expm1, REALS_LATEST},
    {TOSAJIT_OP_log1p, REALS_LATEST},
    {TOSAJIT_OP_log2, REALS_LATEST},
    {TOSAJIT_OP_log10, REALS_LATEST},
    {TOSAJIT_OP_sinh, REALS_LATEST},
    {TOSAJIT_OP_cosh, REALS_LATEST},
    {TOSAJIT_OP_tan, REALS_LATEST},
    {TOSAJIT_OP_asin, REALS_LATEST},
    {TOSAJIT_OP_acos, REALS_LATEST},
    {TOSAJIT_OP_atan, REALS_LATEST},
    {TOSAJIT_OP_asinh, REALS_LATEST},
    {TOSAJIT_OP_acosh, REALS_LATEST},
    {TOSAJIT_OP_atanh, REALS_LATEST},
    {TOSAJIT_OP_cbrt, REALS_LATEST},
    {TOSAJIT_OP_erfc, REALS_LATEST},
    {TOSAJIT_OP_atan2, REALS_LATEST},
    {TOSAJIT_OP_hypot, REALS_LATEST},
    {TOSAJIT_OP_trunc, REALS_LATEST},
    {TOSAJIT_OP_copysign, REALS_LATEST},
    {TOSAJIT_OP_fmod, REALS_LATEST WHOLE},
    {TOSAJIT_OP_remainder, REALS_LATEST WHOLE},
    {TOSAJIT_OP_floor_divide, REALS_LATEST WHOLE},
    {TOSAJIT_OP_nextafter, "|f16| |bf16| |f32| |f64|"},
    {TOSAJIT_OP_reduce_all, "i1"},
    {TOSAJIT_OP_reduce_any, "i1"},
    {TOSAJIT_OP_reduce_max, INTEGERS " " FLOATS " (f64)"},
    {TOSAJIT_OP_reduce_min, INTEGERS " " FLOATS " (f64)"},
    {TOSAJIT_OP_reduce_product, "(i32) (i64) " FLOATS " (f64) <u32> \\u64\\"},
    {TOSAJIT_OP_reduce_sum, "i32 i64 " FLOATS " (f64) <u32> \\u64\\"},
    {TOSAJIT_OP_reduce_count, "(i32) (i64) (f16) (bf16) (f32) (f64) <u32> \\u64\\"},
    {TOSAJIT_OP_argmax, "i8>i32 i16>i32 i32 i64>i32 f8E4M3FN>i32 f8E5M2>i32 f16>i32 bf16>i32 "
                        "f32>i32 (f64>i32) <u8>i32> <u16>i32> <u32>i32> \\u64>i32\\"},
    {TOSAJIT_OP_argmin, "(i8>i32) (i16>i32) (i32) (i64>i32) (f8E4M3FN>i32) (f8E5M2>i32) (f16>i32) "
                        "(bf16>i32) (f32>i32) (f64>i32) <u8>i32> <u16>i32> <u32>i32> \\u64>i32\\"},
    {TOSAJIT_OP_index,
     "(i1>i32) (i8>i32) (i16>i32) (i32) (i48>i32) (i64>i32) (f8E4M3FN>i32) (f8E5M2>i32) (f16>i32) "
     "(bf16>i32) (f32>i32) (f64>i32) <u8>i32> <u16>i32> <u32>i32> \\u64>i32\\"},
    {TOSAJIT_OP_fma, "+f32+ +f64+"},
};

/* True if an op needs a dimension. */
static bool is_along(tosajit_op op) { return test_reduces(op) || test_is_position(op); }

typedef enum legality {
    ILLEGAL,
    LEGAL,
    EXTENSION,
    LATER,
    LATEST,
    UNSIGNED_ROW,
    NEWEST,
    WHOLE_ROW,
    WIDE_ROW,
    FUSED_ROW
} legality;

/* The rows' verdict on data operands of `from` (of select: behind the i1) and a result of `to`.
 */
static legality look_up(const op_rows *rows, tosajit_type from, tosajit_type to) {
    char pair[32], text[3072];
    snprintf(pair, sizeof pair, "%s>%s", tosajit_type_name(from), tosajit_type_name(to));
    snprintf(text, sizeof text, "%s", rows->rows);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        const legality found = *word == '('    ? EXTENSION
                               : *word == '['  ? LATER
                               : *word == '{'  ? LATEST
                               : *word == '<'  ? UNSIGNED_ROW
                               : *word == '|'  ? NEWEST
                               : *word == '/'  ? WHOLE_ROW
                               : *word == '\\' ? WIDE_ROW
                               : *word == '+'  ? FUSED_ROW
                                               : LEGAL;
        if (found != LEGAL) word[strlen(word) - 1] = 0, word++;
        if (strcmp(word, pair) == 0 || (from == to && strcmp(word, tosajit_type_name(from)) == 0))
            return found;
    }
    return ILLEGAL;
}

static test_random randoms;

/* FNV-1a of all results of the interpreter, NaN of any bits as one value. It is the same on every
 * machine, whatever its long double and its instructions are; a change of the rows, of their order
 * or of what is drawn for them changes it. The others are of later rows. */
static const uint64_t standard_digest = UINT64_C(0x22e3ee6013c6524c),
                      later_digest = UINT64_C(0xc213ff02959c3003),
                      latest_digest = UINT64_C(0xe02b0dd126f2b79f),
                      unsigned_digest = UINT64_C(0xdb7533767a7d1a93),
                      newest_digest = UINT64_C(0xf0249b1a60c1725b),
                      whole_digest = UINT64_C(0xfd187d984c907977),
                      wide_digest = UINT64_C(0x09c725cacf43013e),
                      fused_digest = UINT64_C(0xaea8ce9dea25ef09);
static uint64_t digest = GOLDEN_START;

/* The same of one row, and of its texts and images. Golden files have a line for each row; images
 * are the part's whose row it is, because they must be compiled. */
static struct {
    uint64_t number;
    size_t uses;
    uint64_t results, text, image;
} row;
static struct { golden rows, images; } files;

/* A use of an op: its types, its attributes and its parameters. */
typedef struct use {
    tosajit_op op;
    tosajit_type operand, result;
    tosajit_attributes attributes;
    int parameter_count;
    bool constant_parameters;
    tosajit_tensor_type parameter_types[4];
    uint8_t parameters[4][2048];
    char text[160];
} use;

enum { ROWS = 5, COLUMNS = 67, ELEMENTS = ROWS * COLUMNS };

static tosajit_type operand_type(const use *u, int k) {
    return u->op == TOSAJIT_OP_select && k == 0 ? TOSAJIT_I1 : u->operand;
}

static tosajit_expr *build(const use *u, bool is_dynamic) {
    int64_t dims[2] = {is_dynamic ? TOSAJIT_DYNAMIC : ROWS, is_dynamic ? TOSAJIT_DYNAMIC : COLUMNS};
    tosajit_expr *expr;
    tosajit_value values[TOSAJIT_MAX_OPERANDS], result;
    int arity = tosajit_op_arity(u->op);
    tosajit_tensor_type declared = tosajit_ranked(u->result, 2, dims);
    tosajit_status status = tosajit_expr_create(NULL, &expr);
    for (int k = 0; !status && k < arity; k++) {
        tosajit_tensor_type type = tosajit_ranked(operand_type(u, k), 2, dims);
        status = tosajit_expr_input(expr, &type, &values[k]);
    }
    for (int k = 0; !status && k < u->parameter_count; k++)
        status = u->constant_parameters
                     ? tosajit_expr_constant(expr, &u->parameter_types[k], u->parameters[k],
                                             &values[arity + k])
                     : tosajit_expr_input(expr, &u->parameter_types[k], &values[arity + k]);
    if (!status)
        status = tosajit_expr_op(expr, u->op, values, (size_t)(arity + u->parameter_count),
                                 &u->attributes, &declared, &result);
    if (!status) status = tosajit_expr_result(expr, result);
    if (status) fail_msg("%s: %s", u->text, tosajit_last_error());
    return expr;
}

static tosajit_kernel *compile(const use *u, tosajit_engine *engine, bool is_dynamic) {
    tosajit_expr *expr = build(u, is_dynamic);
    tosajit_kernel *kernel = NULL;
    if (tosajit_compile_expr(engine, expr, &kernel))
        fail_msg("%s: %s", u->text, tosajit_last_error());
    tosajit_expr_destroy(expr);
    return kernel;
}

/* Tells a difference, of which op with which attributes and parameters, on which level, for which
 * operands. */
static void report(const use *u, const char *engine, bool is_dynamic,
                   const tosajit_tensor *operands, size_t element, uint64_t expected,
                   uint64_t got) {
    char values[128] = "", *text;
    size_t used = 0;
    for (int o = 0; o < tosajit_op_arity(u->op); o++) {
        const tosajit_type type = operands[o].element;
        const uint8_t *at = (const uint8_t *)operands[o].data + element * tosajit_type_size(type);
        used += (size_t)snprintf(values + used, sizeof values - used, "%s%s 0x%" PRIx64,
                                 o ? ", " : "", tosajit_type_name(type), test_bits(type, at));
    }
    if (tosajit_expr_print(build(u, is_dynamic), NULL, &text)) text = "";
    fail_msg("%s on %s, %s sizes: element %zu of operands (%s): expected %s 0x%" PRIx64
             ", got 0x%" PRIx64 "\n%.2000s",
             u->text, engine, is_dynamic ? "dynamic" : "static", element, values,
             tosajit_type_name(u->result), expected, got, text);
}

static void compare(const use *u, const tosajit_kernel *kernel, const char *engine, bool is_dynamic,
                    tosajit_tensor *operands, const uint8_t *expected) {
    static uint8_t actual[ELEMENTS * 8];
    const int64_t dims[2] = {ROWS, COLUMNS};
    tosajit_tensor result = tosajit_dense(u->result, actual, 2, dims);
    if (tosajit_run(kernel, operands, tosajit_kernel_operand_count(kernel), &result, 1))
        fail_msg("%s: %s", u->text, tosajit_last_error());
    size_t size = tosajit_type_size(u->result);
    for (size_t k = 0; k < ELEMENTS; k++) {
        uint64_t a = test_bits(u->result, actual + k * size),
                 e = test_bits(u->result, expected + k * size);
        if (!test_same(u->result, a, e, 0)) report(u, engine, is_dynamic, operands, k, e, a);
    }
}

static uint64_t hash_elements(uint64_t hash, tosajit_type type, const uint8_t *elements) {
    for (size_t k = 0; k < ELEMENTS; k++) {
        uint64_t bits = test_bits(type, elements + k * tosajit_type_size(type));
        hash = (hash ^ (test_is_nan(type, bits) ? ~UINT64_C(0) : bits)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void add_text(const use *u, bool is_dynamic) {
    tosajit_expr *expr = build(u, is_dynamic);
    char *text;
    if (tosajit_expr_print(expr, NULL, &text)) fail_msg("%s: %s", u->text, tosajit_last_error());
    row.text = golden_hash(row.text, text, strlen(text));
    tosajit_text_release(text);
    tosajit_expr_destroy(expr);
}

/* Members that are the same in an image whatever code is in it (docs/images.md): magic and format;
 * flags, fingerprint of the plan, bytes of the program, number of variants; the program. */
static void add_image(const use *u, bool is_dynamic) {
    enum { SIZE_AT = 16, FLAGS_AT = 32, PROGRAM_BYTES_AT = 48, PROGRAM_AT = 64 };
    static unsigned char image[64 << 10];
    tosajit_kernel *kernel = compile(u, test_engines[1].engine, is_dynamic);
    size_t size;
    uint64_t program_bytes;
    if (tosajit_kernel_save(kernel, image, sizeof image, &size))
        fail_msg("%s: %s", u->text, tosajit_last_error());
    memcpy(&program_bytes, image + PROGRAM_BYTES_AT, sizeof program_bytes);
    assert_true(size > PROGRAM_AT && program_bytes < size - PROGRAM_AT);
    row.image = golden_hash(row.image, image, SIZE_AT);
    row.image =
        golden_hash(row.image, image + FLAGS_AT, PROGRAM_AT - FLAGS_AT + (size_t)program_bytes);
    tosajit_kernel_release(kernel);
}

/* True if the first engine makes code, of which there are images. */
static bool makes_images(void) { return !strstr(test_engines[1].name, "precompiled"); }

/* Texts of every use; images of the row's first one. */
static void add_to_row(const use *u, const uint8_t *results) {
    row.results = hash_elements(row.results, u->result, results);
    for (int is_dynamic = 0; is_dynamic < 2; is_dynamic++) {
        add_text(u, is_dynamic);
        if (row.uses == 0 && test_is_mine(row.number) && makes_images()) add_image(u, is_dynamic);
    }
    row.uses++;
}

enum { BOTH = 2, LEVELS = 3 };

static uint64_t shapes_of_today(void) { return test_setting("TOSAJIT_SHAPES", test_day() % BOTH); }

/* True if the use with this number is left out for such shapes: TOSAJIT_SHAPES=2 has both of every
 * use, 0 and 1 have one, and so has each day. Uses come in pairs of the same op, with parameters
 * that are constants and that are not, so the order changes from pair to pair. */
static bool is_left_out(uint64_t number, int is_dynamic) {
    const uint64_t shapes = shapes_of_today();
    return shapes < BOTH && ((number ^ number >> 1 ^ shapes) & 1) != (uint64_t)is_dynamic;
}

/* True if it is another level's turn to compile the use with this number. */
static bool waits(uint64_t number, size_t engine) {
    return shapes_of_today() < BOTH && engine > 1 && test_engines[engine].native &&
           (number / (BOTH * BOTH) + engine + test_day()) % LEVELS != 0;
}

/* The first part of a divided test interprets the rows of all others too, for the digest over all
 * of them; the others leave out what is not theirs. */
static bool is_interpreted(void) { return test_is_mine(row.number) || test_is_mine(0); }

/* Compile, run, compare: static and dynamic, on every engine. The operands are drawn in any case:
 * those of the next use depend on how many were drawn before. */
static void check_use(const use *u) {
    static uint64_t number = 0;
    static uint8_t data[3][ELEMENTS * 8], expected[ELEMENTS * 8];
    const int64_t dims[2] = {ROWS, COLUMNS};
    tosajit_tensor operands[TOSAJIT_MAX_OPERANDS],
        result = tosajit_dense(u->result, expected, 2, dims);
    int arity = tosajit_op_arity(u->op);
    for (int k = 0; k < arity; k++) {
        tosajit_type type = operand_type(u, k);
        for (size_t at = 0; at < ELEMENTS; at++)
            test_random_element(&randoms, type, data[k] + at * tosajit_type_size(type));
        operands[k] = tosajit_dense(type, data[k], 2, dims);
    }
    for (int k = 0; k < u->parameter_count; k++)
        operands[arity + k] =
            tosajit_dense(u->parameter_types[k].element, (void *)(uintptr_t)u->parameters[k], 1,
                          u->parameter_types[k].dims);
    for (size_t e = 0; is_interpreted() && e < test_engine_count; e++)
        for (int is_dynamic = 0; is_dynamic < 2; is_dynamic++) {
            if (is_left_out(number, is_dynamic) || waits(number, e)) continue;
            if (e > 0 && !test_is_mine(row.number)) continue;
            tosajit_kernel *kernel = compile(u, test_engines[e].engine, is_dynamic);
            if (tosajit_run_interpreted(kernel, operands, tosajit_kernel_operand_count(kernel),
                                        &result, 1))
                fail_msg("%s: %s", u->text, tosajit_last_error());
            compare(u, kernel, test_engines[e].name, is_dynamic, operands, expected);
            tosajit_kernel_release(kernel);
        }
    number++;
    if (!is_interpreted()) return;
    digest = hash_elements(digest, u->result, expected);
    add_to_row(u, expected);
}

static void set_parameter(use *u, int k, tosajit_type element, int64_t count) {
    u->parameter_types[k] = tosajit_ranked(element, 1, &count);
    if (k >= u->parameter_count) u->parameter_count = k + 1;
}

static void store(use *u, int k, int64_t index, int64_t value) {
    size_t size = tosajit_type_size(u->parameter_types[k].element);
    memcpy(u->parameters[k] + (size_t)index * size, &value, size); /* little-endian */
}

/* With constant parameters, and with parameters of the call. */
static void check_parameters(use *u) {
    for (int constant = 0; constant < 2; constant++) {
        u->constant_parameters = constant;
        check_use(u);
    }
}

static void check_table(use *u) {
    bool small = u->operand == TOSAJIT_I8;
    set_parameter(u, 0, small ? TOSAJIT_I8 : TOSAJIT_I16, small ? 256 : 513);
    for (int64_t k = 0; k < u->parameter_types[0].dims[0]; k++)
        store(u, 0, k, (int64_t)test_random_next(&randoms));
    check_parameters(u);
}

/* One legal setting of everything that rescale takes; false if the combination is illegal. */
static bool check_rescale(use *u, int scale32, int mode, int input_unsigned, int output_unsigned,
                          int per_channel) {
    u->attributes = (tosajit_attributes){.scale32 = (uint8_t)scale32,
                                         .rounding_mode = (tosajit_rounding_mode)mode,
                                         .input_unsigned = (uint8_t)input_unsigned,
                                         .output_unsigned = (uint8_t)output_unsigned,
                                         .per_channel = (uint8_t)per_channel};
    bool small = u->operand <= TOSAJIT_I16 && u->result <= TOSAJIT_I16;
    bool legal =
        !(scale32 && u->operand == TOSAJIT_I48) && !(mode == TOSAJIT_DOUBLE_ROUND && !scale32) &&
        !(input_unsigned && output_unsigned) && (small || !(input_unsigned || output_unsigned));
    int64_t channels = per_channel ? COLUMNS : 1;
    set_parameter(u, 0, scale32 ? TOSAJIT_I32 : TOSAJIT_I16, channels);
    set_parameter(u, 1, TOSAJIT_I8, channels);
    set_parameter(u, 2, u->operand, 1);
    set_parameter(u, 3, u->result, 1);
    for (int64_t c = 0; c < channels; c++) {
        store(u, 0, c, test_random_range(&randoms, 0, scale32 ? INT32_MAX : INT16_MAX));
        store(u, 1, c, test_random_range(&randoms, 2, scale32 ? 62 : 40));
    }
    store(u, 2, 0,
          u->operand == TOSAJIT_I8                      ? test_random_range(&randoms, -128, 127)
          : u->operand == TOSAJIT_I16 && input_unsigned ? 32768
                                                        : 0);
    store(u, 3, 0,
          u->result == TOSAJIT_I8                       ? test_random_range(&randoms, -128, 127)
          : u->result == TOSAJIT_I16 && output_unsigned ? 32768
                                                        : 0);
    snprintf(u->text, sizeof u->text,
             "rescale %s>%s scale32=%d mode=%d unsigned=%d,%d per_channel=%d",
             tosajit_type_name(u->operand), tosajit_type_name(u->result), scale32, mode,
             input_unsigned, output_unsigned, per_channel);
    tosajit_tensor_type types[5] = {tosajit_ranked(u->operand, 2, (int64_t[]){ROWS, COLUMNS})};
    for (int k = 0; k < 4; k++) types[k + 1] = u->parameter_types[k];
    tosajit_tensor_type declared = tosajit_ranked(u->result, 2, (int64_t[]){ROWS, COLUMNS});
    tosajit_status status = tosajit_verify(u->op, types, 5, &u->attributes, &declared, 1, NULL);
    if ((status == TOSAJIT_OK) != legal)
        fail_msg("%s is %s", u->text, legal ? tosajit_last_error() : "accepted");
    return legal;
}

static void check_all_rescales(use *u) {
    for (int k = 0; k < 2 * 3 * 2 * 2 * 2; k++)
        if (check_rescale(u, k & 1, k / 8 % 3, k >> 1 & 1, k >> 2 & 1, k / 24)) check_parameters(u);
}

/* Everything that a legal row can be told by attributes. */
static void check_legal(tosajit_op op, tosajit_type from, tosajit_type to) {
    use u = {.op = op, .operand = from, .result = to};
    snprintf(u.text, sizeof u.text, "%s %s>%s", tosajit_op_name(op), tosajit_type_name(from),
             tosajit_type_name(to));
    tosajit_attributes *a = &u.attributes;
    bool integer = !test_is_float(from);
    if (op == TOSAJIT_OP_table) {
        check_table(&u);
        return;
    }
    if (op == TOSAJIT_OP_rescale) {
        check_all_rescales(&u);
        return;
    }
    if (op == TOSAJIT_OP_clamp && test_is_unsigned(from))
        a->min_val.i = 7, a->max_val.i = 200;
    else if (op == TOSAJIT_OP_clamp && integer)
        a->min_val.i = -7, a->max_val.i = 100;
    else if (op == TOSAJIT_OP_clamp)
        a->min_val.f = -1.5, a->max_val.f = 64;
    check_use(&u);
    if (op == TOSAJIT_OP_clamp || op == TOSAJIT_OP_maximum || op == TOSAJIT_OP_minimum)
        a->nan_mode = TOSAJIT_NAN_IGNORE, check_use(&u);
    if (op == TOSAJIT_OP_arithmetic_right_shift) a->round = 1, check_use(&u);
    if (op == TOSAJIT_OP_cast && integer && from != TOSAJIT_I1 && !test_is_unsigned(from))
        a->input_unsigned = 1, check_use(&u);
    if (op == TOSAJIT_OP_negate && from == TOSAJIT_I8)
        a->input_zp = -100, a->output_zp = 77, check_use(&u);
    if (op == TOSAJIT_OP_mul && from == TOSAJIT_I32)
        for (a->shift = 1; a->shift < 64; a->shift += 3) check_use(&u);
    u.attributes = (tosajit_attributes){0};
    if (op == TOSAJIT_OP_mul) {
        set_parameter(&u, 0, TOSAJIT_I8, 1);
        store(&u, 0, 0, from == TOSAJIT_I32 ? 17 : 0);
        check_parameters(&u);
    }
    if (op == TOSAJIT_OP_negate) {
        for (int k = 0; k < 2; k++)
            set_parameter(&u, k, from, 1), store(&u, k, 0, from == TOSAJIT_I8 ? 35 - 90 * k : 0);
        check_parameters(&u);
    }
}

/* tosajit_verify and tosajit_op_accepts on one combination, default and strict. */
static void check_verdict(const op_rows *rows, const tosajit_type *operands, tosajit_type to,
                          legality expected) {
    const int arity = tosajit_op_arity(rows->op);
    const int32_t rank = is_along(rows->op);
    const int64_t one = 1;
    tosajit_tensor_type types[TOSAJIT_MAX_ARITY], result = tosajit_ranked(to, rank, &one);
    for (int k = 0; k < arity; k++) types[k] = tosajit_ranked(operands[k], rank, &one);
    int required = 0;
    tosajit_op_parameters(rows->op, &required);
    if ((tosajit_op_accepts(rows->op, operands, to) != 0) != (expected != ILLEGAL))
        fail_msg("%s: (%s, ...) -> %s is %s", tosajit_op_name(rows->op),
                 tosajit_type_name(operands[arity - 1]), tosajit_type_name(to),
                 expected ? "refused" : "accepted");
    for (int strict = 0; strict < 2 && !required; strict++) {
        bool legal = expected == LEGAL || (expected != ILLEGAL && !strict);
        tosajit_status status =
            tosajit_verify(rows->op, types, (size_t)arity, NULL, &result, strict, NULL);
        if (status != (legal ? TOSAJIT_OK : TOSAJIT_TYPE_MISMATCH))
            fail_msg("%s: (%s, ...) -> %s, strict=%d, is %s", tosajit_op_name(rows->op),
                     tosajit_type_name(operands[arity - 1]), tosajit_type_name(to), strict,
                     status ? tosajit_last_error() : "accepted");
    }
}

static void every_op_has_rows(void **state) {
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        /* tests/api/views_test.c, gather_test.c, scan_test.c and scatter_test.c have these */
        int found = test_is_view((tosajit_op)op) || op == TOSAJIT_OP_gather ||
                    test_is_scan((tosajit_op)op) || test_is_scatter((tosajit_op)op);
        for (size_t n = 0; n < sizeof table / sizeof *table; n++) found += (int)table[n].op == op;
        if (found != 1)
            fail_msg("%s has %d lines in the table of this test, expected 1: the element types of "
                     "its specification (docs/how-to-add-an-op.md)",
                     tosajit_op_name((tosajit_op)op), found);
    }
}

static void exactly_the_rows_are_legal(void **state) {
    for (size_t n = 0; n < sizeof table / sizeof *table; n++) {
        const int arity = tosajit_op_arity(table[n].op), types = TOSAJIT_TYPE_COUNT;
        int combinations = types;
        for (int k = 0; k < arity; k++) combinations *= types;
        for (int c = 0; c < combinations; c++) {
            tosajit_type operands[TOSAJIT_MAX_ARITY], to = (tosajit_type)(c % types);
            int rest = c / types;
            for (int k = 0; k < arity; k++, rest /= types)
                operands[k] = (tosajit_type)(rest % types);
            const bool selects = table[n].op == TOSAJIT_OP_select;
            bool uniform = !selects || operands[0] == TOSAJIT_I1;
            for (int k = selects; k < arity; k++) uniform &= operands[k] == operands[arity - 1];
            check_verdict(&table[n], operands, to,
                          uniform ? look_up(&table[n], operands[arity - 1], to) : ILLEGAL);
        }
    }
}

/* All uses of a row, and its golden lines. */
static void check_row(uint64_t seed, tosajit_op op, tosajit_type from, tosajit_type to) {
    char name[80], line[200];
    row.uses = 0;
    row.results = row.text = row.image = GOLDEN_START;
    check_legal(op, from, to);
    snprintf(name, sizeof name, "%s %s>%s", tosajit_op_name(op), tosajit_type_name(from),
             tosajit_type_name(to));
    snprintf(line, sizeof line, "%s %zu results %016" PRIx64 " text %016" PRIx64, name, row.uses,
             row.results, row.text);
    /* Other seeds draw other operands. */
    golden_expect(&files.rows, seed == 1 && is_interpreted() ? line : NULL);
    snprintf(line, sizeof line, "%s %016" PRIx64, name, row.image);
    golden_expect(&files.images,
                  seed == 1 && test_is_mine(row.number) && makes_images() ? line : NULL);
    row.number++;
}

/* The age of a row, whose name tells it. */
static const char *age_of(legality found) {
    return found == LATER          ? "later "
           : found == LATEST       ? "latest "
           : found == UNSIGNED_ROW ? "unsigned "
           : found == NEWEST       ? "newest "
           : found == WHOLE_ROW    ? "whole "
           : found == WIDE_ROW     ? "wide "
           : found == FUSED_ROW    ? "fused "
                                   : "";
}

/* The rows of one age, and the digest of their results. Those of reductions and positions have
 * tests of their own, reduce_test and positions_test. */
static void check_rows(uint64_t seed, const char *age, uint64_t expected) {
    const int types = TOSAJIT_TYPE_COUNT;
    const uint64_t before = row.number;
    digest = GOLDEN_START;
    for (size_t n = 0; n < sizeof table / sizeof *table; n++)
        for (int pair = 0; !is_along(table[n].op) && pair < types * types; pair++) {
            const tosajit_type from = (tosajit_type)(pair / types),
                               to = (tosajit_type)(pair % types);
            const legality found = look_up(&table[n], from, to);
            if (found != ILLEGAL && strcmp(age_of(found), age) == 0)
                check_row(seed, table[n].op, from, to);
        }
    printf("  %" PRIu64 " %srows, seed %" PRIu64 ", digest 0x%016" PRIx64 "\n", row.number - before,
           age, seed, digest);
    if (seed == 1 && test_is_mine(0) && digest != expected)
        fail_msg("the digest of the interpreter's results of all %srows is 0x%016" PRIx64
                 ", expected 0x%016" PRIx64 ": golden lines above name the rows that differ",
                 age, digest, expected);
}

static void every_legal_row_computes(void **state) {
    uint64_t seed = test_setting("TOSAJIT_SEED", 1);
    randoms = test_random_start(seed);
    print_message("TOSAJIT_SHAPES=%" PRIu64 "\n", shapes_of_today());
    assert_true(golden_open(&files.rows, TOSAJIT_GOLDEN_DIRECTORY "/op_rows.txt"));
    assert_true(golden_open(&files.images, TOSAJIT_GOLDEN_DIRECTORY "/op_rows_images.txt"));
    check_rows(seed, "", standard_digest);
    check_rows(seed, "later ", later_digest);
    check_rows(seed, "latest ", latest_digest);
    check_rows(seed, "unsigned ", unsigned_digest);
    check_rows(seed, "newest ", newest_digest);
    check_rows(seed, "whole ", whole_digest);
    check_rows(seed, "wide ", wide_digest);
    check_rows(seed, "fused ", fused_digest);
    const bool same_rows = golden_close(&files.rows), same_images = golden_close(&files.images);
    assert_true(same_rows && same_images);
}

int main(void) {
    return TEST_RUN(test_setup_exact, test_teardown, TEST(every_op_has_rows),
                    TEST(exactly_the_rows_are_legal), TEST(every_legal_row_computes));
}
