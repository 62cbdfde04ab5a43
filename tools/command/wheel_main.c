/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command as the Python package brings it: `tosajit onnx`. It cannot read MLIR. */
#include <stdio.h>
#include <string.h>

#include "tools/base/wrap.h"
#include "tools/command/command.h"

static void print_help(void) {
    printf("tosajit %s, of the Python package: %s\n\n", tosajit_version(), onnx_purpose);
    options_print_usage("onnx", ONNX_OPTIONS, true);
    printf("\n\n");
    options_print_help(ONNX_OPTIONS);
    putchar('\n');
    wrap_print(onnx_help, 0);
    printf("\nIts other commands come with tosajit itself, which reads MLIR.\n");
}

static int convert(int count, char *const *words) {
    options o;
    int code = EXIT_USAGE;
    if (options_parse("onnx", ONNX_OPTIONS, true, count, words, &o)) {
        if (o.help)
            print_help(), code = EXIT_FINE;
        else if (command_keeps_files("onnx", &o))
            code = cmd_onnx(&o);
    }
    options_release(&o);
    return code;
}

static bool is_one_of(const char *word, const char *const *words) {
    while (*words && strcmp(word, *words) != 0) words++;
    return *words != NULL;
}

static int dispatch(int count, char *const *words) {
    if (count == 0 || is_one_of(words[0], (const char *const[]){"--help", "-h", "help", NULL}))
        return print_help(), EXIT_FINE;
    if (is_one_of(words[0], (const char *const[]){"--version", "-V", "version", NULL}))
        return printf("tosajit %s\n", tosajit_version()), EXIT_FINE;
    if (strcmp(words[0], "onnx") == 0) return convert(count - 1, words + 1);
    return usage_error("",
                       "%s is no command of the Python package, which has onnx; the others "
                       "come with tosajit itself",
                       words[0]);
}

int main(int argc, char **argv) { return command_begin(argc, argv, dispatch); }
