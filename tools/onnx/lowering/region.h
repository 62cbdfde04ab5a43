/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nodes as one expression. In: nodes of a graph, and which of their values others read; out: the
 * text of docs/language.md, its operands and its results, which the library accepts. */
#ifndef TOSAJIT_TOOLS_ONNX_LOWERING_REGION_H
#define TOSAJIT_TOOLS_ONNX_LOWERING_REGION_H

#include "tools/onnx/lowering/forms.h"

/* A constant that stands in a text. */
typedef struct onnx_number {
    char text[32];
    bool named; /* in: it is to be an operand: regions with other numbers then have the same text */
} onnx_number;

/* How the tensors of a region are described. The engine keeps images [N, C, H, W] in blocks of
 * channels, which in memory are [N, C / block, H, W, block]; it says [N, C, H, W] of these, too. */
typedef enum onnx_view {
    ONNX_AS_DECLARED, /* as the graph says */
    ONNX_FLAT,        /* blocks, where no operand is spread over another: four sizes of any kind */
    ONNX_BLOCKS,      /* blocks, which the text sees as five sizes */
    ONNX_TRANSPOSED,  /* before a transposition */
} onnx_view;

typedef struct onnx_region {
    const int32_t *nodes; /* in order */
    int32_t count;
    const int32_t *outputs; /* values */
    int32_t output_count;
    int32_t *inputs; /* values; room for TOSAJIT_MAX_TENSORS, filled with the text */
    int32_t input_count;
    onnx_number *numbers; /* those that may be operands, in the order of the text; or null */
    int32_t number_count;
    onnx_view view;
    int32_t block;                     /* channels of one, of ONNX_BLOCKS */
    int32_t channels;                  /* of its images, where the text says how many; else 0 */
    const Onnx__AttributeProto *order; /* of ONNX_TRANSPOSED: size d was that of ints[d] */
    int32_t culprit; /* out: without this view there may be a text; -1: that is not known */
    bool masked;   /* one more operand marks the padding among channels: there the results are 0 */
    char why[256]; /* out: why there is no such text */
} onnx_region;

/* Tools that texts are made with. */
typedef struct onnx_writer {
    const onnx_graph *g;
    tosajit_engine *engine; /* reads them */
    arena *memory;
    int32_t *labels; /* scratch: a 0 for every value, before and after each call */
} onnx_writer;

/* A text that the library accepts. Its results have the graph's types. Null: r->why says why there
 * is none, or *enough is false, which is about memory. */
const char *onnx_region_text(const onnx_writer *w, onnx_region *r, bool *enough);
/* The same without numbers, which fills r->numbers; it is only there to be compared. */
const char *onnx_region_pattern(const onnx_writer *w, onnx_region *r);
/* The type of a value before the transposition that the region is before; else the same. */
onnx_type onnx_region_type(const onnx_region *r, const onnx_type *type);
/* A constant that stands in the text of this node, and is no operand. */
bool onnx_region_is_number(const onnx_graph *g, const onnx_node *node, int32_t operand);

#endif
