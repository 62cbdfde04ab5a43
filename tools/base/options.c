/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command line: one table says what every option is called, takes and means. */
#include "tools/base/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/text/suggest.h"
#include "tools/base/wrap.h"
#include "tosajit/inspect.h"

typedef enum option_kind {
    FLAG,
    WORD,
    NEEDED,
    LIST
} option_kind; /* NEEDED: a word that has no default */

static const struct option {
    unsigned bit;
    option_kind kind;
    const char *name, *value, *help;
    size_t offset, count_offset; /* in options; the second one for a LIST */
} table[] = {
    {OPTION_ENTRY, WORD, "--entry", "NAME",
     "the function; not needed where the file has one, or one called main",
     offsetof(options, entry), 0},
    {OPTION_EXPR, WORD, "--expr", "TEXT",
     "an expression (docs/language.md) or functions in MLIR, in place of FILE",
     offsetof(options, expr), 0},
    {OPTION_SCRIPT, LIST, "-c", "LINE", "a line, as if it were typed; may be given several times",
     offsetof(options, lines), offsetof(options, line_count)},
    {OPTION_SCRIPT, FLAG, "--quiet", NULL, "print what commands print, nothing about expressions",
     offsetof(options, quiet), 0},
    {OPTION_SHAPE, LIST, "--shape", "SHAPE",
     "sizes of the next argument, 1024x8 or scalar; behind a colon byte strides, 1024x8:64,8",
     offsetof(options, shapes), offsetof(options, shape_count)},
    {OPTION_THREADS, WORD, "--threads", "N", "run on so many threads; 1 is the default",
     offsetof(options, threads), 0},
    {OPTION_JSON, FLAG, "--json", NULL, "print one JSON object (docs/json.md)",
     offsetof(options, json), 0},
    {OPTION_INPUT, LIST, "--input", "A.npy",
     "the next argument of the function, once per argument; - is standard input",
     offsetof(options, inputs), offsetof(options, input_count)},
    {OPTION_OUTPUT, LIST, "--output", "R.npy",
     "where the next result goes, once per result; - is standard output",
     offsetof(options, outputs), offsetof(options, output_count)},
    {OPTION_CPU, WORD, "--cpu", "NAME",
     "code for this CPU: native (default), v2 to v4 (x86-64-v2 ...), aarch64, or a model as "
     "znver4, neoverse-n1",
     offsetof(options, cpu), 0},
    {OPTION_ACCURACY, WORD, "--accuracy", "NAME",
     "exact (default, but for onnx); reproducible: exp, sin and the like at most 1 ulp off; "
     "contracted: a product and its sum are rounded once, too",
     offsetof(options, accuracy), 0},
    {OPTION_STRICT, FLAG, "--strict", NULL,
     "TOSA's own rules (ranks must be equal), and MLIR's verifier", offsetof(options, strict), 0},
    {OPTION_PRINT, FLAG, "--print", NULL, "print the results' elements", offsetof(options, print),
     0},
    {OPTION_CHECK, FLAG, "--check", NULL, "compare the kernel with the interpreter",
     offsetof(options, check), 0},
    {OPTION_BACKEND, WORD, "--backend", "NAME",
     "who computes: auto (default: native code, or else precompiled ops), native, precompiled, "
     "interpret (slow, the reference)",
     offsetof(options, backend), 0},
    {OPTION_SVG, WORD, "--svg", "OUT.svg", "draw the plan into this file; - is standard output",
     offsetof(options, svg), 0},
    {OPTION_HTML, WORD, "--html", "OUT.html",
     "write a page with drawing, loops and measured times into this file; - is standard output",
     offsetof(options, html), 0},
    {OPTION_PASSES, FLAG, "--passes", NULL,
     "show the program instead, behind each pass that changed it", offsetof(options, passes), 0},
    {OPTION_NEST, FLAG, "--nest", NULL,
     "show the loops of the code instead: for which rows, in which steps", offsetof(options, nest),
     0},
    {OPTION_OBJECT, NEEDED, "-o", "NAME.o", "the object file to write", offsetof(options, object),
     0},
    {OPTION_OBJECT, NEEDED, "--header", "NAME.h", "the C header to write",
     offsetof(options, header), 0},
    {OPTION_OBJECT | OPTION_MODEL | OPTION_DIVIDED, WORD, "--targets", "LIST",
     "code for each of these CPUs, v2,v3,v4 for instance; the program chooses when it runs",
     offsetof(options, targets), 0},
    {OPTION_DIVIDED, WORD, "-o", "OUT.tosa",
     "of a flatbuffer: write the divided one into this file; - is standard output",
     offsetof(options, model), 0},
    {OPTION_DIVIDED, WORD, "--images", "DIRECTORY",
     "write each region as a kernel image, NAME.image, which tosajit_kernel_load_file loads",
     offsetof(options, images), 0},
    {OPTION_MODEL, NEEDED, "-o", "OUT.onnx", "the model to write; - is standard output",
     offsetof(options, model), 0},
    {OPTION_MODEL, FLAG, "--optimize", NULL,
     "let ONNX Runtime optimise the model first; what comes out is for this machine's CPU",
     offsetof(options, optimize), 0},
    {OPTION_MODEL, WORD, "--min-ops", "N", "operators of a region, at least; 2 is the default",
     offsetof(options, min_ops), 0},
    {OPTION_MODEL, WORD, "--min-bytes", "N",
     "bytes of the largest tensor of one operator alone, at least, where known; 4096 is the "
     "default",
     offsetof(options, min_bytes), 0},
    {OPTION_MODEL, FLAG, "--fused", NULL,
     "the engine joins nothing more: take what follows a convolution, too",
     offsetof(options, fused), 0},
    {OPTION_MODEL, FLAG, "--external-data", NULL,
     "keep weights in OUT.onnx.data, from where sessions map them; they are made in less time",
     offsetof(options, external), 0},
    {OPTION_MODEL, FLAG, "--regions", NULL, "print the expression of each region",
     offsetof(options, regions), 0},
    {OPTION_MODEL, WORD, "--dot", "OUT.dot",
     "draw the new model into this file, for Graphviz; - is standard output",
     offsetof(options, dot), 0},
    {OPTION_MODEL, FLAG, "--check", NULL,
     "run both models in ONNX Runtime on the same inputs, and compare what they give",
     offsetof(options, check), 0},
    {OPTION_MODEL, FLAG, "--bench", NULL, "measure both models in ONNX Runtime, in turns",
     offsetof(options, bench), 0},
    {OPTION_MODEL, LIST, "--input", "NAME=A.npy", "for these, an input; others are made",
     offsetof(options, inputs), offsetof(options, input_count)},
    {OPTION_MODEL, LIST, "--size", "NAME=N",
     "of made inputs, a size that each call decides, by its symbol or as input:2; else it is 32",
     offsetof(options, shapes), offsetof(options, shape_count)},
    {OPTION_MARKDOWN, FLAG, "--markdown", NULL,
     "the page docs/ops.md: types, parameters, attributes, accuracy", offsetof(options, markdown),
     0},
};
enum { OPTIONS = sizeof table / sizeof *table };

