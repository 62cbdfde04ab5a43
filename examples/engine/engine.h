/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A small inference engine: it runs a TOSA function, the elementwise regions as kernels of tosajit,
 * the other ops in plain C. In: an .mlir file. Out: a model that runs on inputs of any batch size;
 * nothing is compiled after it was loaded. */
#ifndef ENGINE_H
#define ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <tosajit/tosajit.h>

enum { MAX_VALUES = 128, MAX_STEPS = 64, MAX_PORTS = 16, MAX_NUMBERS = 8 };

/* A dense tensor; the engine's own have their memory in `owned`. */
typedef struct array {
    tosajit_type element;
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    void *data, *owned;
} array;

/* One op of the model. Values are slots of the model's table. */
typedef struct step step;
struct step {
    bool (*run)(const step *s, array *values);
    tosajit_kernel *kernel; /* of a region; held */
    size_t input_count, output_count;
    int inputs[MAX_PORTS], outputs[MAX_PORTS];
    tosajit_type element;             /* of output 0 */
    int64_t numbers[2 * MAX_NUMBERS]; /* attributes: pad and stride of a convolution, the axis of a
                                         reduction, a shape */
};

typedef struct model {
    size_t input_count, output_count, step_count, value_count, kernel_count;
    int outputs[MAX_PORTS];
    step steps[MAX_STEPS];
    array values[MAX_VALUES]; /* inputs first; constants are there from the beginning */
} model;

/* Read the first function of the file, divide it, and compile its regions. False after a message.
 * model_free in either case. */
bool model_load(model *m, tosajit_engine *engine, const char *path);
/* Inputs are the caller's. The outputs are the model's until the next run. False after a message.
 */
bool model_run(model *m, const array *inputs, const array **outputs);
void model_free(model *m);

/* Memory for a value of this shape; what it had is released. */
bool array_allocate(array *a, tosajit_type element, int32_t rank, const int64_t *dims);
int64_t array_elements(const array *a);

/* Ops that are not elementwise (ops.c). */
bool run_matmul(const step *s, array *values);
bool run_reshape(const step *s, array *values);
bool run_conv2d(const step *s, array *values);
bool run_depthwise_conv2d(const step *s, array *values);

#endif
