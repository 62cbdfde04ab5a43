/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit run: read the operands, compile, compute, check, and hand out the results. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/words.h"
#include "tools/data/array.h"
#include "tools/data/element.h"
#include "tools/command/check.h"
#include "tools/command/commands.h"
#include "tools/data/output_name.h"
#include "tosajit/inspect.h"

typedef struct job {
    const options *o;
    entry entry;
    tosajit_accuracy accuracy;
    tosajit_backend backend;
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    npy_array operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    check_figures checked;
    tosajit_tensor operand_views[TOSAJIT_MAX_TENSORS], result_views[TOSAJIT_MAX_TENSORS];
} job;

enum { TYPE_TEXT = 512 };

static void input_type(const job *s, size_t index, tosajit_tensor_type *type,
                       char text[TYPE_TEXT]) {
    *type = tosajit_ranked(TOSAJIT_F32, 0, NULL);
    tosajit_expr_type(s->entry.function.expr, s->entry.function.inputs[index], type);
    tosajit_type_print(type, text, TYPE_TEXT);
}

/* ---------------------------------------------------------------------------------------------
 * Wrong usage */

static int check_counts(const job *s) {
    const options *o = s->o;
    const tosa_function *f = &s->entry.function;
    const char *name = tosa_file_name(s->entry.file.any, s->entry.index);
    if (o->input_count < f->input_count) {
        tosajit_tensor_type type;
        char text[TYPE_TEXT];
        input_type(s, o->input_count, &type, text);
        return usage_error(
            "run",
            "argument %zu of @%s is missing: %s expected; it has %zu argument%s, found %zu --input",
            o->input_count, name, text, f->input_count, plural(f->input_count), o->input_count);
    }
    if (o->input_count > f->input_count)
        return usage_error(
            "run", "@%s has %zu argument%s, found %zu --input, the first in excess is %s", name,
            f->input_count, plural(f->input_count), o->input_count, o->inputs[f->input_count]);
    if (o->output_count > 0 && o->output_count != f->result_count)
        return usage_error("run", "@%s has %zu result%s, found %zu --output", name, f->result_count,
                           plural(f->result_count), o->output_count);
    return EXIT_FINE;
}

static size_t count_dashes(const char **paths, size_t count) {
    size_t found = 0;
    for (size_t k = 0; k < count; k++) found += strcmp(paths[k], "-") == 0;
    return found;
}

/* Standard input is read once, and nothing else is said where a result goes to standard output. */
static int check_streams(const options *o) {
    size_t read = count_dashes(o->inputs, o->input_count) + (o->file && strcmp(o->file, "-") == 0);
    if (read > 1) return usage_error("run", "standard input can be read once, found %zu -", read);
    if (count_dashes(o->outputs, o->output_count) == 0) return EXIT_FINE;
    if (o->print)
        return usage_error("run", "--output - and --print would both write to standard output");
    if (o->json)
        return usage_error("run", "--output - and --json would both write to standard output");
    if (o->check)
        return usage_error("run", "--output - and --check would both write to standard output");
    return EXIT_FINE;
}

static int check_options(const job *s) {
    const options *o = s->o;
    const bool interpreted = s->backend == TOSAJIT_BACKEND_INTERPRET;
    if (interpreted && o->check)
        return usage_error("run", "--check compares with the interpreter; --backend interpret "
                                  "would compare it with itself");
    if (interpreted && (o->accuracy || o->cpu))
        return usage_error("run", "--%s is about code, --backend interpret has none",
                           o->accuracy ? "accuracy" : "cpu");
    return check_streams(o);
}

/* The second of two results that share a file would replace the first in silence. */
static int check_outputs(job *s) {
    const options *o = s->o;
    for (size_t a = 0; a < o->output_count; a++)
        for (size_t b = 0; b < a; b++)
            if (output_name_same(o->outputs[a], o->outputs[b]))
                return usage_error("run", "two results cannot both go to one file: %s and %s",
                                   o->outputs[b], o->outputs[a]);
    return EXIT_FINE;
}

/* ---------------------------------------------------------------------------------------------
 * Operands */

static bool shape_fits(const tosajit_tensor_type *type, const npy_array *array) {
    if (type->rank == TOSAJIT_UNRANKED) return true;
    if (type->rank != array->rank) return false;
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] != TOSAJIT_DYNAMIC && type->dims[d] != array->dims[d]) return false;
    return true;
}

