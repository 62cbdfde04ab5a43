/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/lowering/lists.h"

#include <math.h>

bool onnx_list_at(const onnx_graph *g, const onnx_node *node, const char *name, int32_t operand,
                  size_t k, int64_t *value) {
    const Onnx__AttributeProto *a = onnx_attribute(node->proto, name);
    const onnx_value *list = onnx_input(g, node, operand);
    double found;
    if (a && k < a->n_ints) {
        *value = a->ints[k];
        return true;
    }
    if (a || !list || list->type.element != ONNX__TENSOR_PROTO__DATA_TYPE__INT64) return false;
    if (list->list && (int64_t)k < list->list_count) {
        *value = list->list[k].number;
        return list->list[k].of == ONNX_NUMBER;
    }
    if (!list->constant || (int64_t)k >= onnx_elements(&list->type)) return false;
    if (!onnx_constant_at(list->constant, k, &found)) return false;
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
    if (list->type.rank != 1 || (!list->constant && !list->list)) return -1;
    return list->list ? list->list_count : onnx_elements(&list->type);
}

int64_t onnx_bound(int64_t at, int64_t size) {
    if (at < 0) at += size;
    return at < 0 ? 0 : at > size ? size : at;
}
