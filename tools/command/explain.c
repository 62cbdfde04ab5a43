/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit explain: what a call on tensors of given sizes does, before it is made. */
#include <stdio.h>
#include <string.h>

#include "tools/command/call.h"

static int explain(const options *o, const entry *e, const tosajit_kernel *kernel) {
    const size_t arguments = e->function.input_count, results = e->function.result_count;
    shape_word shapes[TOSAJIT_MAX_TENSORS];
    tosajit_tensor views[TOSAJIT_MAX_TENSORS];
    bool known;
    int code = call_read_shapes("explain", o, e, kernel, shapes, &known);
    if (code != EXIT_FINE) return code;
    char example[CALL_TEXT];
    if (!known)
        return usage_error(
            "explain", "sizes of @%s are dynamic; give them with --shape, once per argument, as %s",
            tosajit_mlir_name(e->file, e->index), call_example(e, kernel, example));
    for (size_t k = 0; k < arguments + results; k++)
        views[k] = (tosajit_tensor){call_tensor_type(e, kernel, k).element, shapes[k].rank, NULL,
                                    shapes[k].dims, shapes[k].strided ? shapes[k].strides : NULL};
    char *text = NULL;
    bool given = o->shape_count > arguments; /* results, too */
    if (tosajit_explain(kernel, views, arguments, given ? views + arguments : NULL,
                        given ? results : 0, NULL, &text) != TOSAJIT_OK)
        return entry_refuse(e);
    fputs(text, stdout);
    tosajit_text_release(text);
    return EXIT_FINE;
}

int cmd_explain(const options *o) {
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
        code = explain(o, &e, kernel);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    entry_close(&e);
    return code;
}
