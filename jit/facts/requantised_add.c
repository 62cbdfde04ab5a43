/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requantised adds: the nodes of a program that are such, and their affine pairs. The search
 * follows ranges of single numbers, so every op with a rule for ranges may be on the way. An op
 * without a rule ends the search. */
#include "jit/facts/requantised_add.h"

#include <math.h>

#include "runtime/expr/ops.h"

/* Ops between a byte and its term. */
enum { MOST_DEPTH = 4 };

/* Who needs a node, if not one other: nobody; several, or the caller. */
enum { NONE = -1, SEVERAL = -2 };

/* Adds of a program that are looked at. Each takes up to some milliseconds, and that before its
 * instructions are counted. Models have a few between two products of matrices. */
enum { MOST_SEARCHES = 256 };

/* Dependence of a term, if not on one value of i8: constants alone; more. */
enum { FIXED = -1, MIXED = -2 };

static bool is_point(range r) { return r.low == r.high; }

static tosajit_value find_byte(const tosajit_expr *program, tosajit_value value, int depth) {
    const expr_node *node = &program->nodes[value];
    tosajit_value byte = FIXED;
    if (node->kind == NODE_CONSTANT && node->splat) return FIXED;
    if (node->kind != NODE_CONSTANT && node->type.element == TOSAJIT_I8) return value;
    if (node->kind != NODE_OP || depth == 0) return MIXED;
    for (int o = 0; o < node->operand_count; o++) {
        const tosajit_value other = find_byte(program, node->operands[o], depth - 1);
        if (byte == FIXED)
            byte = other;
        else if (other != FIXED && other != byte)
            byte = MIXED;
    }
    return byte;
}

/* A value's range where the byte that it depends on is one number. */
static range at_byte(const tosajit_expr *program, const range *ranges, tosajit_value value,
                     tosajit_value byte, int64_t number) {
    const expr_node *node = &program->nodes[value];
    range x[TOSAJIT_MAX_OPERANDS];
    if (value == byte) return (range){number, number};
    if (node->kind != NODE_OP) return ranges[value];
    for (int o = 0; o < node->operand_count; o++)
        x[o] = at_byte(program, ranges, node->operands[o], byte, number);
    return find_range(node, program->nodes[node->operands[0]].type.element, x);
}

static bool find_terms(const tosajit_expr *program, const range *ranges, tosajit_value value,
                       tosajit_value byte, bool negative, int64_t *terms) {
    for (int k = 0; k < AFFINE_PAIR_TERMS; k++) {
        const range r = at_byte(program, ranges, value, byte, k - AFFINE_PAIR_TERMS / 2);
        if (!is_point(r)) return false;
        terms[k] = negative ? -r.low : r.low;
    }
    return true;
}

/* A rescale of i32 to i8 by constants of one element, of which a larger operand has no smaller
 * result. */
static bool is_monotone_rescale(const tosajit_expr *program, const expr_node *node,
                                const range *ranges) {
    bool is_one = node->kind == NODE_OP && node->op == TOSAJIT_OP_rescale &&
                  node->type.element == TOSAJIT_I8 && !node->attributes.input_unsigned &&
                  !node->attributes.output_unsigned &&
                  program->nodes[node->operands[0]].type.element == TOSAJIT_I32;
    for (int o = 1; is_one && o < node->operand_count; o++)
        is_one = program->nodes[node->operands[o]].kind == NODE_CONSTANT &&
                 is_point(ranges[node->operands[o]]);
    return is_one && ranges[node->operands[1 + PARAMETER_MULTIPLIER]].low > 0;
}

/* x are the operands' ranges, but for the sum. */
static range at_sum(const expr_node *node, range *x, int64_t sum) {
    x[0] = (range){sum, sum};
    return find_range(node, TOSAJIT_I32, x);
}

/* The least sum above `below` whose result is larger than `result`. `most` is such a sum. */
static int64_t find_step(const expr_node *node, range *x, int64_t below, int64_t most, double slope,
                         int64_t result) {
    const double near = (double)below + 2 / slope; /* two steps on, which is mostly too far */
    if (near < (double)most && at_sum(node, x, (int64_t)near).low > result) most = (int64_t)near;
    while (most - below > 1) {
        const int64_t middle = below + (most - below) / 2;
        *(at_sum(node, x, middle).low > result ? &most : &below) = middle;
    }
    return most;
}

