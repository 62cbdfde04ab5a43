/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ONNX Runtime, by a Python that has it: tools/onnxruntime/engine.py, which says what fails itself.
 * In: models and what is asked of them; out: its exit code. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/base/installed.h"
#include "tools/base/run_program.h"
#include "tools/command/command.h"

/* Run the words, of which the first two are for the Python and the script. */
static int run(const char **words) {
    char script[INSTALLED_PATH];
    const char *named = getenv("TOSAJIT_PYTHON");
    if (!installed_find("engine.py", script))
        return command_error("--optimize, --check and --bench need %s, which is not there; the "
                             "cmake option TOSAJIT_BUILD_ONNXRUNTIME brings it",
                             script);
    words[0] = named && *named ? named : "python3";
    words[1] = script;
    const int code = run_program((char *const *)(uintptr_t)words, STDIN_FILENO);
    if (code == NO_PROGRAM)
        return command_error("there is no %s, and ONNX Runtime needs Python; with one, `pip "
                             "install onnxruntime` brings it, and TOSAJIT_PYTHON names another",
                             words[0]);
    return code < 0 ? command_error("%s did not run ONNX Runtime to its end", words[0]) : code;
}

/* A task on models, up to a null. The request goes along each time, to be checked. */
static int ask(const char *task, const options *o, bool converted, const char *const *models) {
    enum { OTHERS = 13 };
    const char **words = calloc(OTHERS + 2 * (o->shape_count + o->input_count), sizeof *words);
    if (!words) return command_error("out of memory");
    const char **next = words + 2;
    *next++ = task;
    while (*models) *next++ = *models++;
    if (o->check) *next++ = "--check";
    if (o->bench) *next++ = "--bench";
    if (o->json) *next++ = "--json";
    if (o->optimize) *next++ = "--settled";
    if (converted) *next++ = "--converted";
    for (size_t k = 0; k < o->shape_count; k++) *next++ = "--size", *next++ = o->shapes[k];
    for (size_t k = 0; k < o->input_count; k++) *next++ = "--input", *next++ = o->inputs[k];
    const int code = run(words);
    free(words);
    return code;
}

int onnx_engine_ready(const options *o) {
    return ask("ready", o, false, (const char *const[]){NULL});
}

int onnx_engine_compare(const options *o, bool converted) {
    return ask("compare", o, converted, (const char *const[]){o->file, o->model, NULL});
}

int onnx_engine_optimize(const options *o, bool converted, const char *from, const char *to,
                         const char *second) {
    return ask("optimize", o, converted, (const char *const[]){from, to, second, second, NULL});
}
