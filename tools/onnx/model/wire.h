/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks that bytes are a message of protobuf. In: bytes, and the kind of message; out: yes, or the
 * wrong byte and why. protobuf-c reads what passes here: it says nothing but "no", and follows
 * messages within messages as deep as they go. */
#ifndef TOSAJIT_TOOLS_ONNX_MODEL_WIRE_H
#define TOSAJIT_TOOLS_ONNX_MODEL_WIRE_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_MAX_DEPTH = 100 };

/* False: *at is the byte, why a sentence. */
bool wire_check(const uint8_t *bytes, size_t size, const ProtobufCMessageDescriptor *message,
                size_t *at, char *why, size_t capacity);

#endif
