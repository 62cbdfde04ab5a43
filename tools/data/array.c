/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays of the tool: making and showing them. Only dense row-major arrays are shown. */
#include "tools/data/array.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/data/element.h"

/* NumPy's print options: beyond THRESHOLD elements only EDGE at each end of a dimension; lines of
 * LINE characters. */
enum { THRESHOLD = 1000, EDGE = 3, LINE = 75 };

bool array_make(tosajit_type element, int32_t rank, const int64_t *dims, npy_array *array) {
    int64_t bytes = (int64_t)tosajit_type_size(element);
    memset(array, 0, sizeof *array);
    array->element = element;
    array->rank = rank;
    bool empty = false, fits = true;
    for (int32_t d = rank; d-- > 0;) {
        array->dims[d] = dims[d];
        array->strides[d] = bytes;
        empty = empty || dims[d] == 0;
        if (dims[d] == 0) continue;
        fits = fits && bytes <= INT64_MAX / dims[d];
        if (fits) bytes *= dims[d];
    }
    if (!empty && (!fits || (uint64_t)bytes > SIZE_MAX)) return false;
    array->data = malloc(empty ? 1 : (size_t)bytes);
    return array->data != NULL;
}

static bool is_dense(const npy_array *array) {
    int64_t bytes = (int64_t)tosajit_type_size(array->element);
    for (int32_t d = array->rank; d-- > 0;) {
        if (array->strides[d] != bytes && array->dims[d] != 1) return false;
        if (array->dims[d] != 0) bytes *= array->dims[d];
    }
    return true;
}

/* A dense array has no strides, as the usual caller's: calls with strides are looked at longer. */
tosajit_tensor array_view(const npy_array *array) {
    return (tosajit_tensor){array->element, array->rank, array->data, array->dims,
                            is_dense(array) ? NULL : array->strides};
}

int64_t array_count(const npy_array *array) {
    int64_t count = 1;
    for (int32_t d = 0; d < array->rank; d++)
        /* Whatever the other sizes are, their product may be too large. */
        if (array->dims[d] == 0) return 0;
    for (int32_t d = 0; d < array->rank; d++) count *= array->dims[d];
    return count;
}

void array_print_shape(FILE *out, const npy_array *array) {
    for (int32_t d = 0; d < array->rank; d++)
        fprintf(out, "%s%" PRId64, d ? "x" : "", array->dims[d]);
    fprintf(out, "%s of %s", array->rank ? "" : "one element", tosajit_type_name(array->element));
}

static void print_extreme(FILE *out, const char *which, tosajit_type type, const void *at) {
    if (at) fprintf(out, ", %s %s", which, element_print(type, at).text);
}

void array_print_summary(FILE *out, const npy_array *array) {
    const char *data = array->data, *least = NULL, *most = NULL;
    size_t size = tosajit_type_size(array->element);
    int64_t count = array_count(array), nans = 0;
    double low = 0, high = 0;
    for (int64_t k = 0; k < count; k++) {
        const char *at = data + (size_t)k * size;
        double value = element_value(array->element, at);
        nans += isnan(value) != 0;
        if (!isnan(value) && (!least || value < low)) {
            least = at;
            low = value;
        }
        if (!isnan(value) && (!most || value > high)) {
            most = at;
            high = value;
        }
    }
    array_print_shape(out, array);
    print_extreme(out, "smallest", array->element, least);
    print_extreme(out, "largest", array->element, most);
    if (nans) fprintf(out, ", %" PRId64 " NaN", nans);
    if (count == 0) fprintf(out, ", empty");
    fputc('\n', out);
}

typedef struct printer {
    FILE *out; /* null: only measure */
    const npy_array *array;
    bool shorten, gap; /* gap: an element comes before the next one in this row */
    int width, column; /* of the widest element; of the next character */
} printer;

static void put(printer *p, const char *text) {
    if (p->out) fputs(text, p->out);
    p->column += (int)strlen(text);
}

/* A new line, below the first element of dimension `depth`. */
static void new_line(printer *p, int32_t depth) {
    put(p, "\n");
    p->column = 0;
    for (int32_t k = 0; k < depth; k++) put(p, " ");
}

/* An entry of a row, as wide as the widest, after a space or on a new line. */
static void put_entry(printer *p, const char *text, int width, int32_t depth) {
    if (p->gap && p->column + 1 + width > LINE)
        new_line(p, depth);
    else if (p->gap)
        put(p, " ");
    p->gap = false;
    if (p->out) fprintf(p->out, "%*s", width, text);
    p->column += width;
}

static void put_element(printer *p, const char *at, int32_t depth) {
    element_text element = element_print(p->array->element, at);
    int length = (int)strlen(element.text);
    if (!p->out && length > p->width) p->width = length;
    put_entry(p, element.text, p->width, depth);
}

/* Between two entries of dimension d. */
static void put_gap(printer *p, int32_t d) {
    int32_t inner = p->array->rank - 1 - d; /* dimensions inside */
    p->gap = inner == 0;
    for (int32_t k = 1; k < inner; k++) put(p, "\n");
    if (inner > 0) new_line(p, d + 1);
}

static void put_dimension(printer *p, int32_t d, const char *at) {
    if (d == p->array->rank) {
        put_element(p, at, d);
        return;
    }
    int64_t size = p->array->dims[d];
    bool shorten = p->shorten && size > 2 * (int64_t)EDGE;
    put(p, "[");
    for (int64_t k = 0; k < size; k++) {
        if (k > 0) put_gap(p, d);
        if (shorten && k == EDGE) {
            put_entry(p, "...", 3, d + 1);
            put_gap(p, d);
            k = size - EDGE;
        }
        put_dimension(p, d + 1, at + k * p->array->strides[d]);
    }
    put(p, "]");
}

void array_print_values(FILE *out, const npy_array *array) {
    int64_t count = array_count(array);
    printer p = {.array = array, .shorten = count > THRESHOLD};
    if (count > 0) put_dimension(&p, 0, array->data);
    p.out = out;
    p.column = 0;
    if (count > 0)
        put_dimension(&p, 0, array->data);
    else
        put(&p, "[]");
    put(&p, "\n");
}
