/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading, names and findings, which all formats have alike. */
#include "tools/tosa/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/options.h"
#include "tools/tosa/graph.h"
#include "tosajit/inspect.h"

enum {
    FIRST_CAPACITY = 64 * 1024,
    LARGEST = 1024 * 1024 * 1024, /* bytes of a file or pipe, which may be a device without end */
    ALIGNMENT = 4096, /* sections of MLIR's bytecode ask for one of the whole; none for more */
};

/* ---------------------------------------------------------------------------------------------
 * Reading */

/* Allocates memory that free releases. Windows has no such memory with an alignment, and no MLIR
 * that asks for it.
 */
static void *allocate(size_t size) {
#if defined(_WIN32)
    return malloc(size);
#else
    return aligned_alloc(ALIGNMENT, size);
#endif
}

static void *grow(void *bytes, size_t used, size_t *capacity) {
    size_t larger = *capacity ? 2 * *capacity : FIRST_CAPACITY;
    if (larger > LARGEST) larger = LARGEST + (size_t)ALIGNMENT;
    char *made = allocate(larger);
    if (made && used) memcpy(made, bytes, used);
    free(bytes);
    if (!made) errno = ENOMEM;
    *capacity = larger;
    return made;
}

void *tosa_read_all(FILE *stream, size_t *size) {
    char *bytes = NULL;
    size_t used = 0, capacity = 0;
    do {
        if (used + 1 >= capacity) bytes = grow(bytes, used, &capacity);
        if (!bytes) return NULL;
        used += fread(bytes + used, 1, capacity - used - 1, stream);
    } while (!feof(stream) && !ferror(stream) && used <= LARGEST);
    if (!ferror(stream) && used <= LARGEST) {
        bytes[used] = '\0';
        *size = used;
        return bytes;
    }
    if (used > LARGEST) errno = EFBIG;
    free(bytes);
    return NULL;
}

static bool refuse_reading(tosa_file *f) {
    if (errno == ENOMEM)
        tosa_report_file(&f->report, TOSAJIT_OUT_OF_MEMORY, "out of memory");
    else if (errno == EFBIG)
        tosa_report_file(&f->report, TOSAJIT_LIMIT_EXCEEDED,
                         "more than %d bytes, which is the most that is read", (int)LARGEST);
    else
        tosa_report_file(&f->report, TOSAJIT_INVALID_ARGUMENT, "%s", strerror(errno));
    return false;
}

bool tosa_file_read_stream(tosa_file *f, FILE *stream) {
    f->bytes = f->owned = tosa_read_all(stream, &f->size);
    return f->bytes || refuse_reading(f);
}

bool tosa_file_read_path(tosa_file *f, const char *path) {
    if (strcmp(path, "-") == 0) return tosa_file_read_stream(f, stdin);
    FILE *stream = fopen(path, "rb");
    const bool fine = stream ? tosa_file_read_stream(f, stream) : refuse_reading(f);
    if (stream) fclose(stream);
    return fine;
}

/* ---------------------------------------------------------------------------------------------
 * The file */

static tosajit_status no_memory(const tosajit_mlir_options *options, const char *name) {
    tosa_report report = {.say = options->say, .context = options->context, .file = name};
    tosa_report_file(&report, TOSAJIT_OUT_OF_MEMORY, "out of memory");
    return tosa_report_end(&report);
}

tosajit_status tosa_file_create(size_t bytes, const tosa_format *format, const char *name,
                                const tosajit_mlir_options *options, tosa_file **file) {
    tosajit_mlir_options known;
    const tosajit_status status =
        options_take(&known, sizeof known, options, "tosajit_mlir_options");
    if (status) return status;
    if (known.name) name = known.name;
    tosa_file *f = calloc(1, bytes);
    if (f) f->name = malloc(strlen(name) + 1);
    if (!f || !f->name) {
        free(f);
        return no_memory(&known, name);
    }
    strcpy(f->name, name);
    f->format = format;
    f->guard = known.guard != 0;
    f->report = (tosa_report){.say = known.say, .context = known.context, .file = f->name};
    tosa_report_begin(&f->report);
    *file = f;
    return TOSAJIT_OK;
}

tosajit_status tosa_file_opened(tosa_file *f, bool fine, tosa_file **opened) {
    const tosajit_status status = tosa_report_end(&f->report);
    if (fine)
        *opened = f;
    else
        tosa_file_close(f);
    return status;
}