int usage_error(const char *command, const char *format, ...) {
    const char *space = *command ? " " : "";
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "tosajit%s%s: error: ", space, command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\ntry: tosajit%s%s --help\n", space, command);
    va_end(arguments);
    return EXIT_USAGE;
}

/* The option of that name, which may be followed by "=value". */
static const struct option *find(const char *word, unsigned taken) {
    size_t length = strcspn(word, "=");
    for (size_t k = 0; k < OPTIONS; k++)
        if ((table[k].bit & taken) && strlen(table[k].name) == length &&
            strncmp(word, table[k].name, length) == 0)
            return &table[k];
    return NULL;
}

/* With the nearest option that the command takes. */
static bool refuse_option(const char *command, unsigned taken, const char *word) {
    suggestion s = {.word = word, .length = strcspn(word, "=")};
    for (size_t k = 0; k < OPTIONS; k++)
        if (table[k].bit & taken) suggest(&s, table[k].name);
    if (s.name)
        return usage_error(command, "there is no option %s here; did you mean %s?", word, s.name) ==
               EXIT_FINE;
    return usage_error(command, "there is no option %s here", word) == EXIT_FINE;
}

static bool needs_value(const char *command, const struct option *option) {
    return usage_error(command, "%s needs a value, %s", option->name, option->value) == EXIT_FINE;
}

