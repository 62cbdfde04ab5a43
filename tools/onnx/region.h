/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nodes as one expression. In: nodes of a graph, and which of their values others read; out: the
 * text of docs/language.md, its operands and its results, which the library accepts. */
#ifndef TOSAJIT_TOOLS_ONNX_REGION_H
#define TOSAJIT_TOOLS_ONNX_REGION_H

#include "tools/onnx/forms.h"

/* A constant that stands in a text. */
typedef struct onnx_number {
    char text[32];
    bool named; /* in: it is to be an operand, so that regions that differ in it have one text */
} onnx_number;

typedef struct onnx_region {
    const int32_t *nodes; /* in order */
    int32_t count;
    const int32_t *outputs; /* values */
    int32_t output_count;
    int32_t *inputs; /* values; room for TOSAJIT_MAX_TENSORS, filled by onnx_region_write */
    int32_t input_count;
    /* Numbers that may be operands, in the order of the text; room for all inputs of all nodes, or
     * null. Those that have no name yet are filled by onnx_region_write. */
    onnx_number *numbers;
    int32_t number_count; /* out */
    bool blank;           /* in: the numbers are left out, to compare what is around them */
    bool rounds;          /* out: something rounds once more than ONNX asks for */
    char why[256];        /* out: why there is no such text */
} onnx_region;

/* Append the text. labels has a 0 for every value of the graph, and has again afterwards. False:
 * r->why, or text->failed where there is no memory. */
bool onnx_region_write(const onnx_graph *g, onnx_region *r, bool exact, int32_t *labels,
                       byte_writer *text);
/* Whether the library reads the text, and gives results of these types. False: r->why. */
bool onnx_region_check(const onnx_graph *g, onnx_region *r, const byte_writer *text,
                       tosajit_engine *engine);
/* A constant that stands in the text of this node, and is no operand. */
bool onnx_region_is_number(const onnx_graph *g, const onnx_node *node, int32_t operand);

#endif
