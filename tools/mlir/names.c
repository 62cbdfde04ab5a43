/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A value's name stands in the text of the file, at the place that MLIR remembers for an argument,
 * and before it for the result of an op. Bytecode has none, nor has a file that sets locations of
 * its own: then all values of the function get MLIR's numbers. */
#include "tools/mlir/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/mlir/pointer_map.h"
#include "tools/tosa/value_names.h"

typedef struct names {
    const tosa_function *built;
    MlirBlock block;
    value_name *list; /* of built's inputs, then of its steps: values in the library's order */
    size_t count;
    const char **lines; /* where each line of the file begins */
    size_t line_count;
} names;

/* ---------------------------------------------------------------------------------------------
 * Names in the file */

static bool index_lines(const mlir_text *source, names *n) {
    size_t capacity = 1;
    for (size_t k = 0; k < source->length; k++) capacity += source->bytes[k] == '\n';
    n->lines = malloc(capacity * sizeof *n->lines);
    if (!n->lines) return false;
    n->lines[n->line_count++] = source->bytes;
    for (size_t k = 0; k < source->length; k++)
        if (source->bytes[k] == '\n') n->lines[n->line_count++] = source->bytes + k + 1;
    return true;
}

/* The character at a location; null if it is not in this text. */
static const char *find_place(const mlir_text *source, const names *n, MlirLocation location) {
    if (!mlirLocationIsAFileLineColRange(location)) return NULL;
    MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
    if (!mlirStringRefEqual(file, mlirStringRefCreateFromCString(source->name))) return NULL;
    int line = mlirLocationFileLineColRangeGetStartLine(location),
        column = mlirLocationFileLineColRangeGetStartColumn(location);
    if (line < 1 || column < 1 || (size_t)line > n->line_count) return NULL;
    const char *first = n->lines[line - 1], *end = source->bytes + source->length;
    return column <= end - first ? first + column - 1 : NULL;
}

static bool in_name(char c) { return isalnum((unsigned char)c) || (c && strchr("_$.-", c)); }

/* "%half" */
static bool copy_name(const char *first, const char *end, value_name *name) {
    size_t length = (size_t)(end - first);
    if (length < 2 || length >= sizeof name->text || *first != '%') return false;
    memcpy(name->text, first, length);
    name->text[length] = '\0';
    return true;
}

/* The text ends in a 0. */
static bool argument_name(const char *at, value_name *name) {
    const char *end = at + 1;
    if (*at != '%') return false;
    while (in_name(*end)) end++;
    return copy_name(at, end, name);
}

/* `%half = ` in front of an op at `at`. */
static bool result_name(const mlir_text *source, const char *at, MlirOperation op,
                        value_name *name) {
    MlirStringRef what = mlirIdentifierStr(mlirOperationGetName(op));
    const char *first = source->bytes, *word = at + (*at == '"'), *end = at;
    size_t rest = (size_t)(source->bytes + source->length - word);
    if (rest < what.length || memcmp(word, what.data, what.length) != 0) return false;
    while (end > first && isspace((unsigned char)end[-1])) end--;
    if (end == first || *--end != '=') return false;
    while (end > first && isspace((unsigned char)end[-1])) end--;
    const char *begin = end;
    while (begin > first && in_name(begin[-1])) begin--;
    return begin > first && copy_name(begin - 1, end, name);
}

static bool written_name(const mlir_text *source, const names *n, size_t value, value_name *name) {
    if (value < n->built->input_count) {
        const char *at = find_place(
            source, n, mlirValueGetLocation(mlirBlockGetArgument(n->block, (intptr_t)value)));
        return at && argument_name(at, name);
    }
    MlirOperation op = {n->built->steps[value - n->built->input_count].origin};
    const char *at = find_place(source, n, mlirOperationGetLocation(op));
    return at && result_name(source, at, op, name);
}

static bool written_names(const mlir_text *source, const names *n) {
    for (size_t k = 0; k < n->count; k++)
        if (!written_name(source, n, k, &n->list[k])) return false;
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Numbers where there are no names: as MLIR prints the function. Every op but the last one has a
 * result. */

static bool number_values(const names *n) {
    pointer_map numbers = {0};
    int32_t next = 0, number = 0;
    bool fine = true;
    size_t inputs = n->built->input_count;
    for (MlirOperation op = mlirBlockGetFirstOperation(n->block); fine && !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        fine = pointer_map_add(&numbers, op.ptr, next++);
    for (size_t k = 0; fine && k < n->count; k++) {
        if (k >= inputs)
            fine = pointer_map_find(&numbers, n->built->steps[k - inputs].origin, &number);
        snprintf(n->list[k].text, sizeof n->list[k].text, k < inputs ? "%%arg%d" : "%%%d",
                 k < inputs ? (int)k : (int)number);
    }
    pointer_map_release(&numbers);
    return fine;
}

char *mlir_rename(const mlir_text *source, MlirOperation function, const tosa_function *built,
                  const char *text) {
    names n = {.built = built, .count = built->input_count + built->step_count};
    n.block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
    n.list = calloc(n.count + 1, sizeof *n.list);
    bool fine =
        n.list && index_lines(source, &n) && (written_names(source, &n) || number_values(&n));
    char *renamed = fine ? value_names_replace(n.list, built->input_count, n.count, text) : NULL;
    free(n.list);
    free(n.lines);
    return renamed;
}
