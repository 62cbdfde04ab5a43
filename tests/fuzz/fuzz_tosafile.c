/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of the reader of TOSA's flatbuffers. What is refused has a reason in one line that names
 * the file; of what is read, every block is built, and what the builder says has a place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/bytes.h"
#include "tools/tosafile/file.h"

static size_t said;

static void say(void *context, const tosajit_mlir_finding *finding) {
    (void)context;
    if (strncmp(finding->text, "fuzz: error: ", 13) != 0 &&
        strncmp(finding->text, "fuzz: remark: ", 14) != 0) {
        fprintf(stderr, "a finding of no kind: %s\n", finding->text);
        abort();
    }
    for (const char *at = finding->text; *at; at++)
        if ((unsigned char)*at < ' ' && *at != '\n') abort(); /* a terminal would obey it */
    said++;
}

static void compile(tosafile *file, size_t index, const tosa_function *built,
                    tosajit_engine *engine) {
    tosajit_kernel *kernel = NULL;
    if (tosajit_compile_expr(engine, built->expr, &kernel))
        tosafile_report(file, index, built, tosajit_last_error());
    free(tosafile_rename(file, index, built, "%arg0 and %3 = tosa.add"));
    for (size_t s = 0; s < built->step_count && s < 3; s++)
        tosafile_report_step(file, &built->steps[s], "a message");
    tosajit_kernel_release(kernel);
}

static void build_all(tosafile *file, tosajit_engine *engine) {
    for (size_t k = 0; k < tosafile_count(file); k++)
        for (int strict = 0; strict < 2; strict++) {
            tosa_function built;
            const size_t before = said;
            const tosajit_expr_options options = {.size = sizeof options, .strict = strict};
            if (tosafile_build(file, k, &options, &built)) {
                if (said == before) abort(); /* refused in silence */
                continue;
            }
            compile(file, k, &built, engine);
            tosa_function_release(&built);
        }
    size_t index;
    if (!tosafile_find(file, NULL, &index) && !tosafile_name(file, index)) abort();
    tosafile_find(file, "@main", &index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tosajit_engine *engine;
    const tosajit_engine_options plain = {.size = sizeof plain,
                                          .backend = TOSAJIT_BACKEND_INTERPRET};
    const tosajit_mlir_options options = {.size = sizeof options, .name = "fuzz", .say = say};
    if (!engine && tosajit_engine_create(&plain, &engine)) abort();
    /* A copy of its own size, so that a sanitizer sees what reads behind it. */
    uint8_t *bytes = malloc(size ? size : 1);
    tosafile *file = NULL;
    if (!bytes) abort();
    if (size) memcpy(bytes, data, size);
    const size_t before = said;
    if (!tosafile_read(bytes, size, &options, &file))
        build_all(file, engine);
    else if (said == before)
        abort(); /* refused in silence */
    tosafile_close(file);
    free(bytes);
    return 0;
}
