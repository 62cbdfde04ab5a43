/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A session's entry comes before a variable, which is for hosts that cannot be changed. */
#define _GNU_SOURCE /* secure_getenv */
#include "tools/onnxruntime/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 32, SENTENCE = 256 };

/* The first word is the default. */
typedef struct setting {
    const char *key, *variable, *words[2];
} setting;

/* The word of the entry, or of the variable, or "". A word that is too long stays wrong. */
static ort_status *find_word(const ort_api *api, const ort_options *options, const setting *s,
                             char word[WORD]) {
    int has = 0;
    size_t size = WORD;
    *word = 0;
    ort_status *status = ORT(api, HasSessionConfigEntry)(options, s->key, &has);
    if (!status && has) return ORT(api, GetSessionConfigEntry)(options, s->key, word, &size);
    const char *set = secure_getenv(s->variable);
    if (!status && set) snprintf(word, WORD, "%s", set);
    return status;
}

static ort_status *read_word(const ort_api *api, const ort_options *options, const setting *s,
                             unsigned char *second) {
    char word[WORD], text[SENTENCE];
    ort_status *status = find_word(api, options, s, word);
    *second = strcmp(word, s->words[1]) == 0;
    if (status || *second || !*word || strcmp(word, s->words[0]) == 0) return status;
    snprintf(text, sizeof text,
             "tosajit: the session's entry %s, or the variable %s, is `%s`, but takes `%s` or `%s`",
             s->key, s->variable, word, s->words[0], s->words[1]);
    return ORT(api, CreateStatus)(ORT_CODE_INVALID_ARGUMENT, text);
}

/* A folder, which only an entry names: of the variable for it the engine knows itself. */
static ort_status *read_cache(const ort_api *api, const ort_options *options, char **cache) {
    static const char key[] = "tosajit.cache";
    int has = 0;
    size_t size = 0;
    ort_status *status = ORT(api, HasSessionConfigEntry)(options, key, &has);
    if (!status && has) status = ORT(api, GetSessionConfigEntry)(options, key, NULL, &size);
    if (status || size < 2) return status; /* none, or "" */
    *cache = malloc(size);
    if (!*cache) return ORT(api, CreateStatus)(ORT_CODE_FAIL, "tosajit: out of memory");
    return ORT(api, GetSessionConfigEntry)(options, key, *cache, &size);
}

ort_status *settings_read(const ort_api *api, const ort_options *options, settings *made) {
    static const setting compile = {
        "tosajit.compile", "TOSAJIT_ONNX_COMPILE", {"background", "now"}};
    static const setting images = {"tosajit.images", "TOSAJIT_ONNX_IMAGES", {"0", "1"}};
    *made = (settings){.cache = NULL};
    ort_status *status = read_word(api, options, &compile, &made->compile_now);
    if (!status) status = read_word(api, options, &images, &made->images);
    if (!status) status = read_cache(api, options, &made->cache);
    if (status) settings_release(made);
    return status;
}

void settings_release(settings *s) {
    free(s->cache);
    s->cache = NULL;
}

bool settings_same(const settings *a, const settings *b) {
    return a->compile_now == b->compile_now && a->images == b->images && !a->cache == !b->cache &&
           (!a->cache || strcmp(a->cache, b->cache) == 0);
}
