/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that reduce, written out. Means and what is made of them are computed in f32 where x is
 * f16 or bf16, and rounded once at the end, as PyTorch does. Axes that are neighbours are one
 * reduction; others are reduced one after the other, from the last. */
#include "jit/text/reducers.h"

#include <string.h>

#include "runtime/base/types.h"

static tosajit_tensor_type type_of(const reducer_call *c, tosajit_value value) {
    tosajit_tensor_type type = {TOSAJIT_F32, 0, {0}};
    tosajit_expr_type(c->expr, value, &type);
    return type;
}

static tosajit_status unary(const reducer_call *c, tosajit_op op, tosajit_value x,
                            tosajit_value *value) {
    return tosajit_expr_op(c->expr, op, &x, 1, NULL, NULL, value);
}

static tosajit_status binary(const reducer_call *c, tosajit_op op, tosajit_value x, tosajit_value y,
                             tosajit_value *value) {
    return tosajit_expr_op(c->expr, op, (tosajit_value[]){x, y}, 2, NULL, NULL, value);
}

static tosajit_status cast(const reducer_call *c, tosajit_value x, tosajit_type element,
                           tosajit_value *value) {
    const tosajit_tensor_type to = {.element = element, .rank = TOSAJIT_UNRANKED};
    *value = x;
    if (type_of(c, x).element == element) return TOSAJIT_OK;
    return tosajit_expr_op(c->expr, TOSAJIT_OP_cast, &x, 1, NULL, &to, value);
}

/* A number of x's element type and rank. */
static tosajit_status number(const reducer_call *c, tosajit_value x, double real,
                             tosajit_value *value) {
    tosajit_tensor_type type = type_of(c, x);
    const float single = (float)real;
    for (int32_t d = 0; d < type.rank; d++) type.dims[d] = 1;
    return tosajit_expr_constant(
        c->expr, &type, type.element == TOSAJIT_F64 ? (const void *)&real : &single, value);
}

/* The type in which means are computed. */
static tosajit_type wide(const reducer_call *c) {
    const tosajit_type own = type_of(c, c->operands[0]).element;
    return own == TOSAJIT_F16 || own == TOSAJIT_BF16 ? TOSAJIT_F32 : own;
}

