/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floating-point state: every op on every types, by the interpreter and by native code for every
 * CPU of this machine, computed in threads whose settings are unusual. Nothing traps, bits are
 * those of usual settings, and the settings are the same afterwards. A day has an eighth of the
 * types, of each engine another one; TOSAJIT_THIN=1 has all. Out: counts. */
#define _XOPEN_SOURCE 700 /* sigsetjmp, SA_NODEFER */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/float_state.h"
#include "tests/support/support.h"
#include "tosajit/inspect.h"

enum { COUNT = 203, LINES = 29, MOST_BYTES = COUNT * 8, STANDARD_THINNING = 8 };

static test_engine engines[TEST_MAX_ENGINES];
static size_t engine_count;
static test_random randoms;

typedef struct job {
    const char *engine;
    tosajit_op op;
    tosajit_kernel *kernel;
    int arity;
    tosajit_tensor operands[TOSAJIT_MAX_OPERANDS], result;
    size_t operand_count;
} job;

static sigjmp_buf back;
static void on_trap(int signal_number) {
    (void)signal_number;
    siglongjmp(back, 1);
}

static const int64_t dims[1] = {COUNT}, lines[2] = {LINES, COUNT / LINES}, sums[2] = {LINES, 1};

/* Reductions have lines of few elements, so that not every one has a NaN. */
static tosajit_tensor_type operand_type(tosajit_op op, tosajit_type element, bool dynamic) {
    static const int64_t open[2] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC};
    if (test_reduces(op)) return tosajit_ranked(element, 2, dynamic ? open : lines);
    return tosajit_ranked(element, 1, dynamic ? open : dims);
}

/* An op with parameters that come with the call, and usual attributes. */
static tosajit_status build(job *j, tosajit_engine *engine, const tosajit_type *types,
                            tosajit_type result, bool dynamic) {
    static uint8_t data[TOSAJIT_MAX_OPERANDS][8192];
    static int64_t counts[TOSAJIT_MAX_OPERANDS];
    const tosajit_type last = types[j->arity - 1];
    tosajit_attributes a = {0};
    if (j->op == TOSAJIT_OP_rescale) a = test_random_scaling(&randoms, last, result);
    if (j->op == TOSAJIT_OP_clamp && test_is_float(last)) a.min_val.f = -1, a.max_val.f = 1;
    if (test_reduces(j->op)) a.axis = 1;
    if (j->op == TOSAJIT_OP_gather) a.index_mode = TOSAJIT_INDEX_WRAP; /* every number is one */
    tosajit_expr *expr;
    tosajit_value values[TOSAJIT_MAX_OPERANDS], value;
    tosajit_status status = tosajit_expr_create(NULL, &expr);
    j->operand_count = (size_t)(j->arity + tosajit_op_parameters(j->op, NULL));
    for (int k = 0; !status && k < (int)j->operand_count; k++) {
        const bool is_parameter = k >= j->arity;
        test_parameter p = {0};
        if (is_parameter) p = test_parameter_of(j->op, k - j->arity, last, result, &a);
        const tosajit_type type = is_parameter ? p.element : types[k];
        counts[k] = is_parameter && p.count ? p.count : COUNT;
        for (int64_t at = 0; at < counts[k]; at++) {
            void *element = data[k] + (size_t)at * tosajit_type_size(type);
            if (is_parameter)
                test_parameter_element(&randoms, &p, element);
            else
                test_random_element(&randoms, type, element);
        }
        j->operands[k] = test_reduces(j->op) ? tosajit_dense(type, data[k], 2, lines)
                                             : tosajit_dense(type, data[k], 1, &counts[k]);
        const tosajit_tensor_type shape =
            is_parameter ? tosajit_ranked(type, 1, &counts[k]) : operand_type(j->op, type, dynamic);
        status = tosajit_expr_input(expr, &shape, &values[k]);
    }
    tosajit_tensor_type declared = operand_type(j->op, result, dynamic);
    if (test_reduces(j->op)) declared.dims[1] = 1;
    if (!status)
        status = tosajit_expr_op(expr, j->op, values, j->operand_count, &a, &declared, &value);
    if (!status) status = tosajit_expr_result(expr, value);
    if (!status) status = tosajit_compile_expr(engine, expr, &j->kernel);
    tosajit_expr_destroy(expr);
    return status;
}

/* In all settings, twice where shapes are remembered. */
static int run(job *j, tosajit_type result) {
    static uint8_t expected[MOST_BYTES], actual[MOST_BYTES];
    const bool reduces = test_reduces(j->op);
    const size_t bytes = (reduces ? LINES : COUNT) * tosajit_type_size(result);
    int count = 0;
    j->result = tosajit_dense(result, expected, reduces ? 2 : 1, reduces ? sums : dims);
    assert_int_equal(tosajit_run(j->kernel, j->operands, j->operand_count, &j->result, 1),
                     TOSAJIT_OK);
    j->result.data = actual;
    for (size_t s = 0; float_state_name(s); s++) {
        const char *volatile wrong = NULL;
        volatile tosajit_status status = TOSAJIT_OK;
        memset(actual, 0xa5, sizeof actual);
        if (sigsetjmp(back, 1)) {
            wrong = "nothing, but it trapped";
        } else if (float_state_set(s)) {
            const float_state before = float_state_get();
            status = tosajit_run(j->kernel, j->operands, j->operand_count, &j->result, 1);
            wrong = float_state_compare(&before);
            count++;
        } else {
            memcpy(actual, expected, bytes);
        }
        float_state_reset();
        if (status) fail_msg("%s", tosajit_last_error());
        if (!wrong && memcmp(actual, expected, bytes) != 0) wrong = "bits";
        if (wrong)
            fail_msg("%s of %s to %s on %s, %s: the run has changed %s", tosajit_op_name(j->op),
                     tosajit_type_name(j->operands[j->arity - 1].element),
                     tosajit_type_name(result), j->engine, float_state_name(s), wrong);
    }
    return count;
}

static void kernels_know_nothing_of_the_hosts_settings(void **state) {
    int count = 0;
    uint64_t number = 0;
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        tosajit_type types[3], result;
        for (unsigned next = 0; test_next_signature((tosajit_op)op, &next, types, &result);
             number++)
            for (size_t e = 0; e < engine_count; e++) {
                if (!test_is_drawn(number + e, STANDARD_THINNING)) continue;
                job j = {.engine = engines[e].name,
                         .op = (tosajit_op)op,
                         .arity = tosajit_op_arity((tosajit_op)op)};
                if (build(&j, engines[e].engine, types, result, (next + e) & 1))
                    fail_msg("%s: %s", tosajit_op_name(j.op), tosajit_last_error());
                count += run(&j, result);
                tosajit_kernel_release(j.kernel);
            }
    }
    print_message("%d runs\n", count);
    assert_true(count > 1000);
}

int main(void) {
    const struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_NODEFER};
    sigaction(SIGFPE, &action, NULL);
    randoms = test_random_start(test_seed());
    for (size_t s = 0; float_state_name(s); s++)
        if (!float_state_set(s)) print_message("NOT TESTED, no traps: %s\n", float_state_name(s));
    float_state_reset();
    engine_count = test_engines_open(engines, TOSAJIT_EXACT);
    if (engine_count == 0) return 1;
    int failed = TEST_RUN(NULL, NULL, TEST(kernels_know_nothing_of_the_hosts_settings));
    test_engines_close(engines, engine_count);
    return failed;
}
