/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which ops take the place of which: a table of powers of one operand, one of clamps, and one of
 * reductions; and which values are one. That the bits are the same is for numbers/simplified_test
 * and numbers/common_test. */
#include <math.h>
#include <string.h>

#include "runtime/expr/convert.h"
#include "runtime/expr/expr.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/passes.h"
#include "runtime/expr/reduce.h"
#include "tests/support/cmocka.h"
#include "tosajit/inspect.h"

static tosajit_expr *begin(bool strict) {
    const tosajit_expr_options options = {.size = sizeof options, .strict = strict};
    tosajit_expr *expr;
    assert_int_equal(tosajit_expr_create(&options, &expr), TOSAJIT_OK);
    return expr;
}

static tosajit_tensor_type vector(tosajit_type element, int64_t size) {
    return (tosajit_tensor_type){element, 1, {size}};
}

static tosajit_value input(tosajit_expr *expr, tosajit_tensor_type type) {
    tosajit_value value;
    assert_int_equal(tosajit_expr_input(expr, &type, &value), TOSAJIT_OK);
    return value;
}

static tosajit_value apply(tosajit_expr *expr, tosajit_op op, const tosajit_value *operands,
                           size_t count, const tosajit_attributes *attributes) {
    tosajit_value value;
    assert_int_equal(tosajit_expr_op(expr, op, operands, count, attributes, NULL, &value),
                     TOSAJIT_OK);
    return value;
}

/* The ops of the program that an expression becomes, a word each. A value's replacement has the
 * value's number. Messages and plans use the number. */
static void check(tosajit_expr *expr, tosajit_value result, const char *expected) {
    char ops[256] = "";
    program_made made = {NULL, NULL};
    bool changed = false;
    assert_int_equal(tosajit_expr_result(expr, result), TOSAJIT_OK);
    assert_int_equal(expr_compact(expr, &expr->allocator, &made.program), TOSAJIT_OK);
    assert_int_equal(simplify(&made, &changed), TOSAJIT_OK);
    const tosajit_expr *program = made.program;
    for (size_t k = 0; k < program->count; k++)
        if (program->nodes[k].kind == NODE_OP)
            strcat(strcat(ops, *ops ? " " : ""), op_table[program->nodes[k].op].name);
    assert_string_equal(ops, expected);
    assert_int_equal(program->nodes[program->results[0]].number, result);
    assert_memory_equal(&program->nodes[program->results[0]].type, &expr->nodes[result].type,
                        offsetof(tosajit_tensor_type, dims) + sizeof(int64_t));
    program_drop(&made);
    tosajit_expr_destroy(expr);
}

typedef struct power {
    tosajit_type element;
    double exponent;
    int64_t size; /* of the operand; 0: open */
    int64_t exponent_size;
    bool strict;
    const char *ops;
} power;

static const power powers[] = {
    {TOSAJIT_F32, 2, 0, 1, false, "mul"},
    {TOSAJIT_F16, 2, 5, 1, false, "mul"},
    {TOSAJIT_BF16, 1, 0, 1, false, "identity"},
    {TOSAJIT_F32, -1, 0, 1, false, "reciprocal"},
    {TOSAJIT_F32, 0, 0, 1, false, "clamp"},
    {TOSAJIT_F32, -0.0, 0, 1, false, "clamp"},
    {TOSAJIT_F32, 3, 0, 1, false, "cast mul mul cast"},
    {TOSAJIT_F16, 4, 0, 1, false, "cast mul mul cast"},
    {TOSAJIT_F32, 2, 0, 1, true, "mul"},
    {TOSAJIT_F32, 3, 0, 1, true, "pow"}, /* f64 is no type of TOSA's */
    {TOSAJIT_BF16, 3, 0, 1, true, "cast mul mul cast"},
    {TOSAJIT_F32, 0.5, 0, 1, false, "pow"},  /* no op is a square root */
    {TOSAJIT_F32, -0.5, 0, 1, false, "pow"}, /* rsqrt has another value for -0 and -inf */
    {TOSAJIT_F32, 5, 0, 1, false, "pow"},
    {TOSAJIT_F32, NAN, 0, 1, false, "pow"},
    {TOSAJIT_F32, 2, 0, 4, false, "pow"}, /* the exponent's size becomes that of the result */
    {TOSAJIT_F32, 2, 1, 4, false, "pow"},
    {TOSAJIT_F32, 2, 4, 4, false, "pow"}, /* could be simplified; so written rarely */
};

