/* Opening a file and reading the function that the command line asks for. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/commands.h"

static void say(void *context, const char *line) {
    (void)context;
    fprintf(stderr, "%s\n", line);
}

int refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("tosajit: error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return EXIT_REFUSED;
}

mlir_file *open_file(const options *o) {
    mlir_file *file = o->expr ? mlir_file_read("<expr>", o->expr, strlen(o->expr), say, NULL) : mlir_file_open(o->file, say, NULL);
    if (file && o->strict && !mlir_file_verify(file)) {
        mlir_file_close(file);
        return NULL;
    }
    return file;
}

int entry_open(const options *o, entry *e) {
    memset(e, 0, sizeof *e);
    e->file = open_file(o);
    if (!e->file) return EXIT_REFUSED;
    int code = EXIT_FINE;
    if (!mlir_file_find(e->file, o->entry, &e->index))
        code = EXIT_USAGE;
    else if (!mlir_file_build(e->file, e->index, o->strict, &e->function))
        code = EXIT_REFUSED;
    else if (tosajit_expr_verify(e->function.expr) != TOSAJIT_OK)
        code = entry_refuse(e);
    if (code != EXIT_FINE) entry_close(e);
    return code;
}

void entry_close(entry *e) {
    mlir_function_release(&e->function);
    mlir_file_close(e->file);
    memset(e, 0, sizeof *e);
}

int entry_refuse(const entry *e) {
    mlir_file_report(e->file, e->index, &e->function, tosajit_last_error());
    return EXIT_REFUSED;
}

/* "tensor<2xf32>, tensor<2xi1>" */
static void print_types(const mlir_function *function, const tosajit_value *values, size_t count) {
    for (size_t k = 0; k < count; k++) {
        char text[512]; /* 16 dimensions of 20 characters fit */
        tosajit_tensor_type type;
        if (tosajit_expr_type(function->expr, values[k], &type) != TOSAJIT_OK) continue;
        tosajit_type_print(&type, text, sizeof text);
        printf("%s%s", k ? ", " : "", text);
    }
}

void print_signature(const mlir_function *function) {
    bool several = function->result_count != 1;
    putchar('(');
    print_types(function, function->inputs, function->input_count);
    printf(") -> %s", several ? "(" : "");
    print_types(function, function->results, function->result_count);
    printf("%s", several ? ")" : "");
}
