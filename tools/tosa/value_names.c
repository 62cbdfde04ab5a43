/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library writes "%arg1" for inputs and "%7 = tosa.add" for other values; both are looked for
 * in the text. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tools/tosa/value_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct names {
    const value_name *list;
    size_t inputs, count;
} names;

/* The library's name of a value at *at: "%arg1", or "%7" of "%7 = tosa.add", which *at moves
 * behind. */
static bool take_value(const names *n, const char **at, size_t *value) {
    bool input = strncmp(*at, "%arg", 4) == 0;
    const char *digits = *at + (input ? 4 : 1);
    char *end;
    if (**at != '%' || !isdigit((unsigned char)*digits)) return false;
    unsigned long long number = strtoull(digits, &end, 10);
    bool known =
        number < (input ? n->inputs : n->count) && (input || strncmp(end, " = tosa.", 8) == 0);
    if (!known || !n->list[number].text[0]) return false;
    *value = (size_t)number;
    *at = end;
    return true;
}

/* Behind " = tosa.add", which is only worth reading where the value is defined: before a type or a
 * message. */
static const char *skip_definition(const char *at) {
    const char *end = at;
    if (strncmp(at, " = tosa.", 8) != 0) return at;
    for (end += 8; isalnum((unsigned char)*end) || *end == '_';) end++;
    return *end == ':' || strncmp(end, " :", 2) == 0 ? at : end;
}

static void replace(const names *n, const char *text, FILE *out) {
    while (*text) {
        size_t value;
        if (take_value(n, &text, &value)) {
            fputs(n->list[value].text, out);
            text = skip_definition(text);
        } else {
            fputc(*text++, out);
        }
    }
}

char *value_names_replace(const value_name *list, size_t inputs, size_t count, const char *text) {
    const names n = {list, inputs, count};
    char *renamed = NULL;
    size_t size;
    FILE *out = open_memstream(&renamed, &size);
    if (!out) return NULL;
    replace(&n, text, out);
    bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed) return renamed;
    free(renamed);
    return NULL;
}
