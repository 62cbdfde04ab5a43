/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In place of tools/mlir, where the command is built without MLIR: no file is MLIR's, and nobody
 * has a module of it. */
#include "tools/mlir/module.h"
#include "tools/tosa/report.h"

static tosajit_status refuse(const char *path, const tosajit_mlir_options *options) {
    tosa_report report = {.file = options && options->name ? options->name : path};
    if (options) report.say = options->say, report.context = options->context;
    tosa_report_file(&report, TOSAJIT_BAD_MODULE,
                     "this tosajit was built without MLIR, so it reads flatbuffers of TOSA, and "
                     "neither MLIR nor expressions; `tosa-opt --tosa-serialize` writes them");
    return tosa_report_end(&report);
}

tosajit_status tosajit_mlir_open(const char *path, const tosajit_mlir_options *options,
                                 tosajit_mlir **module) {
    (void)module;
    return refuse(path, options);
}

tosajit_status tosajit_mlir_read(const void *bytes, size_t size,
                                 const tosajit_mlir_options *options, tosajit_mlir **module) {
    (void)bytes, (void)size, (void)module;
    return refuse("<memory>", options);
}

tosa_file *mlir_module_file(tosajit_mlir *module) { return (void)module, NULL; }

tosajit_status tosajit_mlir_print(const tosajit_mlir *module, char **text) {
    (void)module, (void)text;
    return refuse("<memory>", NULL);
}

tosajit_status mlir_module_outline(tosajit_mlir *module, size_t first, size_t end,
                                   tosajit_mlir_outlined *counts, tosa_epilogues *epilogues) {
    (void)module, (void)first, (void)end, (void)counts, (void)epilogues;
    return refuse("<memory>", NULL);
}
