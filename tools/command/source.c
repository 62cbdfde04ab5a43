/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which reader a file is for: its first bytes tell, or its name. */
#include "tools/command/source.h"

#include <stdlib.h>
#include <string.h>

static tosajit_status take(tosajit_status status, source *s) {
    s->any = mlir_module_file(s->mlir);
    return status;
}

/* Standard input can be read once, so its bytes are there before anybody knows what they are. */
static tosajit_status open_input(const tosajit_mlir_options *options, source *s) {
    tosajit_mlir_options named = *options;
    size_t size = 0;
    if (!named.name) named.name = "<stdin>";
    void *bytes = tosa_read_all(stdin, &size);
    if (!bytes) /* MLIR's reader finds the same, and has the words for it */
        return take(tosajit_mlir_open("-", options, &s->mlir), s);
    const bool flat = tosafile_is_begun(bytes, size);
    const tosajit_status status =
        flat ? tosafile_read(bytes, size, &named, &s->any) : source_read(bytes, size, &named, s);
    if (flat && s->any && !s->any->owned) /* else it is its JSON form, which has been read */
        s->any->owned = bytes;
    else
        free(bytes);
    return status;
}

tosajit_status source_open(const char *path, const tosajit_mlir_options *options, source *s) {
    memset(s, 0, sizeof *s);
    if (strcmp(path, "-") == 0) return open_input(options, s);
    if (tosafile_is_one(path)) return tosafile_open(path, options, &s->any);
    return take(tosajit_mlir_open(path, options, &s->mlir), s);
}

tosajit_status source_read(const char *text, size_t length, const tosajit_mlir_options *options,
                           source *s) {
    memset(s, 0, sizeof *s);
    return take(tosajit_mlir_read(text, length, options, &s->mlir), s);
}

void source_close(source *s) {
    tosa_file_close(s->any);
    memset(s, 0, sizeof *s);
}
