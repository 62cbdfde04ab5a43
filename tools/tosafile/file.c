/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file's frame: reading, versions, blocks by name. A block with several regions around it is a
 * function like any other; what calls it is left to the host. */
#include "tools/tosafile/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/escape.h"
#include "tools/tosa/build.h"
#include "tools/tosafile/describe.h"
#include "tools/tosafile/json.h"
#include "tools/tosafile/name_index.h"
#include "tools/tosafile/outline.h"

enum {
    HEAD = 64,
    MAJOR = 1, /* of TOSA's version */
    MINOR = 1,
    KNOWN_FEATURES = 1 << 1, /* of MXFP, whose tensors and operators are refused one by one */
};

typedef struct tosafile {
    tosa_file file;
    file_graph *graphs; /* as many as functions, whose names are theirs */
    name_entry *names;  /* the same, sorted */
} tosafile;

/* ---------------------------------------------------------------------------------------------
 * Reading */

bool tosafile_is_begun(const void *bytes, size_t size) {
    return flat_is_tosa(bytes, size) || file_json_is_begun(bytes, size);
}

static bool ends_in(const char *path, const char *suffix) {
    const size_t length = strlen(path), end = strlen(suffix);
    return length > end && strcmp(path + length - end, suffix) == 0;
}

bool tosafile_is_one(const char *path) {
    uint8_t head[HEAD] = {0};
    if (ends_in(path, ".tosa") || ends_in(path, ".json")) return true;
    FILE *stream = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
    const size_t found = stream ? fread(head, 1, sizeof head, stream) : 0;
    if (stream) fclose(stream);
    return tosafile_is_begun(head, found);
}

/* ---------------------------------------------------------------------------------------------
 * The frame */

static bool fail(tosafile *f, tosajit_status status, const char *text) {
    tosa_report_file(&f->file.report, status, "%s", text);
    return false;
}

static bool fail_block(tosafile *f, const file_graph *g, tosajit_status status, const char *text) {
    tosa_graph_error(&g->graph, &f->file.report, status, TOSA_BLOCK, text);
    return false;
}

static bool fail_memory(tosafile *f) { return fail(f, TOSAJIT_OUT_OF_MEMORY, "out of memory"); }

/* Refuses bytes that stand where a flatbuffer of TOSA should. */
static bool refuse_bytes(tosafile *f) {
    static const struct {
        const char *begin, *what;
    } others[] = {
        {"ML\xefR", "MLIR's bytecode; without the suffix .tosa it is read as such"},
        {"//", "MLIR's text; without the suffix .tosa it is read as such"},
        {"module", "MLIR's text; without the suffix .tosa it is read as such"},
        {"func", "MLIR's text; without the suffix .tosa it is read as such"},
    };
    size_t blank = 0;
    while (blank < f->file.size && memchr(" \t\r\n", f->file.bytes[blank], 4)) blank++;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        const size_t length = strlen(others[k].begin);
        if (f->file.size - blank < length ||
            memcmp(f->file.bytes + blank, others[k].begin, length) != 0)
            continue;
        tosa_report_file(&f->file.report, TOSAJIT_BAD_MODULE,
                         "not the flatbuffer of a TOSA file, but %s", others[k].what);
        return false;
    }
    return fail(f, TOSAJIT_BAD_MODULE,
                "neither the flatbuffer of a TOSA file, whose bytes 4 to 7 are \"TOSA\", nor its "
                "JSON form, which begins with {");
}

static bool check_version(tosafile *f, const flat_graph *g) {
    const uint64_t unknown = g->features & ~(uint64_t)KNOWN_FEATURES;
    if (g->major == MAJOR && g->minor >= 0 && g->minor <= MINOR && !unknown) return true;
    if (g->major != MAJOR || g->minor < 0 || g->minor > MINOR)
        tosa_report_file(&f->file.report, TOSAJIT_BAD_MODULE,
                         "written for TOSA %" PRId32 ".%" PRId32 "; 1.0 and 1.1 are read%s",
                         g->major, g->minor,
                         g->major == 0 ? ", in which operators have other operands" : "");
    else
        tosa_report_file(&f->file.report, TOSAJIT_BAD_MODULE,
                         "it needs readers with the features 0x%" PRIx64 ", of which 0x%" PRIx64
                         " are unknown here",
                         g->features, unknown);
    return false;
}

