/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which regions compute on blocks of channels. In: a graph that the engine has optimised, and its
 * regions; out: for each the view of its tensors.
 *
 * Between its convolutions the engine keeps images [N, C, H, W] as [N, C / block, H, W, block], 8
 * or 16 channels side by side, and as many zeros behind the last channel as make a whole block.
 * Around whatever else it sets ReorderOutput and ReorderInput, which move all bytes once more each.
 * An elementwise region does not mind the order of elements, so it can do without:
 *
 *     Conv -> ReorderOutput -> region -> ReorderInput -> Conv
 *     Conv -> region -> Conv
 *
 * The zeros behind the last channel must stay zeros: a convolution multiplies them by weights of
 * zero, and 0 * infinity is no 0. So where there are any, the region writes them itself. */
#ifndef TOSAJIT_TOOLS_ONNX_LAYOUT_H
#define TOSAJIT_TOOLS_ONNX_LAYOUT_H

#include "tools/onnx/share.h"

/* Set choices->layout, and of the regions that gain by it view and text. block is the number of
 * channels in a block, 0 if it is unknown. False if out of memory. */
bool onnx_layout_choose(const onnx_writer *w, int64_t block, onnx_choices *all);

/* The ReorderOutput that gives a value, or -1. */
int32_t onnx_layout_output(const onnx_graph *g, int32_t value);
/* Channels, with the padding of the last block. */
int64_t onnx_layout_round(const onnx_layout *l, int64_t channels);

#endif
