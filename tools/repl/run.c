/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* :run, :time, :check and :explain, the last kernel on operands from the line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/words.h"
#include "tools/data/bandwidth.h"
#include "tools/data/compare.h"
#include "tools/repl/data.h"
#include "tools/repl/interrupt.h"
#include "tools/repl/verbs.h"
#include "tools/data/timing.h"
#include "tosajit/inspect.h"

typedef struct job {
    npy_array operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    tosajit_tensor operand_views[TOSAJIT_MAX_TENSORS], result_views[TOSAJIT_MAX_TENSORS];
    size_t operand_count, result_count;
    int64_t n; /* of a sweep; 0 without one */
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

/* The library's message about sizes, with the line's names for the operands. */
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

/* Shows the time of a call, and of memcpy in the same minute with as many bytes. */
static void show_timing(const job *j, const timing *t, double bytes, double copied) {
    double elements = (double)array_count(&j->results[0]), rate = bytes / t->median / 1e9;
    if (j->n > 0) printf("N %-8" PRId64 "  ", j->n);
    printf("%s per call", timing_print(t->median).text);
    if (elements > 0) printf(", %.4g ns/element, %.4g GB/s", t->median * 1e9 / elements, rate);
    if (bytes >= (double)REPL_COMPARED && copied > 0)
        printf(", %.3g times as long as memcpy", copied / 1e9 / rate);
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

bool repl_time_of(repl *r, const repl_line *line, int64_t n) {
    static job j;
    j.n = n;
    bool fine = prepare(r, line, true, &j) && measure(r, &j);
    finish(&j);
    return fine;
}

bool repl_time(repl *r, const repl_line *line) { return repl_time_of(r, line, 0); }

bool repl_explain(repl *r, const repl_line *line) {
    static job j;
    char *text = NULL;
    bool fine = prepare(r, line, true, &j);
    if (fine)
        fine = tosajit_explain(r->current.kernel, j.operand_views, j.operand_count, j.result_views,
                               j.result_count, NULL, &text) == TOSAJIT_OK ||
               fail_run(r);
    if (fine) fputs(text, stdout);
    tosajit_text_release(text);
    finish(&j);
    return fine;
}

static bool compare_results(repl *r, const job *j, const npy_array *expected) {
    int64_t all = 0;
    for (size_t k = 0; k < j->result_count; k++) {
        const npy_array *result = &j->results[k];
        const int64_t count = array_count(result);
        const comparison c =
            compare_elements(result->element, result->data, expected[k].data, count);
        char place[200];
        all += count;
        if (c.different == 0) continue;
        return repl_fail(r, (text_span){0, 0}, "result %zu %s", k,
                         compare_describe(result->element, result->rank, result->dims, result->data,
                                          expected[k].data, c.first, place, sizeof place));
    }
    printf("%" PRId64 " element%s equal bit for bit\n", all, plural(all));
    return true;
}

bool repl_check(repl *r, const repl_line *line) {
    tosajit_kernel_info info = {.size = sizeof info};
    tosajit_kernel_describe(r->current.kernel, &info);
    if (info.backend == TOSAJIT_BACKEND_INTERPRET)
        return repl_fail(r, (text_span){0, 0},
                         ":check compares with the interpreter, which computes this kernel itself; "
                         "see :backend");
    static job j;
    static npy_array expected[TOSAJIT_MAX_TENSORS];
    tosajit_tensor views[TOSAJIT_MAX_TENSORS];
    memset(expected, 0, sizeof expected);
    bool fine = prepare(r, line, false, &j) && repl_results(r, j.operands, expected);
    for (size_t k = 0; fine && k < j.result_count; k++) views[k] = array_view(&expected[k]);
    if (fine)
        fine = (tosajit_run(r->current.kernel, j.operand_views, j.operand_count, j.result_views,
                            j.result_count) == TOSAJIT_OK &&
                tosajit_run_interpreted(r->current.kernel, j.operand_views, j.operand_count, views,
                                        j.result_count) == TOSAJIT_OK) ||
               fail_run(r);
    fine = fine && compare_results(r, &j, expected);
    repl_release_arrays(expected, j.result_count);
    finish(&j);
    return fine;
}
