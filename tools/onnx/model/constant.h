/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tensors that a model knows. In: their messages; out: types and elements. */
#ifndef TOSAJIT_TOOLS_ONNX_MODEL_CONSTANT_H
#define TOSAJIT_TOOLS_ONNX_MODEL_CONSTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/onnx/model/model.h"
#include "tosajit/tosajit.h"

/* Facts about a value. An element of 0 is unknown, and so is a rank of -1; TOSAJIT_DYNAMIC is
 * a size that is not known. */
typedef struct onnx_type {
    int32_t element; /* TensorProto.DataType */
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
} onnx_type;

/* The library's type of elements; TOSAJIT_TYPE_COUNT where it has none. Of uint8 and uint16 it is
 * that of the same bits. */
tosajit_type onnx_element(int32_t element);
bool onnx_element_is_unsigned(int32_t element);
/* Bytes of an element; 0 where that is not fixed. */
int64_t onnx_element_bytes(int32_t element);
/* ONNX's name, "uint8". */
const char *onnx_element_name(int32_t element);
/* Elements of a type; -1 where a size is not known, or they are too many. */
int64_t onnx_elements(const onnx_type *type);

/* The type of what broadcasts operands of these types: ranks are extended in front, as NumPy does.
 * The element is that of a. A rank of -1 where one is unknown, or they do not broadcast. */
onnx_type onnx_broadcast(const onnx_type *a, const onnx_type *b);

onnx_type onnx_constant_type(const Onnx__TensorProto *tensor);
/* Element k as a number. False where there is none, or it is not in the model but in another file.
 */
bool onnx_constant_at(const Onnx__TensorProto *tensor, size_t k, double *value);
/* The only element of a tensor as a number of the language, "(-0.5)". False as above. */
bool onnx_constant_text(const Onnx__TensorProto *tensor, char text[32]);
/* A number of f32 as the language writes it. */
void onnx_number_text(float value, char text[32]);

#endif
