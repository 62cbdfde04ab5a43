# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Group norm as one kernel with the operations that follow it. It needs channels as groups and
their members, so
it computes behind a view of its input, and what comes next has to do so, too."""
from __future__ import annotations

from typing import Any, Optional, Tuple

import torch

from ._ops import RULES, Refused, aten, rule_of, value_of

VIEWS = (aten.view.default, aten._unsafe_view.default)


def group_norm(x: torch.Tensor, weight: Optional[torch.Tensor], bias: Optional[torch.Tensor],
               n: Any, channels: int, inner: Any,
               groups: int, eps: float) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """native_group_norm: the result, the means, and 1 / the deviations."""
    if not x.is_contiguous():  # channels_last is the result's, too
        return torch._refs.native_group_norm(x, weight, bias, n, channels, inner, groups, eps)
    members = [1, groups, channels // groups, 1]
    wide = x.view([n, groups, channels // groups,
                   inner]).to(torch._prims_common.get_computation_dtype(x.dtype))
    variance, mean = torch.var_mean(wide, [2, 3], correction=0, keepdim=True)
    scale = torch.rsqrt(variance + eps)
    y = (wide - mean) * scale
    if weight is not None:
        y = y * weight.view(members)
    if bias is not None:
        y = y + bias.view(members)
    return y.to(x.dtype).view(x.shape), *(t.to(x.dtype).reshape([n, groups]) for t in (mean, scale))


def _before(node: torch.fx.Node) -> Optional[torch.fx.Node]:
    """The view that an operation reads, if the operation is element by element and has no other
    operand."""
    if node.op != "call_function" or getattr(node.target, "overloadpacket", None) not in RULES:
        return None
    read = node.all_input_nodes
    if (len(read) != 1 or read[0].op != "call_function" or read[0].target not in VIEWS
        or any(user.op == "output" for user in node.users)):
        return None
    try:
        rule = rule_of(node)
    except Exception:  # which says so where the node is taken
        return None
    plain = (rule.axes is None and rule.joins is None
             and value_of(node).shape == value_of(read[0]).shape)
    return (read[0] if plain and value_of(node).is_contiguous()
            and value_of(read[0].args[0]).is_contiguous() else None)


def look_through(graph: torch.fx.Graph) -> None:
    """f(x.view()) as f(x).view(), where a kernel may compute x."""
    for node in graph.nodes:
        view = _before(node)
        if view is None or getattr(view.args[0].target, "overloadpacket", None) not in RULES:
            continue
        base = view.args[0]
        with graph.inserting_before(node):
            new = graph.create_node("call_function", node.target,
                                    torch.fx.node.map_arg(node.args, {view: base}.__getitem__),
                                    node.kwargs)
            shown = graph.call_function(view.target, (new, *view.args[1:]))
        new.meta["val"] = value_of(base).new_empty(value_of(base).shape, dtype=value_of(node).dtype)
        shown.meta["val"] = value_of(node)
        node.replace_all_uses_with(shown)
    graph.eliminate_dead_code()