static bool store(const char *command, const struct option *option, const char *value,
                  options *parsed) {
    char *field = (char *)parsed + option->offset;
    /* Only a line may be empty: a script's variable that is unset names no file. */
    if (value && !*value && option->bit != OPTION_SCRIPT) return needs_value(command, option);
    if (option->kind == FLAG) {
        *(bool *)(void *)field = true;
    } else if (option->kind == LIST) {
        size_t *count = (size_t *)(void *)((char *)parsed + option->count_offset);
        (*(const char ***)(void *)field)[(*count)++] = value;
    } else if (*(const char **)(void *)field) {
        return usage_error(command, "%s is given twice", option->name) == EXIT_FINE;
    } else {
        *(const char **)(void *)field = value;
    }
    return true;
}

/* An option at words[*at], which moves on to its last word. */
static bool parse_option(const char *command, unsigned taken, int count, char *const *words,
                         int *at, options *parsed) {
    const char *word = words[*at], *equals = strchr(word, '=');
    const struct option *option = find(word, taken);
    if (!option) return refuse_option(command, taken, word);
    if (option->kind == FLAG)
        return (!equals && store(command, option, NULL, parsed)) ||
               usage_error(command, "%s takes no value", option->name) == EXIT_FINE;
    if (equals) return store(command, option, equals + 1, parsed);
    if (*at + 1 >= count) return needs_value(command, option);
    return store(command, option, words[++*at], parsed);
}

static bool parse_file(const char *command, unsigned taken, bool takes_file, const char *word,
                       options *parsed) {
    if (!takes_file) return usage_error(command, "takes no file, found %s", word) == EXIT_FINE;
    if (parsed->file && (taken & OPTION_INPUT))
        return usage_error(command,
                           "one file expected, found %s and %s; arrays are given with --input",
                           parsed->file, word) == EXIT_FINE;
    if (parsed->file)
        return usage_error(command, "one file expected, found %s and %s", parsed->file, word) ==
               EXIT_FINE;
    if (!*word) return usage_error(command, "the file has an empty name") == EXIT_FINE;
    parsed->file = word;
    return true;
}

bool options_parse(const char *command, unsigned taken, bool takes_file, int count,
                   char *const *words, options *parsed) {
    memset(parsed, 0, sizeof *parsed);
    parsed->inputs = malloc(((size_t)count + 1) * sizeof *parsed->inputs);
    parsed->outputs = malloc(((size_t)count + 1) * sizeof *parsed->outputs);
    parsed->shapes = malloc(((size_t)count + 1) * sizeof *parsed->shapes);
    parsed->lines = malloc(((size_t)count + 1) * sizeof *parsed->lines);
    if (!parsed->inputs || !parsed->outputs || !parsed->shapes || !parsed->lines)
        return usage_error(command, "out of memory") == EXIT_FINE;
    bool only_files = false;
    for (int k = 0; k < count; k++) {
        const char *word = words[k];
        bool option = !only_files && word[0] == '-' && word[1] != '\0'; /* "-" is standard input */
        if (!only_files && strcmp(word, "--") == 0) {
            only_files = true;
        } else if (option && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            parsed->help = true;
            return true;
        } else if (!(option ? parse_option(command, taken, count, words, &k, parsed)
                            : parse_file(command, taken, takes_file, word, parsed))) {
            return false;
        }
    }
    if (parsed->file && parsed->expr)
        return usage_error(command, "FILE and --expr exclude each other, found %s", parsed->file) ==
               EXIT_FINE;
    if (!options_check_cpu(command, parsed->cpu)) return false;
    if (parsed->file && parsed->line_count)
        return usage_error(command, "FILE and -c exclude each other, found %s", parsed->file) ==
               EXIT_FINE;
    return !takes_file || parsed->file || parsed->expr || (taken & OPTION_SCRIPT) ||
           usage_error(command, "a file is expected; - is standard input") == EXIT_FINE;
}

bool options_check_cpu(const char *command, const char *name) {
    if (!name || strcmp(name, "native") == 0) return true;
    /* The library knows the names, and has the sentence. */
    tosajit_engine_options settings = {
        .size = sizeof settings, .backend = TOSAJIT_BACKEND_CROSS, .cpu = name};
    tosajit_engine *engine = NULL;
    bool made = tosajit_engine_create(&settings, &engine) == TOSAJIT_OK;
    tosajit_engine_destroy(engine);
    return made || usage_error(command, "%s", tosajit_last_error()) == EXIT_FINE;
}

const char *options_accuracy_name(tosajit_accuracy accuracy) {
    static const char *const words[] = {"exact", "reproducible", "contracted"};
    return words[accuracy];
}