/* "has shape 2x3" */
static void describe_shape(const npy_array *array, char *text, size_t capacity) {
    size_t used =
        (size_t)snprintf(text, capacity, "%s", array->rank ? "has shape " : "is a scalar");
    for (int32_t d = 0; d < array->rank && used < capacity; d++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%" PRId64, d ? "x" : "",
                                 array->dims[d]);
}

static int read_operand(job *s, size_t index) {
    const char *path = s->o->inputs[index],
               *name = tosa_file_name(s->entry.file.any, s->entry.index);
    tosajit_tensor_type type;
    char expected[TYPE_TEXT], found[TYPE_TEXT];
    npy_error error;
    input_type(s, index, &type, expected);
    if (!npy_read(path, type.element, &s->operands[index], &error))
        return command_error("argument %zu of @%s, %s: %s%s", index, name, expected, error.text,
                             strchr(path, '=') ? "; arguments are given in order, without names"
                                               : "");
    if (!shape_fits(&type, &s->operands[index])) {
        describe_shape(&s->operands[index], found, sizeof found);
        return command_error("argument %zu of @%s, %s: %s: the array %s", index, name, expected,
                             path, found);
    }
    s->operand_views[index] = array_view(&s->operands[index]);
    return EXIT_FINE;
}

static int read_operands(job *s) {
    int code = EXIT_FINE;
    for (size_t k = 0; k < s->entry.function.input_count && code == EXIT_FINE; k++)
        code = read_operand(s, k);
    return code;
}

/* ---------------------------------------------------------------------------------------------
 * Computing */

static int compile(job *s) {
    const options *o = s->o;
    tosajit_engine_options settings = {
        .size = sizeof settings, .backend = s->backend, .cpu = o->cpu, .accuracy = s->accuracy};
    if (tosajit_engine_create(&settings, &s->engine) != TOSAJIT_OK)
        return command_error("%s", tosajit_last_error());
    return tosajit_compile_expr(s->engine, s->entry.function.expr, &s->kernel) == TOSAJIT_OK
               ? EXIT_FINE
               : entry_refuse(&s->entry);
}

static int make_result(job *s, size_t index) {
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    size_t count = s->entry.function.input_count;
    if (tosajit_kernel_result_dims(s->kernel, s->operand_views, count, index, &rank, dims) !=
        TOSAJIT_OK)
        return entry_refuse(&s->entry);
    if (!array_make(tosajit_kernel_result_type(s->kernel, index).element, rank, dims,
                    &s->results[index]))
        return command_error("out of memory for result %zu", index);
    s->result_views[index] = array_view(&s->results[index]);
    return EXIT_FINE;
}

static int compute(job *s) {
    const tosa_function *f = &s->entry.function;
    for (size_t k = 0; k < f->result_count; k++) {
        int code = make_result(s, k);
        if (code != EXIT_FINE) return code;
    }
    bool ran = tosajit_run(s->kernel, s->operand_views, f->input_count, s->result_views,
                           f->result_count) == TOSAJIT_OK;
    return ran ? EXIT_FINE : entry_refuse(&s->entry);
}

static int check(job *s) {
    tosajit_kernel_info info = {.size = sizeof info};
    tosajit_kernel_describe(s->kernel, &info);
    if (s->o->check && info.backend == TOSAJIT_BACKEND_INTERPRET)
        return command_error("--check: this machine runs neither native code nor precompiled ops, "
                             "so there is nothing to compare with the interpreter");
    const check_case c = {&s->entry, s->kernel, s->operands, s->results, s->o->json};
    return s->o->check ? check_results(&c, &s->checked) : EXIT_FINE;
}

/* ---------------------------------------------------------------------------------------------
 * Results */

/* All files are complete before the first one takes its name. */
static int write_results(job *s) {
    output_file pending[TOSAJIT_MAX_TENSORS];
    npy_error error;
    size_t written = 0, committed = 0, count = s->o->output_count;
    bool fine = true;
    for (; fine && written < count; written += fine) {
        const npy_array *r = &s->results[written];
        fine = npy_write(s->o->outputs[written], r->element, r->rank, r->dims, r->data,
                         &pending[written], &error);
    }
    for (; fine && committed < count; committed++)
        fine = npy_commit(s->o->outputs[committed], &pending[committed], &error);
    for (size_t k = committed; k < written; k++) output_file_abort(&pending[k]);
    return fine ? EXIT_FINE : command_error("%s", error.text);
}