static void powers_become_products(void **state) {
    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
        const power *p = &powers[k];
        char bits[4 * sizeof(double)];
        tosajit_expr *expr = begin(p->strict);
        tosajit_value operands[2];
        const tosajit_tensor_type exponents = vector(p->element, p->exponent_size);
        print_message("%s ** %g\n", tosajit_type_name(p->element), p->exponent);
        operands[0] = input(expr, vector(p->element, p->size ? p->size : TOSAJIT_DYNAMIC));
        for (int64_t n = 0; n < p->exponent_size; n++)
            convert_store(p->element, bits + (size_t)n * tosajit_type_size(p->element),
                          convert_encode(p->element, (cell){.f = p->exponent}));
        assert_int_equal(tosajit_expr_constant(expr, &exponents, bits, &operands[1]), TOSAJIT_OK);
        check(expr, apply(expr, TOSAJIT_OP_pow, operands, 2, NULL), p->ops);
    }
}

/* An exponent that comes with the call is any number. */
static void exponents_may_be_operands(void **state) {
    tosajit_expr *expr = begin(false);
    const tosajit_value operands[] = {input(expr, vector(TOSAJIT_F32, TOSAJIT_DYNAMIC)),
                                      input(expr, vector(TOSAJIT_F32, 1))};
    check(expr, apply(expr, TOSAJIT_OP_pow, operands, 2, NULL), "pow");
}

static void clamps_become_one(void **state) {
    /* by the modes of the inner and the outer one */
    static const char *const expected[2][2] = {{"clamp", "clamp clamp"}, {"clamp", "clamp"}};
    for (int inner = TOSAJIT_NAN_PROPAGATE; inner <= TOSAJIT_NAN_IGNORE; inner++)
        for (int outer = TOSAJIT_NAN_PROPAGATE; outer <= TOSAJIT_NAN_IGNORE; outer++) {
            tosajit_expr *expr = begin(false);
            const tosajit_attributes a = {.max_val.f = 6, .nan_mode = (tosajit_nan_mode)inner},
                                     b = {.max_val.f = 4, .nan_mode = (tosajit_nan_mode)outer};
            tosajit_value value = input(expr, vector(TOSAJIT_F32, TOSAJIT_DYNAMIC));
            value = apply(expr, TOSAJIT_OP_clamp, &value, 1, &a);
            check(expr, apply(expr, TOSAJIT_OP_clamp, &value, 1, &b), expected[inner][outer]);
        }
}

typedef struct bound {
    tosajit_op op;
    double low, high; /* of maximum and minimum: the number alone, twice */
    tosajit_nan_mode nan_mode;
    tosajit_type element, to;
    const char *ops;
} bound;

static const bound bounds[] = {
    {TOSAJIT_OP_clamp, 0, 255, 0, TOSAJIT_F32, TOSAJIT_U8, "cast"},
    {TOSAJIT_OP_clamp, -INFINITY, 65504, 0, TOSAJIT_F16, TOSAJIT_I16, "cast"},
    {TOSAJIT_OP_maximum, 0, 0, 0, TOSAJIT_F32, TOSAJIT_U32, "cast"},
    {TOSAJIT_OP_minimum, 128, 128, 0, TOSAJIT_F64, TOSAJIT_I8, "cast"},
    {TOSAJIT_OP_roundeven, 0, 0, 0, TOSAJIT_BF16, TOSAJIT_I32, "cast"},
    {TOSAJIT_OP_clamp, 0, 254, 0, TOSAJIT_F32, TOSAJIT_U8, "clamp cast"},
    {TOSAJIT_OP_clamp, 1, 255, 0, TOSAJIT_F32, TOSAJIT_U8, "clamp cast"},
    {TOSAJIT_OP_clamp, 0, 255, TOSAJIT_NAN_IGNORE, TOSAJIT_F32, TOSAJIT_U8, "clamp cast"},
    {TOSAJIT_OP_maximum, 0, 0, 0, TOSAJIT_F32, TOSAJIT_I8, "maximum cast"},
    {TOSAJIT_OP_minimum, 127, 127, TOSAJIT_NAN_IGNORE, TOSAJIT_F32, TOSAJIT_I8, "minimum cast"},
    {TOSAJIT_OP_maximum, 0, 0, 0, TOSAJIT_F32, TOSAJIT_F16, "maximum cast"},
    {TOSAJIT_OP_roundeven, 0, 0, 0, TOSAJIT_F32, TOSAJIT_I1, "roundeven cast"},
};

