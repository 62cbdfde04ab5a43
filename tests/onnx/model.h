/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small ONNX models, written field by field: for tests that must hold exactly one thing. In: nodes
 * and tensors by name. Out: a file. Source of the numbers: onnx.proto of ONNX 1.12. */
#ifndef TOSAJIT_TESTS_ONNX_MODEL_H
#define TOSAJIT_TESTS_ONNX_MODEL_H

#include <stddef.h>
#include <stdint.h>

enum { MODEL_CAPACITY = 1 << 16, MODEL_MAX_DIMS = 17 };

/* Bytes of a message. */
typedef struct model_bytes {
    size_t size;
    unsigned char data[MODEL_CAPACITY];
} model_bytes;

/* A model under way: its graph so far. */
typedef struct model {
    model_bytes graph;
} model;

/* A string attribute; key null: none. */
typedef struct model_attribute {
    const char *key, *text;
} model_attribute;

void model_begin(model *m);
/* Names are words with spaces between: "x b". domain may be "". */
void model_node(model *m, const char *domain, const char *op, const char *inputs,
                const char *outputs, const model_attribute *attributes, size_t attribute_count);
/* A tosajit.Region; accuracy may be null. */
void model_region(model *m, const char *inputs, const char *outputs, const char *expression,
                  const char *accuracy);
/* A constant of rank 1, of uint8. */
void model_bytes_constant(model *m, const char *name, const void *bytes, size_t size);
/* The type of an input, an output or a value between: dims is "?,64", "N,64" or "" (rank 0). */
void model_input(model *m, const char *name, int type, const char *dims);
void model_output(model *m, const char *name, int type, const char *dims);
void model_value(model *m, const char *name, int type, const char *dims);
/* Write the file; 0 if that failed. */
int model_write(const model *m, const char *path);

#endif
