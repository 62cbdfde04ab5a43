/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit compile: functions of a file as an object and a C header. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/aot_object.h"
#include "tools/command/commands.h"
#include "tools/data/output_file.h"
#include "tools/data/output_name.h"
#include "tosajit/inspect.h"

typedef struct job {
    const options *o;
    source file;
    aot_object object;
    tosa_function *built; /* as many as functions */
    aot_function *functions;
    size_t function_count;
} job;

static int check_options(job *j) {
    const options *o = j->o;
    if (!o->object || !o->header) return usage_error("compile", "-o and --header are needed");
    if (o->cpu && o->targets)
        return usage_error("compile", "--cpu and --targets exclude each other");
    if (o->json && (strcmp(o->object, "-") == 0 || strcmp(o->header, "-") == 0))
        return usage_error("compile", "-o - and --json would both write to standard output");
    if (output_name_same(o->object, o->header))
        return usage_error("compile", "object and header are one file, %s", o->object);
    return aot_object_open(o->object, &j->object)
               ? EXIT_FINE
               : usage_error("compile", "-o %s has no name", o->object);
}

static int open_targets(job *j) {
    targets *t = &j->object.targets;
    tosajit_accuracy accuracy;
    if (!options_accuracy("compile", j->o, &accuracy)) return EXIT_USAGE;
    int code = EXIT_FINE;
    if (j->o->targets)
        code = targets_open("compile", j->o->targets, accuracy, t);
    else if (targets_add(t, j->o->cpu, accuracy))
        code = EXIT_REFUSED;
    return code == EXIT_REFUSED ? command_error("%s", tosajit_last_error()) : code;
}

/* Give values the names that the file has for them, which are not just numbers. */
static void name_values(const entry *e, const tosajit_value *values, size_t count) {
    for (size_t k = 0; k < count; k++) {
        char number[32];
        bool input = (size_t)values[k] < e->function.input_count;
        snprintf(number, sizeof number, input ? "%%arg%d" : "%%%d = tosa.op", (int)values[k]);
        char *name = tosa_file_rename(e->file.any, e->index, &e->function, number);
        if (!name) continue;
        name[strcspn(name, " ")] = '\0';
        bool numbered = strncmp(name, "%arg", 4) == 0 || (name[1] >= '0' && name[1] <= '9');
        if (!numbered) (void)tosajit_expr_name(e->function.expr, values[k], name + 1);
        free(name);
    }
}

static int read_function(job *j, size_t index) {
    aot_function *a = &j->functions[j->function_count];
    tosa_function *built = &j->built[j->function_count];
    if (!build_function(&j->file, index, j->o->strict, built)) return EXIT_REFUSED;
    j->function_count++; /* to be released */
    const entry e = {j->file, index, *built};
    name_values(&e, built->inputs, built->input_count);
    name_values(&e, built->results, built->result_count);
    if (tosajit_expr_verify(built->expr) || aot_function_open(built->expr, a))
        return entry_refuse(&e);
    aot_object_name(&j->object, tosa_file_name(j->file.any, index), a);
    return EXIT_FINE;
}

static int read_functions(job *j) {
    if (!open_file(j->o, &j->file)) return EXIT_REFUSED;
    size_t count = tosa_file_count(j->file.any), first = 0;
    if (count > AOT_MAX_FUNCTIONS)
        return command_error("%s has more than %d functions", j->o->file, (int)AOT_MAX_FUNCTIONS);
    if (j->o->entry && !find_function(j->o, &j->file, &first)) return EXIT_USAGE;
    j->functions = calloc(count, sizeof *j->functions);
    j->built = calloc(count, sizeof *j->built);
    if (!j->functions || !j->built) return command_error("out of memory for %zu functions", count);
    int code = EXIT_FINE;
    for (size_t k = j->o->entry ? first : 0;
         code == EXIT_FINE && k < (j->o->entry ? first + 1 : count); k++)
        code = read_function(j, k);
    return code;
}

static int compile(job *j) {
    j->object.functions = j->functions;
    j->object.function_count = j->function_count;
    return aot_object_compile(&j->object) ? command_error("%s", tosajit_last_error()) : EXIT_FINE;
}

static int refuse_file(const char *path) {
    return command_error("%s: cannot write: %s", path, strerror(errno));
}

/* Both are complete before either gets its name. */
static int write_files(job *j) {
    const options *o = j->o;
    output_file object, header;
    if (!output_file_open(o->object, &object)) return refuse_file(o->object);
    fwrite(j->object.bytes, 1, j->object.size, object.stream);
    if (!output_file_finish(&object)) return refuse_file(o->object);
    bool open = output_file_open(o->header, &header);
    if (open)
        aot_header_write(header.stream, j->object.stem, o->file ? o->file : "an expression",
                         j->functions, j->function_count);
    if (!open || !output_file_finish(&header)) {
        output_file_abort(&object);
        return refuse_file(o->header);
    }
    bool fine = output_file_commit(&object);
    if (fine && output_file_commit(&header)) return EXIT_FINE;
    output_file_abort(&header);
    return refuse_file(fine ? o->header : o->object);
}

static int tell(job *j) {
    if (!j->o->json) return EXIT_FINE;
    json out = json_begin();
    json_text(&out, "object", j->o->object);
    json_text(&out, "header", j->o->header);
    json_integer(&out, "bytes", (int64_t)j->object.size);
    json_integer(&out, "targets", (int64_t)j->object.targets.count);
    json_open(&out, "functions", '[');
    for (size_t k = 0; k < j->function_count; k++) {
        json_open(&out, NULL, '{');
        json_text(&out, "function", j->functions[k].shown);
        json_text(&out, "c_function", j->functions[k].name);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_end(&out);
    return EXIT_FINE;
}

int cmd_compile(const options *o) {
    static int (*const phases[])(job *) = {check_options, open_targets, read_functions,
                                           compile,       write_files,  tell};
    job j = {.o = o};
    int code = EXIT_FINE;
    for (size_t k = 0; k < sizeof phases / sizeof *phases && code == EXIT_FINE; k++)
        code = phases[k](&j);
    for (size_t k = 0; k < j.function_count; k++) {
        aot_function_close(&j.functions[k]);
        tosa_function_release(&j.built[k]);
    }
    free(j.functions);
    free(j.built);
    aot_object_close(&j.object);
    source_close(&j.file);
    return code;
}
