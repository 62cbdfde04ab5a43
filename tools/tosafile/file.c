/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file's frame: reading, versions, blocks by name. A block with several regions around it is a
 * function like any other; what calls it is left to the host. */
#define _POSIX_C_SOURCE 200809L /* strdup, strcasecmp */
#include "tools/tosafile/file.h"

#include <errno.h>
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
    FIRST_CAPACITY = 64 * 1024,
    LARGEST = 1024 * 1024 * 1024, /* bytes of a file or pipe, which may be a device without end */
    HEAD = 64,
    MAJOR = 1, /* of TOSA's version */
    MINOR = 1,
    KNOWN_FEATURES = 1 << 1, /* of MXFP, whose tensors and operators are refused one by one */
};

struct tosafile {
    tosa_report report;
    char *name;  /* report.file; owned */
    void *owned; /* the bytes, where they are the file's own */
    const uint8_t *bytes;
    size_t size;
    file_graph *graphs;
    size_t count;
    name_entry *names; /* of graphs, as they are shown; sorted */
};

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

void *tosafile_read_all(FILE *stream, size_t *size) {
    char *bytes = NULL;
    size_t used = 0, capacity = 0;
    do {
        if (used == capacity) {
            char *larger = realloc(bytes, capacity = capacity ? 2 * capacity : FIRST_CAPACITY);
            if (!larger) break;
            bytes = larger;
        }
        used += fread(bytes + used, 1, capacity - used, stream);
    } while (!feof(stream) && !ferror(stream) && used <= LARGEST);
    if (used > LARGEST) errno = EFBIG;
    if (feof(stream) && !ferror(stream) && used <= LARGEST) {
        *size = used;
        return bytes;
    }
    free(bytes);
    return NULL;
}

static bool read_path(tosafile *f, const char *path) {
    FILE *stream = fopen(path, "rb");
    f->owned = stream ? tosafile_read_all(stream, &f->size) : NULL;
    f->bytes = f->owned;
    if (!f->owned)
        tosa_report_file(&f->report,
                         errno == EFBIG    ? TOSAJIT_LIMIT_EXCEEDED
                         : errno == ENOMEM ? TOSAJIT_OUT_OF_MEMORY
                                           : TOSAJIT_INVALID_ARGUMENT,
                         "%s", strerror(errno));
    if (stream) fclose(stream);
    return f->owned != NULL;
}

/* ---------------------------------------------------------------------------------------------
 * The frame */

static bool fail(tosafile *f, tosajit_status status, const char *text) {
    tosa_report_file(&f->report, status, "%s", text);
    return false;
}

static bool fail_block(tosafile *f, const file_graph *g, tosajit_status status, const char *text) {
    tosa_graph_error(&g->graph, &f->report, status, TOSA_BLOCK, text);
    return false;
}

static bool fail_memory(tosafile *f) { return fail(f, TOSAJIT_OUT_OF_MEMORY, "out of memory"); }

/* What stands where a flatbuffer of TOSA should. */
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
    while (blank < f->size && memchr(" \t\r\n", f->bytes[blank], 4)) blank++;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        const size_t length = strlen(others[k].begin);
        if (f->size - blank < length || memcmp(f->bytes + blank, others[k].begin, length) != 0)
            continue;
        tosa_report_file(&f->report, TOSAJIT_BAD_MODULE,
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
        tosa_report_file(&f->report, TOSAJIT_BAD_MODULE,
                         "written for TOSA %" PRId32 ".%" PRId32 "; 1.0 and 1.1 are read%s",
                         g->major, g->minor,
                         g->major == 0 ? ", in which operators have other operands" : "");
    else
        tosa_report_file(&f->report, TOSAJIT_BAD_MODULE,
                         "it needs readers with the features 0x%" PRIx64 ", of which 0x%" PRIx64
                         " are unknown here",
                         g->features, unknown);
    return false;
}

/* The JSON form becomes a flatbuffer, which takes its place. */
static bool read_json(tosafile *f) {
    file_json_problem problem;
    uint8_t *made = file_json_read((const char *)f->bytes, f->size, &f->size, &problem);
    free(f->owned);
    f->bytes = f->owned = made;
    if (made) return true;
    const tosa_place place = {.line = problem.line, .column = problem.column};
    tosa_report_tell(&f->report, TOSAJIT_MLIR_ERROR, problem.status, &place, problem.text);
    return false;
}

