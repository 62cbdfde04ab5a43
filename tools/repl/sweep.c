/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* :sweep, the last kernel over growing sizes, next to memcpy. In: sizes with an N in them, or the
 * kernel's type; out: a bar per size, and with a file name a plot that gnuplot draws. */
#define _DEFAULT_SOURCE /* fileno, struct winsize */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/data/bandwidth.h"
#include "runtime/base/escape.h"
#include "runtime/base/words.h"
#include "tools/data/output_file.h"
#include "tools/repl/data.h"
#include "tools/repl/interrupt.h"
#include "tools/repl/verbs.h"
#include "tools/base/run_program.h"
#include "tools/data/timing.h"

enum {
    FIRST = 10,
    LAST = 24,
    STEP = 1,
    POINTS = (LAST - FIRST) / STEP + 1,
    OTHER = 64,
    PATH = 4096,
    TITLE = 100
};
static const double MOST_BYTES = 3e8; /* of all tensors of a point */

typedef struct point {
    int64_t n;
    double elements, nanoseconds, rate; /* of the first result; per call; GB/s */
    double copied; /* memcpy of as many bytes, GB/s; 0 where a copy has other costs than memory's */
} point;

typedef struct sweep {
    repl *r;
    size_t operand_count, result_count;
    tosajit_tensor_type shapes[TOSAJIT_MAX_TENSORS]; /* of the operands; DYNAMIC is N */
    npy_array operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    point points[POINTS];
    size_t point_count;
    char path[PATH]; /* empty: none */
    output_file plot;
} sweep;

/* ---------------------------------------------------------------------------------------------
 * What to measure */

