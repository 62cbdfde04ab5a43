/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loop is what lies between a label and a jump back to it; it is innermost if no other one lies
 * inside. LLVM keeps the blocks of a loop together, but for cold ones, which do not matter here. */
#include "tools/repl/asm_loops.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct loop {
    size_t first, last; /* lines */
    int width; /* of its vectors: 3 zmm, 2 ymm, 1 xmm, 0 none; q or v registers of AArch64: 1 */
} loop;

static asm_line *split(const char *text, size_t *count) {
    size_t lines = 0;
    for (const char *at = text; *at; at++) lines += *at == '\n';
    asm_line *list = calloc(lines + 1, sizeof *list);
    *count = 0;
    for (const char *at = text; list && *at;) {
        size_t length = strcspn(at, "\n");
        list[(*count)++] = (asm_line){at, length, false};
        at += length + (at[length] == '\n');
    }
    return list;
}

static bool is_label(const asm_line *line) {
    return line->length > 3 && line->text[0] == '.' && memchr(line->text, ':', line->length);
}

/* The label that ends an instruction's line, ".LBB0_12", and that is a jump's target. */
static bool jump_target(const asm_line *line, const char **label, size_t *length) {
    if (line->length == 0 || line->text[0] != '\t' || line->length < 3 || line->text[1] == '.')
        return false;
    for (size_t k = 0; k + 4 < line->length; k++) {
        if (strncmp(line->text + k, ".LBB", 4) != 0) continue;
        *label = line->text + k;
        *length = strcspn(*label, " \t,(\n");
        return true;
    }
    return false;
}

/* The line above `from` that defines a label. */
static bool find_label(const asm_line *lines, size_t from, const char *label, size_t length,
                       size_t *found) {
    for (size_t k = from; k-- > 0;) {
        *found = k;
        if (is_label(&lines[k]) && lines[k].length > length && lines[k].text[length] == ':' &&
            memcmp(lines[k].text, label, length) == 0)
            return true;
    }
    return false;
}

static bool contains(const asm_line *line, const char *word) {
    size_t length = strlen(word);
    for (size_t k = 0; k + length <= line->length; k++)
        if (memcmp(line->text + k, word, length) == 0) return true;
    return false;
}

static int width_of(const asm_line *lines, const loop *l) {
    static const struct {
        const char *text;
        int width;
    } registers[] = {{"%zmm", 3}, {"%ymm", 2}, {"%xmm", 1}, {"\tq", 1}, {"\tv", 0},
                     {".4s", 1},  {".2d", 1},  {".8h", 1},  {".16b", 1}};
    int width = 0;
    for (size_t k = l->first; k <= l->last; k++)
        for (size_t r = 0; r < sizeof registers / sizeof *registers; r++)
            if (registers[r].width > width && contains(&lines[k], registers[r].text))
                width = registers[r].width;
    return width;
}

/* Loops that have no other one inside. They end in the order of their last lines, so an outer one
 * comes behind what it has inside. */
static size_t find_innermost(const asm_line *lines, size_t count, loop *loops) {
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        const char *label;
        size_t length;
        loop l = {.last = k};
        if (!jump_target(&lines[k], &label, &length) ||
            !find_label(lines, k, label, length, &l.first))
            continue;
        bool outer = found > 0 && loops[found - 1].first > l.first;
        /* A second jump to the same label. */
        bool longer = found > 0 && loops[found - 1].first == l.first;
        if (longer) loops[found - 1].last = k;
        if (!outer && !longer) loops[found++] = l;
    }
    return found;
}

asm_line *asm_find_loops(const char *text, size_t *count) {
    asm_line *lines = split(text, count);
    loop *loops = lines ? calloc(*count + 1, sizeof *loops) : NULL;
    if (!loops) {
        free(lines);
        return NULL;
    }
    int widest = 0;
    size_t found = find_innermost(lines, *count, loops);
    for (size_t k = 0; k < found; k++) {
        loops[k].width = width_of(lines, &loops[k]);
        if (loops[k].width > widest) widest = loops[k].width;
    }
    for (size_t k = 0; k < found; k++)
        for (size_t line = loops[k].first; loops[k].width == widest && line <= loops[k].last;
             line++)
            lines[line].hot = true;
    free(loops);
    return lines;
}
