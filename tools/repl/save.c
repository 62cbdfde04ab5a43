/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* :save, one row per kind of file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/aot_object.h"
#include "tools/base/plan_svg.h"
#include "tools/data/output_file.h"
#include "tools/repl/kernel.h"
#include "tools/repl/verbs.h"
#include "tosajit/image.h"

enum { PATH = 4096 };

/* Something that can be written. In: the current kernel, and the name that the file will have; out:
 * an open file. */
typedef struct kind {
    const char *ending;
    bool (*write)(repl *r, const char *path, FILE *out);
} kind;

static bool write_view(repl *r, tosajit_view view, FILE *out) {
    char *text = repl_print(r, view);
    if (text) fputs(text, out);
    free(text);
    return text != NULL;
}

static bool write_asm(repl *r, const char *path, FILE *out) {
    (void)path;
    return write_view(r, TOSAJIT_VIEW_ASM, out);
}

static bool write_ir(repl *r, const char *path, FILE *out) {
    (void)path;
    return write_view(r, TOSAJIT_VIEW_IR, out);
}

static bool write_plan(repl *r, const char *path, FILE *out) {
    (void)path;
    return write_view(r, TOSAJIT_VIEW_PLAN, out);
}

static bool write_svg(repl *r, const char *path, FILE *out) {
    const repl_kernel *k = &r->current;
    (void)path;
    char *plan = repl_print(r, TOSAJIT_VIEW_JSON);
    const bool fine =
        plan && (plan_svg(plan, k->file ? tosa_file_name(k->file, k->index) : "main", out) ||
                 repl_fail(r, (text_span){0, 0}, "out of memory"));
    free(plan);
    return fine;
}

static bool write_mlir(repl *r, const char *path, FILE *out) {
    char *text;
    (void)path;
    if (tosajit_expr_print(r->current.function.expr, NULL, &text) != TOSAJIT_OK)
        return repl_fail(r, (text_span){0, 0}, "%s", tosajit_last_error());
    fputs(text, out);
    tosajit_text_release(text);
    return true;
}

static bool write_image(repl *r, const char *path, FILE *out) {
    size_t size;
    (void)path;
    void *image = NULL;
    tosajit_status status = tosajit_kernel_save(r->current.kernel, NULL, 0, &size);
    if (!status) image = malloc(size);
    if (!status && !image) return repl_fail(r, (text_span){0, 0}, "out of memory");
    if (!status) status = tosajit_kernel_save(r->current.kernel, image, size, &size);
    if (!status) fwrite(image, 1, size, out);
    free(image);
    return status == TOSAJIT_OK || repl_fail(r, (text_span){0, 0}, "%s", tosajit_last_error());
}

/* ---------------------------------------------------------------------------------------------
 * An object and its header, as `tosajit compile` writes them */

/* The current kernel as the one function of an object, which goes to that path; a line is called
 * main. */
static bool open_object(repl *r, const char *path, aot_object *object, aot_function *function) {
    const repl_kernel *k = &r->current;
    if (!aot_object_open(path, object))
        return repl_fail(r, (text_span){0, 0}, "%s has no name in front of the ending", path);
    function->expr = k->function.expr;
    function->kernel = k->kernel; /* which stays its owner */
    aot_object_name(object, k->file ? tosa_file_name(k->file, k->index) : "main", function);
    object->functions = function;
    object->function_count = 1;
    return true;
}

static bool write_object(repl *r, const char *path, FILE *out) {
    aot_object object;
    aot_function function;
    if (!open_object(r, path, &object, &function)) return false;
    tosajit_status status = targets_add(&object.targets, r->cpu[0] ? r->cpu : NULL, r->accuracy);
    if (!status) status = aot_object_compile(&object);
    if (!status) fwrite(object.bytes, 1, object.size, out);
    if (status) repl_fail(r, (text_span){0, 0}, "%s", tosajit_last_error());
    aot_object_close(&object);
    return status == TOSAJIT_OK;
}

static bool write_header(repl *r, const char *path, FILE *out) {
    aot_object object;
    aot_function function;
    if (!open_object(r, path, &object, &function)) return false;
    aot_header_write(out, object.stem, "a line of the REPL", &function, 1);
    aot_object_close(&object);
    return true;
}

static const kind kinds[] = {
    {".mlir", write_mlir}, {".s", write_asm},   {".o", write_object},    {".ll", write_ir},
    {".plan", write_plan}, {".svg", write_svg}, {".image", write_image},
};

static const kind *find_kind(const char *path) {
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(dot, kinds[k].ending) == 0) return &kinds[k];
    return NULL;
}

/* A header that somebody wrote himself. */
static bool is_foreign(const char *path) {
    char begin[sizeof AOT_HEADER_BEGIN] = "";
    FILE *in = fopen(path, "r");
    if (!in) return false;
    size_t length = fread(begin, 1, sizeof begin - 1, in);
    fclose(in);
    return length > 0 && strcmp(begin, AOT_HEADER_BEGIN) != 0;
}

static bool save(repl *r, text_span where, const char *path,
                 bool (*write)(repl *r, const char *path, FILE *out)) {
    output_file out;
    if (!output_file_open(path, &out)) return repl_fail(r, where, "%s: %s", path, strerror(errno));
    if (!write(r, path, out.stream)) {
        output_file_abort(&out);
        return false;
    }
    return (output_file_finish(&out) && output_file_commit(&out)) ||
           repl_fail(r, where, "%s: %s", path, strerror(errno));
}

bool repl_save(repl *r, const repl_line *line) {
    char path[PATH], header[PATH];
    if (line->word_count == 0)
        return repl_fail(r, (text_span){0, 0},
                         ":save needs a file, as in :save k.mlir; :help save lists the endings");
    text_span where = line->words[0];
    if (!repl_copy_word(r, where, path, sizeof path)) return false;
    const kind *k = find_kind(path);
    if (!k)
        return repl_fail(
            r, where,
            "%s: the ending says what to write: .mlir, .svg, .plan, .s, .ll, .o or .image", path);
    if (k->write != write_object)
        return save(r, where, path, k->write) && printf("wrote %s\n", path) > 0;
    snprintf(header, sizeof header, "%s", path);
    header[strlen(header) - 1] = 'h';
    if (is_foreign(header))
        return repl_fail(r, where, "%s is there and no header of tosajit's; choose another name",
                         header);
    return save(r, where, path, write_object) && save(r, where, header, write_header) &&
           printf("wrote %s and %s\n", path, header) > 0;
}
