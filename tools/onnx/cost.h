/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nodes that are better left to the engine. In: a graph; out: nodes that ONNX Runtime joins with
 * the operator before them, and the time that a region saves. */
#ifndef TOSAJIT_TOOLS_ONNX_COST_H
#define TOSAJIT_TOOLS_ONNX_COST_H

#include "tools/onnx/lowering/region.h"

/* True if the engine has optimised the model already: then it has joined what it can. */
bool onnx_is_optimized(const onnx_graph *g);
/* Mark nodes that the engine computes within another node: owners[k] is that node, or -1. A
 * convolution takes a per-channel scale and bias, the sum with another tensor, and one activation;
 * a product of matrices takes a bias and an activation; the engine computes a normalisation that is
 * written out as an operator of its own; and around what is not elementwise stand the casts of a
 * quantized model. readers is scratch, one per value. */
void onnx_mark_fused(const onnx_graph *g, int32_t *owners, int32_t *readers);

typedef struct onnx_cost {
    int32_t weight;  /* operations of the engine that it replaces */
    int32_t nodes;   /* that it takes from the engine, but for views that copy nothing */
    int64_t largest; /* bytes of the largest operand or result; -1: not known */
    int64_t saved;   /* bytes that are no longer moved, at least */
    bool shape;      /* it computes sizes, not data */
    bool computes;   /* it does something that is not free */
    bool table;      /* it has what only a region computes */
    bool few;        /* it has rows of few elements altogether */
} onnx_cost;

/* fast: exp, sin and the like are at most 1 ulp off. */
onnx_cost onnx_region_cost(const onnx_graph *g, const onnx_region *r, bool fast);

/* True if an engine that has not optimised this graph yet will bring all of a region into
 * blocks of channels, together with the convolution before it. A region there would take them
 * apart. */
bool onnx_will_be_in_blocks(const onnx_graph *g, const onnx_region *r);
/* Mark the values which the engine keeps in blocks of channels, or which it would but for operators
 * that a region may take: those beside a reordering, and all that elementwise operators and
 * reductions of pixels make of them. False: there are none. */
bool onnx_mark_images(const onnx_graph *g, bool *images);
/* Why a node is better left to the engine wherever it stands; null: it is not. settled: the engine
 * moves nothing any more. onnx_but_in_blocks: in a region on blocks of channels it is not. */
extern const char onnx_but_in_blocks[];
const char *onnx_left_to_engine(const onnx_graph *g, const onnx_node *node, bool fast, bool settled,
                                const bool *images);

#endif
