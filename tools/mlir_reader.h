/* TOSA files. In: MLIR text or bytecode; out: the functions in it, each as an expression on request. What is wrong with a
 * file goes to the caller's report, one line per finding with file, line and column. */
#ifndef TOSAJIT_TOOLS_MLIR_READER_H
#define TOSAJIT_TOOLS_MLIR_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/mlir_function.h"
#include "tosajit/tosajit.h"

typedef struct mlir_file mlir_file;

/* Read a file, or standard input if path is "-". say receives every finding, now and later. Null after a finding. */
mlir_file *mlir_file_open(const char *path, void (*say)(void *context, const char *line), void *context);
/* The same of a text in memory, which is copied; findings call it `name`, which must stay until mlir_file_close. */
mlir_file *mlir_file_read(const char *name, const char *text, size_t length, void (*say)(void *context, const char *line), void *context);
/* Null is allowed. */
void mlir_file_close(mlir_file *file);

/* Whether MLIR's own verifier accepts the file; its findings are reported. */
bool mlir_file_verify(mlir_file *file);

/* How a function was divided; see tools/mlir_outline.h. */
typedef struct mlir_file_outlined {
    int regions, inside, outside;
} mlir_file_outlined;

/* Divide function `index` into regions for the library and the rest. The list of functions is a new one then: its first index + 1 are as
 * before, the regions follow. False after a finding. */
bool mlir_file_outline(mlir_file *file, size_t index, mlir_file_outlined *outlined);
/* The file as MLIR. */
void mlir_file_print(const mlir_file *file, FILE *out);
/* The func.func of a function, an MlirOperation's pointer, for those who know MLIR; the file's. */
void *mlir_file_operation(const mlir_file *file, size_t index);

/* The functions that have a body, in the order of the file; at least one. */
size_t mlir_file_count(const mlir_file *file);
/* Its name as it is shown: control characters and backslashes are escaped. */
const char *mlir_file_name(const mlir_file *file, size_t index);
/* Find a function by name, as it is or as it is shown, with or without "@"; null stands for the only one, or else "main". False after a
 * finding. */
bool mlir_file_find(const mlir_file *file, const char *name, size_t *index);

/* The function as an expression. False after a finding; otherwise built is released with mlir_function_release. */
bool mlir_file_build(const mlir_file *file, size_t index, int strict, mlir_function *built);
/* A text of the library with the file's names for values in place of the library's, to be freed; null if out of memory. */
char *mlir_file_rename(const mlir_file *file, size_t index, const mlir_function *built, const char *text);
/* Report something that the library said about a function, or about an op in it, at its place in the file. */
void mlir_file_report(const mlir_file *file, size_t index, const mlir_function *built, const char *message);
void mlir_file_report_step(const mlir_file *file, const mlir_step *step, const char *message);

#endif
