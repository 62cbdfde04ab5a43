/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of operators, of other names, and of what is written otherwise elsewhere. */
#include "jit/text/operators.h"

#include <string.h>

#include "tosajit/inspect.h"

#define NONE TOSAJIT_OP_COUNT
#define OP(name) TOSAJIT_OP_##name
/* clang-format off */
const text_operator_row text_operators[] = {
    [TEXT_EQ]   = {"==",  1, OP(equal),                  OP(logical_xor), false, false, true},
    [TEXT_NE]   = {"!=",  1, OP(equal),                  OP(logical_xor), false, true,  false},
    [TEXT_LT]   = {"<",   1, OP(greater),                NONE,            true,  false, false},
    [TEXT_LE]   = {"<=",  1, OP(greater_equal),          NONE,            true,  false, false},
    [TEXT_GT]   = {">",   1, OP(greater),                NONE,            false, false, false},
    [TEXT_GE]   = {">=",  1, OP(greater_equal),          NONE,            false, false, false},
    [TEXT_OR]   = {"|",   2, OP(bitwise_or),             OP(logical_or),  false, false, false},
    [TEXT_XOR]  = {"^",   3, OP(bitwise_xor),            OP(logical_xor), false, false, false},
    [TEXT_AND]  = {"&",   4, OP(bitwise_and),            OP(logical_and), false, false, false},
    [TEXT_SHL]  = {"<<",  5, OP(logical_left_shift),     NONE,            false, false, false},
    [TEXT_SHR]  = {">>",  5, OP(arithmetic_right_shift), NONE,            false, false, false},
    [TEXT_USHR] = {">>>", 5, OP(logical_right_shift),    NONE,            false, false, false},
    [TEXT_ADD]  = {"+",   6, OP(add),                    NONE,            false, false, false},
    [TEXT_SUB]  = {"-",   6, OP(sub),                    NONE,            false, false, false},
    [TEXT_MUL]  = {"*",   7, OP(mul),                    NONE,            false, false, false},
    [TEXT_DIV]  = {"/",   7, OP(intdiv),                 NONE,            false, false, false},
    [TEXT_POW]  = {"**",  8, OP(pow),                    NONE,            false, false, false},
    [TEXT_NEGATE]      = {"-", 8, OP(negate),            NONE,            false, false, false},
    [TEXT_NOT]         = {"~", 8, OP(bitwise_not),       OP(logical_not), false, false, false},
    [TEXT_LOGICAL_NOT] = {"!", 8, OP(logical_not),       NONE,            false, false, false},
};
/* clang-format on */

typedef struct pair {
    const char *name, *meaning;
} pair;

