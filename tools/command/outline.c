/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit outline: a module in which every region of elementwise operations is a function of its
 * own, called from where it was; in front of it what was left, and why. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/words.h"
#include "tools/command/commands.h"
#include "tools/command/region_images.h"
#include "tools/data/output_file.h"

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
    tosajit_mlir_outlined *counts;
    const leftovers *left;
    tosa_epilogues epilogues;
    char *module;       /* of MLIR: the divided one, as text */
    tosa_file *divided; /* of MLIR the same file, of a flatbuffer another one */
    void *bytes;        /* in which that lies */
    size_t size;
} division;

static void division_release(division *d) {
    tosajit_text_release(d->module);
    if (d->divided != d->file->any) tosa_file_close(d->divided);
    free(d->bytes);
    free(d->counts);
    tosa_epilogues_release(&d->epilogues);
}

/* The name of function k of those that were divided: regions stand between those of MLIR. */
static const char *name_of(const division *d, size_t k) {
    size_t at = d->first + k;
    for (size_t j = 0; d->module && j < k; j++) at += d->counts[j].regions;
    return tosa_file_name(d->file->any, at);
}

/* True if function k of what was divided is a region: those of MLIR stand behind their functions,
 * those of a flatbuffer have new names. */
static bool is_region(const division *d, size_t k) {
    size_t index, at = d->first;
    if (!d->module) return !tosafile_has(d->file->any, tosa_file_name(d->divided, k), &index);
    for (size_t j = 0; j < d->count; at += 1 + d->counts[j++].regions)
        if (k > at && k <= at + d->counts[j].regions) return true;
    return false;
}

/* True if function k is a region, and then the function. */
static bool build_region(const division *d, size_t k, tosa_function *built) {
    return is_region(d, k) && !tosa_file_build(d->divided, k, NULL, built);
}

static int print_division(const division *d) {
    for (size_t k = 0; k < d->count; k++) print_count(name_of(d, k), &d->counts[k]);
    for (size_t k = 0; k < d->left->count; k++) print_reason(&d->left->list[k]);
    if (d->module) fputs(d->module, stdout);
    for (size_t k = 0; !d->module && k < tosa_file_count(d->divided); k++) {
        tosa_function built;
        if (!build_region(d, k, &built)) continue;
        printf("@%s ", tosa_file_name(d->divided, k));
        print_function_type(stdout, &built);
        putchar('\n');
        tosa_function_release(&built);
    }
    return EXIT_FINE;
}

