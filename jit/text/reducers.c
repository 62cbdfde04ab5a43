/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that reduce, written out. Means and what is made of them are computed in f32 where x is
 * f16 or bf16, and rounded once at the end, as PyTorch does. Axes that are neighbours are one
 * reduction; others are reduced one after the other, from the last. */
#include "jit/text/reducers.h"

#include <string.h>

#include "tosajit/inspect.h"

#include "runtime/base/diag.h"
#include "runtime/base/types.h"

static tosajit_tensor_type type_of(const reducer_call *c, tosajit_value value) {
    tosajit_tensor_type type = {TOSAJIT_F32, 0, {0}};
    tosajit_expr_type(c->expr, value, &type);
    return type;
}

static tosajit_type element_of(const reducer_call *c, tosajit_value value) {
    return type_of(c, value).element;
}

/* Behind an op that was refused none is added: its first operand stands for it. */
static tosajit_value apply(reducer_call *c, tosajit_op op, const tosajit_value *operands,
                           size_t count, const tosajit_attributes *a,
                           const tosajit_tensor_type *type) {
    tosajit_value value = operands[0];
    if (!c->status) c->status = tosajit_expr_op(c->expr, op, operands, count, a, type, &value);
    return value;
}

static tosajit_value unary(reducer_call *c, tosajit_op op, tosajit_value x) {
    return apply(c, op, &x, 1, NULL, NULL);
}

static tosajit_value binary(reducer_call *c, tosajit_op op, tosajit_value x, tosajit_value y) {
    return apply(c, op, (tosajit_value[]){x, y}, 2, NULL, NULL);
}

static tosajit_value cast(reducer_call *c, tosajit_value x, tosajit_type element) {
    const tosajit_tensor_type to = {.element = element, .rank = TOSAJIT_UNRANKED};
    return element_of(c, x) == element ? x : apply(c, TOSAJIT_OP_cast, &x, 1, NULL, &to);
}

/* A number of x's element type and rank. */
static tosajit_value number(reducer_call *c, tosajit_value x, double real) {
    tosajit_tensor_type type = type_of(c, x);
    const float single = (float)real;
    const void *data = type.element == TOSAJIT_F64 ? (const void *)&real : &single;
    for (int32_t d = 0; d < type.rank; d++) type.dims[d] = 1;
    if (!c->status) c->status = tosajit_expr_constant(c->expr, &type, data, &x);
    return x;
}

/* The first operand, in the type in which means are computed. */
static tosajit_value widened(reducer_call *c) {
    const tosajit_value x = c->operands[0];
    const tosajit_type own = element_of(c, x);
    return cast(c, x, own == TOSAJIT_F16 || own == TOSAJIT_BF16 ? TOSAJIT_F32 : own);
}

static tosajit_value to_own(reducer_call *c, tosajit_value x) {
    return cast(c, x, element_of(c, c->operands[0]));
}

/* Axes `first` to `last` of the call, which are neighbours. */
static tosajit_value along(reducer_call *c, tosajit_op op, tosajit_value x, int first, int last) {
    tosajit_attributes a = {.axis = c->axes[first], .joined = last - first};
    if (op == TOSAJIT_OP_reduce_max || op == TOSAJIT_OP_reduce_min) a.nan_mode = c->nan_mode;
    return apply(c, op, &x, 1, &a, NULL);
}

/* The first of the neighbours of x that are reduced with axis `last` of the call. */
static int first_neighbour(const reducer_call *c, tosajit_value x, int last) {
    int first = last;
    while (c->straddles && first > 0 && c->axes[first - 1] + 1 == c->axes[first] &&
           !c->straddles(c->expr, x, c->axes[first - 1], c->axes[last]))
        first--;
    return first;
}

/* Axes of the call before `end`, from the last. */
static tosajit_value reduce_before(reducer_call *c, tosajit_op op, tosajit_value x, int end) {
    while (end > 0) {
        const int first = first_neighbour(c, x, end - 1);
        x = along(c, op, x, first, end - 1);
        end = first;
    }
    return x;
}

static tosajit_value reduce(reducer_call *c, tosajit_op op, tosajit_value x) {
    return reduce_before(c, op, x, c->axis_count);
}

/* The number of elements, counted in each call. Over axes that are no neighbours it is a sum of
 * integer counts. So it is rounded once, as the constant is. */
static tosajit_value count_elements(reducer_call *c, tosajit_value x) {
    const int last = c->axis_count - 1, first = first_neighbour(c, x, last);
    const tosajit_type own = element_of(c, x);
    if (first > 0) x = cast(c, x, TOSAJIT_I64);
    x = along(c, TOSAJIT_OP_reduce_count, x, first, last);
    return cast(c, reduce_before(c, TOSAJIT_OP_reduce_sum, x, first), own);
}