/* The results from the least to the largest sum, and where each step is. */
static bool find_steps(const expr_node *node, const range *ranges, range sums, byte_sum *sum) {
    range x[TOSAJIT_MAX_OPERANDS];
    for (int o = 1; o < node->operand_count; o++) x[o] = ranges[node->operands[o]];
    const range low = at_sum(node, x, sums.low), high = at_sum(node, x, sums.high);
    if (!is_point(low) || !is_point(high)) return false;
    sum->low = (int)low.low, sum->high = (int)high.low;
    for (int k = 0; k < sum->high - sum->low; k++)
        sum->steps[k] = find_step(node, x, k ? sum->steps[k - 1] - 1 : sums.low, sums.high,
                                  sum->slope, low.low + k);
    return true;
}

static range range_of(const int64_t *terms) {
    range r = {terms[0], terms[0]};
    for (int k = 1; k < AFFINE_PAIR_TERMS; k++) {
        if (terms[k] < r.low) r.low = terms[k];
        if (terms[k] > r.high) r.high = terms[k];
    }
    return r;
}

static bool find_requantised_add(const tosajit_expr *program, const range *ranges, tosajit_value k,
                                 requantised_add *p, int *searches) {
    const expr_node *node = &program->nodes[k], *add;
    byte_sum sum;
    if (!is_monotone_rescale(program, node, ranges)) return false;
    add = &program->nodes[node->operands[0]];
    if (add->kind != NODE_OP || (add->op != TOSAJIT_OP_add && add->op != TOSAJIT_OP_sub))
        return false;
    for (int o = 0; o < 2; o++) p->bytes[o] = find_byte(program, add->operands[o], MOST_DEPTH);
    if (p->bytes[0] < 0 || p->bytes[1] < 0 || p->bytes[0] == p->bytes[1]) return false;
    if (++*searches > MOST_SEARCHES) return false;
    for (int o = 0; o < 2; o++)
        if (!find_terms(program, ranges, add->operands[o], p->bytes[o],
                        o == 1 && add->op == TOSAJIT_OP_sub, sum.terms[o]))
            return false;
    const range a = range_of(sum.terms[0]), b = range_of(sum.terms[1]),
                sums = {a.low + b.low, a.high + b.high};
    sum.slope = ldexp((double)ranges[node->operands[1 + PARAMETER_MULTIPLIER]].low,
                      -(int)ranges[node->operands[1 + PARAMETER_SHIFT]].low);
    return range_within(sums, INT32_MIN, INT32_MAX) && find_steps(node, ranges, sums, &sum) &&
           find_affine_pair(&sum, &p->pair);
}

static void add_user(requantised_add *node, tosajit_value user) {
    node->user = node->user == NONE ? user : SEVERAL;
}

/* In one pass: a look through the program for each node would be quadratic. */
static void find_users(const tosajit_expr *program, requantised_add *adds) {
    for (size_t k = 0; k < program->count; k++)
        for (int o = 0; o < program->nodes[k].operand_count; o++)
            add_user(&adds[program->nodes[k].operands[o]], (tosajit_value)k);
    for (int32_t r = 0; r < program->result_count; r++) adds[program->results[r]].user = SEVERAL;
}

/* The ops between such an add's bytes and its result, if nobody else needs them. */
static void mark_inside(const tosajit_expr *program, tosajit_value value, tosajit_value k,
                        requantised_add *adds) {
    const expr_node *node = &program->nodes[value];
    for (int o = 0; o < node->operand_count; o++) {
        const tosajit_value operand = node->operands[o];
        const expr_node *inner = &program->nodes[operand];
        if (inner->kind != NODE_OP || inner->type.element == TOSAJIT_I8 ||
            adds[operand].user != value)
            continue;
        adds[operand].only_for = k;
        mark_inside(program, operand, k, adds);
    }
}

void find_requantised_adds(const tosajit_expr *program, const range *ranges,
                           requantised_add *adds) {
    int searches = 0;
    for (size_t k = 0; k < program->count; k++)
        adds[k] = (requantised_add){.only_for = -1, .user = NONE};
    find_users(program, adds);
    for (tosajit_value k = 0; (size_t)k < program->count; k++) {
        adds[k].is_affine = find_requantised_add(program, ranges, k, &adds[k], &searches);
        if (adds[k].is_affine) mark_inside(program, k, k, adds);
    }
}
