/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "jit/show/json.h"
#include "runtime/base/words.h"

static int64_t saved(const onnx_report *report) {
    int64_t sum = 0;
    for (size_t k = 0; k < report->taken_count; k++)
        if (__builtin_add_overflow(sum, report->taken[k].saved, &sum)) return INT64_MAX;
    return sum;
}

/* By reason, then by operator. */
static int compare(const void *a, const void *b) {
    const onnx_left *x = a, *y = b;
    int order = strcmp(x->why, y->why);
    return order ? order : strcmp(x->op, y->op);
}

static void print_taken(const onnx_report *report, FILE *to) {
    for (size_t k = 0; k < report->taken_count; k++) {
        const onnx_taken *t = &report->taken[k];
        fprintf(to, "  %s: %d operator%s, %d in, %d out\n    %s\n", t->name, t->nodes,
                plural((size_t)t->nodes), t->inputs, t->outputs, t->text);
    }
}

/* Nodes that stay for the same reason share a line. */
static void print_left(const onnx_report *report, FILE *to) {
    size_t end;
    if (report->left_count > 0) fprintf(to, "elementwise, but left to the engine:\n");
    for (size_t k = 0; k < report->left_count; k = end) {
        const onnx_left *first = &report->left[k];
        for (end = k; end < report->left_count && compare(&report->left[end], first) == 0;) end++;
        fprintf(to, "  %5zu %-12s %s", end - k, first->op, first->why);
        fprintf(to, end - k == 1 ? " (%s)\n" : " (%s, ...)\n", first->name);
    }
}

void onnx_report_print(const onnx_report *report, const char *model, bool details, FILE *to) {
    int64_t bytes = saved(report);
    qsort(report->left, report->left_count, sizeof *report->left, compare);
    fprintf(to, "%s: %zu of %zu operators in %zu region%s for tosajit\n", model, report->inside,
            report->nodes, report->taken_count, plural(report->taken_count));
    if (bytes > 0)
        fprintf(to, "no longer moved by a call: %" PRId64 " bytes, where sizes are known\n", bytes);
    if (report->reorderings > report->reorderings_left)
        fprintf(to, "%zu of %zu changes between layouts are gone\n",
                report->reorderings - report->reorderings_left, report->reorderings);
    if (report->image_count > 0)
        fprintf(to, "code in the model: %zu image%s, %zu bytes\n", report->image_count,
                plural(report->image_count), report->image_bytes);
    if (details) print_taken(report, to);
    print_left(report, to);
    fprintf(to, "not elementwise: %zu\n", report->other);
}

static void json_taken(json *j, const onnx_taken *t) {
    json_open(j, NULL, '{');
    json_text(j, "name", t->name);
    json_integer(j, "nodes", t->nodes);
    json_integer(j, "inputs", t->inputs);
    json_integer(j, "outputs", t->outputs);
    json_integer(j, "bytes", t->saved);
    json_text(j, "expression", t->text);
    json_close(j, '}');
}

static void json_left(json *j, const onnx_left *l) {
    json_open(j, NULL, '{');
    json_text(j, "name", l->name);
    json_text(j, "op", l->op);
    json_text(j, "why", l->why);
    json_close(j, '}');
}

void onnx_report_json(const onnx_report *report, const char *model, FILE *to) {
    json j = {.out = to};
    json_open(&j, NULL, '{');
    json_text(&j, "model", model);
    json_integer(&j, "nodes", (int64_t)report->nodes);
    json_integer(&j, "inside", (int64_t)report->inside);
    json_integer(&j, "had", (int64_t)report->had);
    json_integer(&j, "other", (int64_t)report->other);
    json_integer(&j, "bytes", saved(report));
    json_integer(&j, "reorderings", (int64_t)report->reorderings);
    json_integer(&j, "reorderings_left", (int64_t)report->reorderings_left);
    json_integer(&j, "images", (int64_t)report->image_count);
    json_integer(&j, "image_bytes", (int64_t)report->image_bytes);
    json_open(&j, "regions", '[');
    for (size_t k = 0; k < report->taken_count; k++) json_taken(&j, &report->taken[k]);
    json_close(&j, ']');
    json_open(&j, "left", '[');
    for (size_t k = 0; k < report->left_count; k++) json_left(&j, &report->left[k]);
    json_close(&j, ']');
    json_close(&j, '}');
    fputc('\n', to);
}
