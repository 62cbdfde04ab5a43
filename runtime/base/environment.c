/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Environment: one table of variables and the words that they take. */
#include "runtime/base/environment.h"
#include "runtime/system/system.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 8 };

static const struct variable {
    const char *name;
    size_t offset; /* of an unsigned in environment */
    struct {
        const char *text;
        unsigned bits;
    } words[MAX_WORDS]; /* several may stand behind each other, with commas */
} variables[] = {
    {"TOSAJIT_VERBOSE",
     offsetof(environment, verbose),
     {{"0", 0}, {"1", VERBOSE_COMPILE}, {"2", VERBOSE_COMPILE | VERBOSE_RUN}}},
    {"TOSAJIT_DUMP",
     offsetof(environment, dump),
     {{"passes", DUMP_PASSES},
      {"plan", DUMP_PLAN},
      {"mlir", DUMP_MLIR},
      {"ir", DUMP_IR},
      {"asm", DUMP_ASM},
      {"obj", DUMP_OBJ}}},
    {"TOSAJIT_PERF", offsetof(environment, perf), {{"map", PERF_MAP}, {"jitdump", PERF_JITDUMP}}},
    {"TOSAJIT_GDB", offsetof(environment, gdb), {{"0", 0}, {"1", 1}}},
};

static const struct path_variable {
    const char *name, *otherwise;
    size_t offset, capacity;
} paths[] = {
    {"TOSAJIT_DUMP_DIR", ".", offsetof(environment, dump_directory), ENVIRONMENT_PATH},
    {"TOSAJIT_PERF_DIR", "/tmp", offsetof(environment, perf_directory), ENVIRONMENT_PATH},
    {"TOSAJIT_CPU", "", offsetof(environment, cpu), ENVIRONMENT_NAME},
    {"TOSAJIT_CACHE_DIR", "", offsetof(environment, cache_directory), ENVIRONMENT_PATH},
};

static void warn_word(const struct variable *v, const char *word, size_t length) {
    char known[256] = "";
    for (int k = 0; k < MAX_WORDS && v->words[k].text; k++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", v->words[k].text);
    }
    fprintf(stderr, "tosajit: warning: %s: there is no \"%.*s\"; it takes %s\n", v->name,
            (int)(length > 60 ? 60 : length), word, known);
}

static bool find_word(const struct variable *v, const char *word, size_t length, unsigned *bits) {
    for (int k = 0; k < MAX_WORDS && v->words[k].text; k++) {
        if (strlen(v->words[k].text) != length || strncmp(v->words[k].text, word, length) != 0)
            continue;
        *bits |= v->words[k].bits;
        return true;
    }
    return false;
}

static void read_words(const struct variable *v, const char *text, unsigned *bits) {
    while (*text) {
        size_t length = strcspn(text, ",");
        if (length > 0 && !find_word(v, text, length, bits)) warn_word(v, text, length);
        text += length;
        text += *text == ',';
    }
}

static environment the_environment;

static void read_environment(void) {
    for (size_t k = 0; k < sizeof variables / sizeof *variables; k++) {
        const char *text = system_variable(variables[k].name);
        unsigned *bits = (unsigned *)(void *)((char *)&the_environment + variables[k].offset);
        if (text) read_words(&variables[k], text, bits);
    }
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        const char *text = system_variable(paths[k].name);
        bool given = text && *text, fits = !given || strlen(text) < paths[k].capacity;
        if (!fits)
            fprintf(stderr, "tosajit: warning: %s: longer than %zu characters, not used\n",
                    paths[k].name, paths[k].capacity - 1);
        snprintf((char *)&the_environment + paths[k].offset, paths[k].capacity, "%s",
                 given && fits ? text : paths[k].otherwise);
    }
}

const environment *environment_get(void) {
    static system_once once = SYSTEM_ONCE;
    system_call_once(&once, read_environment);
    return &the_environment;
}

void environment_warn_once(const char *variable, const char *why) {
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&warned))
        fprintf(stderr, "tosajit: warning: %s: %s\n", variable, why);
}
