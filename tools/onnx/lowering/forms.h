/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elementwise operators of ONNX in the language of docs/language.md. In: a node; out: the operator
 * as a text, or the reason why no text says the same. */
#ifndef TOSAJIT_TOOLS_ONNX_LOWERING_FORMS_H
#define TOSAJIT_TOOLS_ONNX_LOWERING_FORMS_H

#include "runtime/base/bytes.h"
#include "tools/onnx/model/graph.h"

typedef struct onnx_form onnx_form;

/* Null: the node is not elementwise, or nothing says what it is. */
const onnx_form *onnx_form_of(const onnx_node *node);
/* The type of the node's result. */
onnx_type onnx_form_type(const onnx_graph *g, const onnx_node *node, const onnx_form *form);
/* As how many operations of the engine it counts: HardSwish is two. */
int32_t onnx_form_weight(const onnx_form *form);
/* It combines the elements of whole rows, so places matter: it is not to be computed on blocks. */
bool onnx_form_is_rows(const onnx_form *form);
/* It moves elements and computes nothing. */
bool onnx_form_is_view(const onnx_form *form);
/* It puts elements where an index says. */
bool onnx_form_is_scatter(const onnx_form *form);
/* None of these: each element of the result depends on one place of each operand. */
bool onnx_form_is_elementwise(const onnx_form *form);

/* Output 3 of SkipLayerNormalization is the sum that is normalised. */
enum { ONNX_SUM = 3 };
/* Operands of QLinearAdd and QLinearMul that are data, once onnx_fold has made numbers of the rest.
 */
enum { ONNX_LINEAR_DATA = 2 };
/* True if a text can give this result of a node. */
bool onnx_form_gives(const onnx_node *node, int32_t output);

/* A node, and what its operands are called in the text. */
typedef struct onnx_site {
    const onnx_graph *g;
    const onnx_node *node;
    const char *const *operands; /* per input; null where it is left out */
    int32_t *statement;          /* in and out: the number of the statement that is written */
    const char *why;             /* out: null, or what is refused */
    const bool *wanted;          /* per result of a Split: others have no statement */
    int32_t sum;                 /* out: the statement of the node's result ONNX_SUM */
    int64_t channels; /* of images, which are in blocks of five sizes; 0: there are no blocks */
    const char *mask; /* the operand that says which channels are none of the padding, or null */
} onnx_site;

/* Append the node as an expression, behind statements that it is made of. False: site->why says why
 * not. */
bool onnx_form_write(const onnx_form *form, onnx_site *site, byte_writer *text);

#endif
