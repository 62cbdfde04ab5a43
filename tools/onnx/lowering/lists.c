/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/lowering/lists.h"

#include <math.h>

bool onnx_list_at(const onnx_graph *g, const onnx_node *node, const char *name, int32_t operand,
                  size_t k, int64_t *value) {
    const Onnx__AttributeProto *a = onnx_attribute(node->proto, name);
    const onnx_value *constant = onnx_input(g, node, operand);
    double found;
    if (a && k < a->n_ints) {
        *value = a->ints[k];
        return true;
    }
    if (a || !constant || !constant->constant ||
        constant->type.element != ONNX__TENSOR_PROTO__DATA_TYPE__INT64)
        return false;
    if ((int64_t)k >= onnx_elements(&constant->type)) return false;
    if (!onnx_constant_at(constant->constant, k, &found)) return false;
    /* "To the end" is often written as 2^63 - 1, which no f64 is. */
    *value = (int64_t)fmax(-0x1p62, fmin(found, 0x1p62));
    return true;
}

int64_t onnx_list_count(const onnx_graph *g, const onnx_node *node, const char *name,
                        int32_t operand) {
    const Onnx__AttributeProto *a = onnx_attribute(node->proto, name);
    const onnx_value *list = onnx_input(g, node, operand);
    if (a) return (int64_t)a->n_ints;
    if (!list) return 0;
    return list->constant && list->type.rank == 1 ? onnx_elements(&list->type) : -1;
}

int64_t onnx_bound(int64_t at, int64_t size) {
    if (at < 0) at += size;
    return at < 0 ? 0 : at > size ? size : at;
}