static void write_counts(json *j, const division *d) {
    json_open(j, "functions", '[');
    for (size_t k = 0; k < d->count; k++) {
        json_open(j, NULL, '{');
        json_text(j, "function", name_of(d, k));
        json_integer(j, "regions", (int64_t)d->counts[k].regions);
        json_integer(j, "inside", (int64_t)d->counts[k].inside);
        json_integer(j, "left", (int64_t)d->counts[k].outside);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_reasons(json *j, const leftovers *left) {
    json_open(j, "left", '[');
    for (size_t k = 0; k < left->count; k++) {
        const reason *r = &left->list[k];
        json_open(j, NULL, '{');
        json_text(j, "reason", r->message);
        json_integer(j, "count", (int64_t)r->count);
        json_integer(j, "line", r->line);
        json_integer(j, "column", r->column);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_regions(json *j, const division *d) {
    json_open(j, "regions", '[');
    for (size_t k = 0; k < tosa_file_count(d->divided); k++) {
        tosa_function built;
        if (!build_region(d, k, &built)) continue;
        json_function(j, tosa_file_name(d->divided, k), &built);
        tosa_function_release(&built);
    }
    json_close(j, ']');
}

/* Regions without operands give the same in each call. The host would compute their operations, so
 * there should be none. */
static int64_t count_constant(const division *d) {
    int64_t count = 0;
    for (size_t k = 0; k < tosa_file_count(d->divided); k++) {
        tosa_function built;
        if (!build_region(d, k, &built)) continue;
        count += built.input_count == 0;
        tosa_function_release(&built);
    }
    return count;
}

/* True if a tile of the operand becomes that tile of the results. */
static bool keeps_tiles(tosa_file *divided, const tosa_epilogue *e) {
    tosa_function built;
    size_t index;
    if (tosa_file_find(divided, e->region, &index) || tosa_file_build(divided, index, NULL, &built))
        return false;
    const bool keeps = tosa_function_keeps_tiles(&built, e->operand);
    tosa_function_release(&built);
    return keeps;
}

static void write_epilogues(json *j, const division *d) {
    json_open(j, "epilogues", '[');
    for (size_t k = 0; k < d->epilogues.count; k++) {
        const tosa_epilogue *e = &d->epilogues.list[k];
        json_open(j, NULL, '{');
        json_text(j, "region", e->region);
        json_integer(j, "operand", (int64_t)e->operand);
        json_text(j, "product", e->product);
        json_flag(j, "alone", e->alone);
        json_flag(j, "tiles", keeps_tiles(d->divided, e));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static int write_division(const division *d) {
    json j = json_begin();
    write_counts(&j, d);
    json_integer(&j, "constant_regions", count_constant(d));
    write_reasons(&j, d->left);
    write_epilogues(&j, d);
    if (d->module)
        json_text(&j, "module", d->module);
    else
        write_regions(&j, d);
    json_end(&j);
    return EXIT_FINE;
}

static tosajit_status divide(division *d) {
    const size_t end = d->first + d->count;
    const tosajit_mlir_options options = {.size = sizeof options, .name = "the divided file"};
    if (d->file->mlir) {
        d->divided = d->file->any;
        const tosajit_status status =
            mlir_module_outline(d->file->mlir, d->first, end, d->counts, &d->epilogues);
        return status ? status : tosajit_mlir_print(d->file->mlir, &d->module);
    }
    const tosajit_status status = tosafile_outline(d->file->any, d->first, end, d->counts,
                                                   &d->epilogues, &d->bytes, &d->size);
    return status ? status : tosafile_read(d->bytes, d->size, &options, &d->divided);
}

static int write_file(const division *d, const char *path) {
    output_file out;
    bool fine = output_file_open(path, &out);
    if (fine) fwrite(d->bytes, 1, d->size, out.stream);
    fine = fine && output_file_finish(&out) && output_file_commit(&out);
    if (strcmp(path, "-") == 0) path = "standard output";
    return fine ? EXIT_FINE : command_error("%s: cannot write: %s", path, strerror(errno));
}

/* Each region as an image in the directory. */
static int write_images(const options *o, const division *d) {
    region_images images = {.directory = o->images};
    int code = region_images_open(o, &images);
    for (size_t k = 0; code == EXIT_FINE && k < tosa_file_count(d->divided); k++) {
        tosa_function built;
        if (!build_region(d, k, &built)) continue;
        code = region_images_write(&images, tosa_file_name(d->divided, k), built.expr);
        tosa_function_release(&built);
    }
    region_images_close(&images);
    return code;
}

static int outline_all(const options *o, const source *file, leftovers *left) {
    division d = {.file = file, .count = tosa_file_count(file->any), .left = left};
    if (o->entry && !find_function(o, file, &d.first)) return EXIT_USAGE;
    if (o->entry) d.count = 1;
    d.counts = calloc(d.count, sizeof *d.counts);
    if (!d.counts) return command_error("out of memory for %zu functions", d.count);
    take_findings(take, left);
    int code = EXIT_FINE;
    if (divide(&d)) /* of the file's own errors somebody was told */
        code = d.bytes ? command_error("%s", tosajit_last_error()) : EXIT_REFUSED;
    else if (left->incomplete)
        code = command_error("out of memory for what is left");
    if (code == EXIT_FINE && o->images) code = write_images(o, &d);
    if (code == EXIT_FINE && o->model) code = write_file(&d, o->model);
    const bool quiet = o->model && strcmp(o->model, "-") == 0;
    if (code == EXIT_FINE && !quiet) code = (o->json ? write_division : print_division)(&d);
    division_release(&d);
    return code;
}

int cmd_outline(const options *o) {
    leftovers left = {0};
    source file;
    int code = open_file(o, &file) ? EXIT_FINE : EXIT_REFUSED;
    if (code == EXIT_FINE && o->model && file.mlir)
        code = usage_error("outline", "-o is for flatbuffers of TOSA; a divided module of MLIR "
                                      "goes to standard output");
    if (code == EXIT_FINE && !o->images && (o->targets || o->accuracy))
        code = usage_error("outline", "--targets and --accuracy are for --images");
    if (code == EXIT_FINE) code = outline_all(o, &file, &left);
    source_close(&file);
    leftovers_release(&left);
    return code;
}
