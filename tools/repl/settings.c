/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* :cpu, :backend, :strict, :accuracy and :threads. Each takes effect only when the last kernel can
 * be made again with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/repl/kernel.h"
#include "tools/repl/verbs.h"

typedef struct settings {
    bool strict;
    size_t threads;
    tosajit_accuracy accuracy;
    tosajit_backend backend;
    char cpu[sizeof((repl *)0)->cpu];
} settings;

static settings current(const repl *r) {
    settings s = {
        .strict = r->strict, .threads = r->threads, .accuracy = r->accuracy, .backend = r->backend};
    memcpy(s.cpu, r->cpu, sizeof s.cpu);
    return s;
}

static bool apply(repl *r, const settings *s) {
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = s->backend,
                                            .cpu = s->cpu[0] ? s->cpu : NULL,
                                            .accuracy = s->accuracy,
                                            .threads = s->threads,
                                            .uncached = 1};
    tosajit_engine *engine;
    if (tosajit_engine_create(&options, &engine) != TOSAJIT_OK)
        return repl_fail(r, (text_span){0, 0}, "%s", tosajit_last_error());
    if (!repl_remake(r, engine, s->strict)) {
        tosajit_engine_destroy(engine);
        return false;
    }
    tosajit_engine_destroy(r->engine);
    r->engine = engine;
    r->strict = s->strict;
    r->threads = s->threads;
    r->accuracy = s->accuracy;
    r->backend = s->backend;
    memcpy(r->cpu, s->cpu, sizeof r->cpu);
    if (r->current.kernel && !r->quiet) repl_print_compilation(r);
    return true;
}

bool repl_set_cpu(repl *r, const repl_line *line) {
    settings s = current(r);
    if (line->word_count > 0) {
        if (!repl_copy_word(r, line->words[0], s.cpu, sizeof s.cpu)) return false;
        if (strcmp(s.cpu, "native") == 0) s.cpu[0] = '\0';
        if (!apply(r, &s)) return false;
    }
    printf("cpu %s\n", r->cpu[0] ? r->cpu : "native");
    return true;
}

/* Which of two words it is; *chosen stays if there is none. False after a message. */
static bool choose(repl *r, const repl_line *line, const char *const words[2], int *chosen) {
    char word[32];
    if (line->word_count == 0) return true;
    if (!repl_copy_word(r, line->words[0], word, sizeof word)) return false;
    for (int k = 0; k < 2; k++)
        if (strcmp(word, words[k]) == 0) {
            *chosen = k;
            return true;
        }
    return repl_fail(r, line->words[0], "%s or %s expected, found %s", words[0], words[1], word);
}

bool repl_set_strict(repl *r, const repl_line *line) {
    static const char *const words[] = {"off", "on"};
    settings s = current(r);
    int chosen = r->strict;
    if (!choose(r, line, words, &chosen)) return false;
    s.strict = chosen;
    if (line->word_count > 0 && !apply(r, &s)) return false;
    printf("strict %s\n", words[r->strict]);
    return true;
}

bool repl_set_accuracy(repl *r, const repl_line *line) {
    static const char *const words[] = {[TOSAJIT_EXACT] = "exact",
                                        [TOSAJIT_REPRODUCIBLE] = "reproducible",
                                        [TOSAJIT_CONTRACTED] = "contracted"};
    settings s = current(r);
    int chosen = (int)r->accuracy;
    if (!choose(r, line, words, &chosen)) return false;
    s.accuracy = (tosajit_accuracy)chosen;
    if (line->word_count > 0 && !apply(r, &s)) return false;
    printf("accuracy %s\n", words[r->accuracy]);
    return true;
}

bool repl_set_backend(repl *r, const repl_line *line) {
    settings s = current(r);
    char word[32];
    if (line->word_count > 0) {
        if (!repl_copy_word(r, line->words[0], word, sizeof word)) return false;
        if (!options_backend_find(word, &s.backend))
            return repl_fail(r, line->words[0],
                             "auto, native, precompiled or interpret expected, found %s", word);
        if (!apply(r, &s)) return false;
    }
    printf("backend %s\n", options_backend_name(r->backend));
    return true;
}

bool repl_set_threads(repl *r, const repl_line *line) {
    enum { MOST = 1024 };
    settings s = current(r);
    char word[32], *end;
    if (line->word_count > 0) {
        if (!repl_copy_word(r, line->words[0], word, sizeof word)) return false;
        long count = strtol(word, &end, 10);
        if (*end || count < 1 || count > MOST)
            return repl_fail(r, line->words[0], "a number from 1 to %d expected, found %s", MOST,
                             word);
        s.threads = (size_t)count;
        if (!apply(r, &s)) return false;
    }
    printf("threads %zu\n", r->threads);
    return true;
}

bool repl_set_quiet(repl *r, const repl_line *line) {
    static const char *const words[] = {"off", "on"};
    int chosen = r->quiet;
    if (!choose(r, line, words, &chosen)) return false;
    r->quiet = chosen;
    if (!r->quiet || line->word_count == 0) printf("quiet %s\n", words[r->quiet]);
    return true;
}

bool repl_load(repl *r, const repl_line *line) {
    char path[4096];
    if (line->word_count == 0)
        return repl_fail(r, (text_span){0, 0}, ":load needs a file, as in :load lines.tj");
    return repl_copy_word(r, line->words[0], path, sizeof path) && r->load(r, path);
}
