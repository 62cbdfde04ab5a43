/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit verify: read every function of a file and say of each whether a kernel can be made of it.
 */
#include <stdio.h>

#include "tools/command/commands.h"

static bool verify_function(const options *o, tosajit_mlir *file, size_t index) {
    mlir_function function;
    if (!build_function(file, index, o->strict, &function)) return false;
    bool fine = tosajit_expr_verify(function.expr) == TOSAJIT_OK;
    if (fine) {
        printf("ok: @%s ", tosajit_mlir_name(file, index));
        print_function_type(&function);
        putchar('\n');
    } else {
        mlir_module_report(file, index, &function, tosajit_last_error());
    }
    mlir_function_release(&function);
    return fine;
}

int cmd_verify(const options *o) {
    tosajit_mlir *file = open_file(o);
    if (!file) return EXIT_REFUSED;
    bool fine = true;
    for (size_t k = 0; k < tosajit_mlir_count(file); k++)
        fine = verify_function(o, file, k) && fine;
    tosajit_mlir_close(file);
    return fine ? EXIT_FINE : EXIT_REFUSED;
}
