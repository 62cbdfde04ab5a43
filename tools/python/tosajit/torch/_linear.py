# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with a transposed weight as PyTorch's `linear`, which they came from: one call instead
of four."""
from __future__ import annotations

from typing import Any, List, Optional, Tuple

import torch

aten = torch.ops.aten
VIEWS = (aten.view.default, aten._unsafe_view.default)


def _weight(node: Any) -> Optional[torch.fx.Node]:
    """The weight of which a node is the transpose."""
    if not isinstance(node, torch.fx.Node) or node.op != "call_function":
        return None
    if (node.target is aten.t.default or node.target is aten.permute.default
        and list(node.args[1]) == [1, 0]):
        return node.args[0]
    return None


def _parts(node: torch.fx.Node) -> Optional[Tuple[torch.fx.Node, torch.fx.Node,
                                                  Optional[torch.fx.Node]]]:
    """Input, weight, bias."""
    if node.target is aten.mm.default:
        x, transposed, bias = node.args[0], node.args[1], None
    elif node.target is aten.addmm.default and not node.kwargs and len(node.args) == 3:
        bias, x, transposed = node.args
        if bias.meta["val"].dim() != 1:
            return None
    else:
        return None
    weight = _weight(transposed)
    # a weight that is not dense may take another way within linear
    if weight is None or weight.op != "placeholder" or not weight.meta["val"].is_contiguous():
        return None
    return x, weight, bias


def _rows(x: torch.fx.Node, results: List[torch.fx.Node]) -> Optional[torch.fx.Node]:
    """The tensor of more dimensions whose rows are x, if the results are views that have its
    dimensions again."""
    if x.op != "call_function" or x.target not in VIEWS:
        return None
    whole = x.args[0]
    outer = list(whole.meta["val"].shape[:-1])
    same = whole.meta["val"].dim() > 2 and whole.meta["val"].is_contiguous() and bool(results) and all(
        r.op == "call_function" and r.target in VIEWS and list(r.meta["val"].shape[:-1]) == outer for r in results)
    return whole if same and whole.meta["val"].shape[-1] == x.meta["val"].shape[-1] else None


def restore(graph: torch.fx.Graph) -> None:
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        parts = _parts(node)
        if parts is None:
            continue
        x, weight, bias = parts
        whole = _rows(x, list(node.users))
        with graph.inserting_before(node):
            new = graph.call_function(aten.linear.default,
                                      (whole if whole is not None else x, weight, bias))
        old = list(node.users) if whole is not None else [node]
        new.meta["val"] = old[0].meta["val"]
        for user in old:
            user.replace_all_uses_with(new)
    graph.eliminate_dead_code()