/* Numbers as the terminal shows them, which JSON has, too; but for its infinities and NaN. */
static void write_element(json *j, const char *key, const npy_array *array, int64_t index) {
    const char *at = (const char *)array->data + (size_t)index * tosajit_type_size(array->element);
    const double value = index < 0 ? NAN : element_value(array->element, at);
    if (array->element == TOSAJIT_I1 && index >= 0)
        json_flag(j, key, value != 0);
    else
        json_value(j, key, isfinite(value) ? element_print(array->element, at).text : "null");
}

/* The smallest and the largest number, and how many are none. */
static void write_range(json *j, const npy_array *array) {
    const size_t size = tosajit_type_size(array->element);
    int64_t least = -1, most = -1, nans = 0;
    double low = 0, high = 0;
    for (int64_t k = 0; k < array_count(array); k++) {
        double value = element_value(array->element, (const char *)array->data + (size_t)k * size);
        nans += isnan(value) != 0;
        if (!isnan(value) && (least < 0 || value < low)) {
            low = value;
            least = k;
        }
        if (!isnan(value) && (most < 0 || value > high)) {
            high = value;
            most = k;
        }
    }
    write_element(j, "smallest", array, least);
    write_element(j, "largest", array, most);
    json_integer(j, "nan", nans);
}

static void write_result(json *j, const job *s, size_t index) {
    const npy_array *r = &s->results[index];
    json_open(j, NULL, '{');
    json_text(j, "type", tosajit_type_name(r->element));
    json_integers(j, "shape", r->dims, r->rank);
    json_text(j, "file", s->o->output_count ? s->o->outputs[index] : NULL);
    write_range(j, r);
    if (s->o->print) {
        json_open(j, "elements", '[');
        for (int64_t k = 0; k < array_count(r); k++) write_element(j, NULL, r, k);
        json_close(j, ']');
    }
    json_close(j, '}');
}

static int write_json(const job *s) {
    json j = json_begin();
    json_text(&j, "function", tosa_file_name(s->entry.file.any, s->entry.index));
    json_open(&j, "results", '[');
    for (size_t k = 0; k < s->entry.function.result_count; k++) write_result(&j, s, k);
    json_close(&j, ']');
    if (s->o->check) {
        json_open(&j, "check", '{');
        json_integer(&j, "elements", s->checked.elements);
        json_integer(&j, "different", s->checked.different);
        json_close(&j, '}');
    }
    json_end(&j);
    return EXIT_FINE;
}

static int show_results(job *s) {
    if (s->o->json) return write_json(s);
    bool summary = s->o->output_count == 0;
    for (size_t k = 0; k < s->entry.function.result_count; k++) {
        if (summary) {
            printf("result %zu: ", k);
            array_print_summary(stdout, &s->results[k]);
        }
        if (s->o->print) array_print_values(stdout, &s->results[k]);
    }
    return EXIT_FINE;
}

static int run_job(job *s) {
    static int (*const phases[])(job *) = {check_outputs, read_operands, compile,     compute,
                                           check,         write_results, show_results};
    int code = check_counts(s);
    for (size_t k = 0; k < sizeof phases / sizeof *phases && code == EXIT_FINE; k++)
        code = phases[k](s);
    return code;
}

int cmd_run(const options *o) {
    static job s; /* too large for a stack; the command runs once */
    s.o = o;
    const bool fine =
        options_accuracy("run", o, &s.accuracy) && options_backend("run", o, &s.backend);
    int code = fine ? check_options(&s) : EXIT_USAGE;
    if (code == EXIT_FINE) code = entry_open(o, &s.entry);
    if (code != EXIT_FINE) return code;
    code = run_job(&s);
    for (size_t k = 0; k < TOSAJIT_MAX_TENSORS; k++) {
        npy_release(&s.operands[k]);
        npy_release(&s.results[k]);
    }
    tosajit_kernel_release(s.kernel);
    tosajit_engine_destroy(s.engine);
    entry_close(&s.entry);
    return code;
}
