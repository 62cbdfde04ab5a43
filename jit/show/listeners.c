/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Listeners: one function each. */
#include "jit/show/listeners.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jit/show/gdb.h"
#include "jit/target/object.h"
#include "jit/show/perf.h"
#include "jit/show/views.h"
#include "runtime/base/environment.h"
#include "runtime/base/memory.h"
#include "runtime/code/perf_map.h"
#include "runtime/run/verbose.h"

/* The code as an object file. */
static tosajit_status make_object(const listeners_event *o, unsigned char **bytes, size_t *size) {
    return object_write_image(o->image, o->names->list, &o->kernel->allocator, bytes, size);
}

/* ---------------------------------------------------------------------------------------------
 * Files */

/* No piece of a file stays. */
static void close_dump(const char *path, FILE *out, bool fine) {
    int reason = errno; /* of what failed before */
    fine = fine && !ferror(out);
    if (fclose(out) != 0 && fine) {
        reason = errno;
        fine = false;
    }
    if (fine) return;
    remove(path);
    fprintf(stderr, "tosajit: warning: TOSAJIT_DUMP: %s: %s\n", path, strerror(reason));
}

/* DIRECTORY/NAME.EXTENSION; null after a warning. */
static FILE *open_dump(const tosajit_kernel *kernel, const char *extension, char *path,
                       size_t capacity) {
    snprintf(path, capacity, "%s/%s.%s", environment_get()->dump_directory, kernel->name,
             extension);
    FILE *out = fopen(path, "wb");
    if (!out) fprintf(stderr, "tosajit: warning: TOSAJIT_DUMP: %s: %s\n", path, strerror(errno));
    return out;
}

enum { PATH_CAPACITY = ENVIRONMENT_PATH + 128 };

/* A text, which goes. */
static void dump_text(const tosajit_kernel *kernel, const char *extension, char *text) {
    char path[PATH_CAPACITY];
    FILE *out = open_dump(kernel, extension, path, sizeof path);
    if (out) close_dump(path, out, fputs(text, out) >= 0);
    tosajit_text_release(text);
}

static void dump_views(const listeners_event *o, unsigned wanted) {
    static const struct {
        unsigned bit;
        tosajit_view view;
        const char *extension;
    } views[] = {{DUMP_PLAN, TOSAJIT_VIEW_PLAN, "plan"},
                 {DUMP_IR, TOSAJIT_VIEW_IR, "ll"},
                 {DUMP_ASM, TOSAJIT_VIEW_ASM, "s"}};
    for (size_t k = 0; k < sizeof views / sizeof *views; k++) {
        char *text;
        if (wanted & views[k].bit && !views_print(o->engine, o->kernel, views[k].view, &text))
            dump_text(o->kernel, views[k].extension, text);
    }
}

static void dump_expression(const listeners_event *o) {
    char *text;
    if (!tosajit_expr_print(o->kernel->program, "f", &text)) dump_text(o->kernel, "mlir", text);
}

static void dump_object(const listeners_event *o) {
    char path[PATH_CAPACITY];
    unsigned char *bytes;
    size_t size;
    if (make_object(o, &bytes, &size)) return;
    FILE *out = open_dump(o->kernel, "o", path, sizeof path);
    if (out) close_dump(path, out, fwrite(bytes, 1, size, out) == size);
    memory_free(&o->kernel->allocator, bytes, size, 1);
}

void listeners_made(const tosajit_kernel *kernel, const tosajit_expr *expr,
                    const program_aids *aids) {
    char *text;
    if (environment_get()->dump & DUMP_PASSES &&
        !views_print_passes(expr, &kernel->allocator, aids, &text))
        dump_text(kernel, "passes", text);
}

/* ---------------------------------------------------------------------------------------------
 * Listeners */

static void tell_perf(const listeners_event *o, unsigned ways) {
    for (uint32_t k = 0; k < o->image->entry_count; k++) {
        const unsigned char *bytes = o->image->bytes + o->image->entries[k];
        const perf_code code = {o->names->list[k], (uintptr_t)bytes, bytes,
                                code_entry_size(o->image, k), o->image->machine};
        if (ways & PERF_MAP) perf_map_add(code.name, code.address, code.size);
        if (ways & PERF_JITDUMP) perf_jitdump_add(&code);
    }
}

static void *tell_gdb(const listeners_event *o) {
    unsigned char *bytes;
    size_t size;
    if (make_object(o, &bytes, &size)) return NULL;
    return gdb_add(bytes, size, (uintptr_t)o->image->bytes, &o->kernel->allocator);
}

void listeners_compiled(const listeners_event *o, void **handle) {
    const environment *e = environment_get();
    *handle = NULL;
    if (e->verbose & VERBOSE_COMPILE) verbose_compiled(o->kernel, TOSAJIT_OK, o->info);
    if (e->dump) dump_views(o, e->dump);
    if (e->dump & DUMP_MLIR) dump_expression(o);
    if (e->dump & DUMP_OBJ) dump_object(o);
    if (e->perf) tell_perf(o, e->perf);
    if (e->gdb) *handle = tell_gdb(o);
}

void listeners_released(void *handle) {
    if (handle) gdb_remove(handle);
}
