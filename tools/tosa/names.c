/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library writes "%arg1" for inputs and "%7 = tosa.add" for other values; both are looked for
 * in the text. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/system/system.h"
#include "tools/tosa/graph.h"

typedef struct value_name {
    char text[TOSA_VALUE_NAME]; /* "%half"; empty where there is none and the library's number stays
                                 */
} value_name;

typedef struct names {
    value_name *list; /* of inputs, then of steps: values in the library's order */
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

static char *replace_all(const names *n, const char *text) {
    char *renamed = NULL;
    size_t size;
    FILE *out = system_text_open(&renamed, &size);
    if (!out) return NULL;
    replace(n, text, out);
    bool failed = ferror(out) != 0;
    if (system_text_close(out) && !failed) return renamed;
    free(renamed);
    return NULL;
}

/* A name that is too long leaves the library's number. */
static void name_value(const tosa_graph *g, int32_t op, tosa_slot slot, size_t index,
                       value_name *name) {
    char shown[TOSA_SHOWN] = "";
    g->reader->name(g, op, slot, index, shown);
    if (*shown && strlen(shown) + 2 < sizeof name->text)
        snprintf(name->text, sizeof name->text, "%%%.62s", shown);
}

char *tosa_graph_rename(const tosa_graph *g, const tosa_function *built, const char *text) {
    names n = {.inputs = built->input_count, .count = built->input_count + built->step_count};
    n.list = calloc(n.count + 1, sizeof *n.list);
    for (size_t k = 0; n.list && k < n.inputs && k < g->inputs.count; k++)
        name_value(g, TOSA_BLOCK, TOSA_INPUT, k, &n.list[k]);
    for (size_t k = 0; n.list && k < built->step_count; k++)
        name_value(g, built->steps[k].number, TOSA_RESULT, 0, &n.list[n.inputs + k]);
    char *renamed = n.list ? replace_all(&n, text) : NULL;
    free(n.list);
    return renamed;
}