static void bounds_of_casts_go(void **state) {
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        const bound *b = &bounds[k];
        const bool is_clamp = b->op == TOSAJIT_OP_clamp;
        const tosajit_tensor_type number = vector(b->element, 1),
                                  to = {b->to, TOSAJIT_UNRANKED, {0}};
        tosajit_expr *expr = begin(false);
        tosajit_value operands[2] = {input(expr, vector(b->element, TOSAJIT_DYNAMIC))}, value;
        const uint64_t bits = convert_encode(b->element, (cell){.f = b->low});
        tosajit_attributes a = {.nan_mode = b->nan_mode};
        if (is_clamp) a.min_val.f = b->low, a.max_val.f = b->high;
        assert_int_equal(tosajit_expr_constant(expr, &number, &bits, &operands[1]), TOSAJIT_OK);
        value = apply(expr, b->op, operands, (size_t)tosajit_op_arity(b->op), &a);
        assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_cast, &value, 1, NULL, &to, &value),
                         TOSAJIT_OK);
        check(expr, value, b->ops);
    }
}

typedef struct chain {
    tosajit_op op;
    tosajit_type element;
    int32_t axes[2]; /* the first is reduced first */
    tosajit_nan_mode nan_modes[2];
    const char *ops;
} chain;

static const chain chains[] = {
    {TOSAJIT_OP_reduce_max, TOSAJIT_F32, {1, 2}, {0}, "reduce_max"},
    {TOSAJIT_OP_reduce_min, TOSAJIT_F16, {2, 1}, {0}, "reduce_min"},
    {TOSAJIT_OP_reduce_sum, TOSAJIT_I32, {0, 1}, {0}, "reduce_sum"},
    {TOSAJIT_OP_reduce_product, TOSAJIT_I64, {1, 0}, {0}, "reduce_product"},
    {TOSAJIT_OP_reduce_any, TOSAJIT_I1, {2, 1}, {0}, "reduce_any"},
    {TOSAJIT_OP_reduce_max, TOSAJIT_F32, {0, 2}, {0}, "reduce_max reduce_max"},
    {TOSAJIT_OP_reduce_sum, TOSAJIT_F32, {1, 2}, {0}, "reduce_sum reduce_sum"},
    {TOSAJIT_OP_reduce_count, TOSAJIT_I32, {1, 2}, {0}, "reduce_count reduce_count"},
    {TOSAJIT_OP_reduce_max,
     TOSAJIT_F32,
     {1, 2},
     {TOSAJIT_NAN_IGNORE, TOSAJIT_NAN_PROPAGATE},
     "reduce_max reduce_max"},
};

static void neighbours_are_reduced_at_once(void **state) {
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) {
        const chain *c = &chains[k];
        const tosajit_tensor_type type = {c->element, 3, {TOSAJIT_DYNAMIC, 5, TOSAJIT_DYNAMIC}};
        tosajit_expr *expr = begin(false);
        tosajit_value value = input(expr, type);
        for (int n = 0; n < 2; n++) {
            const tosajit_attributes a = {.axis = c->axes[n], .nan_mode = c->nan_modes[n]};
            value = apply(expr, c->op, &value, 1, &a);
        }
        check(expr, value, c->ops);
    }
}

/* ---------------------------------------------------------------------------------------------
 * What is written twice */

/* Two values, as results where `results` says so, named if they have names; what is left of both,
 * as numbers of ops. */
typedef struct pair {
    int64_t axes[2]; /* of two sums */
    int32_t joined;  /* of the second */
    int64_t size;    /* that it declares; 0: none */
    const char *names[2];
    bool results[2];
    int left;
} pair;

static const pair pairs[] = {
    {{0, 0}, 0, 0, {NULL, NULL}, {true, true}, 1}, {{0, 1}, 0, 0, {NULL, NULL}, {true, true}, 2},
    {{0, 0}, 1, 0, {NULL, NULL}, {true, true}, 2}, {{1, 1}, 0, 7, {NULL, NULL}, {true, true}, 2},
    {{0, 0}, 0, 0, {"s", "s"}, {true, true}, 1},   {{0, 0}, 0, 0, {"s", "t"}, {true, true}, 2},
    {{0, 0}, 0, 0, {"s", NULL}, {true, true}, 2},  {{0, 0}, 0, 0, {"s", "t"}, {true, false}, 1},
    {{0, 0}, 0, 0, {"s", "t"}, {false, true}, 1},  {{0, 0}, 0, 0, {NULL, "t"}, {true, false}, 1},
    {{0, 0}, 0, 0, {"s", NULL}, {false, true}, 1},
};