static bool ends_in(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

/* Sizes that a type allows, N among them. */
static bool take_shape(sweep *s, size_t k, text_span word) {
    tosajit_tensor_type *shape = &s->shapes[k], type = *shape;
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    char text[512];
    tosajit_type_print(&type, text, sizeof text);
    if (!text_parse_sizes(s->r->text + word.at, word.length, true, &rank, dims))
        return repl_fail(s->r, word, "sizes with an N expected, like Nx3");
    if (rank != type.rank)
        return repl_fail(s->r, word, "operand %zu is %s: %d size%s expected, found %d", k, text,
                         (int)type.rank, plural(type.rank), (int)rank);
    for (int32_t d = 0; d < rank; d++)
        if (type.dims[d] != TOSAJIT_DYNAMIC && type.dims[d] != dims[d])
            return repl_fail(s->r, word, "operand %zu is %s: dimension %d is always %" PRId64, k,
                             text, (int)d, type.dims[d]);
    *shape = tosajit_ranked(type.element, rank, dims);
    return true;
}

/* Without words N is the outermost dimension, counted from the right, that is dynamic anywhere;
 * other dynamic ones get a usual size. */
static void default_shapes(sweep *s) {
    int32_t outermost = 0;
    for (size_t k = 0; k < s->operand_count; k++)
        for (int32_t d = s->shapes[k].rank; d-- > 0;) {
            int32_t from_end = s->shapes[k].rank - d;
            if (s->shapes[k].dims[d] == TOSAJIT_DYNAMIC && from_end > outermost)
                outermost = from_end;
        }
    for (size_t k = 0; k < s->operand_count; k++)
        for (int32_t d = 0; d < s->shapes[k].rank; d++)
            if (s->shapes[k].dims[d] == TOSAJIT_DYNAMIC && s->shapes[k].rank - d != outermost)
                s->shapes[k].dims[d] = OTHER;
}

static bool has_n(const sweep *s) {
    for (size_t k = 0; k < s->operand_count; k++)
        for (int32_t d = 0; d < s->shapes[k].rank; d++)
            if (s->shapes[k].dims[d] == TOSAJIT_DYNAMIC) return true;
    return false;
}

static bool read_words(sweep *s, const repl_line *line) {
    size_t count = line->word_count;
    if (count > 0) {
        text_span last = line->words[count - 1];
        if (!repl_copy_word(s->r, last, s->path, sizeof s->path)) return false;
        bool is_plot = ends_in(s->path, ".svg") || ends_in(s->path, ".png");
        if (!is_plot && strchr(s->path, '.'))
            return repl_fail(s->r, last, "a plot goes to a file .svg or .png");
        if (!is_plot) s->path[0] = '\0';
        count -= is_plot;
    }
    for (size_t k = 0; k < s->operand_count; k++)
        s->shapes[k] = tosajit_kernel_operand_type(s->r->current.kernel, k);
    if (count == 0) default_shapes(s);
    if (count > 0 && count != s->operand_count)
        return repl_fail(s->r, line->words[0], "sizes of %zu operand%s expected, found %zu",
                         s->operand_count, plural(s->operand_count), count);
    for (size_t k = 0; k < count; k++)
        if (!take_shape(s, k, line->words[k])) return false;
    if (has_n(s)) return true;
    return repl_fail(s->r, (text_span){0, 0},
                     count ? "no size is N; one has to grow, as in Nx64"
                           : "all sizes of this kernel are static; a sweep needs a ? in a type");
}

/* ---------------------------------------------------------------------------------------------
 * Measuring */

static void set_dims(const sweep *s, size_t k, int64_t n, int64_t dims[TOSAJIT_MAX_RANK]) {
    for (int32_t d = 0; d < s->shapes[k].rank; d++)
        dims[d] = s->shapes[k].dims[d] == TOSAJIT_DYNAMIC ? n : s->shapes[k].dims[d];
}

/* Elements of the first result, and bytes of all tensors, at that N; false after a message. */
static bool size_point(sweep *s, int64_t n, double *elements, double *bytes) {
    int64_t dims[TOSAJIT_MAX_TENSORS][TOSAJIT_MAX_RANK], result[TOSAJIT_MAX_RANK];
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS];
    const tosajit_kernel *kernel = s->r->current.kernel;
    for (size_t k = 0; k < s->operand_count; k++) {
        set_dims(s, k, n, dims[k]);
        operands[k] = tosajit_dense(s->shapes[k].element, NULL, s->shapes[k].rank, dims[k]);
    }
    *bytes = timing_bytes(operands, s->operand_count);
    for (size_t k = 0; k < s->result_count; k++) {
        int32_t rank;
        if (tosajit_kernel_result_dims(kernel, operands, s->operand_count, k, &rank, result) !=
            TOSAJIT_OK)
            return repl_fail(s->r, (text_span){0, 0}, "N = %" PRId64 ": %s", n,
                             tosajit_last_error());
        const tosajit_tensor tensor =
            tosajit_dense(tosajit_kernel_result_type(kernel, k).element, NULL, rank, result);
        *bytes += timing_bytes(&tensor, 1);
        if (k == 0)
            *elements = timing_bytes(&tensor, 1) / (double)tosajit_type_size(tensor.element);
    }
    return true;
}

static bool make_operands(sweep *s, int64_t n) {
    for (size_t k = 0; k < s->operand_count; k++) {
        int64_t dims[TOSAJIT_MAX_RANK];
        set_dims(s, k, n, dims);
        if (!array_make(s->shapes[k].element, s->shapes[k].rank, dims, &s->operands[k]))
            return repl_fail(s->r, (text_span){0, 0}, "out of memory");
        if (!repl_fill_random(&s->operands[k], (unsigned)k + 1, true))
            return repl_fail(s->r, (text_span){0, 0}, "interrupted");
    }
    return repl_results(s->r, s->operands, s->results);
}

static const timing_limits limits = {.rounds = 15, .total_seconds = 0.2, .stop = repl_interrupted};

static bool measure_copy(sweep *s, point *p, double bytes) {
    bandwidth copy;
    if (!bandwidth_create(bytes, &copy)) return repl_fail(s->r, (text_span){0, 0}, "out of memory");
    p->copied = bandwidth_measure(&copy, &limits) * 1e-9;
    bandwidth_destroy(&copy);
    return !repl_interrupted() || repl_fail(s->r, (text_span){0, 0}, "interrupted");
}