/* The JSON form becomes a flatbuffer, which takes its place. */
static bool read_json(tosafile *f) {
    file_json_problem problem;
    uint8_t *made =
        file_json_read((const char *)f->file.bytes, f->file.size, &f->file.size, &problem);
    free(f->file.owned);
    f->file.bytes = f->file.owned = made;
    if (made) return true;
    const tosa_place place = {.line = problem.line, .column = problem.column};
    tosa_report_tell(&f->file.report, TOSAJIT_MLIR_ERROR, problem.status, &place, problem.text);
    return false;
}

static bool check_frame(tosafile *f) {
    const char *reason;
    const bool json = !flat_is_tosa(f->file.bytes, f->file.size) &&
                      file_json_is_begun((const char *)f->file.bytes, f->file.size);
    if (json && !read_json(f)) return false;
    if (!flat_is_tosa(f->file.bytes, f->file.size)) return refuse_bytes(f);
    if (!flat_verify(f->file.bytes, f->file.size, &reason)) {
        tosa_report_file(&f->file.report, TOSAJIT_BAD_MODULE, "this flatbuffer is damaged: %s",
                         reason);
        return false;
    }
    const flat_graph g = flat_graph_of(f->file.bytes);
    return check_version(f, &g);
}

/* "main" of the only block of the region, "main/then" of others. */
static char *show_name(const flat_region *region, const flat_block *block) {
    const flat_text second = region->blocks.count == 1 ? (flat_text){"", 0} : block->name;
    const size_t capacity = (region->name.length + second.length) * ESCAPE_GROWTH + 2;
    char *shown = malloc(capacity);
    if (!shown) return NULL;
    escape_name(region->name.bytes, region->name.length, shown, capacity);
    if (region->blocks.count == 1) return shown;
    const size_t length = strlen(shown);
    shown[length] = '/';
    escape_name(second.bytes, second.length, shown + length + 1, capacity - length - 1);
    return shown;
}

static bool add_block(tosafile *f, const flat_region *region, const flat_block *block) {
    char why[TOSA_WHY], *shown = show_name(region, block);
    const size_t number = f->file.count;
    file_graph *g = &f->graphs[number];
    if (!tosa_file_add(&f->file, shown, g)) return fail_memory(f);
    f->names[number] = (name_entry){{shown, strlen(shown)}, (int32_t)number};
    if (file_graph_open(g, &file_reader, f->file.bytes, f->file.size, *block, shown, why))
        return true;
    return strcmp(why, "out of memory") == 0 ? fail_memory(f)
                                             : fail_block(f, g, TOSAJIT_BAD_MODULE, why);
}