bool tosa_file_add(tosa_file *f, char *shown, void *origin) {
    const bool full = f->count == f->capacity;
    const size_t larger = 2 * f->capacity + 8;
    struct tosa_named *made =
        full && shown ? realloc(f->functions, larger * sizeof *made) : f->functions;
    if (!made || !shown) {
        free(shown);
        return false;
    }
    f->functions = made;
    if (full) f->capacity = larger;
    f->functions[f->count++] = (struct tosa_named){shown, origin};
    return true;
}

void tosa_file_forget(tosa_file *f) {
    while (f->count > 0) free(f->functions[--f->count].shown);
}

void tosa_file_close(tosa_file *f) {
    if (!f) return;
    f->format->close(f);
    tosa_file_forget(f);
    free(f->functions);
    free(f->owned);
    free(f->name);
    free(f);
}

size_t tosa_file_count(const tosa_file *f) { return f ? f->count : 0; }

const char *tosa_file_name(const tosa_file *f, size_t index) {
    return f && index < f->count ? f->functions[index].shown : NULL;
}

/* "@a, @b, @c" */
static void list_names(const tosa_file *f, char *text, size_t capacity) {
    size_t used = 0;
    *text = '\0';
    for (size_t k = 0; k < f->count && used < capacity; k++)
        used += (size_t)snprintf(text + used, capacity - used, "%s@%s", k ? ", " : "",
                                 f->functions[k].shown);
}

tosajit_status tosa_file_find(tosa_file *f, const char *name, size_t *index) {
    char list[1000];
    const char *wanted = !name          ? "main"
                         : *name == '@' ? name + 1
                                        : name,
               *kind = f->format->function;
    tosa_report_begin(&f->report);
    for (size_t k = 0; k < f->count; k++)
        if ((!name && f->count == 1) || strcmp(f->functions[k].shown, wanted) == 0 ||
            (f->format->is_called && f->format->is_called(f, k, wanted))) {
            *index = k;
            return TOSAJIT_OK;
        }
    list_names(f, list, sizeof list);
    if (name)
        tosa_report_file(&f->report, TOSAJIT_INVALID_ARGUMENT,
                         "there is no %s @%.100s in this file; it has: %s", kind, wanted, list);
    else
        tosa_report_file(&f->report, TOSAJIT_INVALID_ARGUMENT,
                         "this file has several %ss, of which none is @main; choose one: %s", kind,
                         list);
    return tosa_report_end(&f->report);
}

tosajit_status tosa_file_verify(tosa_file *f) {
    if (!f->format->verify) return TOSAJIT_OK;
    tosa_report_begin(&f->report);
    f->format->verify(f);
    return tosa_report_end(&f->report);
}

/* ---------------------------------------------------------------------------------------------
 * Functions */

tosajit_status tosa_file_check_index(const tosa_file *f, size_t index) {
    if (index < f->count) return TOSAJIT_OK;
    return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s: there is no %s %zu; there %s %zu, from 0",
                      f->name, f->format->function, index, f->count == 1 ? "is" : "are", f->count);
}

tosajit_status tosa_file_build(tosa_file *f, size_t index, const tosajit_expr_options *options,
                               tosa_function *built) {
    const tosajit_status status = tosa_file_check_index(f, index);
    if (status) return status;
    tosa_report_begin(&f->report);
    f->format->build(f, index, options, built);
    return tosa_report_end(&f->report);
}

char *tosa_file_rename(const tosa_file *f, size_t index, const tosa_function *built,
                       const char *text) {
    return f->format->rename(f, index, built, text);
}

static void report(tosa_file *f, size_t index, int32_t op, const char *message) {
    tosa_report_begin(&f->report);
    f->format->error(f, index, op, message);
    tosa_report_end(&f->report);
}

void tosa_file_report(tosa_file *f, size_t index, const tosa_function *built, const char *message) {
    char *renamed = tosa_file_rename(f, index, built, message);
    report(f, index, TOSA_BLOCK, renamed ? renamed : message);
    free(renamed);
}

void tosa_file_report_step(tosa_file *f, size_t index, const tosa_step *step, const char *message) {
    char text[TOSA_MESSAGE];
    snprintf(text, sizeof text, "tosa.%s: %s", tosajit_op_name(step->op), message);
    report(f, index, step->number, text);
}
