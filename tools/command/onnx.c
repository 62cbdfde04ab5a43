/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit onnx: a model whose elementwise regions are nodes for libtosajit-onnxruntime. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/command/commands.h"
#include "tools/data/output_file.h"
#include "tools/onnx/convert.h"
#include "tools/onnx/model/model.h"
#include "tools/onnx/report.h"

/* Says what is going on when it takes longer than somebody likes to wait in silence. */
typedef struct waiting {
    struct timespec said;
} waiting;

static void progress(void *context, size_t done, size_t all) {
    waiting *w = context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - w->said.tv_sec < 2) return;
    fprintf(stderr, "tosajit onnx: %zu of %zu nodes\n", done, all);
    w->said = now;
}

/* A number of an option; false after a message. */
static bool read_count(const char *name, const char *word, int64_t most, int64_t *count) {
    char *end;
    if (!word) return true;
    errno = 0;
    *count = strtoll(word, &end, 10);
    bool fine = end != word && !*end && !errno && *count >= 0 && *count <= most;
    return fine || usage_error("onnx", "%s takes a number from 0 to %lld, not %s", name,
                               (long long)most, word) == EXIT_FINE;
}

static bool read_options(const options *o, onnx_options *own) {
    int64_t ops = own->least_ops;
    tosajit_accuracy accuracy;
    if (!read_count("--min-ops", o->min_ops, INT32_MAX, &ops)) return false;
    if (!read_count("--min-bytes", o->min_bytes, INT64_MAX, &own->least_bytes)) return false;
    if (!options_accuracy("onnx", o, &accuracy)) return false;
    own->least_ops = (int32_t)ops;
    own->fast = accuracy == TOSAJIT_FAST;
    own->fused = o->fused;
    return true;
}

static int convert(const options *o, const onnx_options *own, onnx_model *model) {
    onnx_report report;
    onnx_error error;
    /* The report stands where the model does not. */
    FILE *to = strcmp(o->model, "-") == 0 ? stderr : stdout;
    if (!onnx_model_open(model, o->file, &error) || !onnx_convert(model, own, &report, &error))
        return command_error("%s: %s", o->file, error.text);
    if (!onnx_model_write(model, o->model, &error)) return command_error("%s", error.text);
    if (o->json)
        onnx_report_json(&report, o->file, to);
    else
        onnx_report_print(&report, o->file, o->regions, to);
    return EXIT_FINE;
}

int cmd_onnx(const options *o) {
    waiting w;
    onnx_model model = {.proto = NULL};
    onnx_options own = {.least_ops = 2, .least_bytes = 4096, .progress = progress, .context = &w};
    clock_gettime(CLOCK_MONOTONIC, &w.said);
    if (!o->model) return usage_error("onnx", "-o OUT.onnx says where the new model goes");
    if (!read_options(o, &own)) return EXIT_USAGE;
    if ((o->check || o->bench) && (strcmp(o->file, "-") == 0 || strcmp(o->model, "-") == 0))
        return usage_error("onnx", "--check and --bench need files, not -");
    int code = convert(o, &own, &model);
    onnx_model_release(&model);
    if (code == EXIT_FINE && (o->check || o->bench)) code = onnx_run_both(o);
    return code;
}