/* The number of elements: a constant where the type says it, else counted by each call. */
static tosajit_value size_of(reducer_call *c, tosajit_value x) {
    const tosajit_tensor_type type = type_of(c, x);
    int64_t size = 1;
    for (int k = 0; k < c->axis_count; k++) {
        const int64_t own = type.dims[c->axes[k]];
        if (own == TOSAJIT_DYNAMIC || !size_multiply(size, own, &size)) return count_elements(c, x);
    }
    return number(c, x, type.element == TOSAJIT_F64 ? (double)size : (double)(float)size);
}

/* A sum divided by the number of elements less `less`. */
static tosajit_value average(reducer_call *c, tosajit_value x, double less) {
    const tosajit_value sum = reduce(c, TOSAJIT_OP_reduce_sum, x);
    tosajit_value size = size_of(c, x);
    if (less > 0) size = binary(c, TOSAJIT_OP_sub, size, number(c, size, less));
    if (less > 0) size = binary(c, TOSAJIT_OP_maximum, size, number(c, size, 0));
    return binary(c, TOSAJIT_OP_divide, sum, size);
}

/* x - mean(x), in the type of means. */
static tosajit_value center(reducer_call *c) {
    const tosajit_value x = widened(c);
    return binary(c, TOSAJIT_OP_sub, x, average(c, x, 0));
}

static tosajit_value square(reducer_call *c, tosajit_value x) {
    return binary(c, TOSAJIT_OP_mul, x, x);
}

/* 1 / x of any floating-point type. */
static tosajit_value inverse(reducer_call *c, tosajit_value x) {
    if (element_of(c, x) != TOSAJIT_F64) return unary(c, TOSAJIT_OP_reciprocal, x);
    return binary(c, TOSAJIT_OP_divide, number(c, x, 1), x);
}

/* ---------------------------------------------------------------------------------------------
 * Functions */

static tosajit_value plain(reducer_call *c, tosajit_op op) { return reduce(c, op, c->operands[0]); }

/* Of several dimensions it is a number in row-major order, so they are neighbours. */
static tosajit_value position(reducer_call *c, tosajit_op op) {
    const int last = c->axis_count - 1;
    if (!c->status && last < 0)
        c->status = diag_error(TOSAJIT_SHAPE_MISMATCH,
                               "tosa.%s needs a dimension, and there is none", tosajit_op_name(op));
    if (!c->status && c->axes[last] != c->axes[0] + last)
        c->status = diag_error(TOSAJIT_BAD_ATTRIBUTE, "tosa.%s takes one dimension, or neighbours",
                               tosajit_op_name(op));
    tosajit_attributes a = {.axis = c->axes[0], .joined = last, .nan_mode = c->nan_mode};
    return apply(c, op, c->operands, 1, &a, NULL);
}

static tosajit_value mean(reducer_call *c, tosajit_op op) {
    return (void)op, to_own(c, average(c, widened(c), 0));
}

/* With an op, sqrt, it is the standard deviation. */
static tosajit_value variance(reducer_call *c, tosajit_op op) {
    const tosajit_value power = average(c, square(c, center(c)), c->ddof);
    return to_own(c, op == TOSAJIT_OP_COUNT ? power : unary(c, op, power));
}

static tosajit_value norm(reducer_call *c, tosajit_op op) {
    return to_own(c, unary(c, op, reduce(c, TOSAJIT_OP_reduce_sum, square(c, widened(c)))));
}

/* x less its greatest element. */
static tosajit_value lowered(reducer_call *c) {
    const tosajit_value x = widened(c);
    return binary(c, TOSAJIT_OP_sub, x, reduce(c, TOSAJIT_OP_reduce_max, x));
}

static tosajit_value softmax(reducer_call *c, tosajit_op op) {
    const tosajit_value each = unary(c, TOSAJIT_OP_exp, lowered(c)),
                        sum = reduce(c, TOSAJIT_OP_reduce_sum, each);
    return (void)op, to_own(c, binary(c, TOSAJIT_OP_mul, each, inverse(c, sum)));
}

static tosajit_value log_softmax(reducer_call *c, tosajit_op op) {
    const tosajit_value less = lowered(c),
                        sum = reduce(c, TOSAJIT_OP_reduce_sum, unary(c, TOSAJIT_OP_exp, less));
    return to_own(c, binary(c, TOSAJIT_OP_sub, less, unary(c, op, sum)));
}

/* Where the greatest element is infinite, it is subtracted as 0: infinity less itself is NaN. */
static tosajit_value logsumexp(reducer_call *c, tosajit_op op) {
    const tosajit_value x = widened(c);
    tosajit_value greatest = reduce(c, TOSAJIT_OP_reduce_max, x), sum;
    const tosajit_value size = unary(c, TOSAJIT_OP_abs, greatest), zero = number(c, greatest, 0),
                        finite = binary(c, TOSAJIT_OP_greater, inverse(c, zero), size);
    greatest =
        apply(c, TOSAJIT_OP_select, (tosajit_value[]){finite, greatest, zero}, 3, NULL, NULL);
    sum = unary(c, TOSAJIT_OP_exp, binary(c, TOSAJIT_OP_sub, x, greatest));
    sum = unary(c, op, reduce(c, TOSAJIT_OP_reduce_sum, sum));
    return to_own(c, binary(c, TOSAJIT_OP_add, sum, greatest));
}

