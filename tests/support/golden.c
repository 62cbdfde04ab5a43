/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Golden files, line by line. See golden.h. */
#include "tests/support/golden.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 512 };

bool golden_open(golden *g, const char *path) {
    const char *wish = getenv("TOSAJIT_GOLDEN");
    const bool writes = wish && strcmp(wish, "write") == 0;
    *g = (golden){.path = path, .file = fopen(path, writes ? "w" : "r"), .writes = writes};
    return g->file;
}

void golden_expect(golden *g, const char *line) {
    char stored[LINE];
    g->line++;
    if (g->writes) {
        fprintf(g->file, "%s\n", line ? line : "not made by this part");
        return;
    }
    if (!fgets(stored, sizeof stored, g->file)) *stored = 0;
    stored[strcspn(stored, "\n")] = 0;
    if (!line || strcmp(stored, line) == 0) return;
    g->differing++;
    fprintf(stderr, "%s:%zu: is\n  %s\nbut was\n  %s\n", g->path, g->line, line, stored);
}

bool golden_close(golden *g) {
    char more[LINE];
    const bool rest = !g->writes && fgets(more, sizeof more, g->file);
    if (rest) fprintf(stderr, "%s:%zu: nothing, but was\n  %s", g->path, g->line + 1, more);
    return fclose(g->file) == 0 && !rest && g->differing == 0;
}

uint64_t golden_hash(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t k = 0; k < size; k++) hash = (hash ^ at[k]) * UINT64_C(0x100000001b3);
    return hash;
}