static bool measure(sweep *s, point *p, double bytes) {
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    timing t;
    for (size_t k = 0; k < s->operand_count; k++) operands[k] = array_view(&s->operands[k]);
    for (size_t k = 0; k < s->result_count; k++) results[k] = array_view(&s->results[k]);
    if (timing_run(s->r->current.kernel, operands, s->operand_count, results, s->result_count,
                   &limits, &t) != TOSAJIT_OK)
        return repl_fail(s->r, (text_span){0, 0}, "%s", tosajit_last_error());
    if (t.rounds == 0 || repl_interrupted())
        return repl_fail(s->r, (text_span){0, 0}, "interrupted");
    p->nanoseconds = t.median * 1e9;
    p->rate = bytes / p->nanoseconds;
    return bytes < (double)REPL_COMPARED || measure_copy(s, p, bytes);
}

static bool measure_point(sweep *s, int64_t n, double elements, double bytes) {
    point *p = &s->points[s->point_count];
    *p = (point){.n = n, .elements = elements};
    memset(s->operands, 0, sizeof s->operands);
    memset(s->results, 0, sizeof s->results);
    bool fine = make_operands(s, n) && measure(s, p, bytes);
    repl_release_arrays(s->operands, s->operand_count);
    repl_release_arrays(s->results, s->result_count);
    s->point_count += fine;
    return fine;
}

/* N so that results have 1 Ki to 16 Mi elements. */
static bool measure_all(sweep *s) {
    double one, bytes;
    if (!size_point(s, 1, &one, &bytes)) return false;
    for (int exponent = FIRST; exponent <= LAST; exponent += STEP) {
        double elements, wanted = (double)(INT64_C(1) << exponent) / (one > 1 ? one : 1);
        int64_t n = wanted < 2 ? 2 : (int64_t)wanted;
        if (s->point_count > 0 && n <= s->points[s->point_count - 1].n) continue;
        if (!size_point(s, n, &elements, &bytes)) return false;
        if (bytes > MOST_BYTES) break;
        if (!measure_point(s, n, elements, bytes)) return false;
    }
    return s->point_count > 0 ||
           repl_fail(s->r, (text_span){0, 0}, "the smallest size takes more than %.3g GB",
                     MOST_BYTES / 1e9);
}

/* ---------------------------------------------------------------------------------------------
 * Showing */

/* What the rows leave of the terminal's width; 80 columns where there is no terminal. */
static int bar_width(int row) {
    enum { USUAL = 80, LEAST = 8, MOST = 60 };
    struct winsize window = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    int width = (known ? window.ws_col : USUAL) - row - 1;
    return width < LEAST ? LEAST : width > MOST ? MOST : width;
}

static void show_points(const sweep *s) {
    double most = 0;
    for (size_t k = 0; k < s->point_count; k++)
        most = s->points[k].rate > most ? s->points[k].rate : most;
    int row =
        printf("%8s %9s %9s %8s %6s %6s ", "N", "elements", "a call", "ns/elem", "GB/s", "memcpy");
    printf("GB/s of the kernel\n");
    for (size_t k = 0; k < s->point_count; k++) {
        const point *p = &s->points[k];
        char copied[16] = "";
        if (p->copied > 0) snprintf(copied, sizeof copied, "%.3g", p->copied);
        printf("%8" PRId64 " %9.0f %9s %8.3g %6.3g %6s ", p->n, p->elements,
               timing_print(p->nanoseconds * 1e-9).text, p->nanoseconds / p->elements, p->rate,
               copied);
        for (double bar = 0.5; bar <= p->rate / most * bar_width(row); bar++) putchar('#');
        putchar('\n');
    }
}

