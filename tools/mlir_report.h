/* Diagnostics of the MLIR reader. In: a place in the MLIR file and what is wrong there; out: one message per finding,
 * `file:line:column: error: ...`, handed to the caller's function with control characters escaped. */
#ifndef TOSAJIT_TOOLS_MLIR_REPORT_H
#define TOSAJIT_TOOLS_MLIR_REPORT_H

#include <mlir-c/IR.h>

/* Receives a finding, without a newline at its end. */
typedef void mlir_say(void *context, const char *line);

typedef struct mlir_report {
    mlir_say *say;
    void *context;
    const char *file; /* named where a location is unknown, as in bytecode without debug information */
    bool said;        /* whether MLIR has found anything so far */
} mlir_report;

enum { MLIR_PHRASE_CAPACITY = 4096 };

/* Text that MLIR prints piece by piece; too long a text ends in "...". */
typedef struct mlir_phrase {
    size_t length;
    char text[MLIR_PHRASE_CAPACITY];
} mlir_phrase;

/* An MlirStringCallback; phrase is an mlir_phrase that began as {0}. */
void mlir_phrase_append(MlirStringRef piece, void *phrase);

void mlir_report_error(const mlir_report *report, MlirLocation location, const char *format, ...);
/* The same about the file as a whole. */
void mlir_report_file_error(const mlir_report *report, const char *format, ...);
/* Pass what MLIR itself finds in this context to report, which must outlive the context. */
void mlir_report_attach(mlir_report *report, MlirContext context);

#endif
