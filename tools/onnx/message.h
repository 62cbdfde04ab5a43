/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of a model that were not there. In: what they say; out: messages, or null if out of memory.
 * Names and texts must stay as long as the arena. */
#ifndef TOSAJIT_TOOLS_ONNX_MESSAGE_H
#define TOSAJIT_TOOLS_ONNX_MESSAGE_H

#include "tools/onnx/model/constant.h"

/* A node without attributes, with room for two, and for so many names, which are null. */
Onnx__NodeProto *message_node(arena *memory, const char *domain, const char *op, int32_t inputs,
                              int32_t outputs);
/* False if out of memory. */
bool message_add_text(arena *memory, Onnx__NodeProto *node, const char *name, const char *text);
bool message_add_number(arena *memory, Onnx__NodeProto *node, const char *name, int64_t number);
bool message_add_numbers(arena *memory, Onnx__NodeProto *node, const char *name,
                         const int64_t *numbers, size_t count);

/* A constant of this type, all its elements 0: float_data, int64_data, or int32_data of bool. */
Onnx__TensorProto *message_tensor(arena *memory, const char *name, const onnx_type *type);
/* The declaration of a value. Sizes that are not known are left out. */
Onnx__ValueInfoProto *message_value(arena *memory, const char *name, const onnx_type *type);

#endif
