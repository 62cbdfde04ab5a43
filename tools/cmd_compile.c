/* tosajit compile: functions of a file as an object and a C header. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/aot_header.h"
#include "tools/commands.h"

enum { MAX_TARGETS = 16, MAX_FUNCTIONS = 1024, NAME_CAPACITY = 128 };

typedef struct job {
    const options *o;
    mlir_file *file;
    tosajit_engine *engines[MAX_TARGETS];
    size_t engine_count;
    aot_function *functions;
    size_t function_count;
    char stem[NAME_CAPACITY]; /* of the object's file name, as a C identifier */
    char *object;
    size_t object_size;
} job;

/* A C identifier of a text: other characters become underscores. */
static void identifier(const char *text, size_t length, char *name, size_t capacity) {
    size_t used = 0;
    if (length && isdigit((unsigned char)*text) && used + 1 < capacity) name[used++] = '_';
    for (size_t k = 0; k < length && used + 1 < capacity; k++) name[used++] = isalnum((unsigned char)text[k]) ? text[k] : '_';
    name[used] = 0;
}

static int check_options(job *j) {
    const options *o = j->o;
    if (!o->object || !o->header) return usage_error("compile", "-o and --header are needed");
    if (o->cpu && o->targets) return usage_error("compile", "--cpu and --targets exclude each other");
    if (strcmp(o->object, o->header) == 0) return usage_error("compile", "object and header are one file, %s", o->object);
    const char *slash = strrchr(o->object, '/'), *base = slash ? slash + 1 : o->object, *dot = strrchr(base, '.');
    identifier(base, dot ? (size_t)(dot - base) : strlen(base), j->stem, sizeof j->stem);
    return *j->stem ? EXIT_FINE : usage_error("compile", "-o %s has no name", o->object);
}

/* Code for the CPU of that name, which need not be this machine's; "v3" is x86-64-v3. Null: this machine's. */
static int add_target(job *j, const char *cpu, tosajit_accuracy accuracy) {
    char level[NAME_CAPACITY + sizeof "x86-64-"];
    if (j->engine_count == MAX_TARGETS) return usage_error("compile", "--targets has more than %d CPUs", (int)MAX_TARGETS);
    if (cpu && cpu[0] == 'v' && isdigit((unsigned char)cpu[1])) {
        snprintf(level, sizeof level, "x86-64-%s", cpu);
        cpu = level;
    }
    tosajit_engine_options settings = {.size = sizeof settings, .backend = TOSAJIT_BACKEND_CROSS, .cpu = cpu, .accuracy = accuracy};
    if (tosajit_engine_create(&settings, &j->engines[j->engine_count])) return refuse("%s", tosajit_last_error());
    j->engine_count++;
    return EXIT_FINE;
}

static int open_targets(job *j) {
    tosajit_accuracy accuracy;
    if (!options_accuracy("compile", j->o, &accuracy)) return EXIT_USAGE;
    if (!j->o->targets) return add_target(j, j->o->cpu, accuracy);
    int code = EXIT_FINE;
    for (const char *at = j->o->targets; code == EXIT_FINE && *at;) {
        char name[NAME_CAPACITY];
        size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof name)
            return usage_error("compile", "--targets %s has an empty or overlong name", j->o->targets);
        memcpy(name, at, length);
        name[length] = 0;
        code = add_target(j, name, accuracy);
        at += length + (at[length] == ',');
    }
    return code != EXIT_FINE || j->engine_count ? code : usage_error("compile", "--targets is empty");
}

static int read_function(job *j, size_t index) {
    aot_function *a = &j->functions[j->function_count];
    char name[NAME_CAPACITY];
    if (!mlir_file_build(j->file, index, j->o->strict, &a->function)) return EXIT_REFUSED;
    j->function_count++; /* to be released */
    const entry e = {j->file, index, a->function};
    if (tosajit_expr_verify(a->function.expr)) return entry_refuse(&e);
    snprintf(a->shown, sizeof a->shown, "%s", mlir_file_name(j->file, index));
    for (char *c = a->shown; *c; c++)
        if (*c == '/' || *c == '*') *c = '_'; /* it becomes part of a comment */
    identifier(a->shown, strlen(a->shown), name, sizeof name);
    snprintf(a->name, sizeof a->name, "%s_%s", j->stem, name);
    snprintf(a->symbol, sizeof a->symbol, "%s_aot", a->name);
    return EXIT_FINE;
}

static int read_functions(job *j) {
    j->file = open_file(j->o);
    if (!j->file) return EXIT_REFUSED;
    size_t count = mlir_file_count(j->file), first = 0;
    if (count > MAX_FUNCTIONS) return refuse("%s has more than %d functions", j->o->file, (int)MAX_FUNCTIONS);
    if (j->o->entry && !mlir_file_find(j->file, j->o->entry, &first)) return EXIT_USAGE;
    j->functions = calloc(count, sizeof *j->functions);
    if (!j->functions) return refuse("out of memory for %zu functions", count);
    int code = EXIT_FINE;
    for (size_t k = j->o->entry ? first : 0; code == EXIT_FINE && k < (j->o->entry ? first + 1 : count); k++) code = read_function(j, k);
    return code;
}

static int compile(job *j) {
    tosajit_function *functions = calloc(j->function_count, sizeof *functions);
    if (!functions) return refuse("out of memory for %zu functions", j->function_count);
    for (size_t k = 0; k < j->function_count; k++) functions[k] = (tosajit_function){j->functions[k].symbol, j->functions[k].function.expr};
    tosajit_status status = tosajit_compile_object(j->engines, j->engine_count, functions, j->function_count, &j->object, &j->object_size);
    free(functions);
    return status ? refuse("%s", tosajit_last_error()) : EXIT_FINE;
}

/* What was written is complete, or gone. */
static int close_file(FILE *out, const char *path) {
    bool fine = !ferror(out);
    fine = fclose(out) == 0 && fine;
    if (fine) return EXIT_FINE;
    int reason = errno;
    remove(path);
    return refuse("%s: %s", path, strerror(reason));
}

static int write_files(job *j) {
    FILE *out = fopen(j->o->object, "wb");
    if (!out) return refuse("%s: %s", j->o->object, strerror(errno));
    fwrite(j->object, 1, j->object_size, out);
    int code = close_file(out, j->o->object);
    if (code != EXIT_FINE) return code;
    out = fopen(j->o->header, "w");
    if (!out) return refuse("%s: %s", j->o->header, strerror(errno));
    aot_header_write(out, j->stem, j->o->file ? j->o->file : "an expression", j->functions, j->function_count);
    return close_file(out, j->o->header);
}

int cmd_compile(const options *o) {
    static int (*const phases[])(job *) = {check_options, open_targets, read_functions, compile, write_files};
    job j = {.o = o};
    int code = EXIT_FINE;
    for (size_t k = 0; k < sizeof phases / sizeof *phases && code == EXIT_FINE; k++) code = phases[k](&j);
    for (size_t k = 0; k < j.function_count; k++) mlir_function_release(&j.functions[k].function);
    free(j.functions);
    tosajit_text_release(j.object);
    for (size_t k = 0; k < j.engine_count; k++) tosajit_engine_destroy(j.engines[k]);
    mlir_file_close(j.file);
    return code;
}
