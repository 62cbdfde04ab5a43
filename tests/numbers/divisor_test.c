/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Integers of 64 bits divided by a number of the text, for which code has products. Oracle: the
 * definition in 128-bit arithmetic (integer_reference.c). */
#include <inttypes.h>
#include <stdio.h>

#include "tests/numbers/integer_reference.h"
#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tests/support/text.h"

enum { COUNT = 1003, RANDOM = 12 };

static const int64_t divisors[] = {0,
                                   1,
                                   2,
                                   3,
                                   5,
                                   7,
                                   10,
                                   64,
                                   641,
                                   1000,
                                   1000000000,
                                   INT64_C(0x7fffffff),
                                   INT64_C(0x80000000),
                                   INT64_C(0xffffffff),
                                   INT64_C(0x100000000),
                                   INT64_C(0x100000001),
                                   INT64_C(1) << 52,
                                   (INT64_C(1) << 52) + 1,
                                   INT64_C(1000000000000000000),
                                   INT64_MAX - 1,
                                   INT64_MAX,
                                   INT64_MIN,
                                   INT64_MIN + 1,
                                   -INT64_C(0x100000000),
                                   -1000000007,
                                   -10,
                                   -7,
                                   -3,
                                   -2,
                                   -1};
enum { DIVISORS = sizeof divisors / sizeof *divisors };
static const tosajit_op ops[] = {TOSAJIT_OP_intdiv, TOSAJIT_OP_fmod, TOSAJIT_OP_floor_divide,
                                 TOSAJIT_OP_remainder};
enum { OPS = sizeof ops / sizeof *ops };

/* Next to multiples of the divisor, next to powers of two, and any. */
static int64_t dividend(test_random *random, int64_t divisor) {
    const uint64_t any = test_random_next(random), near = any % 3 - 1,
                   power = UINT64_C(1) << test_random_range(random, 0, 63);
    const int64_t way = test_random_range(random, 0, 3);
    if (way == 0) return (int64_t)any;
    if (way == 1) return (int64_t)(power + near);
    if (way == 2) return (int64_t)(any >> test_random_range(random, 0, 63));
    const uint64_t unit = divisor ? (uint64_t)divisor : 1;
    return (int64_t)(any / unit * unit + near);
}

static void check(const test_engine *engine, tosajit_type type, int64_t divisor) {
    static int64_t x[COUNT], results[OPS][COUNT];
    test_random random = test_random_start((uint64_t)divisor + test_setting("TOSAJIT_SEED", 1));
    for (int i = 0; i < COUNT; i++) x[i] = dividend(&random, divisor);
    char types[32], text[400], number[32];
    const bool is_unsigned = type == TOSAJIT_U64;
    const char *name = is_unsigned ? "u64" : "i64";
    snprintf(types, sizeof types, "x: %s[?]\n", name);
    snprintf(number, sizeof number, is_unsigned ? "%s(%" PRIu64 ")" : "%s(%" PRId64 ")", name,
             divisor);
    snprintf(text, sizeof text, "intdiv(x, %s); fmod(x, %s); floor_divide(x, %s); remainder(x, %s)",
             number, number, number, number);
    tosajit_expr *expr = test_parse(types, text);
    tosajit_kernel *kernel = test_compile(engine->engine, expr);
    const int64_t count = COUNT;
    tosajit_tensor operand = {.element = type, .rank = 1, .dims = &count, .data = x}, result[OPS];
    for (int k = 0; k < OPS; k++) {
        result[k] = operand;
        result[k].data = results[k];
    }
    if (tosajit_run(kernel, &operand, 1, result, OPS)) fail_msg("%s", tosajit_last_error());
    for (int i = 0; i < COUNT * OPS; i++) {
        const int k = i / COUNT, n = i % COUNT;
        const question q = {.a = x[n], .b = divisor, .w = 64, .result = type, .operand = type};
        const int64_t expected = reference_of(ops[k])(&q);
        if (results[k][n] != expected)
            fail_msg("%s, %s, operation %d: %" PRId64 " by %" PRId64 " is %" PRId64
                     ", not %" PRId64,
                     engine->name, name, k, x[n], divisor, results[k][n], expected);
    }
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
}

static void quotients_by_numbers(void **state) {
    (void)state;
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 1));
    int64_t all[DIVISORS + RANDOM];
    for (int i = 0; i < DIVISORS; i++) all[i] = divisors[i];
    for (int i = 0; i < RANDOM; i++)
        all[DIVISORS + i] =
            (int64_t)(test_random_next(&random) >> test_random_range(&random, 0, 62));
    assert_true(reference_open());
    for (size_t e = 0; e < test_engine_count; e++)
        for (int i = 0; i < DIVISORS + RANDOM; i++) {
            check(&test_engines[e], TOSAJIT_I64, all[i]);
            check(&test_engines[e], TOSAJIT_U64, all[i]);
        }
    reference_close();
}

int main(void) { return TEST_RUN(test_setup_exact, test_teardown, TEST(quotients_by_numbers)); }
