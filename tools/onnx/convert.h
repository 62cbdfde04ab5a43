/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A model for libtosajit-onnxruntime: each region of elementwise operators is one node. In: a
 * model; out: the same model changed, and what was done and why. */
#ifndef TOSAJIT_TOOLS_ONNX_CONVERT_H
#define TOSAJIT_TOOLS_ONNX_CONVERT_H

#include "tools/onnx/model/model.h"
#include "tosajit/tosajit.h"

typedef struct onnx_options {
    int32_t least_ops;   /* operators of a region, at least */
    int64_t least_bytes; /* of the largest tensor of one operator alone, where that is known */
    tosajit_accuracy accuracy;
    int64_t block; /* channels that the engine keeps side by side; 0: the model tells it */
    bool fused;    /* the engine joins nothing more; also where the model says so itself */
    tosajit_engine *const *engines; /* one for each CPU for which the model brings code */
    size_t engine_count;            /* 0: it brings none */
    void (*progress)(void *context, size_t done, size_t all); /* nodes; may be null */
    void *context;
} onnx_options;

/* A node that a region became. */
typedef struct onnx_taken {
    const char *name, *text; /* the expression */
    int32_t nodes, inputs, outputs;
    int64_t saved; /* bytes that a call no longer moves, as far as sizes are known */
} onnx_taken;

/* A node that stays, and why; not those that are not elementwise. */
typedef struct onnx_left {
    const char *name, *op, *why;
} onnx_left;

/* All memory is the model's. */
typedef struct onnx_report {
    onnx_taken *taken;
    onnx_left *left;
    size_t taken_count, left_count;
    size_t had;                           /* regions, because it was converted before */
    size_t first;                         /* number of taken[0], behind theirs */
    size_t nodes;                         /* of the model and the graphs within it, before */
    size_t inside;                        /* of them in regions */
    size_t other;                         /* of them not elementwise */
    size_t reorderings, reorderings_left; /* ReorderOutput and ReorderInput, before and after */
    size_t image_count, image_bytes;      /* code that the model brings */
} onnx_report;

/* False after an error; then the model may be changed in part. */
bool onnx_convert(onnx_model *model, const onnx_options *options, onnx_report *report,
                  onnx_error *error);

#endif
