/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit explain: what a call on tensors of given sizes does, before it is made. */
#include <stdio.h>
#include <string.h>

#include "tools/command/call.h"
#include "tools/command/explain_html.h"
#include "tosajit/inspect.h"

/* The tensors of the call, by their numbers, that are in a set. */
static void write_set(json *j, const char *key, uint64_t set) {
    json_open(j, key, '[');
    for (int t = 0; t < 64; t++)
        if (set >> t & 1) json_integer(j, NULL, t);
    json_close(j, ']');
}

/* The part with most elements: how its dimensions are coalesced, cut and computed. */
static void write_walk(json *j, const tosajit_explanation *x) {
    static const char *const tails[] = {"none", "masked", "overlap"};
    json_integers(j, "coalesced", x->sizes, x->rank);
    json_open(j, "tile", '{');
    json_integer(j, "planes", x->planes);
    json_integer(j, "rows", x->rows);
    json_integer(j, "columns", x->columns);
    json_close(j, '}');
    json_integer(j, "loop", x->variant);
    write_set(j, "one_value", x->splat);
    write_set(j, "packed", x->packed);
    json_integer(j, "lanes", x->lanes);
    json_text(j, "tail", tails[x->tail]);
    json_integer(j, "tail_columns", x->tail_columns);
}

/* The sentences, a line each, indented as they are. */
static void write_lines(json *j, const char *text) {
    json_open(j, "text", '[');
    for (size_t length; *text; text += length + (text[length] != '\0')) {
        char line[1024];
        length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        json_text(j, NULL, line);
    }
    json_close(j, ']');
}

static void write_json(const entry *e, const tosajit_explanation *x, const char *text) {
    json j = json_begin();
    json_text(&j, "function", tosa_file_name(e->file.any, e->index));
    json_flag(&j, "compiled", x->native);
    json_flag(&j, "cached", x->cached);
    json_integer(&j, "threads", (int64_t)x->threads);
    json_integer(&j, "pieces", (int64_t)x->pieces);
    json_count(&j, "elements", x->elements);
    json_count(&j, "bytes", x->bytes);
    json_number(&j, "model_ns", x->nanoseconds);
    write_walk(&j, x);
    write_lines(&j, text);
    json_end(&j);
}

static int explain(const options *o, const entry *e, const tosajit_kernel *kernel,
                   const shape_word *shapes) {
    const size_t arguments = e->function.input_count, results = e->function.result_count;
    tosajit_tensor views[TOSAJIT_MAX_TENSORS];
    for (size_t k = 0; k < arguments + results; k++)
        views[k] = (tosajit_tensor){call_tensor_type(e, kernel, k).element, shapes[k].rank, NULL,
                                    shapes[k].dims, shapes[k].strided ? shapes[k].strides : NULL};
    char *text = NULL;
    tosajit_explanation x = {.size = sizeof x};
    bool given = o->shape_count > arguments; /* results, too */
    if (tosajit_explain(kernel, views, arguments, given ? views + arguments : NULL,
                        given ? results : 0, &x, &text) != TOSAJIT_OK)
        return entry_refuse(e);
    if (o->json)
        write_json(e, &x, text);
    else
        fputs(text, stdout);
    tosajit_text_release(text);
    return EXIT_FINE;
}

static int explain_call(const options *o, const entry *e, tosajit_engine *engine,
                        const tosajit_kernel *kernel) {
    shape_word shapes[TOSAJIT_MAX_TENSORS];
    char example[CALL_TEXT];
    bool known;
    int code = call_read_shapes("explain", o, e, kernel, shapes, &known);
    if (code != EXIT_FINE) return code;
    if (o->html) return explain_html(o, e, engine, kernel, known ? shapes : NULL);
    if (known) return explain(o, e, kernel, shapes);
    return usage_error("explain",
                       "sizes of @%s are dynamic; give them with --shape, once per argument, as %s",
                       tosa_file_name(e->file.any, e->index), call_example(e, kernel, example));
}

int cmd_explain(const options *o) {
    if (o->html && o->json) return usage_error("explain", "--html and --json exclude each other");
    entry e;
    tosajit_accuracy accuracy;
    size_t threads;
    tosajit_backend backend;
    const bool fine =
        options_accuracy("explain", o, &accuracy) && options_backend("explain", o, &backend);
    int code = fine ? call_read_threads("explain", o, &threads) : EXIT_USAGE;
    if (code == EXIT_FINE) code = entry_open(o, &e);
    if (code != EXIT_FINE) return code;
    tosajit_engine_options settings = {.size = sizeof settings,
                                       .backend = backend,
                                       .cpu = o->cpu,
                                       .accuracy = accuracy,
                                       .threads = threads > 1 ? threads : 0};
    tosajit_engine *engine = NULL;
    tosajit_kernel *kernel = NULL;
    if (tosajit_engine_create(&settings, &engine) != TOSAJIT_OK)
        code = command_error("%s", tosajit_last_error());
    else if (tosajit_compile_expr(engine, e.function.expr, &kernel) != TOSAJIT_OK)
        code = entry_refuse(&e);
    else
        code = explain_call(o, &e, engine, kernel);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    entry_close(&e);
    return code;
}
