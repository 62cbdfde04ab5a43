/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A value's name stands in the text of the file, at the place that MLIR remembers for an argument,
 * and before it for the result of an op. Bytecode has none, nor has a file that sets locations of
 * its own: then all values of the function get MLIR's numbers. */
#include "tools/mlir/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/mlir/describe.h"
#include "tools/mlir/graph.h"

static bool in_name(char c) { return isalnum((unsigned char)c) || (c && strchr("_$.-", c)); }

/* half of "%half" */
static bool copy_name(const char *first, const char *end, char shown[TOSA_SHOWN]) {
    const size_t length = (size_t)(end - first);
    if (length < 2 || length >= TOSA_VALUE_NAME || *first != '%') return false;
    snprintf(shown, TOSA_SHOWN, "%.*s", (int)length - 1, first + 1);
    return true;
}

/* The text ends in a 0. */
static bool argument_name(const char *at, char shown[TOSA_SHOWN]) {
    const char *end = at + 1;
    if (*at != '%') return false;
    while (in_name(*end)) end++;
    return copy_name(at, end, shown);
}

/* `%half = ` in front of an op at `at`. */
static bool result_name(const mlir_report *source, const char *at, MlirOperation op,
                        char shown[TOSA_SHOWN]) {
    MlirStringRef what = mlirIdentifierStr(mlirOperationGetName(op));
    const char *first = source->bytes, *word = at + (*at == '"'), *end = at;
    size_t rest = (size_t)(source->bytes + source->length - word);
    if (rest < what.length || memcmp(word, what.data, what.length) != 0) return false;
    while (end > first && isspace((unsigned char)end[-1])) end--;
    if (end == first || *--end != '=') return false;
    while (end > first && isspace((unsigned char)end[-1])) end--;
    const char *begin = end;
    while (begin > first && in_name(begin[-1])) begin--;
    return begin > first && copy_name(begin - 1, end, shown);
}

/* Of an argument, or of what an operation gives. */
static bool written_name(const mlir_graph *g, int32_t op, size_t index, char shown[TOSA_SHOWN]) {
    const MlirLocation location =
        op < 0 ? mlirValueGetLocation(g->values[index]) : mlirOperationGetLocation(g->ops[op]);
    const char *at = mlir_find_character(g->report, location);
    return at &&
           (op < 0 ? argument_name(at, shown) : result_name(g->report, at, g->ops[op], shown));
}

static bool are_written(const mlir_graph *g, const tosa_function *built) {
    char shown[TOSA_SHOWN];
    for (size_t k = 0; k < built->input_count; k++)
        if (!written_name(g, TOSA_BLOCK, k, shown)) return false;
    for (size_t k = 0; k < built->step_count; k++)
        if (!written_name(g, built->steps[k].number, 0, shown)) return false;
    return true;
}

/* Numbers are those of MLIR when it prints the function: every op but the last one has a result. */
static void show_name(const tosa_graph *graph, int32_t op, tosa_slot slot, size_t index,
                      char shown[TOSA_SHOWN]) {
    const mlir_graph *g = graph->source;
    if (slot == TOSA_OPERAND || slot == TOSA_OUTPUT) return;
    if (!g->numbered)
        (void)written_name(g, op, index, shown);
    else if (op < 0)
        snprintf(shown, TOSA_SHOWN, "arg%zu", index);
    else
        snprintf(shown, TOSA_SHOWN, "%d", (int)op);
}

char *mlir_rename(const mlir_report *source, MlirOperation function, const tosa_function *built,
                  const char *text) {
    mlir_report own = *source; /* which remembers the last line */
    tosa_reader reader = mlir_reader;
    mlir_graph g;
    reader.name = show_name;
    const bool fine = mlir_graph_open(&g, function, &own, &reader);
    g.numbered = fine && !are_written(&g, built);
    char *renamed = fine ? tosa_graph_rename(&g.graph, built, text) : NULL;
    mlir_graph_release(&g);
    return renamed;
}
