/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit outline: a module in which every region of elementwise operations is a function of its
 * own, called from where it was; in front of it what was left, and why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/words.h"
#include "tools/command/commands.h"

/* Ops that were left for the same reason: a model has hundreds of matmuls. */
typedef struct reason {
    char *message; /* owned */
    int32_t line, column;
    size_t count;
} reason;

typedef struct leftovers {
    reason *list;
    size_t count;
    bool incomplete; /* out of memory */
} leftovers;

static bool add_reason(leftovers *l, const tosajit_mlir_finding *finding) {
    reason *list = realloc(l->list, (l->count + 1) * sizeof *list);
    if (!list) return false;
    l->list = list;
    char *message = malloc(strlen(finding->message) + 1);
    if (!message) return false;
    strcpy(message, finding->message);
    list[l->count++] = (reason){message, finding->line, finding->column, 1};
    return true;
}

/* Remarks are about ops that are left. */
static void take(void *context, const tosajit_mlir_finding *finding) {
    leftovers *l = context;
    if (finding->severity != TOSAJIT_MLIR_REMARK) {
        print_finding(NULL, finding);
        return;
    }
    for (size_t k = 0; k < l->count; k++)
        if (strcmp(l->list[k].message, finding->message) == 0) {
            l->list[k].count++;
            return;
        }
    if (!add_reason(l, finding)) l->incomplete = true;
}

static void leftovers_release(leftovers *l) {
    for (size_t k = 0; k < l->count; k++) free(l->list[k].message);
    free(l->list);
}

/* A function by its name, because those that outlining adds stand in between. */
static void print_count(const char *name, const tosajit_mlir_outlined *c) {
    printf("// @%s: %zu operation%s in %zu region%s for tosajit, %zu left\n", name, c->inside,
           plural(c->inside), c->regions, plural(c->regions), c->outside);
}

/* "// left, 3 times, first at 7:10: tosa.matmul: ..." */
static void print_reason(const reason *r) {
    printf("// left");
    if (r->count > 1) printf(", %zu times", r->count);
    if (r->line > 0)
        printf(", %sat %d:%d", r->count > 1 ? "first " : "", (int)r->line, (int)r->column);
    printf(": ");
    for (const char *at = r->message; *at; at++) putchar(*at == '\n' ? ' ' : *at);
    putchar('\n');
}

typedef struct division {
    const source *file;
    size_t first, count; /* functions that were divided */
    const tosajit_mlir_outlined *counts;
    const leftovers *left;
} division;

static void print_division(const division *d, const char *module) {
    for (size_t k = 0, at = d->first; k < d->count; at += 1 + d->counts[k++].regions)
        print_count(source_name(d->file, at), &d->counts[k]);
    for (size_t k = 0; k < d->left->count; k++) print_reason(&d->left->list[k]);
    fputs(module, stdout);
}

static void write_counts(json *j, const division *d) {
    json_open(j, "functions", '[');
    for (size_t k = 0, at = d->first; k < d->count; at += 1 + d->counts[k++].regions) {
        json_open(j, NULL, '{');
        json_text(j, "function", source_name(d->file, at));
        json_integer(j, "regions", (int64_t)d->counts[k].regions);
        json_integer(j, "inside", (int64_t)d->counts[k].inside);
        json_integer(j, "left", (int64_t)d->counts[k].outside);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_division(const division *d, const char *module) {
    json j = json_begin();
    write_counts(&j, d);
    json_open(&j, "left", '[');
    for (size_t k = 0; k < d->left->count; k++) {
        const reason *r = &d->left->list[k];
        json_open(&j, NULL, '{');
        json_text(&j, "reason", r->message);
        json_integer(&j, "count", (int64_t)r->count);
        json_integer(&j, "line", r->line);
        json_integer(&j, "column", r->column);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_text(&j, "module", module);
    json_end(&j);
}

/* The whole of it, with what no kernel can have, is text of MLIR. */
static int refuse_flatbuffer(const options *o) {
    return command_error("%s: regions are functions of a module of MLIR, and this file is none; "
                         "`tosa-opt --tosa-deserialize --tosa-deserialize-filename=FILE` of "
                         "tosa-tools makes one of it",
                         o->file);
}

static int outline_all(const options *o, const source *file, leftovers *left) {
    division d = {.file = file, .count = source_count(file), .left = left};
    if (o->entry && !find_function(o, file, &d.first)) return EXIT_USAGE;
    if (o->entry) d.count = 1;
    tosajit_mlir_outlined *counts = calloc(d.count, sizeof *counts);
    if (!counts) return command_error("out of memory for %zu functions", d.count);
    d.counts = counts;
    take_findings(take, left);
    char *text = NULL;
    int code = EXIT_FINE;
    if (mlir_module_outline(file->mlir, d.first, d.first + d.count, counts))
        code = EXIT_REFUSED;
    else if (left->incomplete)
        code = command_error("out of memory for what is left");
    else if (tosajit_mlir_print(file->mlir, &text))
        code = command_error("%s", tosajit_last_error());
    if (code == EXIT_FINE) (o->json ? write_division : print_division)(&d, text);
    tosajit_text_release(text);
    free(counts);
    return code;
}

int cmd_outline(const options *o) {
    leftovers left = {0};
    source file;
    const bool open = open_file(o, &file);
    const int code = !open       ? EXIT_REFUSED
                     : file.tosa ? refuse_flatbuffer(o)
                                 : outline_all(o, &file, &left);
    source_close(&file);
    leftovers_release(&left);
    return code;
}