/* x summed twice, and the difference; results as the pair says, then the difference. */
static tosajit_expr *sum_twice(const pair *p) {
    const tosajit_tensor_type any = {TOSAJIT_F32, 2, {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC}},
                              declared = {TOSAJIT_F32, 2, {p->size, 1}};
    tosajit_expr *expr = begin(false);
    tosajit_value x = input(expr, any), sums[2];
    for (int n = 0; n < 2; n++) {
        const tosajit_attributes a = {.axis = p->axes[n], .joined = n ? p->joined : 0};
        assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_reduce_sum, &x, 1, &a,
                                         n && p->size ? &declared : NULL, &sums[n]),
                         TOSAJIT_OK);
        assert_int_equal(tosajit_expr_name(expr, sums[n], p->names[n]), TOSAJIT_OK);
        if (p->results[n]) assert_int_equal(tosajit_expr_result(expr, sums[n]), TOSAJIT_OK);
    }
    const tosajit_value both = apply(expr, TOSAJIT_OP_sub, sums, 2, NULL);
    assert_int_equal(tosajit_expr_result(expr, both), TOSAJIT_OK);
    return expr;
}

/* The rest of an expression, which goes. */
static program_made merge(tosajit_expr *expr, bool *changed) {
    program_made made = {NULL, NULL};
    *changed = false;
    assert_int_equal(expr_compact(expr, &expr->allocator, &made.program), TOSAJIT_OK);
    assert_int_equal(common_compute(&made, changed), TOSAJIT_OK);
    assert_int_equal(made.program->result_count, expr->result_count);
    tosajit_expr_destroy(expr);
    return made;
}

static void equal_values_are_one(void **state) {
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        const pair *p = &pairs[k];
        bool changed;
        int left = 0, r = 0;
        program_made made = merge(sum_twice(p), &changed);
        for (size_t n = 0; n < made.program->count; n++)
            left += node_reduces(&made.program->nodes[n]);
        print_message("pair %zu\n", k);
        assert_int_equal(left, p->left);
        assert_int_equal(changed, left == 1);
        for (int n = 0; n < 2; n++) {
            if (!p->results[n]) continue;
            const char *name = expr_given_name(made.program, made.program->results[r++]);
            assert_true(p->names[n] ? name && strcmp(name, p->names[n]) == 0 : !name);
        }
        program_drop(&made);
    }
}

/* x + 0 and x + 0 or -0; y looked up in a table, and added to that or another one. */
static tosajit_expr *use_twice(bool same) {
    static const float zeros[2] = {0, -0.0f};
    const tosajit_tensor_type one = vector(TOSAJIT_F32, 1), bytes = vector(TOSAJIT_I8, 256);
    tosajit_expr *expr = begin(false);
    const tosajit_value x = input(expr, vector(TOSAJIT_F32, TOSAJIT_DYNAMIC)),
                        y = input(expr, bytes);
    for (int n = 0; n < 2; n++) {
        const int8_t table[256] = {1, (int8_t)(same ? 0 : n)};
        tosajit_value value;
        assert_int_equal(tosajit_expr_constant(expr, &one, &zeros[same ? 0 : n], &value),
                         TOSAJIT_OK);
        value = apply(expr, TOSAJIT_OP_add, (tosajit_value[]){x, value}, 2, NULL);
        assert_int_equal(tosajit_expr_result(expr, value), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_constant(expr, &bytes, table, &value), TOSAJIT_OK);
        value = apply(expr, n ? TOSAJIT_OP_bitwise_or : TOSAJIT_OP_table,
                      (tosajit_value[]){y, value}, 2, NULL);
        assert_int_equal(tosajit_expr_result(expr, value), TOSAJIT_OK);
    }
    return expr;
}

/* By their bits: 0 is not -0. A table, and what is read as data besides, are one tensor. */
static void equal_constants_are_one(void **state) {
    for (int same = 0; same < 2; same++) {
        bool changed;
        program_made made = merge(use_twice(same), &changed);
        assert_int_equal(changed, same);
        assert_int_equal(made.program->results[0] == made.program->results[2], same);
        assert_int_equal(made.program->constant_count, same ? 1 : 2);
        assert_int_equal(made.program->table_count, 1);
        program_drop(&made);
    }
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(powers_become_products), TEST(exponents_may_be_operands),
                    TEST(clamps_become_one), TEST(bounds_of_casts_go),
                    TEST(neighbours_are_reduced_at_once), TEST(equal_values_are_one),
                    TEST(equal_constants_are_one));
}