static bool check_frame(tosafile *f) {
    const char *reason;
    const bool json =
        !flat_is_tosa(f->bytes, f->size) && file_json_is_begun((const char *)f->bytes, f->size);
    if (json && !read_json(f)) return false;
    if (!flat_is_tosa(f->bytes, f->size)) return refuse_bytes(f);
    if (!flat_verify(f->bytes, f->size, &reason)) {
        tosa_report_file(&f->report, TOSAJIT_BAD_MODULE, "this flatbuffer is damaged: %s", reason);
        return false;
    }
    const flat_graph g = flat_graph_of(f->bytes);
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
    if (!shown) return fail_memory(f);
    file_graph *g = &f->graphs[f->count];
    f->names[f->count].name = (flat_text){shown, strlen(shown)};
    f->names[f->count].number = (int32_t)f->count;
    f->count++;
    if (file_graph_open(g, &file_reader, f->bytes, f->size, *block, shown, why)) return true;
    return strcmp(why, "out of memory") == 0 ? fail_memory(f)
                                             : fail_block(f, g, TOSAJIT_BAD_MODULE, why);
}

static bool list_blocks(tosafile *f) {
    const flat_list regions = flat_graph_of(f->bytes).regions;
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
    const name_entry *twice = name_index_sort(f->names, f->count);
    if (!twice) return true;
    tosa_report_file(&f->report, TOSAJIT_BAD_MODULE, "@%.300s is defined twice", twice->name.bytes);
    return false;
}

static tosajit_status create(const tosajit_mlir_options *options, const char *name,
                             tosafile **file) {
    tosafile *f = calloc(1, sizeof *f);
    if (f) f->name = strdup(options->name ? options->name : name);
    if (f && f->name) {
        f->report =
            (tosa_report){.say = options->say, .context = options->context, .file = f->name};
        tosa_report_begin(&f->report);
        *file = f;
        return TOSAJIT_OK;
    }
    free(f);
    return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a file");
}

/* Check what has been read, if anything has, and give it to the caller. */
static tosajit_status finish(tosafile *f, bool have_bytes, tosafile **file) {
    const bool fine = have_bytes && check_frame(f) && list_blocks(f);
    const tosajit_status status = tosa_report_end(&f->report);
    if (fine)
        *file = f;
    else
        tosafile_close(f);
    return status;
}

tosajit_status tosafile_open(const char *path, const tosajit_mlir_options *options,
                             tosafile **file) {
    tosafile *f = NULL;
    tosajit_status status = create(options, path, &f);
    return status ? status : finish(f, read_path(f, path), file);
}

tosajit_status tosafile_read(const void *bytes, size_t size, const tosajit_mlir_options *options,
                             tosafile **file) {
    tosafile *f = NULL;
    tosajit_status status = create(options, "<memory>", &f);
    if (status) return status;
    f->bytes = bytes;
    f->size = size;
    return finish(f, true, file);
}

void tosafile_close(tosafile *f) {
    if (!f) return;
    for (size_t k = 0; k < f->count; k++) file_graph_release(&f->graphs[k]);
    free(f->graphs);
    free(f->names);
    free(f->owned);
    free(f->name);
    free(f);
}

/* ---------------------------------------------------------------------------------------------
 * Blocks */

size_t tosafile_count(const tosafile *f) { return f ? f->count : 0; }

const char *tosafile_name(const tosafile *f, size_t index) {
    return index < f->count ? f->graphs[index].shown : NULL;
}

/* "@a, @b, @c" */
static void list_names(const tosafile *f, char *text, size_t capacity) {
    size_t used = 0;
    for (size_t k = 0; k < f->count && used < capacity; k++)
        used += (size_t)snprintf(text + used, capacity - used, "%s@%s", k ? ", " : "",
                                 f->graphs[k].shown);
}

bool tosafile_has(const tosafile *f, const char *name, size_t *index) {
    const int32_t found = name_index_find(f->names, f->count, (flat_text){name, strlen(name)});
    if (found >= 0) *index = (size_t)found;
    return found >= 0;
}

