/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit onnx: a model whose elementwise regions are nodes for libtosajit-onnxruntime. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, mkstemp */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/words.h"
#include "tools/base/targets.h"
#include "tools/command/command.h"
#include "tools/data/output_file.h"
#include "tools/data/output_name.h"
#include "tools/onnx/convert.h"
#include "tools/onnx/dot.h"
#include "tools/onnx/model/external.h"
#include "tools/onnx/model/model.h"
#include "tools/onnx/model/weights.h"
#include "tools/onnx/probe.h"
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
    own->accuracy = o->accuracy ? accuracy : TOSAJIT_REPRODUCIBLE; /* as the engine is */
    own->fused = o->fused || o->optimize; /* which has joined what it joins */
    return true;
}

/* A file for a moment, because the engine reads and writes nothing else: beside another one, or
 * with null anywhere. */
static int make_scratch(const char *beside, char path[PATH_MAX]) {
    const char *folder = getenv("TMPDIR"), *slash = beside ? strrchr(beside, '/') : NULL;
    int length = beside ? snprintf(path, PATH_MAX, "%.*s.tosajit-XXXXXX",
                                   slash ? (int)(slash - beside) + 1 : 0, beside)
                        : snprintf(path, PATH_MAX, "%s/tosajit-XXXXXX", folder ? folder : "/tmp");
    int file = length < PATH_MAX ? mkstemp(path) : -1;
    if (file < 0) return command_error("%s: %s", path, strerror(errno));
    close(file);
    return EXIT_FINE;
}

/* A model as the engine has optimised it, and how many channels it keeps side by side. */
static int read_optimized(const options *o, const char *path, const char *probe, onnx_model *model,
                          int64_t *block) {
    onnx_error error;
    if (!onnx_probe_write(probe, &error)) return command_error("%s", error.text);
    int code = onnx_engine_optimize(o, true, o->file, path, probe);
    if (code != EXIT_FINE) return code;
    if (!onnx_probe_read(probe, block, &error)) return command_error("%s: %s", probe, error.text);
    if (onnx_model_open(model, path, &error)) return EXIT_FINE;
    return command_error("%s, as ONNX Runtime has optimised it: %s", o->file, error.text);
}

static int read_model(const options *o, onnx_model *model, int64_t *block) {
    char path[PATH_MAX], probe[PATH_MAX];
    onnx_error error;
    if (!o->optimize) {
        bool fine = onnx_model_open(model, o->file, &error);
        return fine ? EXIT_FINE : command_error("%s: %s", o->file, error.text);
    }
    int code = make_scratch(NULL, path);
    if (code != EXIT_FINE) return code;
    code = make_scratch(NULL, probe);
    if (code == EXIT_FINE) {
        code = read_optimized(o, path, probe, model, block);
        unlink(probe);
    }
    unlink(path);
    return code;
}

/* The new model is where its weights are. */
static int place_weights(const options *o, onnx_model *model, onnx_weights *weights) {
    onnx_error error;
    if (!onnx_weights_copy(model, o->file, o->model, weights, &error))
        return command_error("%s", error.text);
    if (weights->copied > 0)
        fprintf(stderr, "tosajit onnx: copied %zu file%s of weights, %llu bytes\n", weights->copied,
                plural(weights->copied), (unsigned long long)weights->bytes);
    else if (weights->files > 0 &&
             !(onnx_weights_has_folder(o->file) && onnx_weights_has_folder(o->model)))
        fprintf(stderr, "tosajit onnx: the new model needs %zu file%s of weights in its folder\n",
                weights->files, plural(weights->files));
    return EXIT_FINE;
}

/* Lets the engine join now what it can join around regions: a Transpose with a MatMul for instance.
 * Sessions then have nothing left to optimise. */
static int settle(const options *o, bool converted, const onnx_weights *weights,
                  const onnx_model *model, onnx_model *settled) {
    char path[PATH_MAX];
    onnx_error error;
    const char *beside = onnx_weights_has_folder(o->model) ? o->model : o->file;
    int code = make_scratch(weights->files > 0 ? beside : NULL, path);
    if (code != EXIT_FINE) return code;
    code = onnx_model_write(model, path, &error)
               ? onnx_engine_optimize(o, converted, path, path, NULL)
               : command_error("%s", error.text);
    if (code == EXIT_FINE && !onnx_model_open(settled, path, &error))
        code = command_error("%s, as ONNX Runtime has optimised it: %s", o->model, error.text);
    unlink(path);
    return code;
}

