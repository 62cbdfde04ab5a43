/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit outline: a module in which every region of elementwise operations is a function of its
 * own, called from where it was. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/words.h"
#include "tools/command/commands.h"

/* A function by its name, because those that outlining adds stand in between. */
static void print_count(const char *name, const tosajit_mlir_outlined *c) {
    printf("// @%s: %zu operation%s in %zu region%s for tosajit, %zu left\n", name, c->inside,
           plural(c->inside), c->regions, plural(c->regions), c->outside);
}

static int print_module(const tosajit_mlir *file, size_t first, size_t count,
                        const tosajit_mlir_outlined *counts) {
    char *text;
    if (tosajit_mlir_print(file, &text)) return command_error("%s", tosajit_last_error());
    for (size_t k = 0, at = first; k < count; at += 1 + counts[k++].regions)
        print_count(tosajit_mlir_name(file, at), &counts[k]);
    fputs(text, stdout);
    tosajit_text_release(text);
    return EXIT_FINE;
}

static int outline_all(const options *o, tosajit_mlir *file) {
    size_t first = 0, count = tosajit_mlir_count(file);
    if (o->entry && !find_function(o, file, &first)) return EXIT_USAGE;
    if (o->entry) count = 1;
    tosajit_mlir_outlined *counts = calloc(count, sizeof *counts);
    if (!counts) return command_error("out of memory for %zu functions", count);
    int code = EXIT_REFUSED;
    if (!mlir_module_outline(file, first, first + count, counts))
        code = print_module(file, first, count, counts);
    free(counts);
    return code;
}

int cmd_outline(const options *o) {
    tosajit_mlir *file = open_file(o);
    if (!file) return EXIT_REFUSED;
    int code = outline_all(o, file);
    tosajit_mlir_close(file);
    return code;
}
