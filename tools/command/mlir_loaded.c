/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tools/mlir as the command has it: libtosajit-mlir, which is loaded by the first file of MLIR. It
 * brings MLIR and LLVM, whose loading is three quarters of the start of a command that needs
 * neither. Where there is no such library, no file is MLIR's, and nobody has a module of it. */
#include <string.h>

#include "runtime/system/system.h"
#include "tools/mlir/module.h"
#include "tools/tosa/report.h"

/* Its name; none where the command is built without MLIR. */
#ifdef TOSAJIT_MLIR_LIBRARY
static const char library_name[] = TOSAJIT_MLIR_LIBRARY;
#else
static const char library_name[] = "";
#endif

/* The reader; or null, with the reason. */
static const mlir_reader *find_reader(const char **why) {
    static const int version[] = {TOSAJIT_VERSION_MAJOR, TOSAJIT_VERSION_MINOR,
                                  TOSAJIT_VERSION_PATCH};
    static const mlir_reader *known;
    if (known) return known;
    system_no_library reason = {"this tosajit was built without MLIR", false};
    void *library = *library_name ? system_library_open(library_name, false, &reason) : NULL;
    const mlir_reader *found =
        library ? system_library_symbol(library, "tosajit_private_mlir", &reason) : NULL;
    *why = reason.why;
    if (!found) return NULL;
    *why = "libtosajit-mlir is of another version than this tosajit";
    return memcmp(found->version, version, sizeof version) == 0 ? known = found : NULL;
}

static tosajit_status refuse(const char *path, const tosajit_mlir_options *options,
                             const char *why) {
    tosa_report report = {.file = options && options->name ? options->name : path};
    if (options) report.say = options->say, report.context = options->context;
    tosa_report_file(&report, TOSAJIT_BAD_MODULE,
                     "%s; without it tosajit reads flatbuffers of TOSA, which `tosa-opt "
                     "--tosa-serialize` writes, and lines behind -c, but neither MLIR nor --expr",
                     why);
    return tosa_report_end(&report);
}

tosajit_status tosajit_mlir_open(const char *path, const tosajit_mlir_options *options,
                                 tosajit_mlir **module) {
    const char *why;
    const mlir_reader *reader = find_reader(&why);
    return reader ? reader->open(path, options, module) : refuse(path, options, why);
}

tosajit_status tosajit_mlir_read(const void *bytes, size_t size,
                                 const tosajit_mlir_options *options, tosajit_mlir **module) {
    const char *why;
    const mlir_reader *reader = find_reader(&why);
    return reader ? reader->read(bytes, size, options, module) : refuse("<memory>", options, why);
}

/* Whoever has a module has the reader. */
static const mlir_reader *reader_of(const tosajit_mlir *module) {
    const char *why;
    return module ? find_reader(&why) : NULL;
}

tosa_file *mlir_module_file(tosajit_mlir *module) {
    const mlir_reader *reader = reader_of(module);
    return reader ? reader->file(module) : NULL;
}

tosajit_status tosajit_mlir_print(const tosajit_mlir *module, char **text) {
    return reader_of(module)->print(module, text);
}

tosajit_status mlir_module_outline(tosajit_mlir *module, size_t first, size_t end,
                                   tosajit_mlir_outlined *counts, tosa_epilogues *epilogues) {
    return reader_of(module)->outline(module, first, end, counts, epilogues);
}
