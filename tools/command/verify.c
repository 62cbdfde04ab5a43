/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit verify: read every function of a file and say of each whether a kernel can be made of it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/system/system.h"
#include "tools/command/commands.h"
#include "tosajit/inspect.h"

/* Of a function: ok, and its type; refused ones have findings. */
void json_function(json *j, const char *name, const tosa_function *function) {
    char *type = NULL;
    size_t size;
    FILE *out = function ? system_text_open(&type, &size) : NULL;
    if (out) print_function_type(out, function);
    const bool printed = out && system_text_close(out);
    json_open(j, NULL, '{');
    json_text(j, "function", name);
    json_flag(j, "ok", function != NULL);
    if (function) json_text(j, "type", printed ? type : NULL);
    json_close(j, '}');
    free(type);
}

static void tell_function(json *j, const char *name, const tosa_function *function) {
    if (j) {
        json_function(j, name, function);
    } else if (function) {
        printf("ok: @%s ", name);
        print_function_type(stdout, function);
        putchar('\n');
    }
}

static bool verify_function(const options *o, const source *file, size_t index, json *j) {
    tosa_function function;
    const bool built = build_function(file, index, o->strict, &function),
               fine = built && tosajit_expr_verify(function.expr) == TOSAJIT_OK;
    if (built && !fine) tosa_file_report(file->any, index, &function, tosajit_last_error());
    tell_function(j, tosa_file_name(file->any, index), fine ? &function : NULL);
    if (built) tosa_function_release(&function);
    return fine;
}

static int verify(const options *o, json *j) {
    if (j) json_open(j, "functions", '[');
    source file;
    bool fine = open_file(o, &file);
    const size_t count = fine ? tosa_file_count(file.any) : 0;
    for (size_t k = 0; k < count; k++) fine = verify_function(o, &file, k, j) && fine;
    source_close(&file);
    if (j) json_close(j, ']');
    return fine ? EXIT_FINE : EXIT_REFUSED;
}

/* Findings come between the functions, and are listed behind them. */
static int verify_json(const options *o) {
    char *text = NULL;
    size_t size;
    json findings = {.out = system_text_open(&text, &size)};
    if (!findings.out) return command_error("out of memory for findings");
    json_open(&findings, NULL, '[');
    take_findings(json_finding, &findings);
    json j = json_begin();
    const int code = verify(o, &j);
    json_close(&findings, ']');
    if (system_text_close(findings.out)) json_value(&j, "findings", text);
    json_end(&j);
    free(text);
    return code;
}

int cmd_verify(const options *o) { return o->json ? verify_json(o) : verify(o, NULL); }