static bool is_stream(const char *path) { return path && strcmp(path, "-") == 0; }

/* The picture of --dot. */
static int draw(const char *path, onnx_model *model, const onnx_report *report) {
    output_file file;
    onnx_error error;
    if (!output_file_open(path, &file)) return command_error("%s: %s", path, strerror(errno));
    if (!onnx_dot_print(model, report, file.stream, &error)) {
        output_file_abort(&file);
        return command_error("%s: %s", path, error.text);
    }
    bool fine = output_file_finish(&file) && output_file_commit(&file);
    return fine ? EXIT_FINE : command_error("%s: %s", path, strerror(errno));
}

static int write_model(const options *o, onnx_model *model, const onnx_report *report) {
    onnx_error error;
    /* The report stands where nothing else does. */
    FILE *to = is_stream(o->model) || is_stream(o->dot) ? stderr : stdout;
    if ((o->external && !onnx_external_move(model, o->model, &error)) ||
        !onnx_model_write(model, o->model, &error))
        return command_error("%s", error.text);
    if (o->json)
        onnx_report_json(report, o->file, to);
    else
        onnx_report_print(report, o->file, o->regions, to);
    return o->dot ? draw(o->dot, model, report) : EXIT_FINE;
}

static int convert(const options *o, onnx_options *own, onnx_model *model, onnx_report *report) {
    onnx_error error;
    int code = read_model(o, model, &own->block);
    if (code != EXIT_FINE) return code;
    clock_gettime(CLOCK_MONOTONIC, &((waiting *)own->context)->said); /* nodes begin now */
    if (!onnx_convert(model, own, report, &error))
        return command_error("%s: %s", o->file, error.text);
    onnx_weights weights;
    code = place_weights(o, model, &weights);
    if (code != EXIT_FINE) return code;
    if (!o->optimize || report->taken_count == 0) return write_model(o, model, report);
    onnx_model settled = {.proto = NULL};
    code = settle(o, report->had > 0, &weights, model, &settled);
    if (code == EXIT_FINE) code = write_model(o, &settled, report);
    onnx_model_release(&settled);
    return code;
}

static int open_targets(const options *o, targets *t, onnx_options *own) {
    int code = o->targets ? targets_open("onnx", o->targets, own->accuracy, t) : EXIT_FINE;
    own->engines = t->engines;
    own->engine_count = t->count;
    return code == EXIT_REFUSED ? command_error("%s", tosajit_last_error()) : code;
}

static int check_options(const options *o) {
    if (!o->model) return usage_error("onnx", "-o OUT.onnx says where the new model goes");
    if (is_stream(o->model) && is_stream(o->dot))
        return usage_error("onnx", "-o and --dot cannot both be standard output");
    if (o->dot && output_name_same(o->dot, o->model))
        return usage_error("onnx", "-o and --dot name the same file");
    if ((o->check || o->bench) && (is_stream(o->file) || is_stream(o->model)))
        return usage_error("onnx", "--check and --bench need files, not -");
    if (o->optimize && is_stream(o->file))
        return usage_error("onnx", "--optimize needs a file, not -");
    if (o->external && !onnx_weights_has_folder(o->model))
        return usage_error("onnx", "--external-data needs a file, not %s", o->model);
    if (o->check || o->bench) return EXIT_FINE;
    if (o->input_count > 0) return usage_error("onnx", "--input is for --check and --bench");
    if (o->shape_count > 0) return usage_error("onnx", "--size is for --check and --bench");
    return EXIT_FINE;
}

int cmd_onnx(const options *o) {
    waiting w;
    targets t = {.count = 0};
    onnx_model model = {.proto = NULL};
    onnx_report report = {.had = 0};
    onnx_options own = {.least_ops = 2, .least_bytes = 4096, .progress = progress, .context = &w};
    int code = check_options(o);
    if (code != EXIT_FINE || !read_options(o, &own)) return EXIT_USAGE;
    if (!o->optimize && (o->check || o->bench)) code = onnx_engine_ready(o);
    if (code == EXIT_FINE) code = open_targets(o, &t, &own);
    if (code == EXIT_FINE) code = convert(o, &own, &model, &report);
    const bool converted = report.had > 0;
    targets_close(&t);
    onnx_model_release(&model);
    if (code == EXIT_FINE && (o->check || o->bench)) code = onnx_engine_compare(o, converted);
    return code;
}
