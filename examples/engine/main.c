/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The engine at work: two models, loaded once and run on batches of changing size, each result
 * compared with the reference. engine DIRECTORY      that has mlp.mlir and mobile.mlir Out: what
 * was run; exit code 1 if a result is wrong or a kernel was compiled twice. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine.h"
#include "reference.h"

static const int64_t batches[] = {1, 7, 64, 3, 1, 130};
enum { BATCHES = sizeof batches / sizeof *batches, INPUTS = 7 };

static uint32_t random_state = 1;
static uint32_t next_random(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

/* f32 in [-1, 1), i8 over its range, i32 of biases. */
static bool fill(array *a, tosajit_type element, int32_t rank, const int64_t *dims) {
    if (!array_allocate(a, element, rank, dims)) return false;
    for (int64_t k = 0; k < array_elements(a); k++) {
        int32_t bits = (int32_t)(next_random() & 0xffff) - 0x8000;
        if (element == TOSAJIT_F32)
            ((float *)a->data)[k] = (float)bits / 32768;
        else if (element == TOSAJIT_I8)
            ((int8_t *)a->data)[k] = (int8_t)(bits / 256);
        else
            ((int32_t *)a->data)[k] = bits / 8;
    }
    return true;
}

/* An argument's type; the first argument's first size is the batch. */
typedef struct argument {
    tosajit_type element;
    int32_t rank;
    int64_t dims[4];
} argument;

typedef struct test {
    const char *file;
    size_t kernels; /* regions that the file has */
    argument arguments[INPUTS];
    bool (*check)(int64_t batch, const array *inputs, const array *output);
} test;

static bool check_mlp(int64_t batch, const array *in, const array *output) {
    double worst = 0, *expected = malloc((size_t)array_elements(&in[0]) * sizeof *expected);
    if (!expected || output->element != TOSAJIT_F32 ||
        array_elements(output) != array_elements(&in[0]))
        return free(expected), false;
    reference_mlp(batch, in[0].data, in[1].data, in[2].data, in[3].data, in[4].data, in[5].data,
                  in[6].data, expected);
    for (int64_t k = 0; k < array_elements(output); k++) {
        double difference = fabs((double)((const float *)output->data)[k] - expected[k]);
        if (!(difference <= worst)) worst = difference;
    }
    free(expected);
    printf("  %3" PRId64 " tokens: largest difference %.1e\n", batch, worst);
    /* 56 products in f32, of numbers around 1, and an error doubled by the division. */
    return worst < 5e-6;
}

static bool check_mobile(int64_t batch, const array *in, const array *output) {
    int64_t count = array_elements(&in[0]), wrong = 0, moving = 0;
    int8_t *expected = malloc((size_t)count);
    if (!expected || output->element != TOSAJIT_I8 || array_elements(output) != count)
        return free(expected), false;
    reference_mobile(batch, in[0].data, in[1].data, in[2].data, in[3].data, in[4].data, in[5].data,
                     in[6].data, expected);
    for (int64_t k = 0; k < count; k++) {
        wrong += ((const int8_t *)output->data)[k] != expected[k];
        moving += expected[k] > -128 && expected[k] < 127;
    }
    free(expected);
    printf("  %3" PRId64 " images: %" PRId64 " of %" PRId64 " elements differ\n", batch, wrong,
           count);
    return wrong == 0 && moving > count / 4; /* results at the limits alone would say little */
}

static const test tests[] = {
    {"mlp.mlir",
     2,
     {{TOSAJIT_F32, 2, {0, 16}},
      {TOSAJIT_F32, 3, {1, 16, 40}},
      {TOSAJIT_F32, 3, {1, 1, 40}},
      {TOSAJIT_F32, 3, {1, 40, 16}},
      {TOSAJIT_F32, 3, {1, 1, 16}},
      {TOSAJIT_F32, 3, {1, 1, 16}},
      {TOSAJIT_F32, 3, {1, 1, 16}}},
     check_mlp},
    {"mobile.mlir",
     3,
     {{TOSAJIT_I8, 4, {0, 6, 6, 8}},
      {TOSAJIT_I8, 4, {16, 1, 1, 8}},
      {TOSAJIT_I32, 1, {16}},
      {TOSAJIT_I8, 4, {3, 3, 16, 1}},
      {TOSAJIT_I32, 1, {16}},
      {TOSAJIT_I8, 4, {8, 1, 1, 16}},
      {TOSAJIT_I32, 1, {8}}},
     check_mobile},
};

static bool run_batch(const test *t, model *m, array *inputs, int64_t batch) {
    argument first = t->arguments[0];
    const array *output;
    first.dims[0] = batch;
    return fill(&inputs[0], first.element, first.rank, first.dims) &&
           model_run(m, inputs, &output) && t->check(batch, inputs, output);
}

static bool run_test(const test *t, tosajit_engine *engine, const char *directory) {
    static model m; /* too large for a stack */
    array inputs[INPUTS] = {{0}};
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", directory, t->file);
    bool fine = model_load(&m, engine, path);
    if (fine)
        printf("%s: %zu steps, of which %zu are kernels\n", t->file, m.step_count, m.kernel_count);
    for (int k = 1; fine && k < INPUTS; k++)
        fine =
            fill(&inputs[k], t->arguments[k].element, t->arguments[k].rank, t->arguments[k].dims);
    for (int k = 0; fine && k < BATCHES; k++) fine = run_batch(t, &m, inputs, batches[k]);
    if (fine && m.kernel_count != t->kernels) {
        printf("%zu kernels were compiled, and not %zu\n", m.kernel_count, t->kernels);
        fine = false;
    }
    for (int k = 0; k < INPUTS; k++) free(inputs[k].owned);
    model_free(&m);
    return fine;
}

int main(int argc, char **argv) {
    tosajit_engine *engine = NULL;
    bool fine = argc == 2;
    if (!fine) fprintf(stderr, "usage: engine DIRECTORY\n");
    if (fine && tosajit_engine_create(NULL, &engine) != TOSAJIT_OK) {
        fprintf(stderr, "engine: %s\n", tosajit_last_error());
        fine = false;
    }
    for (size_t k = 0; fine && k < sizeof tests / sizeof *tests; k++)
        fine = run_test(&tests[k], engine, argv[1]);
    tosajit_engine_destroy(engine);
    puts(fine ? "all results agree" : "FAILED");
    return !fine;
}
