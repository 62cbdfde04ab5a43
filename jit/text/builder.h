/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* State that builders of nodes share. Each returns false after an error, which is in b->error. */
#ifndef TOSAJIT_JIT_TEXT_BUILDER_H
#define TOSAJIT_JIT_TEXT_BUILDER_H

#include "jit/text/build.h"

/* Of a literal; of input k before it is made: INPUT_FROM - k. */
enum { PENDING = -1, INPUT_FROM = -2 };

typedef struct builder {
    const char *text;
    const text_line *line;
    const tosajit_parse_options *options;
    tosajit_expr *expr;
    tosajit_value *values;                 /* of nodes; PENDING */
    bool *used;                            /* statements: by a later one */
    size_t statement;                      /* the one being built */
    text_span inputs[TOSAJIT_MAX_TENSORS]; /* where the text first names each */
    size_t input_count;
    text_error *error;
} builder;

bool build_fail(builder *b, text_span where, const char *format, ...);
/* The library's message of a status. */
bool build_fail_status(builder *b, text_span where, tosajit_status status);
bool build_fail_no_type(builder *b, text_span where);
bool build_fail_memory(builder *b, text_span where);

tosajit_tensor_type build_type_of(const builder *b, tosajit_value value);
/* True if a node is a number or a list, which has no value yet. */
bool build_is_literal(const builder *b, int32_t node);
/* How a literal becomes a constant. */
typedef struct literal_use {
    tosajit_type element;
    int32_t rank; /* at least so many dimensions, those in front of the literal's own of size 1 */
    bool is_unsigned; /* 200 is an i8 */
} literal_use;
bool build_use_literal(builder *b, int32_t node, literal_use use, tosajit_value *value);
/* A node's value; of a literal, one of the other's element type. */
bool build_value_like(builder *b, int32_t node, tosajit_value like, tosajit_value *value);

/* A whole number, with its sign; false, and no error, if it is none. */
bool build_to_integer(const text_number *number, int64_t *integer);
/* A dimension, which counts from the end where it is negative. */
bool build_to_axis(builder *b, text_span where, const char *name, const text_number *number,
                   const tosajit_tensor_type *type, int64_t *axis);

#endif
