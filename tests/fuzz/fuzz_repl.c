/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of the REPL's language. In: bytes as a line. They are read or refused, an error lies
 * within them; what is read is built into an expression or refused by the library. */
#include <stdlib.h>
#include <string.h>

#include "tools/repl/build.h"
#include "tools/repl/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds) {
    if (!holds) abort();
}

static void check_error(const repl_error *error, size_t size) {
    check(error->where.at + error->where.length <= size);
    check(error->text[0] != '\0' && strlen(error->text) < sizeof error->text);
}

static void build(const char *text, size_t size, const repl_line *line) {
    repl_program program;
    repl_error error;
    for (int strict = 0; strict < 2; strict++)
        if (repl_build(text, line, strict, &program, &error)) {
            check(program.function.result_count > 0 &&
                  tosajit_expr_verify(program.function.expr) == TOSAJIT_OK);
            repl_program_release(&program);
        } else {
            check_error(&error, size);
        }
}

static void check_words(const repl_line *line, size_t size) {
    for (size_t k = 0; k < line->word_count; k++)
        check(line->words[k].at + line->words[k].length <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    repl_line line;
    repl_error error;
    repl_scan scan = {0};
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    if (repl_parse(text, size, &line, &error)) {
        if (line.kind == REPL_ONE_OP || line.kind == REPL_STATEMENTS) build(text, size, &line);
        check_words(&line, size);
        repl_line_release(&line);
    } else {
        check_error(&error, size);
    }
    if (repl_parse_list(text, size, &line, &error))
        repl_line_release(&line);
    else
        check_error(&error, size);
    repl_is_mlir(text, size);
    repl_scan_line(&scan, text, size);
    if (repl_parse_sizes(text, size, true, &rank, dims))
        check(rank > 0 && rank <= TOSAJIT_MAX_RANK);
    return 0;
}