static bool list_blocks(tosafile *f) {
    const flat_list regions = flat_graph_of(f->file.bytes).regions;
    size_t count = 0;
    for (size_t k = 0; k < regions.count; k++) count += flat_region_at(regions, k).blocks.count;
    if (count == 0) return fail(f, TOSAJIT_BAD_MODULE, "there is no block in this file");
    f->graphs = calloc(count, sizeof *f->graphs);
    f->names = calloc(count, sizeof *f->names);
    if (!f->graphs || !f->names) return fail_memory(f);
    for (size_t k = 0; k < regions.count; k++) {
        const flat_region region = flat_region_at(regions, k);
        for (size_t b = 0; b < region.blocks.count; b++) {
            const flat_block block = flat_block_at(region.blocks, b);
            if (!add_block(f, &region, &block)) return false;
        }
    }
    const name_entry *twice = name_index_sort(f->names, f->file.count);
    if (!twice) return true;
    tosa_report_file(&f->file.report, TOSAJIT_BAD_MODULE, "@%.300s is defined twice",
                     twice->name.bytes);
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * The format */

static const tosa_graph *graph_of(const tosa_file *file, size_t index) {
    return &((const file_graph *)file->functions[index].origin)->graph;
}

static bool build(tosa_file *file, size_t index, const tosajit_expr_options *options,
                  tosa_function *built) {
    return tosa_build(graph_of(file, index), options, &file->report, built);
}

static char *rename_values(const tosa_file *file, size_t index, const tosa_function *built,
                           const char *text) {
    return tosa_graph_rename(graph_of(file, index), built, text);
}

static void tell_error(tosa_file *file, size_t index, int32_t op, const char *message) {
    tosa_graph_error(graph_of(file, index), &file->report, TOSAJIT_BAD_MODULE, op, message);
}

static void close_blocks(tosa_file *file) {
    tosafile *f = (tosafile *)file;
    for (size_t k = 0; k < file->count; k++) file_graph_release(&f->graphs[k]);
    free(f->graphs);
    free(f->names);
}

static const tosa_format format = {.function = "block",
                                   .build = build,
                                   .rename = rename_values,
                                   .error = tell_error,
                                   .close = close_blocks};

/* Gives the file that has been read, if any has. */
static tosajit_status finish(tosa_file *file, bool have_bytes, tosa_file **opened) {
    tosafile *f = (tosafile *)file;
    return tosa_file_opened(file, have_bytes && check_frame(f) && list_blocks(f), opened);
}

tosajit_status tosafile_open(const char *path, const tosajit_mlir_options *options,
                             tosa_file **file) {
    tosa_file *f;
    const tosajit_status status = tosa_file_create(sizeof(tosafile), &format, path, options, &f);
    return status ? status : finish(f, tosa_file_read_path(f, path), file);
}

tosajit_status tosafile_read(const void *bytes, size_t size, const tosajit_mlir_options *options,
                             tosa_file **file) {
    tosa_file *f;
    const tosajit_status status =
        tosa_file_create(sizeof(tosafile), &format, "<memory>", options, &f);
    if (status) return status;
    f->bytes = bytes;
    f->size = size;
    return finish(f, true, file);
}

bool tosafile_is(const tosa_file *file) { return file->format == &format; }

bool tosafile_has(const tosa_file *file, const char *name, size_t *index) {
    const tosafile *f = (const tosafile *)file;
    const int32_t found = name_index_find(f->names, file->count, (flat_text){name, strlen(name)});
    if (found >= 0) *index = (size_t)found;
    return found >= 0;
}

/* ---------------------------------------------------------------------------------------------
 * Outlining */

static bool is_free(void *context, const char *name, bool *free) {
    size_t index;
    *free = !tosafile_has(context, name, &index);
    return true;
}

/* Offsets of data behind the tables are the old file's. */
static bool check_data(tosafile *f) {
    for (size_t k = 0; k < f->file.count; k++)
        for (size_t t = 0; t < f->graphs[k].block.tensors.count; t++)
            if (flat_tensor_at(f->graphs[k].block.tensors, t).offset > 1)
                return fail_block(f, &f->graphs[k], TOSAJIT_LIMIT_EXCEEDED,
                                  "outline: the file keeps data behind its tables, which can be "
                                  "read and not written");
    return true;
}

/* Regions are named after their blocks. */
static bool check_names(tosafile *f, size_t first, size_t end) {
    char text[80];
    snprintf(text, sizeof text, "outline: the block's name has more than %d bytes",
             TOSA_NAME_LIMIT);
    for (size_t k = first; k < end; k++)
        if (strlen(f->graphs[k].shown) > TOSA_NAME_LIMIT)
            return fail_block(f, &f->graphs[k], TOSAJIT_BAD_MODULE, text);
    return true;
}

/* Which blocks are divided. */
typedef struct outlining {
    size_t first, end;
    tosajit_mlir_outlined *counts;
    tosa_epilogues *epilogues;
} outlining;

static bool outline_block(tosafile *f, size_t block, const outlining *how, flat_writer *w) {
    const file_graph *g = &f->graphs[block];
    if (block < how->first || block >= how->end) return file_outline_keep(w, g);
    const file_division division = {is_free, f, &f->file.report, &how->counts[block - how->first],
                                    how->epilogues};
    return file_outline_divide(w, g, &division);
}

/* The blocks of a region one behind the other, as the file has them, then what became of them. */
static bool outline_all(tosafile *f, const outlining *how, flat_writer *w) {
    const flat_list regions = flat_graph_of(f->file.bytes).regions;
    bool fine = w != NULL;
    for (size_t k = 0, block = 0; fine && k < regions.count; k++) {
        const flat_region region = flat_region_at(regions, k);
        fine = flat_writer_region(w, region.name);
        for (size_t b = 0; fine && b < region.blocks.count; b++)
            fine = outline_block(f, block++, how, w);
    }
    return fine;
}

tosajit_status tosafile_outline(tosa_file *file, size_t first, size_t end,
                                tosajit_mlir_outlined *counts, tosa_epilogues *epilogues,
                                void **bytes, size_t *size) {
    const outlining how = {first, end, counts, epilogues};
    tosafile *f = (tosafile *)file;
    tosa_report_begin(&f->file.report);
    *bytes = NULL;
    if (check_data(f) && check_names(f, first, end)) {
        flat_writer *w = flat_writer_open(f->file.bytes, f->file.size);
        const bool fine = outline_all(f, &how, w);
        *bytes = flat_writer_close(w, fine ? size : NULL);
        if (!*bytes) fail_memory(f);
    }
    return tosa_report_end(&f->file.report);
}
