/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading assembly of x86: lines, jumps, loops. */
#include "tests/support/assembly.h"

#include <stdlib.h>
#include <string.h>

void assembly_split(char *text, assembly_listing *l) {
    l->count = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (l->count == ASSEMBLY_MAX_LINES) abort();
        l->lines[l->count++] = line;
    }
}

bool assembly_is_instruction(const char *line) {
    return line[0] == '\t' && line[1] != '.' && line[1] != '#';
}

/* The line of the label that an instruction jumps to; -1 where it does not jump. */
static int jump_target(const assembly_listing *l, const char *line) {
    const char *label = strstr(line, "\t.L");
    if (!assembly_is_instruction(line) || line[1] != 'j' || !label) return -1;
    size_t length = strlen(++label);
    for (int k = 0; k < l->count; k++)
        if (strncmp(l->lines[k], label, length) == 0 && l->lines[k][length] == ':') return k;
    return -1;
}

/* The step of the induction variable; 128 by subtracting -128, which is the shorter
 * instruction. A loop that counts rows has one of them. */
static int step_of(const assembly_listing *l, int first, int last) {
    int step = 0;
    for (int k = first; k <= last; k++)
        if (strncmp(l->lines[k], "\taddq\t$", 7) == 0 || strncmp(l->lines[k], "\tsubq\t$-", 8) == 0)
            step = abs(atoi(l->lines[k] + 7));
        else if (step == 0 && strncmp(l->lines[k], "\tincq\t", 6) == 0)
            step = 1;
    return step;
}

assembly_loop assembly_hot_loop(const assembly_listing *l) {
    assembly_loop best = {0};
    for (int last = 0; last < l->count; last++) {
        int first = jump_target(l, l->lines[last]);
        if (first < 0 || first > last || strncmp(l->lines[last], "\tjmp", 4) == 0) continue;
        bool innermost = true;
        for (int k = first; k < last; k++)
            innermost &= jump_target(l, l->lines[k]) < first || jump_target(l, l->lines[k]) > k;
        int elements = step_of(l, first, last);
        if (innermost && elements > best.elements) best = (assembly_loop){first, last, elements};
    }
    return best;
}
