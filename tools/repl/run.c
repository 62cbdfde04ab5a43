/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* :run and :time, the last kernel on operands from the line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/data/bandwidth.h"
#include "tools/repl/data.h"
#include "tools/repl/interrupt.h"
#include "tools/repl/verbs.h"
#include "tools/data/timing.h"

typedef struct job {
    npy_array operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    tosajit_tensor operand_views[TOSAJIT_MAX_TENSORS], result_views[TOSAJIT_MAX_TENSORS];
    size_t operand_count, result_count;
} job;

static bool prepare(repl *r, const repl_line *line, bool repeated, job *j) {
    j->operand_count = tosajit_kernel_operand_count(r->current.kernel);
    j->result_count = tosajit_kernel_result_count(r->current.kernel);
    memset(j->results, 0, sizeof j->results);
    if (!repl_operands(r, line->words, line->word_count, repeated, j->operands) ||
        !repl_results(r, j->operands, j->results))
        return false;
    for (size_t k = 0; k < j->operand_count; k++) j->operand_views[k] = array_view(&j->operands[k]);
    for (size_t k = 0; k < j->result_count; k++) j->result_views[k] = array_view(&j->results[k]);
    return true;
}

static void finish(job *j) {
    repl_release_arrays(j->operands, j->operand_count);
    repl_release_arrays(j->results, j->result_count);
}

/* What the library said about sizes, with the line's names for the operands. */
static bool fail_run(repl *r) {
    return repl_fail(r, (text_span){0, 0}, "%s", tosajit_last_error());
}

static void show_result(const job *j, size_t k) {
    const npy_array *result = &j->results[k];
    if (j->result_count > 1) printf("result %zu: ", k);
    array_print_shape(stdout, result);
    putchar('\n');
    array_print_values(stdout, result);
}

bool repl_run(repl *r, const repl_line *line) {
    static job j; /* too large for a stack */
    bool fine = prepare(r, line, false, &j);
    if (fine)
        fine = tosajit_run(r->current.kernel, j.operand_views, j.operand_count, j.result_views,
                           j.result_count) == TOSAJIT_OK ||
               fail_run(r);
    for (size_t k = 0; fine && k < j.result_count; k++) show_result(&j, k);
    finish(&j);
    return fine;
}

/* What a call is, and what memcpy reaches in the same minute with as many bytes. */
static void show_timing(const job *j, const timing *t, double bytes, double copied) {
    double elements = (double)array_count(&j->results[0]), rate = bytes / t->median / 1e9;
    printf("%.4g ns per call", t->median * 1e9);
    if (elements > 0) printf(", %.4g ns/element, %.4g GB/s", t->median * 1e9 / elements, rate);
    if (bytes >= (double)REPL_COMPARED && copied > 0)
        printf(", %.3g %% of memcpy", 100 * rate / (copied / 1e9));
    printf("\n");
}

/* Kernel and copy take turns, so that what disturbs the machine disturbs both. */
static bool measure(repl *r, const job *j) {
    enum { TURNS = 5 };
    const timing_limits limits = {.rounds = 11, .total_seconds = 0.2, .stop = repl_interrupted};
    double bytes = timing_bytes(j->operand_views, j->operand_count) +
                   timing_bytes(j->result_views, j->result_count);
    double medians[TURNS], copies[TURNS];
    timing t;
    bandwidth copy;
    if (!bandwidth_create(bytes, &copy)) return repl_fail(r, (text_span){0, 0}, "out of memory");
    bool fine = true;
    for (int k = 0; k < TURNS && fine; k++) {
        fine = timing_run(r->current.kernel, j->operand_views, j->operand_count, j->result_views,
                          j->result_count, &limits, &t) == TOSAJIT_OK ||
               fail_run(r);
        medians[k] = t.median;
        copies[k] = fine ? bandwidth_measure(&copy, &limits) : 0;
        if (fine && repl_interrupted()) fine = repl_fail(r, (text_span){0, 0}, "interrupted");
    }
    bandwidth_destroy(&copy);
    if (!fine) return false;
    t.median = timing_median(medians, TURNS);
    show_timing(j, &t, bytes, timing_median(copies, TURNS));
    return true;
}

bool repl_time(repl *r, const repl_line *line) {
    static job j;
    bool fine = prepare(r, line, true, &j) && measure(r, &j);
    finish(&j);
    return fine;
}