/* A text between apostrophes, which are doubled. */
static void write_quoted(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

/* What was typed: the line, or the function's name. */
static void write_title(const repl_kernel *k, FILE *out) {
    char title[3 * TITLE + 1];
    size_t length = k->length < TITLE ? k->length : TITLE;
    if (k->file)
        snprintf(title, sizeof title, "@%.*s", TITLE, tosajit_mlir_name(k->file, k->index));
    else
        escape_name(k->source, length, title, sizeof title);
    write_quoted(out, title);
}

static void write_points(const sweep *s, bool copies, FILE *out) {
    for (size_t k = 0; k < s->point_count; k++) {
        const point *p = &s->points[k];
        if (!copies || p->copied > 0)
            fprintf(out, "%.17g %.17g\n", p->elements, copies ? p->copied : p->rate);
    }
    fputs("e\n", out);
}

static void write_script(const sweep *s, FILE *out) {
    /* Or there are none: the largest point is the last one. */
    bool copies = s->points[s->point_count - 1].copied > 0;
    fprintf(out, "set terminal %s size 900,540%s\nset output ",
            ends_in(s->path, ".svg") ? "svg" : "png",
            ends_in(s->path, ".svg") ? " background rgb 'white'" : "");
    write_quoted(out, s->plot.temporary ? s->plot.temporary : s->path);
    fputs("\nset title ", out);
    write_title(&s->r->current, out);
    fputs(" noenhanced\nset logscale x 2\nset logscale y\nset format x '%.0b%B'\nset grid\nset key "
          "bottom right\n"
          "set xlabel 'elements of the result'\nset ylabel 'GB/s read and written'\nplot '-' using "
          "1:2 with linespoints lw 2 title 'kernel'",
          out);
    fputs(copies ? ", '-' using 1:2 with linespoints title 'memcpy'\n" : "\n", out);
    write_points(s, false, out);
    if (copies) write_points(s, true, out);
}

static bool draw(sweep *s) {
    FILE *script = tmpfile(); /* not a pipe: a gnuplot that does not read must not stop us */
    if (!script)
        return repl_fail(s->r, (text_span){0, 0}, "no temporary file: %s", strerror(errno));
    write_script(s, script);
    bool written = fflush(script) == 0 && fseek(script, 0, SEEK_SET) == 0;
    char *const words[] = {(char *)"gnuplot", NULL};
    int code = written ? run_program(words, fileno(script)) : -1;
    fclose(script);
    if (code == NO_PROGRAM)
        return repl_fail(
            s->r, (text_span){0, 0},
            "%s: gnuplot draws plots and is not installed (apt-get install gnuplot-nox)", s->path);
    return code == 0 || repl_fail(s->r, (text_span){0, 0}, "%s: gnuplot failed", s->path);
}

static bool plot(sweep *s) {
    bool fine = output_file_open(s->path, &s->plot);
    if (fine && !draw(s)) {
        output_file_abort(&s->plot);
        return false;
    }
    if (!fine || !output_file_finish(&s->plot) || !output_file_commit(&s->plot))
        return repl_fail(s->r, (text_span){0, 0}, "%s: %s", s->path, strerror(errno));
    printf("wrote %s\n", s->path);
    return true;
}

/* Before anything is measured: a minute's work must not be lost to a misspelled directory. */
static bool check_plot(sweep *s, const repl_line *line) {
    output_file probe;
    if (!s->path[0]) return true;
    if (!output_file_open(s->path, &probe))
        return repl_fail(s->r, line->words[line->word_count - 1], "%s: %s", s->path,
                         strerror(errno));
    output_file_abort(&probe);
    return true;
}

bool repl_sweep(repl *r, const repl_line *line) {
    static sweep s; /* too large for a stack */
    memset(&s, 0, sizeof s);
    s.r = r;
    s.operand_count = tosajit_kernel_operand_count(r->current.kernel);
    s.result_count = tosajit_kernel_result_count(r->current.kernel);
    if (!read_words(&s, line) || !check_plot(&s, line) || !measure_all(&s)) return false;
    show_points(&s);
    return !s.path[0] || plot(&s);
}
