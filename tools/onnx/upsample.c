/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source: ONNX's Resize since version 11, and the same rules in ONNX Runtime's
 * nchwc_transformer.cc: mode nearest, pixel floor(k / factor). */
#include "tools/onnx/upsample.h"

#include <string.h>

#include "tools/onnx/message.h"

enum { SCALES = 2, SIZES = 3 }; /* inputs */
/* f32 has k / factor exactly enough for its floor. */
static const double most_factor = 1024;

static bool has_word(const onnx_node *node, const char *name, const char *word) {
    const Onnx__AttributeProto *a = onnx_attribute(node->proto, name);
    return a && a->has_s && a->s.len == strlen(word) && memcmp(a->s.data, word, a->s.len) == 0;
}

/* Without `mode` it is nearest. */
static bool is_nearest(const onnx_node *node) {
    return (!onnx_attribute(node->proto, "mode") || has_word(node, "mode", "nearest")) &&
           has_word(node, "coordinate_transformation_mode", "asymmetric") &&
           has_word(node, "nearest_mode", "floor") && !onnx_attribute(node->proto, "axes");
}

bool onnx_upsample_read(const onnx_graph *g, const onnx_node *node,
                        int64_t factors[ONNX_UPSAMPLE_RANK]) {
    const onnx_value *scales = onnx_input(g, node, SCALES);
    if (g->opset < 11 || !onnx_is(node, "Resize") || !is_nearest(node)) return false;
    if (!scales || !scales->constant || onnx_input(g, node, SIZES)) return false;
    if (onnx_elements(&scales->type) != ONNX_UPSAMPLE_RANK) return false;
    for (int32_t d = 0; d < ONNX_UPSAMPLE_RANK; d++) {
        double factor = 0;
        if (!onnx_constant_at(scales->constant, (size_t)d, &factor)) return false;
        if (!(factor >= 1 && factor <= most_factor)) return false;
        factors[d] = (int64_t)factor;
        if ((double)factors[d] != factor) return false;
    }
    return factors[0] == 1 && factors[1] == 1;
}

Onnx__NodeProto *onnx_upsample_node(arena *memory, const int64_t factors[ONNX_UPSAMPLE_RANK]) {
    Onnx__NodeProto *node = message_node(memory, "com.microsoft.nchwc", "Upsample", 1, 1);
    bool whole = node && message_add_numbers(memory, node, "scales", factors, ONNX_UPSAMPLE_RANK);
    return whole ? node : NULL;
}
