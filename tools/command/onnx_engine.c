/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Both models in ONNX Runtime: the one that was read, and the one that was written. In: paths and
 * sizes; out: how far apart their outputs are, and how long each takes. */
#define _POSIX_C_SOURCE 200809L /* readlink, clock_gettime */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/command/commands.h"
#include "tools/data/npy.h"
#include "tools/onnxruntime/host.h"
#include "tools/onnxruntime/pair.h"

enum { PATH = 4096, NAME = 128, MOST_SIZES = 64, USUAL_SIZE = 32, MOST_OUTPUTS = 64, SEED = 1 };
static const double seconds = 2; /* of --bench */
/* How far apart outputs may be: some roundings of numbers around 1, and a part of the largest. */
static const double least = 1e-6, relative = 1e-3;

typedef struct both {
    ort_host *host;
    ort_session *before, *after;
    const char *ops_before, *ops_after; /* libraries of operators; null: none is needed */
    pair_inputs inputs;
    double opened_before, opened_after; /* seconds that the sessions took */
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

/* What is measured is the code, not how it comes; and this model's code is this command's. */
static const ort_entry entries[] = {{"tosajit.compile", "now"}, {"tosajit.images", "1"}};

int onnx_optimize(const char *from, const char *to) {
    /* It may have regions, whose code is not needed. */
    char library[PATH];
    const bool found = find_library(library);
    const ort_session_options saving = {.threads = 1,
                                        .save = to,
                                        .ops_library = found ? library : NULL,
                                        .entries = entries + 1,
                                        .entry_count = 1};
    ort_host *host = NULL;
    ort_session *session = NULL;
    ort_message why;
    bool fine =
        ort_host_open(NULL, &host, &why) && ort_session_open(host, from, &saving, &session, &why);
    ort_session_close(session);
    ort_host_close(host);
    if (fine) return EXIT_FINE;
    return command_error("%s%s", why.text,
                         found ? "" : "; libtosajit-onnxruntime.so is not where this tosajit is");
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool open_one(both *b, const char *model, const ort_session_options *options,
                     ort_session **session, double *took) {
    const double start = now();
    bool fine = ort_session_open(b->host, model, options, session, &b->why);
    *took = now() - start;
    return fine;
}

/* The engine's first session takes longer than all others, so it is not one of the two. */
static bool open_both(const options *o, both *b) {
    /* What the engine has optimised once is not optimised again. */
    const ort_session_options plain = {.threads = 1, .ops_library = b->ops_before},
                              ours = {.threads = 1,
                                      .level = o->optimize ? -1 : 0,
                                      .ops_library = b->ops_after,
                                      .entries = entries,
                                      .entry_count = sizeof entries / sizeof *entries};
    ort_session *first = NULL;
    bool fine = ort_host_open(NULL, &b->host, &b->why) &&
                (!o->bench || open_one(b, o->file, &plain, &first, &b->opened_before));
    ort_session_close(first);
    return fine && open_one(b, o->file, &plain, &b->before, &b->opened_before) &&
           open_one(b, o->model, &ours, &b->after, &b->opened_after);
}

/* ---------------------------------------------------------------------------------------------
 * Inputs of files */

/* What a file must have for an input. Bits of types that the library has not are read as another
 * type of as many. */
static const struct {
    ort_type type;
    tosajit_type element;
} elements[] = {
    {ORT_F32, TOSAJIT_F32},   {ORT_F64, TOSAJIT_F64},  {ORT_F16, TOSAJIT_F16},
    {ORT_BF16, TOSAJIT_BF16}, {ORT_U16, TOSAJIT_BF16}, {ORT_U8, TOSAJIT_F8E5M2},
    {ORT_I8, TOSAJIT_I8},     {ORT_I16, TOSAJIT_I16},  {ORT_I32, TOSAJIT_I32},
    {ORT_I64, TOSAJIT_I64},   {ORT_BOOL, TOSAJIT_I1},
};

static bool refuse(both *b, const char *file, const char *what) {
    snprintf(b->why.text, sizeof b->why.text, "%.400s: %.500s", file, what);
    return false;
}

static bool is_dense(const npy_array *a, size_t unit, size_t *bytes) {
    bool dense = true;
    *bytes = unit;
    for (int32_t d = a->rank - 1; d >= 0; d--) {
        dense = dense && (a->dims[d] == 1 || a->strides[d] == (int64_t)*bytes);
        *bytes *= (size_t)a->dims[d];
    }
    return dense || *bytes == 0;
}

/* Take the array of a file as an input in place of the one that was made. */
static bool read_input(both *b, const char *file, ort_tensor *t) {
    npy_array array;
    npy_error error;
    tosajit_type element = TOSAJIT_TYPE_COUNT;
    size_t bytes;
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++)
        if (elements[k].type == t->type) element = elements[k].element;
    if (element == TOSAJIT_TYPE_COUNT)
        return refuse(b, file, "no file can be read for an input of this type");
    if (!npy_read(file, element, &array, &error)) return refuse(b, "--input", error.text);
    if (!is_dense(&array, ort_type_size(t->type), &bytes)) {
        npy_release(&array);
        return refuse(b, file, "its order is Fortran's; np.ascontiguousarray changes that");
    }
    free(t->data);
    *t = (ort_tensor){.type = t->type, .rank = array.rank, .data = array.data, .bytes = bytes};
    memcpy(t->dims, array.dims, (size_t)array.rank * sizeof *array.dims);
    return true;
}

/* "NAME=A.npy" of --input, whose words were checked. */
static bool read_inputs(const options *o, both *b) {
    for (size_t i = 0; i < o->input_count; i++) {
        const char *word = o->inputs[i], *equals = strchr(word, '=');
        size_t length = (size_t)(equals - word), k = 0;
        while (k < b->inputs.count) {
            const char *name = ort_session_input(b->before, k)->name;
            if (strlen(name) == length && memcmp(name, word, length) == 0) break;
            k++;
        }
        if (k == b->inputs.count) return refuse(b, word, "the model has no input of this name");
        if (!read_input(b, equals + 1, &b->inputs.tensors[k])) return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * What is compared */

/* How far the engine is from itself without its optimisations: its own error. */
static bool check_engine(const options *o, both *b, const ort_results *before, size_t count,
                         pair_difference *d) {
    const ort_session_options options = {.threads = 1, .level = -1, .ops_library = b->ops_before};
    ort_session *plain = NULL;
    ort_results *results = NULL;
    bool ran = ort_session_open(b->host, o->file, &options, &plain, &b->why) &&
               ort_session_run(plain, b->inputs.tensors, &results, &b->why) &&
               pair_compare(before, results, count, d, &b->why);
    ort_results_release(results);
    ort_session_close(plain);
    return ran;
}

/* Where --json prints one object, people's lines go beside it. */
static FILE *lines(const options *o) { return o->json ? stderr : stdout; }

static bool print_differences(const options *o, const both *b, const pair_difference *d,
                              const pair_difference *own, size_t count) {
    bool fine = true;
    for (size_t k = 0; k < count; k++) {
        bool near = d[k].nans == 0 && d[k].largest <= least + relative * d[k].scale;
        fprintf(lines(o),
                "%s: at most %.3g apart; the engine without its optimisations: %.3g; numbers up to "
                "%.3g, %zu elements%s\n",
                ort_session_output(b->before, k)->name, d[k].largest, own[k].largest, d[k].scale,
                d[k].elements, near ? "" : ": NOT THE SAME");
        fine = fine && near;
    }
    return fine;
}

static bool check(const options *o, both *b) {
    ort_results *before = NULL, *after = NULL;
    pair_difference d[MOST_OUTPUTS], own[MOST_OUTPUTS];
    size_t count = ort_session_output_count(b->before);
    if (count > MOST_OUTPUTS) count = MOST_OUTPUTS;
    bool ran = ort_session_run(b->before, b->inputs.tensors, &before, &b->why) &&
               ort_session_run(b->after, b->inputs.tensors, &after, &b->why) &&
               pair_compare(before, after, count, d, &b->why) &&
               check_engine(o, b, before, count, own);
    bool fine = ran && print_differences(o, b, d, own, count);
    if (ran && !fine) snprintf(b->why.text, sizeof b->why.text, "the models differ");
    ort_results_release(before);
    ort_results_release(after);
    return fine;
}

static bool bench(const options *o, const both *b, ort_message *why) {
    pair_times t;
    if (!pair_time(b->before, b->after, b->inputs.tensors, seconds, &t, why)) return false;
    fprintf(lines(o),
            "a call: %.3f ms before, %.3f ms now, %.3f of the time (medians of %d, one thread)\n",
            1e3 * t.a, 1e3 * t.b, t.ratio, t.rounds);
    fprintf(lines(o), "a session: %.1f ms before, %.1f ms now, %.2f of the time (the first one)\n",
            1e3 * b->opened_before, 1e3 * b->opened_after, b->opened_after / b->opened_before);
    return true;
}

static bool has_size(const ort_port *port, const char *name) {
    char place[256];
    for (int32_t d = 0; d < port->rank; d++) {
        snprintf(place, sizeof place, "%.200s:%d", port->name, (int)d);
        const bool named = strcmp(name, place) == 0 || strcmp(name, port->symbols[d]) == 0;
        if (port->dims[d] < 0 && named) return true;
    }
    return false;
}

/* " x:0 (batch) x:2": what --size can name. */
static void list_sizes(const ort_session *session, char *list, size_t capacity) {
    size_t used = 0;
    list[0] = '\0';
    for (size_t k = 0; k < ort_session_input_count(session); k++) {
        const ort_port *port = ort_session_input(session, k);
        for (int32_t d = 0; d < port->rank; d++) {
            if (port->dims[d] >= 0 || used + 1 >= capacity) continue;
            const bool named = *port->symbols[d];
            const int more =
                snprintf(list + used, capacity - used, " %s:%d%s%s%s", port->name, (int)d,
                         named ? " (" : "", port->symbols[d], named ? ")" : "");
            used += more > 0 ? (size_t)more : 0;
        }
    }
}

static bool check_sizes(both *b, const pair_size *sizes, size_t count) {
    for (size_t k = 0; k < count; k++) {
        char list[512];
        bool found = false;
        for (size_t i = 0; i < ort_session_input_count(b->before); i++)
            found = found || has_size(ort_session_input(b->before, i), sizes[k].name);
        if (found) continue;
        list_sizes(b->before, list, sizeof list);
        snprintf(b->why.text, sizeof b->why.text, "--size %.100s: calls decide no such size; %s%s",
                 sizes[k].name, *list ? "there are" : "all are known", list);
        return false;
    }
    return true;
}

/* Whether one of the words before this one names the same: "NAME=...". */
static bool is_again(const char *const *words, size_t index) {
    const char *equals = strchr(words[index], '=');
    const size_t length = equals ? (size_t)(equals - words[index]) : strlen(words[index]);
    for (size_t k = 0; k < index; k++)
        if (strncmp(words[k], words[index], length) == 0 && words[k][length] == '=') return true;
    return false;
}

/* The sizes of --size; an exit code. */
static int read_sizes(const options *o, char names[][NAME], pair_size *sizes) {
    if (o->shape_count > MOST_SIZES)
        return usage_error("onnx", "--size is given %zu times; %d is the limit", o->shape_count,
                           (int)MOST_SIZES);
    for (size_t k = 0; k < o->shape_count; k++) {
        if (!read_size(o->shapes[k], names[k], NAME, &sizes[k])) return EXIT_USAGE;
        if (is_again(o->shapes, k))
            return usage_error("onnx", "--size %s: this size is given twice", o->shapes[k]);
    }
    return EXIT_FINE;
}

int onnx_check_words(const options *o) {
    char names[MOST_SIZES][NAME];
    pair_size sizes[MOST_SIZES];
    for (size_t k = 0; k < o->input_count; k++) {
        if (strchr(o->inputs[k], '=') == NULL || *o->inputs[k] == '=')
            return usage_error("onnx", "--input takes NAME=A.npy, not %s", o->inputs[k]);
        if (is_again(o->inputs, k))
            return usage_error("onnx", "--input %s: this input is given twice", o->inputs[k]);
    }
    return read_sizes(o, names, sizes);
}

int onnx_run_both(const options *o, bool had_regions, bool has_regions) {
    static char names[MOST_SIZES][NAME];
    both b = {.host = NULL};
    pair_size sizes[MOST_SIZES];
    char library[PATH];
    int code = read_sizes(o, names, sizes);
    if (code != EXIT_FINE) return code;
    if ((had_regions || has_regions) && !find_library(library))
        return command_error("libtosajit-onnxruntime.so is not where this tosajit is");
    b.ops_before = had_regions ? library : NULL;
    b.ops_after = had_regions || has_regions ? library : NULL;
    bool fine =
        open_both(o, &b) && check_sizes(&b, sizes, o->shape_count) &&
        pair_make_inputs(b.before, sizes, o->shape_count, USUAL_SIZE, SEED, &b.inputs, &b.why) &&
        read_inputs(o, &b) && (!o->check || check(o, &b)) && (!o->bench || bench(o, &b, &b.why));
    pair_release_inputs(&b.inputs);
    ort_session_close(b.before);
    ort_session_close(b.after);
    ort_host_close(b.host);
    return fine ? EXIT_FINE : command_error("%s", b.why.text);
}
