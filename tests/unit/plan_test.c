/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Plans: a table of sums of two operands, the map of each of their dimensions, and the loops that
 * the code gets. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/memory.h"
#include "runtime/plan/plan.h"
#include "tests/support/cmocka.h"

/* "2x?" */
static tosajit_tensor_type parse(const char *text) {
    tosajit_tensor_type type = {TOSAJIT_F32, 0, {0}};
    while (*text) {
        char *end = (char *)(uintptr_t)text + 1;
        type.dims[type.rank++] = *text == '?' ? TOSAJIT_DYNAMIC : strtoll(text, &end, 10);
        text = *end == 'x' ? end + 1 : end;
    }
    return type;
}

/* Maps: d for d_i, 0 for 0, s for what a call decides. Loops: the splats of each, 3 being both, and
 * e before those that may be either. */
typedef struct plan_case {
    const char *a, *b, *maps_a, *maps_b, *loops;
    bool has_planes;
} plan_case;

static const plan_case cases[] = {
    {"4x3", "4x3", "dd", "dd", "0", false},
    {"4x3", "1x3", "dd", "0d", "0", false},
    {"4x3", "4x1", "dd", "d0", "02", false}, /* where such rows are collapsed, b is packed */
    {"4x300", "1x300", "dd", "0d", "0", false},
    {"4x300", "4x1", "dd", "d0", "2", false},
    {"400", "1", "d", "0", "2", false},
    {"?x1", "8x?", "s0", "dd", "01", false}, /* the example of runtime/plan/plan.c */
    {"?", "?", "s", "s", "012", false},
    {"?", "1", "d", "0", "2", false},
    {"?x3", "?x3", "sd", "sd", "0", false},
    {"?x3", "?x1", "sd", "s0", "02", false}, /* as 4x3 and 4x1 */
    {"?x3", "1x1", "dd", "00", "2", false},
    {"?x300", "?x1", "sd", "s0", "2", false},
    {"?x?", "1x?", "ds", "0s", "012", false},
    {"?", "8", "s", "d", "01", false},
    {"2x3x4", "2x1x4", "ddd", "d0d", "0", true},
    {"?x?x?", "?x?x?", "sss", "sss", "012", true},
};

static tosajit_expr *make_sum(const plan_case *c) {
    const tosajit_tensor_type types[2] = {parse(c->a), parse(c->b)};
    tosajit_expr *expr;
    tosajit_value values[2], result;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    for (int k = 0; k < 2; k++)
        assert_int_equal(tosajit_expr_input(expr, &types[k], &values[k]), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_add, values, 2, NULL, NULL, &result),
                     TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, result), TOSAJIT_OK);
    return expr;
}

static void check_maps(const plan_part *part, int32_t leaf, const char *expected) {
    assert_int_equal(part->rank, strlen(expected));
    for (int32_t d = 0; d < part->rank; d++) {
        static const char names[] = {[MAP_IDENTITY] = 'd', [MAP_ZERO] = '0', [MAP_RUNTIME] = 's'};
        assert_int_equal(names[part->leaves[leaf].maps[d]], expected[d]);
    }
}

static void sums_have_their_maps_and_loops(void **state) {
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const plan_case *c = &cases[k];
        char loops[2 * PLAN_MAX_VARIANTS + 1] = "", *to = loops;
        tosajit_expr *expr = make_sum(c), *program;
        plan p;
        print_message("%s + %s\n", c->a, c->b);
        assert_int_equal(expr_compact(expr, &expr->allocator, &program), TOSAJIT_OK);
        assert_int_equal(plan_make(program, &program->allocator, &p), TOSAJIT_OK);
        assert_int_equal(p.part_count, 1);
        check_maps(&p.parts[0], 0, c->maps_a);
        check_maps(&p.parts[0], 1, c->maps_b);
        for (int32_t v = 0; v < p.parts[0].variant_count; v++) {
            if (p.parts[0].variants[v].either) *to++ = 'e';
            *to++ = (char)('0' + (p.parts[0].variants[v].splat | p.parts[0].variants[v].either));
        }
        assert_string_equal(loops, c->loops);
        assert_int_equal(p.parts[0].has_planes, c->has_planes);
        plan_destroy(&p);
        tosajit_expr_destroy(program);
        tosajit_expr_destroy(expr);
    }
}

int main(void) { return TEST_RUN(NULL, NULL, TEST(sums_have_their_maps_and_loops)); }
