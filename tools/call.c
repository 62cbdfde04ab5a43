/* Shapes of a call, compared with the types of a function before anything is allocated. */
#include "tools/call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_TEXT = 512, MOST_THREADS = 1024 };

tosajit_tensor_type call_tensor_type(const entry *e, const tosajit_kernel *kernel, size_t k) {
    const size_t arguments = e->function.input_count;
    return k < arguments ? tosajit_kernel_operand_type(kernel, k) : tosajit_kernel_result_type(kernel, k - arguments);
}

const char *call_describe(const entry *e, const tosajit_kernel *kernel, size_t k, char text[CALL_TEXT]) {
    char printed[TYPE_TEXT];
    tosajit_tensor_type type = call_tensor_type(e, kernel, k);
    tosajit_type_print(&type, printed, sizeof printed);
    const size_t arguments = e->function.input_count;
    snprintf(text, CALL_TEXT, "%s %zu of @%.300s, %s", k < arguments ? "argument" : "result", k < arguments ? k : k - arguments,
             mlir_file_name(e->file, e->index), printed);
    return text;
}

/* The sizes of the types; false if one is dynamic. */
static bool take_types(const entry *e, const tosajit_kernel *kernel, shape_word *shapes) {
    bool all_static = true;
    for (size_t k = 0; k < e->function.input_count; k++) {
        tosajit_tensor_type type = call_tensor_type(e, kernel, k);
        shapes[k].rank = type.rank;
        memcpy(shapes[k].dims, type.dims, sizeof type.dims);
        for (int32_t d = 0; d < type.rank; d++) all_static = all_static && type.dims[d] != TOSAJIT_DYNAMIC;
    }
    return all_static;
}

static bool fits(const tosajit_tensor_type *type, const shape_word *shape) {
    if (type->rank != shape->rank) return false;
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] != TOSAJIT_DYNAMIC && type->dims[d] != shape->dims[d]) return false;
    return true;
}

int call_read_shapes(const char *command, const options *o, const entry *e, const tosajit_kernel *kernel, shape_word *shapes, bool *known) {
    const size_t arguments = e->function.input_count, all = arguments + e->function.result_count;
    memset(shapes, 0, TOSAJIT_MAX_TENSORS * sizeof *shapes);
    *known = o->shape_count > 0 || take_types(e, kernel, shapes);
    if (o->shape_count > 0 && o->shape_count != arguments && o->shape_count != all)
        return usage_error(command, "@%s has %zu argument%s, found %zu --shape", mlir_file_name(e->file, e->index), arguments,
                           arguments == 1 ? "" : "s", o->shape_count);
    for (size_t k = 0; k < o->shape_count; k++) {
        char why[SHAPE_MESSAGE], text[CALL_TEXT];
        tosajit_tensor_type type = call_tensor_type(e, kernel, k);
        if (!shape_parse(o->shapes[k], &shapes[k], why)) return usage_error(command, "--shape %s: %s", o->shapes[k], why);
        if (!fits(&type, &shapes[k]))
            return usage_error(command, "--shape %s does not fit %s", o->shapes[k], call_describe(e, kernel, k, text));
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
        return usage_error(command, "--threads is a number from 1 to %d, not %s", MOST_THREADS, o->threads);
    *threads = (size_t)count;
    return EXIT_FINE;
}
