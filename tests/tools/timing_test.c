/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tool's clockwork, on calls whose cost is known: they are counted, and some of them sleep. */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include "tools/data/timing.h"

#include <time.h>

#include "tests/support/cmocka.h"

static int64_t counted;
static bool asked_to_stop;

static void count(void *context) {
    (void)context;
    counted++;
}

static void nap(void *context) {
    const struct timespec pause = {0, 2000000};
    (void)context;
    counted++;
    nanosleep(&pause, NULL);
}

static bool stop(void) { return asked_to_stop; }

static void median_is_the_middle_or_the_mean_of_two(void **state) {
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};
    assert_true(timing_median(odd, 3) == 2);
    assert_true(timing_median(even, 4) == 2.5);
    assert_true(timing_median(one, 1) == 7);
    assert_true(timing_median(NULL, 0) == 0);
}

static void spread_is_what_the_definitions_give(void **state) {
    /* Quartiles 2 and 4, so that what is below -1 or above 7 is an outlier. */
    double values[] = {5, 1, 3, 2, 4}, far[] = {3, 100, 2, 4, 3, 3, -50}, one[] = {7};
    timing_spread s = timing_describe(values, 5);
    assert_true(s.mean == 3 && s.low == 2 && s.high == 4 && s.fast == 0 && s.slow == 0);
    assert_true(s.deviation * s.deviation > 2.4999 && s.deviation * s.deviation < 2.5001);
    s = timing_describe(far, 7);
    assert_true(s.fast == 1 && s.slow == 1);
    s = timing_describe(one, 1);
    assert_true(s.mean == 7 && s.deviation == 0 && s.low == 7 && s.high == 7);
    s = timing_describe(NULL, 0);
    assert_true(s.mean == 0 && s.fast + s.slow == 0);
}

static void warming_up_takes_its_time_and_keeps_samples_out(void **state) {
    double samples[3] = {0};
    const timing_limits limits = {
        .rounds = 3, .round_seconds = 1e-4, .warm_seconds = 0.01, .samples = samples};
    timing t;
    counted = 0;
    timing_measure(nap, NULL, &limits, &t);
    assert_int_equal(t.calls, 3);
    assert_true(counted > t.calls + 1); /* more than the one that sizes a batch */
    assert_true(samples[0] == t.least && samples[1] == t.median && samples[2] == t.most);
}

static void quick_calls_come_in_batches(void **state) {
    const timing_limits limits = {.rounds = 5, .round_seconds = 1e-4};
    timing t;
    counted = 0;
    timing_measure(count, NULL, &limits, &t);
    assert_int_equal(t.rounds, 5);
    assert_true(t.calls >= 5 && t.calls % 5 == 0);
    assert_true(counted > t.calls); /* some before the first round */
    assert_true(t.least > 0 && t.least <= t.median && t.median <= t.most);
}

static void slow_calls_take_what_they_take(void **state) {
    const timing_limits limits = {.rounds = 3, .round_seconds = 1e-4};
    timing t;
    timing_measure(nap, NULL, &limits, &t);
    assert_int_equal(t.calls, 3);
    /* A sleep is never shorter; how much longer it is depends on the machine. */
    assert_true(t.least >= 0.002);
}

static void no_round_begins_after_the_total(void **state) {
    const timing_limits limits = {.rounds = 1000, .round_seconds = 1e-4, .total_seconds = 0.01};
    timing t;
    timing_measure(nap, NULL, &limits, &t);
    assert_in_range(t.rounds, 1, 5);
}

static void stopped_before_the_first_round(void **state) {
    const timing_limits limits = {.stop = stop};
    timing t;
    asked_to_stop = true;
    timing_measure(count, NULL, &limits, &t);
    assert_int_equal(t.rounds, 0);
    assert_true(t.median == 0 && t.calls == 0);
    asked_to_stop = false;
}

static void kernels_are_run_and_refusals_passed_on(void **state) {
    tosajit_engine_options options = {.size = sizeof options, .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    const int64_t three[] = {3}, two[] = {2};
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, three);
    float a[3] = {1, -2, 3}, r[3] = {0, 0, 0};
    const tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, a, 1, three),
                         wrong = tosajit_dense(TOSAJIT_F32, a, 1, two);
    const tosajit_tensor result = tosajit_dense(TOSAJIT_F32, r, 1, three);
    const timing_limits limits = {.rounds = 3, .round_seconds = 1e-5};
    timing t;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_abs, &type, 1, NULL, NULL, &kernel),
                     TOSAJIT_OK);
    assert_int_equal(timing_run(kernel, &operand, 1, &result, 1, &limits, &t), TOSAJIT_OK);
    assert_true(r[1] == 2 && t.rounds == 3);
    assert_int_equal(timing_run(kernel, &wrong, 1, &result, 1, &limits, &t),
                     TOSAJIT_SHAPE_MISMATCH);
    assert_int_equal(t.rounds, 0);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void bytes_count_each_element_once(void **state) {
    const int64_t dims[] = {4, 5}, none[] = {4, 0}, repeated[] = {0, 4};
    char data[80];
    const tosajit_tensor tensors[] = {
        tosajit_dense(TOSAJIT_F32, data, 2, dims), tosajit_dense(TOSAJIT_I8, data, 2, dims),
        tosajit_dense(TOSAJIT_F32, data, 2, none), {TOSAJIT_F32, 2, data, dims, repeated},
        tosajit_dense(TOSAJIT_F64, data, 0, NULL),
    };
    assert_true(timing_bytes(tensors, 5) == 80 + 20 + 0 + 20 + 8);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(median_is_the_middle_or_the_mean_of_two),
                    TEST(spread_is_what_the_definitions_give),
                    TEST(warming_up_takes_its_time_and_keeps_samples_out),
                    TEST(quick_calls_come_in_batches), TEST(slow_calls_take_what_they_take),
                    TEST(no_round_begins_after_the_total), TEST(stopped_before_the_first_round),
                    TEST(kernels_are_run_and_refusals_passed_on),
                    TEST(bytes_count_each_element_once));
}
