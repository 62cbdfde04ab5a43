/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A module that was read, as the reader and the command see it; others have tosajit/mlir.h. In:
 * MLIR text or bytecode; out: the functions in it, each as an expression with the steps it was made
 * from. */
#ifndef TOSAJIT_TOOLS_MLIR_MODULE_H
#define TOSAJIT_TOOLS_MLIR_MODULE_H

#include <stdint.h>

#include "tools/tosa/epilogue.h"
#include "tools/tosa/file.h"
#include "tosajit/mlir.h"

/* The module as a file of any format; null for null. */
tosa_file *mlir_module_file(tosajit_mlir *module);
/* Divide functions first to end - 1, as tosajit_mlir_outline does, in time that is linear in all of
 * them together. counts has room for each. Epilogues are added to their list, which may be null. */
tosajit_status mlir_module_outline(tosajit_mlir *module, size_t first, size_t end,
                                   tosajit_mlir_outlined *counts, tosa_epilogues *epilogues);
/* A number that no other state of any module has: functions built from this module have its
 * operations while the number is the same. */
uint64_t mlir_module_state(const tosajit_mlir *module);

/* The reader as the command has it, which loads libtosajit-mlir with its first file of MLIR. */
typedef struct mlir_reader {
    int version[3]; /* TOSAJIT_VERSION_MAJOR, _MINOR, _PATCH: those of one version share structs */
    tosajit_status (*open)(const char *path, const tosajit_mlir_options *options,
                           tosajit_mlir **module);
    tosajit_status (*read)(const void *bytes, size_t size, const tosajit_mlir_options *options,
                           tosajit_mlir **module);
    tosajit_status (*print)(const tosajit_mlir *module, char **text);
    tosa_file *(*file)(tosajit_mlir *module);
    tosajit_status (*outline)(tosajit_mlir *module, size_t first, size_t end,
                              tosajit_mlir_outlined *counts, tosa_epilogues *epilogues);
} mlir_reader;
TOSAJIT_API extern const mlir_reader tosajit_private_mlir;

#endif