/* Axes `first` to `last` of the call, which are neighbours. */
static tosajit_status along(const reducer_call *c, tosajit_op op, tosajit_value x, int first,
                            int last, tosajit_value *value) {
    tosajit_attributes a = {.axis = c->axes[first], .joined = last - first};
    if (op == TOSAJIT_OP_reduce_max || op == TOSAJIT_OP_reduce_min) a.nan_mode = c->nan_mode;
    return tosajit_expr_op(c->expr, op, &x, 1, &a, NULL, value);
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
static tosajit_status reduce_before(const reducer_call *c, tosajit_op op, tosajit_value x, int end,
                                    tosajit_value *value) {
    tosajit_status status = TOSAJIT_OK;
    *value = x;
    while (!status && end > 0) {
        const int first = first_neighbour(c, *value, end - 1);
        status = along(c, op, *value, first, end - 1, value);
        end = first;
    }
    return status;
}

static tosajit_status reduce(const reducer_call *c, tosajit_op op, tosajit_value x,
                             tosajit_value *value) {
    return reduce_before(c, op, x, c->axis_count, value);
}

/* The number of elements that each call counts. Over axes that are no neighbours it is a sum of
 * counts, of integers, so that it is rounded once, as the constant is. */
static tosajit_status count_elements(const reducer_call *c, tosajit_value x, tosajit_value *value) {
    const int last = c->axis_count - 1, first = first_neighbour(c, x, last);
    const tosajit_type own = type_of(c, x).element;
    tosajit_status status = first > 0 ? cast(c, x, TOSAJIT_I64, &x) : TOSAJIT_OK;
    if (!status) status = along(c, TOSAJIT_OP_reduce_count, x, first, last, value);
    if (!status) status = reduce_before(c, TOSAJIT_OP_reduce_sum, *value, first, value);
    return status ? status : cast(c, *value, own, value);
}

/* The number of elements: a constant where the type says it, else counted by each call. */
static tosajit_status size_of(const reducer_call *c, tosajit_value x, tosajit_value *value) {
    const tosajit_tensor_type type = type_of(c, x);
    int64_t size = 1;
    for (int k = 0; k < c->axis_count; k++) {
        const int64_t own = type.dims[c->axes[k]];
        if (own == TOSAJIT_DYNAMIC || !size_multiply(size, own, &size))
            return count_elements(c, x, value);
    }
    return number(c, x, type.element == TOSAJIT_F64 ? (double)size : (double)(float)size, value);
}

/* A sum divided by the number of elements less `less`. */
static tosajit_status average(const reducer_call *c, tosajit_value x, double less,
                              tosajit_value *value) {
    tosajit_value sum, size, taken, zero;
    tosajit_status status = reduce(c, TOSAJIT_OP_reduce_sum, x, &sum);
    if (!status) status = size_of(c, x, &size);
    if (!status && less > 0) status = number(c, size, less, &taken);
    if (!status && less > 0) status = binary(c, TOSAJIT_OP_sub, size, taken, &size);
    if (!status && less > 0) status = number(c, size, 0, &zero);
    if (!status && less > 0) status = binary(c, TOSAJIT_OP_maximum, size, zero, &size);
    return status ? status : binary(c, TOSAJIT_OP_divide, sum, size, value);
}

/* x - mean(x), in the type of means. */
static tosajit_status center(const reducer_call *c, tosajit_value *value) {
    tosajit_value x, mean;
    tosajit_status status = cast(c, c->operands[0], wide(c), &x);
    if (!status) status = average(c, x, 0, &mean);
    return status ? status : binary(c, TOSAJIT_OP_sub, x, mean, value);
}

/* The mean of squares. */
static tosajit_status power(const reducer_call *c, tosajit_value x, double less,
                            tosajit_value *value) {
    tosajit_value square;
    tosajit_status status = binary(c, TOSAJIT_OP_mul, x, x, &square);
    return status ? status : average(c, square, less, value);
}

static tosajit_status to_own(const reducer_call *c, tosajit_value x, tosajit_value *value) {
    return cast(c, x, type_of(c, c->operands[0]).element, value);
}

/* 1 / x of any floating-point type. */
static tosajit_status inverse(const reducer_call *c, tosajit_value x, tosajit_value *value) {
    tosajit_value one;
    if (type_of(c, x).element != TOSAJIT_F64) return unary(c, TOSAJIT_OP_reciprocal, x, value);
    tosajit_status status = number(c, x, 1, &one);
    return status ? status : binary(c, TOSAJIT_OP_divide, one, x, value);
}

/* ---------------------------------------------------------------------------------------------
 * Functions */

static tosajit_status plain(const reducer_call *c, tosajit_op op, tosajit_value *value) {
    return reduce(c, op, c->operands[0], value);
}

static tosajit_status mean(const reducer_call *c, tosajit_op op, tosajit_value *value) {
    tosajit_value x;
    tosajit_status status = cast(c, c->operands[0], wide(c), &x);
    if (!status) status = average(c, x, 0, &x);
    return (void)op, status ? status : to_own(c, x, value);
}

/* With an op, sqrt, it is the standard deviation. */
static tosajit_status variance(const reducer_call *c, tosajit_op op, tosajit_value *value) {
    tosajit_value d;
    tosajit_status status = center(c, &d);
    if (!status) status = power(c, d, c->ddof, &d);
    if (!status && op != TOSAJIT_OP_COUNT) status = unary(c, op, d, &d);
    return status ? status : to_own(c, d, value);
}

static tosajit_status norm(const reducer_call *c, tosajit_op op, tosajit_value *value) {
    tosajit_value x;
    tosajit_status status = cast(c, c->operands[0], wide(c), &x);
    if (!status) status = binary(c, TOSAJIT_OP_mul, x, x, &x);
    if (!status) status = reduce(c, TOSAJIT_OP_reduce_sum, x, &x);
    if (!status) status = unary(c, op, x, &x);
    return status ? status : to_own(c, x, value);
}

/* x less its greatest element, and the sum of the exponentials of that. */
static tosajit_status exponentials(const reducer_call *c, tosajit_value *less, tosajit_value *each,
                                   tosajit_value *sum) {
    tosajit_value x, greatest;
    tosajit_status status = cast(c, c->operands[0], wide(c), &x);
    if (!status) status = reduce(c, TOSAJIT_OP_reduce_max, x, &greatest);
    if (!status) status = binary(c, TOSAJIT_OP_sub, x, greatest, less);
    if (!status) status = unary(c, TOSAJIT_OP_exp, *less, each);
    return status ? status : reduce(c, TOSAJIT_OP_reduce_sum, *each, sum);
}

static tosajit_status softmax(const reducer_call *c, tosajit_op op, tosajit_value *value) {
    tosajit_value less, each, sum;
    tosajit_status status = exponentials(c, &less, &each, &sum);
    if (!status) status = inverse(c, sum, &sum);
    if (!status) status = binary(c, TOSAJIT_OP_mul, each, sum, value);
    return (void)op, status ? status : to_own(c, *value, value);
}

static tosajit_status log_softmax(const reducer_call *c, tosajit_op op, tosajit_value *value) {
    tosajit_value less, each, sum;
    tosajit_status status = exponentials(c, &less, &each, &sum);
    if (!status) status = unary(c, op, sum, &sum);
    if (!status) status = binary(c, TOSAJIT_OP_sub, less, sum, value);
    return status ? status : to_own(c, *value, value);
}

/* Where the greatest element is infinite, it is subtracted as 0: infinity less itself is NaN. */
static tosajit_status logsumexp(const reducer_call *c, tosajit_op op, tosajit_value *value) {
    tosajit_value x, greatest, size, limit, is_finite, zero, sum;
    tosajit_status status = cast(c, c->operands[0], wide(c), &x);
    if (!status) status = reduce(c, TOSAJIT_OP_reduce_max, x, &greatest);
    if (!status) status = unary(c, TOSAJIT_OP_abs, greatest, &size);
    if (!status) status = number(c, greatest, 0, &zero);
    if (!status) status = inverse(c, zero, &limit);
    if (!status) status = binary(c, TOSAJIT_OP_greater, limit, size, &is_finite);
    if (!status)
        status =
            tosajit_expr_op(c->expr, TOSAJIT_OP_select,
                            (tosajit_value[]){is_finite, greatest, zero}, 3, NULL, NULL, &greatest);
    if (!status) status = binary(c, TOSAJIT_OP_sub, x, greatest, &x);
    if (!status) status = unary(c, TOSAJIT_OP_exp, x, &x);
    if (!status) status = reduce(c, TOSAJIT_OP_reduce_sum, x, &sum);
    if (!status) status = unary(c, op, sum, &sum);
    if (!status) status = binary(c, TOSAJIT_OP_add, sum, greatest, value);
    return status ? status : to_own(c, *value, value);
}

/* x times 1 / sqrt(power + eps), then times and plus what else is given. */
static tosajit_status normalise(const reducer_call *c, tosajit_value x, tosajit_value *value) {
    tosajit_value scale, eps, more;
    tosajit_status status = power(c, x, 0, &scale);
    if (!status) status = number(c, scale, c->eps, &eps);
    if (!status) status = binary(c, TOSAJIT_OP_add, scale, eps, &scale);
    if (!status) status = unary(c, TOSAJIT_OP_sqrt, scale, &scale);
    if (!status) status = inverse(c, scale, &scale);
    if (!status) status = binary(c, TOSAJIT_OP_mul, x, scale, value);
    for (size_t k = 1; !status && k < c->operand_count; k++) {
        status = cast(c, c->operands[k], wide(c), &more);
        if (!status)
            status = binary(c, k == 1 ? TOSAJIT_OP_mul : TOSAJIT_OP_add, *value, more, value);
    }
    return status ? status : to_own(c, *value, value);
}

static tosajit_status layer_norm(const reducer_call *c, tosajit_op op, tosajit_value *value) {
    tosajit_value d;
    tosajit_status status = center(c, &d);
    return (void)op, status ? status : normalise(c, d, value);
}

static tosajit_status rms_norm(const reducer_call *c, tosajit_op op, tosajit_value *value) {
    tosajit_value x;
    tosajit_status status = cast(c, c->operands[0], wide(c), &x);
    return (void)op, status ? status : normalise(c, x, value);
}

/* ---------------------------------------------------------------------------------------------
 * The table */

#define NO_OP TOSAJIT_OP_COUNT
static const reducer reducers[] = {
    {"all", "whether all are true", 1, false, plain, TOSAJIT_OP_reduce_all, {NULL}},
    {"amax", "the greatest", 1, false, plain, TOSAJIT_OP_reduce_max, {"nan"}},
    {"amin", "the least", 1, false, plain, TOSAJIT_OP_reduce_min, {"nan"}},
    {"any", "whether one is true", 1, false, plain, TOSAJIT_OP_reduce_any, {NULL}},
    {"layer_norm",
     "(x - mean(x)) / sqrt(var(x) + eps) * w + b; w and b may be left out",
     3,
     true,
     layer_norm,
     NO_OP,
     {"eps"}},
    {"log_softmax",
     "x - max(x) - log(sum(exp(x - max(x))))",
     1,
     true,
     log_softmax,
     TOSAJIT_OP_log,
     {NULL}},
    {"logsumexp", "log(sum(exp(x)))", 1, false, logsumexp, TOSAJIT_OP_log, {NULL}},
    {"max", "the greatest, of one operand", 1, false, plain, TOSAJIT_OP_reduce_max, {"nan"}},
    {"mean", "sum(x) / number of elements", 1, false, mean, NO_OP, {NULL}},
    {"min", "the least, of one operand", 1, false, plain, TOSAJIT_OP_reduce_min, {"nan"}},
    {"norm", "sqrt(sum(x * x))", 1, false, norm, TOSAJIT_OP_sqrt, {NULL}},
    {"prod", "the product", 1, false, plain, TOSAJIT_OP_reduce_product, {NULL}},
    {"rms_norm",
     "x / sqrt(mean(x * x) + eps) * w; w may be left out",
     2,
     true,
     rms_norm,
     NO_OP,
     {"eps"}},
    {"softmax", "exp(x - max(x)) / sum(exp(x - max(x)))", 1, true, softmax, NO_OP, {NULL}},
    {"std", "sqrt(var(x))", 1, false, variance, TOSAJIT_OP_sqrt, {"ddof"}},
    {"sum", "the sum", 1, false, plain, TOSAJIT_OP_reduce_sum, {NULL}},
    {"var", "mean((x - mean(x)) ** 2)", 1, false, variance, NO_OP, {"ddof"}},
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
    for (size_t k = 0; key >= FOR_ALL && k < sizeof r->keys / sizeof *r->keys; k++)
        if (r->keys[k] && strncmp(r->keys[k], keys[key].name, strlen(r->keys[k])) == 0) return true;
    return key < FOR_ALL;
}

const op_key *reducer_key(const reducer *r, const char *name, size_t length) {
    for (size_t k = 0; k < KEYS; k++)
        if (takes(r, k) &&
            (is_called(keys[k].name, name, length) || is_called(keys[k].less, name, length)))
            return &keys[k];
    return NULL;
}
