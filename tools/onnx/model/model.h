/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ONNX models as files. In: a path or bytes; out: the model's messages, as protobuf-c has them, or
 * a sentence with a place. */
#ifndef TOSAJIT_TOOLS_ONNX_MODEL_MODEL_H
#define TOSAJIT_TOOLS_ONNX_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <onnx.pb-c.h> /* generated */
#include "tools/onnx/model/arena.h"

typedef struct onnx_error {
    char text[512];
} onnx_error;

/* False, for `return onnx_refuse(...)`. */
bool onnx_refuse(onnx_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct onnx_model {
    arena memory; /* of the messages, and of what is added to them */
    Onnx__ModelProto *proto;
} onnx_model;

/* In either case onnx_model_release. The bytes may go afterwards. */
bool onnx_model_read(onnx_model *model, const void *bytes, size_t size, onnx_error *error);
/* The same of a file; "-" is standard input. */
bool onnx_model_open(onnx_model *model, const char *path, onnx_error *error);
/* Write a file as a whole, or leave what was there; "-" is standard output. */
bool onnx_model_write(const onnx_model *model, const char *path, onnx_error *error);
void onnx_model_release(onnx_model *model);

/* A text of a message, which is null where the message has none. */
const char *onnx_text(const char *text);
/* An attribute of a node, or null. */
const Onnx__AttributeProto *onnx_attribute(const Onnx__NodeProto *node, const char *name);

#endif