bool options_accuracy(const char *command, const options *o, tosajit_accuracy *accuracy) {
    *accuracy = TOSAJIT_EXACT;
    if (!o->accuracy) return true;
    for (int k = 0; k <= TOSAJIT_CONTRACTED; k++)
        if (strcmp(o->accuracy, options_accuracy_name((tosajit_accuracy)k)) == 0)
            return *accuracy = (tosajit_accuracy)k, true;
    return usage_error(command, "--accuracy is exact, reproducible or contracted, not %s",
                       o->accuracy) == EXIT_FINE;
}

bool options_is_script(const char *path) {
    const char *end = strrchr(path, '.');
    return end && strcmp(end, ".tj") == 0;
}

/* Those that make kernels which a command can wait for. */
static const struct {
    const char *name, *answers;
    tosajit_backend backend;
} backends[] = {
    {"auto", NULL, TOSAJIT_BACKEND_AUTO},
    {"native", "native code", TOSAJIT_BACKEND_NATIVE},
    {"precompiled", "precompiled ops", TOSAJIT_BACKEND_PRECOMPILED},
    {"interpret", "the interpreter", TOSAJIT_BACKEND_INTERPRET},
};
enum { BACKENDS = sizeof backends / sizeof *backends };

const char *options_backend_name(tosajit_backend backend) {
    for (size_t k = 0; k < BACKENDS; k++)
        if (backends[k].backend == backend) return backends[k].name;
    return NULL;
}

bool options_backend_find(const char *name, tosajit_backend *backend) {
    for (size_t k = 0; k < BACKENDS; k++)
        if (strcmp(backends[k].name, name) == 0) {
            *backend = backends[k].backend;
            return true;
        }
    return false;
}

bool options_backend(const char *command, const options *o, tosajit_backend *backend) {
    *backend = TOSAJIT_BACKEND_AUTO;
    return !o->backend || options_backend_find(o->backend, backend) ||
           usage_error(command, "--backend is auto, native, precompiled or interpret, not %s",
                       o->backend) == EXIT_FINE;
}

const char *options_answerer(const tosajit_kernel *kernel) {
    tosajit_kernel_info info = {.size = sizeof info};
    tosajit_kernel_describe(kernel, &info);
    for (size_t k = 0; k < BACKENDS; k++)
        if (backends[k].answers && backends[k].backend == info.backend) return backends[k].answers;
    return "nobody";
}

void options_release(options *parsed) {
    free(parsed->inputs);
    free(parsed->outputs);
    free(parsed->shapes);
    free(parsed->lines);
    memset(parsed, 0, sizeof *parsed);
}

void options_print_help(unsigned taken) {
    enum { COLUMN = 21 };
    for (size_t k = 0; k < OPTIONS; k++) {
        char name[32];
        if (!(table[k].bit & taken)) continue;
        snprintf(name, sizeof name, "%s %s", table[k].name, table[k].value ? table[k].value : "");
        printf("  %-18s ", name);
        wrap_print(table[k].help, COLUMN);
    }
    printf("  %-18s %s\n", "--help", "this text");
}

/* Lines of the usage are wrapped behind the command's name. */
static size_t print_word(const char *word, size_t column, size_t indent) {
    enum { WIDTH = 80 };
    if (column + 1 + strlen(word) > WIDTH) {
        printf("\n%*s", (int)indent, "");
        column = indent;
    }
    return column + (size_t)printf(" %s", word);
}

void options_print_usage(const char *command, unsigned taken, bool takes_file) {
    const size_t indent = (size_t)printf("usage: tosajit %s", command);
    size_t column = indent;
    if (takes_file)
        column = print_word(taken & OPTION_EXPR     ? "(FILE | --expr TEXT)"
                            : taken & OPTION_SCRIPT ? "[FILE]"
                                                    : "FILE",
                            column, indent);
    for (size_t k = 0; k < OPTIONS; k++) {
        char word[64];
        const struct option *o = &table[k];
        bool shown = (taken & o->bit) && o->bit != OPTION_EXPR, needed = o->kind == NEEDED;
        snprintf(word, sizeof word, "%s%s%s%s%s%s", needed ? "" : "[", o->name, o->value ? " " : "",
                 o->value ? o->value : "", needed ? "" : "]", o->kind == LIST ? "..." : "");
        if (shown) column = print_word(word, column, indent);
    }
}
