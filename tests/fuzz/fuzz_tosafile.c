/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of the reader of TOSA's flatbuffers and their JSON form. What is refused has a reason in
 * one line that names the file; of what is read, every block is built, and what the builder says
 * has a place. Divided, it can be read again, and each region is a kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/bytes.h"
#include "tools/tosafile/file.h"
#include "tosajit/inspect.h"

static size_t said;

static void say(void *context, const tosajit_mlir_finding *finding) {
    (void)context;
    char line[40]; /* of the JSON form */
    snprintf(line, sizeof line, "fuzz:%d:%d: error: ", finding->line, finding->column);
    if (strncmp(finding->text, "fuzz: error: ", 13) != 0 &&
        strncmp(finding->text, "fuzz: remark: ", 14) != 0 &&
        (finding->line < 1 || strncmp(finding->text, line, strlen(line)) != 0)) {
        fprintf(stderr, "a finding of no kind: %s\n", finding->text);
        abort();
    }
    for (const char *at = finding->text; *at; at++)
        if ((unsigned char)*at < ' ' && *at != '\n') abort(); /* a terminal would obey it */
    said++;
}

static void compile(tosa_file *file, size_t index, const tosa_function *built,
                    tosajit_engine *engine) {
    tosajit_kernel *kernel = NULL;
    if (tosajit_compile_expr(engine, built->expr, &kernel))
        tosa_file_report(file, index, built, tosajit_last_error());
    free(tosa_file_rename(file, index, built, "%arg0 and %3 = tosa.add"));
    for (size_t s = 0; s < built->step_count && s < 3; s++)
        tosa_file_report_step(file, index, &built->steps[s], "a message");
    tosajit_kernel_release(kernel);
}

static void build_all(tosa_file *file, tosajit_engine *engine) {
    for (size_t k = 0; k < tosa_file_count(file); k++)
        for (int strict = 0; strict < 2; strict++) {
            tosa_function built;
            const size_t before = said;
            const tosajit_expr_options options = {.size = sizeof options, .strict = strict};
            if (tosa_file_build(file, k, &options, &built)) {
                if (said == before) abort(); /* refused in silence */
                continue;
            }
            compile(file, k, &built, engine);
            tosa_function_release(&built);
        }
    size_t index;
    if (!tosa_file_find(file, NULL, &index) && !tosa_file_name(file, index)) abort();
    tosa_file_find(file, "@main", &index);
}

/* Each region is a kernel, and what is left has the names that it had. */
static void check_divided(const tosa_file *file, tosa_file *divided, size_t regions) {
    size_t index, found = 0;
    for (size_t k = 0; k < tosa_file_count(divided); k++) {
        tosa_function built;
        if (tosafile_has(file, tosa_file_name(divided, k), &index)) continue;
        if (tosa_file_build(divided, k, NULL, &built) || tosajit_expr_verify(built.expr)) {
            fprintf(stderr, "a region that is refused: %s\n", tosajit_last_error());
            abort();
        }
        tosa_function_release(&built);
        found++;
    }
    if (found != regions) abort();
    for (size_t k = 0; k < tosa_file_count(file); k++)
        if (!tosafile_has(divided, tosa_file_name(file, k), &index)) abort();
}

static void check_epilogues(tosa_file *divided, const tosa_epilogues *list) {
    for (size_t k = 0; k < list->count; k++) {
        tosa_function built;
        size_t index;
        if (!tosafile_has(divided, list->list[k].region, &index)) abort();
        if (tosa_file_build(divided, index, NULL, &built)) abort();
        if (list->list[k].operand >= built.input_count) abort();
        tosa_function_keeps_tiles(&built, list->list[k].operand);
        tosa_function_release(&built);
    }
}

static void outline_all(tosa_file *file, const tosajit_mlir_options *options) {
    const size_t count = tosa_file_count(file), before = said;
    tosajit_mlir_outlined *counts = calloc(count, sizeof *counts);
    void *bytes = NULL;
    size_t size = 0, regions = 0;
    tosa_file *divided = NULL;
    tosa_epilogues epilogues = {0};
    if (!counts) abort();
    if (!tosafile_outline(file, 0, count, counts, &epilogues, &bytes, &size)) {
        for (size_t k = 0; k < count; k++) regions += counts[k].regions;
        if (tosafile_read(bytes, size, options, &divided)) abort();
        check_divided(file, divided, regions);
        check_epilogues(divided, &epilogues);
    } else if (said == before) {
        abort(); /* refused in silence */
    }
    tosa_epilogues_release(&epilogues);
    tosa_file_close(divided);
    free(bytes);
    free(counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tosajit_engine *engine;
    const tosajit_engine_options plain = {.size = sizeof plain,
                                          .backend = TOSAJIT_BACKEND_INTERPRET};
    const tosajit_mlir_options options = {.size = sizeof options, .name = "fuzz", .say = say};
    if (!engine && tosajit_engine_create(&plain, &engine)) abort();
    /* A copy of its own size, so that a sanitizer sees what reads behind it. */
    uint8_t *bytes = malloc(size ? size : 1);
    tosa_file *file = NULL;
    if (!bytes) abort();
    if (size) memcpy(bytes, data, size);
    const size_t before = said;
    if (!tosafile_read(bytes, size, &options, &file)) {
        build_all(file, engine);
        outline_all(file, &options);
    } else if (said == before) {
        abort(); /* refused in silence */
    }
    tosa_file_close(file);
    free(bytes);
    return 0;
}
