/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shapes of a call, compared with the types of a function before anything is allocated. */
#include "tools/command/call.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/words.h"
#include "tosajit/inspect.h"

enum { TYPE_TEXT = 512, MOST_THREADS = 1024 };

tosajit_tensor_type call_tensor_type(const entry *e, const tosajit_kernel *kernel, size_t k) {
    const size_t arguments = e->function.input_count;
    return k < arguments ? tosajit_kernel_operand_type(kernel, k)
                         : tosajit_kernel_result_type(kernel, k - arguments);
}

const char *call_describe(const entry *e, const tosajit_kernel *kernel, size_t k,
                          char text[CALL_TEXT]) {
    char printed[TYPE_TEXT];
    tosajit_tensor_type type = call_tensor_type(e, kernel, k);
    tosajit_type_print(&type, printed, sizeof printed);
    const size_t arguments = e->function.input_count;
    snprintf(text, CALL_TEXT, "%s %zu of @%.300s, %s", k < arguments ? "argument" : "result",
             k < arguments ? k : k - arguments, tosa_file_name(e->file.any, e->index), printed);
    return text;
}

/* The sizes of the types; false if one is dynamic. */
static bool take_types(const entry *e, const tosajit_kernel *kernel, shape_word *shapes) {
    bool all_static = true;
    for (size_t k = 0; k < e->function.input_count; k++) {
        tosajit_tensor_type type = call_tensor_type(e, kernel, k);
        shapes[k].rank = type.rank;
        memcpy(shapes[k].dims, type.dims, sizeof type.dims);
        for (int32_t d = 0; d < type.rank; d++)
            all_static = all_static && type.dims[d] != TOSAJIT_DYNAMIC;
    }
    return all_static;
}

/* A shape that fits: the sizes of the type, and where it has none those given, or 64. */
static void print_fitting(const tosajit_tensor_type *type, const shape_word *given,
                          char text[CALL_TEXT]) {
    int used = snprintf(text, CALL_TEXT, "%s", type->rank ? "" : "scalar");
    for (int32_t d = 0; d < type->rank; d++) {
        int64_t open = given->rank == type->rank ? given->dims[d] : 64,
                size = type->dims[d] == TOSAJIT_DYNAMIC ? open : type->dims[d];
        /* 16 of 20 characters fit. */
        used += snprintf(text + used, CALL_TEXT - (size_t)used, "%s%" PRId64, d ? "x" : "", size);
    }
}

/* Finds the fault of sizes for a type, and their remedy; false if there is none. */
static bool find_misfit(const tosajit_tensor_type *type, const shape_word *shape,
                        char why[CALL_TEXT]) {
    char fitting[CALL_TEXT];
    int32_t d = 0;
    while (d < type->rank && d < shape->rank &&
           (type->dims[d] == TOSAJIT_DYNAMIC || type->dims[d] == shape->dims[d]))
        d++;
    if (type->rank == shape->rank && d == type->rank) return false;
    print_fitting(type, shape, fitting);
    if (type->rank != shape->rank)
        snprintf(why, CALL_TEXT, "%d size%s given, %d expected, as %.400s", (int)shape->rank,
                 plural(shape->rank), (int)type->rank, fitting);
    else
        snprintf(why, CALL_TEXT, "dimension %d is %" PRId64 ", as in %.400s", (int)d, type->dims[d],
                 fitting);
    return true;
}

const char *call_example(const entry *e, const tosajit_kernel *kernel, char text[CALL_TEXT]) {
    static const shape_word nothing = {.rank = -1};
    size_t used = 0;
    *text = '\0';
    for (size_t k = 0; k < e->function.input_count && used < CALL_TEXT; k++) {
        char fitting[CALL_TEXT];
        tosajit_tensor_type type = call_tensor_type(e, kernel, k);
        print_fitting(&type, &nothing, fitting);
        used +=
            (size_t)snprintf(text + used, CALL_TEXT - used, "%s--shape %s", k ? " " : "", fitting);
    }
    return text;
}

int call_read_shapes(const char *command, const options *o, const entry *e,
                     const tosajit_kernel *kernel, shape_word *shapes, bool *known) {
    const size_t arguments = e->function.input_count, all = arguments + e->function.result_count;
    char example[CALL_TEXT];
    memset(shapes, 0, TOSAJIT_MAX_TENSORS * sizeof *shapes);
    *known = o->shape_count > 0 || take_types(e, kernel, shapes);
    if (o->shape_count > 0 && o->shape_count != arguments && o->shape_count != all)
        return usage_error(command, "@%s has %zu argument%s, found %zu --shape; as in %s",
                           tosa_file_name(e->file.any, e->index), arguments, plural(arguments),
                           o->shape_count, call_example(e, kernel, example));
    for (size_t k = 0; k < o->shape_count; k++) {
        char why[SHAPE_MESSAGE], misfit[CALL_TEXT], text[CALL_TEXT];
        tosajit_tensor_type type = call_tensor_type(e, kernel, k);
        if (!shape_parse(o->shapes[k], &shapes[k], why))
            return usage_error(command, "--shape %s: %s", o->shapes[k], why);
        if (find_misfit(&type, &shapes[k], misfit))
            return usage_error(command, "--shape %s does not fit %s: %s", o->shapes[k],
                               call_describe(e, kernel, k, text), misfit);
    }
    return EXIT_FINE;
}

int call_read_threads(const char *command, const options *o, size_t *threads) {
    *threads = 1;
    if (!o->threads) return EXIT_FINE;
    char *end;
    errno = 0;
    long count = strtol(o->threads, &end, 10);
    if (errno || *end || end == o->threads || count < 1 || count > MOST_THREADS)
        return usage_error(command, "--threads is a number from 1 to %d, not %s", MOST_THREADS,
                           o->threads);
    *threads = (size_t)count;
    return EXIT_FINE;
}
