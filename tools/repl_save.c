/* One row per kind of file. A file is complete when it gets its name: it is written beside it first. */
#define _POSIX_C_SOURCE 200809L /* fileno, mkstemp */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/repl.h"
#include "tools/run_program.h"

enum { PATH = 4096 };

/* Something that can be written. In: the current kernel; out: an open file, or the name of one for another program. */
typedef struct kind {
    const char *ending;
    bool (*write)(repl *r, FILE *out, const char *path);
} kind;

static bool write_view(repl *r, tosajit_view view, FILE *out) {
    char *text = repl_print(r, view);
    if (text) fputs(text, out);
    free(text);
    return text != NULL;
}

static bool write_asm(repl *r, FILE *out, const char *path) {
    (void)path;
    return write_view(r, TOSAJIT_VIEW_ASM, out);
}

static bool write_ir(repl *r, FILE *out, const char *path) {
    (void)path;
    return write_view(r, TOSAJIT_VIEW_IR, out);
}

static bool write_plan(repl *r, FILE *out, const char *path) {
    (void)path;
    return write_view(r, TOSAJIT_VIEW_PLAN, out);
}

static bool write_mlir(repl *r, FILE *out, const char *path) {
    char *text;
    (void)path;
    if (tosajit_expr_print(r->current.program.function.expr, NULL, &text) != TOSAJIT_OK)
        return repl_fail(r, (repl_span){0, 0}, "%s", tosajit_last_error());
    fputs(text, out);
    tosajit_text_release(text);
    return true;
}

static bool write_image(repl *r, FILE *out, const char *path) {
    size_t size;
    (void)path;
    void *image = NULL;
    tosajit_status status = tosajit_kernel_save(r->current.kernel, NULL, 0, &size);
    if (!status) image = malloc(size);
    if (!status && !image) return repl_fail(r, (repl_span){0, 0}, "out of memory");
    if (!status) status = tosajit_kernel_save(r->current.kernel, image, size, &size);
    if (!status) fwrite(image, 1, size, out);
    free(image);
    return status == TOSAJIT_OK || repl_fail(r, (repl_span){0, 0}, "%s", tosajit_last_error());
}

/* The system's assembler makes an object of the assembly. */
static bool write_object(repl *r, FILE *out, const char *path) {
    FILE *source = tmpfile();
    (void)out;
    if (!source) return repl_fail(r, (repl_span){0, 0}, "no temporary file: %s", strerror(errno));
    bool fine = write_view(r, TOSAJIT_VIEW_ASM, source);
    bool whole = fflush(source) == 0 && !ferror(source) && fseek(source, 0, SEEK_SET) == 0;
    char *const words[] = {(char *)"cc", (char *)"-x", (char *)"assembler", (char *)"-c", (char *)"-", (char *)"-o", (char *)path, NULL};
    int code = fine && whole ? run_program(words, fileno(source)) : -1;
    fclose(source);
    if (!fine || code == 0) return fine;
    if (code == NO_PROGRAM) return repl_fail(r, (repl_span){0, 0}, "cc assembles objects and is not installed (apt-get install gcc)");
    return repl_fail(r, (repl_span){0, 0}, "cc fails to assemble the kernel");
}

static const kind kinds[] = {
    {".mlir", write_mlir}, {".s", write_asm}, {".o", write_object}, {".ll", write_ir}, {".plan", write_plan}, {".image", write_image},
};

static const kind *find_kind(const char *path) {
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(dot, kinds[k].ending) == 0) return &kinds[k];
    return NULL;
}

/* A new file beside path. */
static FILE *open_beside(const char *path, char temporary[PATH + 8]) {
    snprintf(temporary, PATH + 8, "%s.XXXXXX", path);
    mode_t mask = umask(0); /* mkstemp's files are their owner's alone */
    umask(mask);
    int file = mkstemp(temporary);
    if (file >= 0) fchmod(file, 0666 & ~mask);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    if (file >= 0 && !out) close(file);
    return out;
}

bool repl_save(repl *r, const repl_line *line) {
    char path[PATH], temporary[PATH + 8];
    if (line->word_count == 0)
        return repl_fail(r, (repl_span){0, 0}, ":save needs a file, as in :save k.mlir; :help save lists the endings");
    repl_span where = line->words[0];
    if (!repl_copy_word(r, where, path, sizeof path)) return false;
    const kind *k = find_kind(path);
    if (!k) return repl_fail(r, where, "%s: the ending says what to write: .mlir, .s, .o, .ll, .plan or .image", path);
    FILE *out = open_beside(path, temporary);
    if (!out) return repl_fail(r, where, "%s: %s", path, strerror(errno));
    bool fine = k->write(r, out, temporary);
    bool whole = fflush(out) == 0 && !ferror(out);
    whole = fclose(out) == 0 && whole;
    if (fine && whole && rename(temporary, path) == 0) {
        printf("wrote %s\n", path);
        return true;
    }
    if (fine) repl_fail(r, where, "%s: %s", path, strerror(errno));
    remove(temporary);
    return false;
}
