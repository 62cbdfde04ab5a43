/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Time and memory of the command for four times as much: not sixteen times the processor time.
 *   scale_test build/tools/tosajit
 * Each row is a command and an input; the smaller input takes so long that starting the command is
 * little of it. */
#define _DEFAULT_SOURCE /* wait4 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/scratch.h"

enum { TIMES = 4, MOST_RATIO = 9, TURNS = 3 };
static const char *tool;

#define T "tensor<1x4x4xf32>"
#define MATMUL(k, a)                                                                               \
    "  %%%d = tosa.matmul " a ", %%w, %%z, %%z : (" T ", " T                                       \
    ", tensor<1xf32>, tensor<1xf32>) -> " T "\n"
#define ADD "(" T ", " T ") -> " T "\n"

static void write_functions(FILE *out, int count) {
    for (int k = 0; k < count; k++)
        fprintf(out,
                "func.func @f%d(%%a: " T ") -> " T " {\n  %%0 = tosa.abs %%a : (" T ") -> " T
                "\n  return %%0 : " T "\n}\n",
                k);
}

/* Each is refused for its sizes, in words that have the names of its values. */
static void write_refused(FILE *out, int count) {
    for (int k = 0; k < count; k++)
        fprintf(
            out,
            "func.func @f%d(%%a: tensor<2xf32>, %%b: tensor<3xf32>) -> tensor<2xf32> {\n  %%c = "
            "tosa.add %%a, %%b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n  return %%c "
            ": tensor<2xf32>\n}\n",
            k);
}

static void begin_function(FILE *out) {
    fputs("func.func @f(%v: " T ", %w: " T ") -> " T " {\n  %z = \"tosa.const\"() <{values = "
          "dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>\n  %0 = tosa.exp %v : (" T ") -> " T
          "\n",
          out);
}

static void end_function(FILE *out, int last) { fprintf(out, "  return %%%d : " T "\n}\n", last); }

/* One region of all ops. */
static void write_chain(FILE *out, int count) {
    begin_function(out);
    for (int k = 1; k < count; k++) fprintf(out, "  %%%d = tosa.add %%%d, %%v : " ADD, k, k - 1);
    end_function(out, count - 1);
}

/* Regions between products. */
static void write_layers(FILE *out, int count) {
    begin_function(out);
    for (int k = 1; k < count; k++)
        if (k % 3)
            fprintf(out, "  %%%d = tosa.add %%%d, %%%d : " ADD, k, k - 1, k > 1 ? k - 2 : 0);
        else
            fprintf(out, MATMUL(k, "%%%d"), k, k - 1);
    end_function(out, count - 1);
}

/* A value that all layers read: each must find the path from the first one. */
static void write_shared(FILE *out, int count) {
    begin_function(out);
    for (int k = 1; k < count; k++)
        if (k % 2)
            fprintf(out, MATMUL(k, "%%%d"), k, k - 1);
        else
            fprintf(out, "  %%%d = tosa.add %%0, %%%d : " ADD, k, k - 1);
    end_function(out, count - 1);
}

/* One region of cheap ops that is compiled: code is generated for each. */
static void write_sums(FILE *out, int count) {
    fputs("func.func @f(%v: tensor<4xi32>) -> tensor<4xi32> {\n", out);
    for (int k = 0; k < count; k++)
        fprintf(out,
                k ? "  %%%d = tosa.add %%%d, %%v : (tensor<4xi32>, tensor<4xi32>) -> "
                    "tensor<4xi32>\n"
                  : "  %%%d = tosa.abs %%v : (tensor<4xi32>) -> tensor<4xi32>\n",
                k, k - 1);
    fprintf(out, "  return %%%d : tensor<4xi32>\n}\n", count - 1);
}

/* A line of the REPL. */
static void write_sum(FILE *out, int count) {
    fputs("x", out);
    for (int k = 1; k < count; k++) fputs(" + x", out);
    fputs(" : f32[?]\n", out);
}

