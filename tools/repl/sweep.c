/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* :sweep, which is :time over growing sizes. In: sizes with an N in them, or the kernel's types.
 * Out: a line for each N. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/system/system.h"
#include "tools/repl/verbs.h"
#include "tosajit/inspect.h"

static const double LEAST = 1 << 10, MOST = 1 << 24; /* elements of the largest operand */
#define OTHER "64"                                   /* what is dynamic and no N */

/* Of a word of sizes that has an N; 0: there is none. */
static double count_elements(const char *word, size_t length, int64_t n) {
    double count = 1;
    if (strspn(word, "0123456789xN") < length || !memchr(word, 'N', length)) return 0;
    for (size_t k = 0; k < length; k++)
        if (k == 0 || word[k - 1] == 'x')
            count *= word[k] == 'N' ? (double)n : strtod(word + k, NULL);
    return count;
}

/* ":time 1024x64 1x64" of "Nx64 1x64", for N of 1024. The elements of the largest operand. */
static double write_command(const char *words, int64_t n, FILE *out) {
    double most = 0;
    fputs(":time", out);
    while (*words) {
        const size_t length = strcspn(words, " ");
        const double count = count_elements(words, length, n);
        fputc(' ', out);
        for (size_t k = 0; k < length; k++)
            if (count > 0 && words[k] == 'N')
                fprintf(out, "%" PRId64, n);
            else
                fputc(words[k], out);
        if (count > most) most = count;
        words += length + (words[length] == ' ');
    }
    return most;
}

/* Without words N is the outermost dimension, counted from the right, that is dynamic anywhere. */
static void write_types(const tosajit_kernel *kernel, FILE *out) {
    const size_t count = tosajit_kernel_operand_count(kernel);
    int32_t outermost = 0;
    for (size_t k = 0; k < count; k++) {
        const tosajit_tensor_type type = tosajit_kernel_operand_type(kernel, k);
        for (int32_t d = 0; d < type.rank; d++)
            if (type.dims[d] == TOSAJIT_DYNAMIC && type.rank - d > outermost)
                outermost = type.rank - d;
    }
    for (size_t k = 0; k < count; k++) {
        const tosajit_tensor_type type = tosajit_kernel_operand_type(kernel, k);
        for (int32_t d = 0; d < type.rank; d++) {
            if (d > 0) fputc('x', out);
            if (type.dims[d] != TOSAJIT_DYNAMIC)
                fprintf(out, "%" PRId64, type.dims[d]);
            else
                fputs(type.rank - d == outermost ? "N" : OTHER, out);
        }
        fputs(type.rank == 0 ? "_ " : " ", out);
    }
}

static char *sizes_of(const repl *r, const repl_line *line) {
    char *words = NULL;
    size_t size;
    FILE *out = system_text_open(&words, &size);
    if (!out) return NULL;
    if (line->word_count == 0) write_types(r->current.kernel, out);
    for (size_t k = 0; k < line->word_count; k++)
        fprintf(out, "%.*s ", (int)line->words[k].length, r->text + line->words[k].at);
    return system_text_close(out) ? words : NULL;
}

/* As if the command had been typed, which is what messages show. */
static bool answer(repl *r, const char *command, size_t length, int64_t n) {
    const char *text = r->text;
    const size_t all = r->length;
    repl_line line;
    text_error error;
    repl_begin(r, command, length, r->line);
    bool fine = repl_parse_command(command, length, &line, &error) || repl_fail_at(r, &error);
    if (fine) {
        fine = repl_time_of(r, &line, n);
        repl_line_release(&line);
    }
    repl_begin(r, text, all, r->line);
    return fine;
}

bool repl_sweep(repl *r, const repl_line *line) {
    char *words = sizes_of(r, line);
    bool fine = words != NULL;
    double elements = 0;
    for (int64_t n = 2; fine && elements < MOST; n *= 2) {
        char *command = NULL;
        size_t length;
        FILE *out = system_text_open(&command, &length);
        elements = out ? write_command(words, n, out) : 0;
        fine = out && system_text_close(out);
        if (fine && elements == 0)
            fine =
                repl_fail(r, (text_span){0, 0}, "%s",
                          line->word_count
                              ? "no size is N; one has to grow, as in Nx64"
                              : "all sizes of this kernel are static; a sweep needs a ? in a type");
        if (fine && elements >= LEAST) fine = answer(r, command, length, n);
        free(command);
    }
    free(words);
    return fine;
}