/* x times 1 / sqrt(mean(x * x) + eps), then times and plus what else is given. */
static tosajit_value normalise(reducer_call *c, tosajit_value x) {
    tosajit_value scale = average(c, square(c, x), 0);
    scale = binary(c, TOSAJIT_OP_add, scale, number(c, scale, c->eps));
    x = binary(c, TOSAJIT_OP_mul, x, inverse(c, unary(c, TOSAJIT_OP_sqrt, scale)));
    for (size_t k = 1; k < c->operand_count; k++)
        x = binary(c, k == 1 ? TOSAJIT_OP_mul : TOSAJIT_OP_add, x,
                   cast(c, c->operands[k], element_of(c, x)));
    return to_own(c, x);
}

static tosajit_value layer_norm(reducer_call *c, tosajit_op op) {
    return (void)op, normalise(c, center(c));
}

static tosajit_value rms_norm(reducer_call *c, tosajit_op op) {
    return (void)op, normalise(c, widened(c));
}

/* ---------------------------------------------------------------------------------------------
 * The table */

#define NO_OP TOSAJIT_OP_COUNT
static const reducer reducers[] = {
    {"all", "whether all are true", 1, false, plain, TOSAJIT_OP_reduce_all, NULL},
    {"amax", "the greatest", 1, false, plain, TOSAJIT_OP_reduce_max, "nan"},
    {"amin", "the least", 1, false, plain, TOSAJIT_OP_reduce_min, "nan"},
    {"argmax", "the position of the first greatest", 1, false, position, TOSAJIT_OP_argmax, "nan"},
    {"argmin", "the position of the first least", 1, false, position, TOSAJIT_OP_argmin, "nan"},
    {"any", "whether one is true", 1, false, plain, TOSAJIT_OP_reduce_any, NULL},
    {"layer_norm", "(x - mean(x)) / sqrt(var(x) + eps) * w + b; w and b may be left out", 3, true,
     layer_norm, NO_OP, "eps"},
    {"log_softmax", "x - max(x) - log(sum(exp(x - max(x))))", 1, true, log_softmax, TOSAJIT_OP_log,
     NULL},
    {"logsumexp", "log(sum(exp(x)))", 1, false, logsumexp, TOSAJIT_OP_log, NULL},
    {"max", "the greatest, of one operand", 1, false, plain, TOSAJIT_OP_reduce_max, "nan"},
    {"mean", "sum(x) / number of elements", 1, false, mean, NO_OP, NULL},
    {"min", "the least, of one operand", 1, false, plain, TOSAJIT_OP_reduce_min, "nan"},
    {"norm", "sqrt(sum(x * x))", 1, false, norm, TOSAJIT_OP_sqrt, NULL},
    {"prod", "the product", 1, false, plain, TOSAJIT_OP_reduce_product, NULL},
    {"rms_norm", "x / sqrt(mean(x * x) + eps) * w; w may be left out", 2, true, rms_norm, NO_OP,
     "eps"},
    {"softmax", "exp(x - max(x)) / sum(exp(x - max(x)))", 1, true, softmax, NO_OP, NULL},
    {"std", "sqrt(var(x))", 1, false, variance, TOSAJIT_OP_sqrt, "ddof"},
    {"sum", "the sum", 1, false, plain, TOSAJIT_OP_reduce_sum, NULL},
    {"var", "mean((x - mean(x)) ** 2)", 1, false, variance, NO_OP, "ddof"},
};
enum { REDUCERS = sizeof reducers / sizeof *reducers };

static const op_key keys[] = {
    {0, "axis", "dim", KEY_AXIS, NULL, 0},
    {0, "keepdims", "keepdim", KEY_FLAG, "false true", 0},
    {0, "eps", "epsilon", KEY_NUMBER, NULL, 0},
    {0, "ddof", "correction", KEY_AXIS, NULL, 0},
    {0, "nan_mode", "nan", KEY_WORD, "propagate ignore", 0},
};
enum { KEYS = sizeof keys / sizeof *keys, FOR_ALL = 2 };

static bool is_called(const char *name, const char *text, size_t length) {
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

const reducer *reducer_find(const char *name, size_t length) {
    for (size_t k = 0; k < REDUCERS; k++)
        if (is_called(reducers[k].name, name, length)) return &reducers[k];
    return NULL;
}

const reducer *reducer_at(size_t index) { return index < REDUCERS ? &reducers[index] : NULL; }

static bool takes(const reducer *r, size_t key) {
    return key < FOR_ALL || (r->key && strncmp(r->key, keys[key].name, strlen(r->key)) == 0);
}

const op_key *reducer_key(const reducer *r, const char *name, size_t length) {
    for (size_t k = 0; k < KEYS; k++)
        if (takes(r, k) &&
            (is_called(keys[k].name, name, length) || is_called(keys[k].less, name, length)))
            return &keys[k];
    return NULL;
}