/* Of the function of sums: a .npy file of four elements. */
static void write_operand(void) {
    static const char header[] = "{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }";
    char file[SCRATCH_SIZE + 16];
    snprintf(file, sizeof file, "%s/x.npy", scratch);
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    fprintf(out, "\x93NUMPY%c%c%c%c%-117s\n", 1, 0, 118, 0, header);
    assert_int_equal(fwrite((int32_t[]){1, 2, 3, 4}, sizeof(int32_t), 4, out), 4);
    assert_int_equal(fclose(out), 0);
}

typedef struct row {
    const char *command; /* null: the REPL */
    void (*write)(FILE *out, int count);
    int count, code;
    const char *words[4]; /* after the file */
} row;

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec * 1e-6; }

static void become_tool(const row *w, const char *file) {
    int in = open(file, O_RDONLY), out = open("/dev/null", O_WRONLY);
    if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(126);
    if (chdir(scratch) != 0) _exit(125);
    execl(tool, tool, w->command, w->command ? file : NULL, w->words[0], w->words[1], w->words[2],
          w->words[3], (char *)NULL);
    _exit(127);
}

/* Processor time of the command on a file. */
static double measure(const row *w, const char *file) {
    struct rusage used;
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) become_tool(w, file);
    assert_int_equal(wait4(child, &status, 0, &used), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), w->code);
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

static double measure_size(const row *w, int count) {
    char file[SCRATCH_SIZE + 16];
    snprintf(file, sizeof file, "%s/input", scratch);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    w->write(out, count);
    assert_int_equal(fclose(out), 0);
    return measure(w, file);
}

/* The least times of the row's input and of the larger one: no more turns than the answer takes. */
static bool measure_row(const row *w, size_t k) {
    double least[2] = {1e9, 1e9};
    bool fine = false;
    for (int turn = 0; turn < TURNS && !fine; turn++) {
        for (int more = 0; more < 2; more++) {
            const double took = measure_size(w, more ? TIMES * w->count : w->count);
            if (took < least[more]) least[more] = took;
        }
        fine = least[1] < (double)MOST_RATIO * least[0];
    }
    print_message("%-8s row %zu: %6d %.3f s, %6d %.3f s, %.1f times%s\n",
                  w->command ? w->command : "repl", k, w->count, least[0], TIMES * w->count,
                  least[1], least[1] / least[0], fine ? "" : "  FAILED");
    return fine;
}

static void four_times_as_much_takes_no_sixteen_times(void **state) {
    static const row rows[] = {
        {"verify", write_functions, 2000, 0, {NULL}},
        {"verify", write_refused, 1000, 1, {NULL}},
        {"verify", write_chain, 8000, 0, {NULL}},
        {"plan", write_chain, 4000, 0, {NULL}},
        {"explain", write_chain, 1000, 0, {NULL}},
        {"outline", write_functions, 1000, 0, {NULL}},
        {"outline", write_chain, 4000, 0, {NULL}},
        {"outline", write_layers, 4000, 0, {NULL}},
        {"outline", write_shared, 4000, 0, {NULL}},
        {NULL, write_functions, 40, 0, {NULL}},
        {NULL, write_refused, 400, 1, {NULL}},
        {NULL, write_sum, 500, 0, {NULL}},
        {"run", write_sums, 2000, 0, {"--input", "x.npy"}},
        {"asm", write_sums, 2000, 0, {NULL}},
        {"compile", write_sums, 2000, 0, {"-o", "r.o", "--header", "r.h"}},
        {"compile", write_functions, 40, 0, {"-o", "r.o", "--header", "r.h"}},
    };
    int failures = 0;
    write_operand();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) failures += !measure_row(&rows[k], k);
    assert_int_equal(failures, 0);
}

int main(int count, char **words) {
    if (count != 2) return 2;
    tool = words[1];
    return TEST_RUN(NULL, NULL, TEST_IN_SCRATCH(four_times_as_much_takes_no_sixteen_times));
}
