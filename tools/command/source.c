/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which reader a file is for: its first bytes tell, or its name. */
#include "tools/command/source.h"

#include <stdlib.h>
#include <string.h>

/* Standard input can be read once, so its bytes are there before anybody knows what they are. */
static tosajit_status open_input(const tosajit_mlir_options *options, source *s) {
    tosajit_mlir_options named = *options;
    size_t size = 0;
    if (!named.name) named.name = "<stdin>";
    s->bytes = tosafile_read_all(stdin, &size);
    if (!s->bytes) /* MLIR's reader finds the same, and has the words for it */
        return tosajit_mlir_open("-", options, &s->mlir);
    if (tosafile_is_begun(s->bytes, size)) return tosafile_read(s->bytes, size, &named, &s->tosa);
    const tosajit_status status = tosajit_mlir_read(s->bytes, size, &named, &s->mlir);
    free(s->bytes);
    s->bytes = NULL;
    return status;
}

tosajit_status source_open(const char *path, const tosajit_mlir_options *options, source *s) {
    memset(s, 0, sizeof *s);
    if (strcmp(path, "-") == 0) return open_input(options, s);
    if (tosafile_is_one(path)) return tosafile_open(path, options, &s->tosa);
    return tosajit_mlir_open(path, options, &s->mlir);
}

tosajit_status source_read(const char *text, size_t length, const tosajit_mlir_options *options,
                           source *s) {
    memset(s, 0, sizeof *s);
    return tosajit_mlir_read(text, length, options, &s->mlir);
}

void source_close(source *s) {
    tosajit_mlir_close(s->mlir);
    tosafile_close(s->tosa);
    free(s->bytes);
    memset(s, 0, sizeof *s);
}

tosajit_status source_verify(const source *s) {
    return s->tosa ? TOSAJIT_OK : tosajit_mlir_verify(s->mlir);
}

size_t source_count(const source *s) {
    return s->tosa ? tosafile_count(s->tosa) : tosajit_mlir_count(s->mlir);
}

const char *source_name(const source *s, size_t index) {
    return s->tosa ? tosafile_name(s->tosa, index) : tosajit_mlir_name(s->mlir, index);
}

tosajit_status source_find(const source *s, const char *name, size_t *index) {
    return s->tosa ? tosafile_find(s->tosa, name, index) : tosajit_mlir_find(s->mlir, name, index);
}

tosajit_status source_build(const source *s, size_t index, const tosajit_expr_options *options,
                            tosa_function *built) {
    return s->tosa ? tosafile_build(s->tosa, index, options, built)
                   : mlir_module_build(s->mlir, index, options, built);
}

char *source_rename(const source *s, size_t index, const tosa_function *built, const char *text) {
    return s->tosa ? tosafile_rename(s->tosa, index, built, text)
                   : mlir_module_rename(s->mlir, index, built, text);
}

void source_report(const source *s, size_t index, const tosa_function *built, const char *message) {
    if (s->tosa)
        tosafile_report(s->tosa, index, built, message);
    else
        mlir_module_report(s->mlir, index, built, message);
}

void source_report_step(const source *s, size_t index, const tosa_step *step, const char *message) {
    if (s->tosa)
        tosafile_report_step(s->tosa, index, step, message);
    else
        mlir_module_report_step(s->mlir, index, step, message);
}