tosajit_status tosafile_find(tosafile *f, const char *name, size_t *index) {
    char list[1000];
    const char *wanted = !name ? "main" : *name == '@' ? name + 1 : name;
    tosa_report_begin(&f->report);
    if (!name && f->count == 1) {
        *index = 0;
        return TOSAJIT_OK;
    }
    if (tosafile_has(f, wanted, index)) return TOSAJIT_OK;
    list_names(f, list, sizeof list);
    if (name)
        tosa_report_file(&f->report, TOSAJIT_INVALID_ARGUMENT,
                         "there is no block @%.100s in this file; it has: %s", wanted, list);
    else
        tosa_report_file(&f->report, TOSAJIT_INVALID_ARGUMENT,
                         "this file has several blocks, of which none is @main; choose one: %s",
                         list);
    return tosa_report_end(&f->report);
}

tosajit_status tosafile_build(tosafile *f, size_t index, const tosajit_expr_options *options,
                              tosa_function *built) {
    tosa_report_begin(&f->report);
    tosa_build(&f->graphs[index].graph, options, &f->report, built);
    return tosa_report_end(&f->report);
}

static void report(tosafile *f, size_t index, int32_t op, const char *message) {
    tosa_report_begin(&f->report);
    tosa_graph_error(&f->graphs[index].graph, &f->report, TOSAJIT_BAD_MODULE, op, message);
    tosa_report_end(&f->report);
}

void tosafile_report_step(tosafile *f, size_t index, const tosa_step *step, const char *message) {
    char text[TOSA_MESSAGE];
    snprintf(text, sizeof text, "tosa.%s: %s", tosajit_op_name(step->op), message);
    report(f, index, step->number, text);
}

char *tosafile_rename(const tosafile *f, size_t index, const tosa_function *built,
                      const char *text) {
    return tosa_graph_rename(&f->graphs[index].graph, built, text);
}

void tosafile_report(tosafile *f, size_t index, const tosa_function *built, const char *message) {
    char *renamed = tosafile_rename(f, index, built, message);
    report(f, index, TOSA_BLOCK, renamed ? renamed : message);
    free(renamed);
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
    for (size_t k = 0; k < f->count; k++)
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

/* The blocks of a region one behind the other, as the file has them, then what became of them. */
static bool outline_region(tosafile *f, const flat_region *region, size_t block,
                           const outlining *how, file_outline *all) {
    file_outline behind = {0};
    bool fine = true;
    for (size_t b = 0; fine && b < region->blocks.count; b++, block++) {
        const file_graph *g = &f->graphs[block];
        const flat_text name = b ? (flat_text){NULL, 0} : region->name;
        const bool divided = block >= how->first && block < how->end;
        const file_division division = {is_free, f, &f->report,
                                        divided ? &how->counts[block - how->first] : NULL,
                                        how->epilogues};
        fine = divided ? file_outline_divide(all, &behind, g, name, &division)
                       : file_outline_keep(all, g, name);
    }
    return file_outline_append(all, &behind) && fine;
}

static bool outline_all(tosafile *f, const outlining *how, file_outline *all) {
    const flat_list regions = flat_graph_of(f->bytes).regions;
    for (size_t k = 0, block = 0; k < regions.count; k++) {
        const flat_region region = flat_region_at(regions, k);
        if (!outline_region(f, &region, block, how, all)) return fail_memory(f);
        block += region.blocks.count;
    }
    return true;
}

tosajit_status tosafile_outline(tosafile *f, size_t first, size_t end,
                                tosajit_mlir_outlined *counts, tosa_epilogues *epilogues,
                                void **bytes, size_t *size) {
    const outlining how = {first, end, counts, epilogues};
    file_outline all = {0};
    tosa_report_begin(&f->report);
    const bool fine = check_data(f) && check_names(f, first, end) && outline_all(f, &how, &all);
    *bytes = fine ? flat_write(f->bytes, f->size, all.parts, all.count, size) : NULL;
    file_outline_release(&all);
    if (fine && !*bytes) fail_memory(f);
    return tosa_report_end(&f->report);
}
