/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Both models in ONNX Runtime: the one that was read, and the one that was written. In: paths and
 * sizes; out: how far apart their outputs are, and how long each takes. */
#define _POSIX_C_SOURCE 200809L /* readlink */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command/commands.h"
#include "tools/onnxruntime/host.h"
#include "tools/onnxruntime/pair.h"

enum { PATH = 4096, MOST_SIZES = 64, USUAL_SIZE = 32, MOST_OUTPUTS = 64, SEED = 1 };
static const double seconds = 2; /* of --bench */
/* How far apart outputs may be: some roundings of numbers around 1, and a part of the largest. */
static const double least = 1e-6, relative = 1e-3;

typedef struct both {
    ort_host *host;
    ort_session *before, *after;
    pair_inputs inputs;
    ort_message why;
} both;

/* The library of operators: beside this program, in a build or as it is installed. */
static bool find_library(char path[PATH]) {
    static const char *const places[] = {"onnxruntime", "../" TOSAJIT_LIBDIR};
    char self[PATH];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return false;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        snprintf(path, PATH, "%.3000s/%s/libtosajit-onnxruntime.so", self, places[k]);
        if (access(path, R_OK) == 0) return true;
    }
    return false;
}

/* "NAME=N" of --size. */
static bool read_size(const char *word, char *name, size_t capacity, pair_size *size) {
    const char *equals = strrchr(word, '=');
    char *end = NULL;
    errno = 0;
    if (equals) size->size = strtoll(equals + 1, &end, 10);
    bool fine = equals && equals > word && (size_t)(equals - word) < capacity && !errno &&
                end > equals + 1 && !*end && size->size > 0;
    if (!fine) return usage_error("onnx", "--size takes NAME=N, not %s", word) == EXIT_FINE;
    snprintf(name, capacity, "%.*s", (int)(equals - word), word);
    size->name = name;
    return true;
}

static bool open_both(const options *o, both *b, const char *library) {
    /* What is measured is the code, not how it comes; and this model's code is this command's. */
    static const ort_entry entries[] = {{"tosajit.compile", "now"}, {"tosajit.images", "1"}};
    const ort_session_options plain = {.threads = 1},
                              ours = {.threads = 1,
                                      .ops_library = library,
                                      .entries = entries,
                                      .entry_count = sizeof entries / sizeof *entries};
    return ort_host_open(NULL, &b->host, &b->why) &&
           ort_session_open(b->host, o->file, &plain, &b->before, &b->why) &&
           ort_session_open(b->host, o->model, &ours, &b->after, &b->why);
}

static bool check(both *b) {
    ort_results *before = NULL, *after = NULL;
    pair_difference d[MOST_OUTPUTS];
    size_t count = ort_session_output_count(b->before);
    bool fine = true;
    if (count > MOST_OUTPUTS) count = MOST_OUTPUTS;
    bool ran = ort_session_run(b->before, b->inputs.tensors, &before, &b->why) &&
               ort_session_run(b->after, b->inputs.tensors, &after, &b->why) &&
               pair_compare(before, after, count, d, &b->why);
    for (size_t k = 0; ran && k < count; k++) {
        bool near = d[k].nans == 0 && d[k].largest <= least + relative * d[k].scale;
        printf("%s: at most %.3g apart, numbers up to %.3g, %zu elements%s\n",
               ort_session_output(b->before, k)->name, d[k].largest, d[k].scale, d[k].elements,
               near ? "" : ": NOT THE SAME");
        fine = fine && near;
    }
    if (ran && !fine) snprintf(b->why.text, sizeof b->why.text, "the models differ");
    ort_results_release(before);
    ort_results_release(after);
    return ran && fine;
}

static bool bench(both *b) {
    pair_times t;
    if (!pair_time(b->before, b->after, b->inputs.tensors, seconds, &t, &b->why)) return false;
    printf("a call: %.3f ms before, %.3f ms now, %.2f of the time (medians of %d, one thread)\n",
           1e3 * t.a, 1e3 * t.b, t.ratio, t.rounds);
    return true;
}

int onnx_run_both(const options *o) {
    static char names[MOST_SIZES][128];
    both b = {.host = NULL};
    pair_size sizes[MOST_SIZES];
    char library[PATH];
    if (o->shape_count > MOST_SIZES)
        return usage_error("onnx", "--size is given %zu times; %d is the limit", o->shape_count,
                           (int)MOST_SIZES);
    for (size_t k = 0; k < o->shape_count; k++)
        if (!read_size(o->shapes[k], names[k], sizeof names[k], &sizes[k])) return EXIT_USAGE;
    if (!find_library(library))
        return command_error("libtosajit-onnxruntime.so is not where this tosajit is");
    bool fine =
        open_both(o, &b, library) &&
        pair_make_inputs(b.before, sizes, o->shape_count, USUAL_SIZE, SEED, &b.inputs, &b.why) &&
        (!o->check || check(&b)) && (!o->bench || bench(&b));
    pair_release_inputs(&b.inputs);
    ort_session_close(b.before);
    ort_session_close(b.after);
    ort_host_close(b.host);
    return fine ? EXIT_FINE : command_error("%s", b.why.text);
}
