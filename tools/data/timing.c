/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Batches of calls, of which the clock sees only beginning and end: a call may take no longer than
 * reading the clock does. */
#include "tools/data/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/system/system.h"

enum { ROUNDS = 31, MAX_ROUNDS = 1001 };
static const double ROUND_SECONDS = 0.001, TOTAL_SECONDS = 2, MOST_CALLS = 1e9;

double timing_now(void) { return (double)system_clock() * 1e-9; }

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double timing_median(double *values, size_t count) {
    if (count == 0) return 0;
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Between neighbours by their distance, of sorted values. */
static double quantile(const double *sorted, size_t count, double part) {
    const double place = part * (double)(count - 1);
    const size_t below = (size_t)place, above = below + (below + 1 < count);
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

timing_spread timing_describe(double *values, size_t count) {
    timing_spread s = {0};
    double squares = 0;
    if (count == 0) return s;
    qsort(values, count, sizeof *values, compare);
    for (size_t k = 0; k < count; k++) s.mean += values[k] / (double)count;
    for (size_t k = 0; k < count; k++) squares += (values[k] - s.mean) * (values[k] - s.mean);
    if (count > 1) s.deviation = sqrt(squares / (double)(count - 1));
    s.low = quantile(values, count, 0.25);
    s.high = quantile(values, count, 0.75);
    const double fence = 1.5 * (s.high - s.low);
    for (size_t k = 0; k < count; k++) {
        s.fast += values[k] < s.low - fence;
        s.slow += values[k] > s.high + fence;
    }
    return s;
}

static double time_batch(void (*call)(void *), void *context, int64_t calls) {
    double start = timing_now();
    for (int64_t k = 0; k < calls; k++) call(context);
    return timing_now() - start;
}

static timing_limits complete(const timing_limits *limits) {
    timing_limits l = {0};
    if (limits) l = *limits;
    if (l.rounds <= 0) l.rounds = ROUNDS;
    if (l.rounds > MAX_ROUNDS) l.rounds = MAX_ROUNDS;
    if (!(l.round_seconds > 0)) l.round_seconds = ROUND_SECONDS;
    if (!(l.total_seconds > 0)) l.total_seconds = TOTAL_SECONDS;
    return l;
}

/* How many calls make a batch. The search for it also warms caches and clock. */
static int64_t size_batch(void (*call)(void *), void *context, const timing_limits *l) {
    int64_t calls = 1;
    for (;;) {
        double seconds = time_batch(call, context, calls);
        if (seconds >= l->round_seconds || (double)calls >= MOST_CALLS) return calls;
        if (l->stop && l->stop()) return calls;
        /* The clock's first answers are coarse. */
        double factor = seconds > 0 ? 1.2 * l->round_seconds / seconds : 10;
        calls = (int64_t)((double)calls * (factor < 1.5 ? 1.5 : factor > 10 ? 10 : factor)) + 1;
    }
}

/* Until the processor has the clock and the caches that it will keep. */
static void warm_up(void (*call)(void *), void *context, const timing_limits *l) {
    const double start = timing_now();
    while (timing_now() - start < l->warm_seconds && !(l->stop && l->stop())) call(context);
}

void timing_measure(void (*call)(void *context), void *context, const timing_limits *limits,
                    timing *t) {
    double samples[MAX_ROUNDS];
    const timing_limits l = complete(limits);
    *t = (timing){0};
    warm_up(call, context, &l);
    const double start = timing_now();
    int64_t calls = size_batch(call, context, &l);
    while (t->rounds < l.rounds && !(l.stop && l.stop()) &&
           (t->rounds == 0 || timing_now() - start < l.total_seconds)) {
        samples[t->rounds++] = time_batch(call, context, calls) / (double)calls;
        t->calls += calls;
    }
    if (t->rounds == 0) return;
    t->median = timing_median(samples, (size_t)t->rounds); /* sorts */
    if (l.samples) memcpy(l.samples, samples, (size_t)t->rounds * sizeof *samples);
    t->least = samples[0];
    t->most = samples[t->rounds - 1];
}

typedef struct run {
    const tosajit_kernel *kernel;
    const tosajit_tensor *operands, *results;
    size_t operand_count, result_count;
} run;

static void run_once(void *context) {
    const run *r = context;
    tosajit_run(r->kernel, r->operands, r->operand_count, r->results, r->result_count);
}

tosajit_status timing_run(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                          size_t operand_count, const tosajit_tensor *results, size_t result_count,
                          const timing_limits *limits, timing *t) {
    run r = {kernel, operands, results, operand_count, result_count};
    *t = (timing){0};
    tosajit_status status = tosajit_run(kernel, operands, operand_count, results, result_count);
    if (status == TOSAJIT_OK) timing_measure(run_once, &r, limits, t);
    return status;
}

static double tensor_bytes(const tosajit_tensor *tensor) {
    double bytes = (double)tosajit_type_size(tensor->element);
    bool empty = false;
    for (int32_t d = 0; d < tensor->rank; d++) {
        empty = empty || tensor->dims[d] == 0;
        if (!tensor->strides || tensor->strides[d] != 0) bytes *= (double)tensor->dims[d];
    }
    return empty ? 0 : bytes;
}

double timing_bytes(const tosajit_tensor *tensors, size_t count) {
    double bytes = 0;
    for (size_t k = 0; k < count; k++) bytes += tensor_bytes(&tensors[k]);
    return bytes;
}

timing_text timing_print(double seconds) {
    static const char *const units[] = {"s", "ms", "us", "ns"};
    enum { UNITS = sizeof units / sizeof *units };
    timing_text t;
    int unit = 0;
    for (; unit < UNITS - 1 && seconds < 0.9995; unit++) seconds *= 1000;
    const int places = seconds < 9.995 ? 2 : seconds < 99.95 ? 1 : 0;
    snprintf(t.text, sizeof t.text, "%.*f %s", places, seconds < 1e6 ? seconds : 1e6, units[unit]);
    return t;
}