static const pair functions[] = {
    {"clip", "clamp"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arctanh", "atanh"},
    {"max", "maximum"},
    {"min", "minimum"},
    {"neg", "negate"},
    {"rint", "roundeven"},
    {"round", "roundeven"},
    {"where", "select"},
    {"gelu", "x * (erf(x * 0.70710678118654752) + 1) * 0.5"},
    {"hardsigmoid", "minimum(maximum(x * 0.16666666666666667 + 0.5, 0), 1)"},
    {"hardswish", "x * minimum(maximum(x * 0.16666666666666667 + 0.5, 0), 1)"},
    {"isfinite", "x - x == 0"},
    {"isinf", "abs(x) == inf"},
    {"isnan", "!(x == x)"},
    {"logsigmoid", "minimum(x, 0) - log1p(exp(-abs(x)))"},
    {"mish", "x * tanh(maximum(x, 0) + log1p(exp(-abs(x))))"},
    {"relu", "maximum(x, 0)"},
    {"relu6", "minimum(maximum(x, 0), 6)"},
    {"signbit", "copysign(1, x) < 0"},
    {"silu", "x * sigmoid(x)"},
    {"softplus", "maximum(x, 0) + log1p(exp(-abs(x)))"},
    {"square", "x * x"},
    {"swish", "x * sigmoid(x)"},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, SYNONYMS = 14 };

static const char *find(const pair *table, size_t count, const char *name, size_t length) {
    for (size_t k = 0; k < count; k++)
        if (strlen(table[k].name) == length && memcmp(table[k].name, name, length) == 0)
            return table[k].meaning;
    return NULL;
}

tosajit_op text_synonym(const char *name, size_t length) {
    const char *op = find(functions, SYNONYMS, name, length);
    return op ? tosajit_op_find(op) : TOSAJIT_OP_COUNT;
}

const char *text_alias(const char *name, size_t length) {
    return find(functions + SYNONYMS, FUNCTIONS - SYNONYMS, name, length);
}

const char *text_function_name(size_t index, const char **meaning) {
    if (index >= FUNCTIONS) return NULL;
    if (meaning) *meaning = functions[index].meaning;
    return functions[index].name;
}

#define PRODUCT "there are no products of matrices; of two rows it is sum(x * y, axis=-1)"
#define NUMPYS "no kernel has it; in Python tosajit.evaluate and tosajit.jit leave it to NumPy"
static const pair words[] = {
    {"and", "and is written &, with comparisons in brackets: (a > 0) & (b > 0)"},
    {"or", "or is written |, with comparisons in brackets: (a > 0) | (b > 0)"},
    {"not", "not is written !"},
    {"if", "a if condition else b is written select(condition, a, b)"},
    {"dot", PRODUCT},
    {"matmul", PRODUCT},
    {"mod", "of floats it is remainder(a, b); of integers a - a / b * b"},
    {"leaky_relu", "as an expression it is maximum(x, x * 0.01)"},
    {"exp10", "as an expression it is pow(10, x)"},
    {"float32", "the type is f32"},
    {"float", "the type is f32"},
    {"float16", "the type is f16"},
    {"half", "the type is f16"},
    {"bfloat16", "the type is bf16"},
    {"float64", "the type is f64"},
    {"double", "the type is f64"},
    {"int", "the type is i32"},
    {"int8", "the type is i8"},
    {"int16", "the type is i16"},
    {"int32", "the type is i32"},
    {"int64", "the type is i64"},
    {"bool", "the type is i1"},
    {"uint8", "the type is u8"},
    {"uint16", "the type is u16"},
    {"uint32", "the type is u32"},
    {"uint64", "the type is u64"},
    {"xor", "of integers it is written ^; of i1 it is logical_xor"},
    {"ptp", "as an expression it is max(x) - min(x)"},
    {"put_along_axis", "it is scatter(x, i, y); transpose brings another dimension to the front"},
    {"index_add", "it is scatter_add(x, i, y); transpose brings another dimension to the front"},
    {"index_copy", "it is scatter(x, i, y); transpose brings another dimension to the front"},
    {"scatter_nd", "rows are put by scatter(x, i, y), with an index of one number for each"},
    {"argsort", NUMPYS},
    {"bincount", NUMPYS},
    {"divmod", NUMPYS},
    {"einsum", NUMPYS},
    {"gcd", NUMPYS},
    {"histogram", NUMPYS},
    {"interp", NUMPYS},
    {"isin", NUMPYS},
    {"lcm", NUMPYS},
    {"median", NUMPYS},
    {"percentile", NUMPYS},
    {"quantile", NUMPYS},
    {"repeat", NUMPYS},
    {"searchsorted", NUMPYS},
    {"sort", NUMPYS},
    {"unique", NUMPYS},
};

static const pair signs[] = {
    {"&&", "&& is written &, with comparisons in brackets: (a > 0) & (b > 0)"},
    {"||", "|| is written |, with comparisons in brackets: (a > 0) | (b > 0)"},
    {"?", "condition ? a : b is written select(condition, a, b)"},
    {"//", "// could be two things: a comment begins with #; floor division is "
           "floor_divide(a, b) of floats, and a / b of integers rounds toward zero"},
    {"%", "of floats write remainder(a, b); of integers it is a - a / b * b"},
    {"@", PRODUCT},
    {"+=", "names are given once: write another one, y = x + 1"},
    {"-=", "names are given once: write another one, y = x - 1"},
    {"*=", "names are given once: write another one, y = x * 2"},
};

const char *text_foreign_word(const char *word, size_t length) {
    return find(words, sizeof words / sizeof *words, word, length);
}

const char *text_foreign_operator(const char *text, size_t length) {
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        size_t own = strlen(signs[k].name);
        if (own <= length && memcmp(signs[k].name, text, own) == 0) return signs[k].meaning;
    }
    return NULL;
}
