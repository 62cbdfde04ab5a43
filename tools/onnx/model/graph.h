/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A graph of a model by numbers. In: its messages; out: nodes and values, the giver and the readers
 * of each value, and the known types. */
#ifndef TOSAJIT_TOOLS_ONNX_MODEL_GRAPH_H
#define TOSAJIT_TOOLS_ONNX_MODEL_GRAPH_H

#include "tools/onnx/model/constant.h"

/* A size, or another integer that is computed of sizes. */
typedef struct onnx_size {
    int32_t of;     /* a value, whose size only a call knows; or one of the following */
    int64_t number; /* itself; or the dimension */
} onnx_size;
enum { ONNX_NUMBER = -1, ONNX_UNKNOWN = -2 };

typedef struct onnx_value {
    const char *name;
    onnx_type type;
    const onnx_size *sizes; /* per dimension; null: each is its own */
    const onnx_size *list;  /* its elements, if it is a list of integers; else null */
    int32_t list_count;
    int32_t producer;      /* a node; -1: an input, an initialiser, or of a graph around this one */
    int32_t uses;          /* by nodes of this graph and, once, as its output */
    bool argument, result; /* of the graph */
    const Onnx__TensorProto *constant; /* null: not known before a call */
    Onnx__TensorProto *fresh;          /* a constant that the model does not have yet; else null */
    int32_t declared;                  /* its place in the graph's value_info; -1: it has none */
} onnx_value;

typedef struct onnx_node {
    Onnx__NodeProto *proto;
    int32_t *inputs;  /* values; -1: left out */
    int32_t *outputs; /* the same */
    int32_t *reads;   /* inputs, and what its subgraphs read */
    int32_t input_count, output_count, read_count;
    bool table; /* its operands are data of 8 bits and what it gives for each of the 256 */
    bool gone;  /* nobody reads what it gives any more */
} onnx_node;

typedef struct onnx_graph {
    Onnx__GraphProto *proto;
    const struct onnx_graph *outer; /* null: none */
    arena *memory;
    int64_t opset; /* of ONNX's own operators */
    onnx_node *nodes;
    onnx_value *values;
    int32_t node_count, value_count, value_capacity;
    int32_t *slots; /* values by the hash of their names */
    size_t slot_count;
} onnx_graph;

/* The arena must stay. False after an error: a value that is given twice, no memory. */
bool onnx_graph_open(onnx_graph *g, Onnx__GraphProto *proto, const onnx_graph *outer, int64_t opset,
                     arena *memory, onnx_error *error);
/* A value by its name, here alone; or -1. */
int32_t onnx_graph_find(const onnx_graph *g, const char *name);
/* A new constant of the model: two for a normalisation, five for a node on quantized data. */
int32_t onnx_graph_constant(onnx_graph *g, Onnx__TensorProto *tensor);
/* The value of an operand, or null. */
const onnx_value *onnx_input(const onnx_graph *g, const onnx_node *node, int32_t k);
/* "Conv", or "com.microsoft.FusedConv". */
bool onnx_is(const onnx_node *node, const char *op);
/* The name of a node in messages: its name, or the operator and what it gives. */
const char *onnx_node_name(const onnx_node *node);

#endif
