# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operations of a graph become one kernel, and that kernel's text.

A region has axes. Each dimension of each of its values is an axis of the region, or is 1 there. Operations that work
element by element make axes of their operands one; views that move dimensions need nothing else. So a transposed operand
is one whose axes come in another order, and the kernel gets it by its strides."""
from __future__ import annotations

import math
import operator
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import torch

from ._ops import TYPES, Refused, Rule, Statements, aten, is_number, literal, rule_of, value_of, variance

MOST_NODES = 96  # longer kernels gain nothing, and take longer to compile
MOST_TENSORS = 48
MOST_AXES = 12
REPEATED = 8  # a kernel more takes as long as a few hundred elements of one operation

Dims = Tuple[Optional[int], ...]  # per dimension of a tensor: an axis of the region; None: it is 1 there


class Source(NamedTuple):
    """Where a tensor comes from, behind views: a node, or a number in every element."""
    node: Optional[torch.fx.Node]
    number: Any
    dims: Tuple[Optional[int], ...]  # per dimension: the node's; None: it is 1 there


def is_tensor(node: Any) -> bool:
    return isinstance(node, torch.fx.Node) and isinstance(node.meta.get("val"), torch.Tensor)


def is_one(size: Any) -> bool:
    return isinstance(size, int) and size == 1


def usual(node: torch.fx.Node) -> bool:
    """Whether kernels can have such a tensor."""
    value = value_of(node)
    return (value.device.type == "cpu" and value.layout is torch.strided and value.dtype in TYPES and
            not any(isinstance(size, int) and size == 0 for size in value.shape) and not value.is_neg() and not value.is_conj() and
            not getattr(value, "is_quantized", False))


def hint(size: Any) -> int:
    """A likely value of a size that calls decide; it decides nothing but an order."""
    if isinstance(size, int):
        return size
    try:
        return int(size.node.hint)
    except Exception:
        return 2


def at_least_two(size: Any) -> bool:
    if isinstance(size, int):
        return size >= 2
    from torch.fx.experimental.symbolic_shapes import statically_known_true
    return statically_known_true(size >= 2)


# ---------------------------------------------------------------------------------------------------------------------
# Views

def _permuted(dims: Dims, node: torch.fx.Node) -> Optional[Dims]:
    rank = len(dims)
    return tuple(dims[d % rank] for d in node.args[1])


def _transposed(dims: Dims, node: torch.fx.Node) -> Optional[Dims]:
    moved, rank = list(dims), len(dims)
    if rank:
        a, b = node.args[1] % rank, node.args[2] % rank
        moved[a], moved[b] = moved[b], moved[a]
    return tuple(moved)


def _reshaped(dims: Dims, node: torch.fx.Node) -> Optional[Dims]:
    """Where dimensions of size 1 come or go, and nothing else."""
    before, after = value_of(node.args[0]).shape, value_of(node).shape
    kept = [(size, dim) for size, dim in zip(before, dims) if not is_one(size)]
    sizes = [size for size in after if not is_one(size)]
    if len(sizes) != len(kept) or any(_differ(a, b) for a, (b, _) in zip(sizes, kept)):
        return None
    rest = iter(kept)
    return tuple(None if is_one(size) else next(rest)[1] for size in after)


def _differ(a: Any, b: Any) -> bool:
    if isinstance(a, int) and isinstance(b, int):
        return a != b
    from torch.fx.experimental.symbolic_shapes import statically_known_true
    return not statically_known_true(a == b)


def _expanded(dims: Dims, node: torch.fx.Node) -> Optional[Dims]:
    return (None,) * (value_of(node).dim() - len(dims)) + dims


def _same(dims: Dims, node: torch.fx.Node) -> Optional[Dims]:
    return dims


VIEWS = {aten.permute.default: _permuted, aten.transpose.int: _transposed, aten.t.default: lambda dims, node: dims[::-1],
         aten.view.default: _reshaped, aten._unsafe_view.default: _reshaped, aten.reshape.default: _reshaped,
         aten.unsqueeze.default: _reshaped, aten.squeeze.dim: _reshaped, aten.squeeze.dims: _reshaped,
         aten.squeeze.default: _reshaped, aten.expand.default: _expanded, aten.alias.default: _same, aten.detach.default: _same}
FILLED = {aten.full.default: 1, aten.full_like.default: 1, aten.scalar_tensor.default: 0}
FILLED_WITH = {aten.zeros_like.default: 0, aten.ones_like.default: 1, aten.zeros.default: 0, aten.ones.default: 1}


def source_of(node: torch.fx.Node, inner: Set[torch.fx.Node]) -> Source:
    """Behind all views that a kernel can follow. Nodes of inner are taken as they are."""
    views: List[torch.fx.Node] = []
    base = node
    while base not in inner and base.op == "call_function" and base.target in VIEWS and is_tensor(base.args[0]):
        views.append(base)
        base = base.args[0]
    number = None
    if base.op == "call_function" and base not in inner and usual(base):
        if base.target in FILLED:
            number = base.args[FILLED[base.target]]
        number = FILLED_WITH.get(base.target, number)
    rank = value_of(base).dim()
    dims: Dims = (None,) * rank if is_number(number) else tuple(
        None if is_one(size) else d for d, size in enumerate(value_of(base).shape))
    while views:
        moved = VIEWS[views[-1].target](dims, views[-1])
        if moved is None or len(moved) != value_of(views[-1]).dim():
            # what cannot be followed is where it begins
            return source_of_itself(node) if len(views) == 1 else _later(node, views[-1], inner)
        dims = moved
        views.pop()
    return Source(None if is_number(number) else base, number if is_number(number) else None, dims)


def source_of_itself(node: torch.fx.Node) -> Source:
    return Source(node, None, tuple(None if is_one(size) else d for d, size in enumerate(value_of(node).shape)))


def _later(node: torch.fx.Node, stop: torch.fx.Node, inner: Set[torch.fx.Node]) -> Source:
    return source_of(node, inner | {stop})


# ---------------------------------------------------------------------------------------------------------------------
# What may be in a kernel

class Taken(NamedTuple):
    rule: Rule
    sources: Tuple[Source, ...]  # of what the rule reads
    between: Tuple[torch.fx.Node, ...]  # views and numbers that a kernel follows
    extras: Tuple[torch.fx.Node, ...]  # sizes, and tensors that are not read, which only PyTorch's own computation needs


def _rule(node: torch.fx.Node) -> Rule:
    if node.target is operator.getitem:
        of, index = node.args
        if of.op == "call_function" and of.target is aten.var_mean.correction:
            return variance(node, of, index)
        raise Refused("it is a part of a result")
    return rule_of(node)


def take(node: torch.fx.Node) -> Taken:
    """Refused, if PyTorch keeps it."""
    if node.op != "call_function" or not is_tensor(node):
        raise Refused("it gives no tensor")
    if not usual(node):
        raise Refused(f"a kernel has no such tensor: {value_of(node).dtype}, {tuple(value_of(node).shape)}")
    rule = _rule(node)
    for read in rule.reads:
        if not is_tensor(read) or not usual(read):
            raise Refused(f"it reads {read}, which no kernel can")
    if len(set(rule.reads)) > MOST_TENSORS:
        raise Refused("it reads too many tensors")
    sources = tuple(source_of(read, set()) for read in rule.reads)
    between = between_of(rule.reads, {source.node for source in sources})
    inner = {node.args[0]} if node.target is operator.getitem else set()
    known = {*rule.reads, *between, *inner, *(source.node for source in sources)}
    extras = {a: None for n in (node, *between, *inner) for a in n.all_input_nodes if a not in known}
    return Taken(rule, sources, between, tuple(extras))


def between_of(reads: Sequence[torch.fx.Node], bases: Set[Optional[torch.fx.Node]]) -> Tuple[torch.fx.Node, ...]:
    """In an order in which they can be computed."""
    found: Dict[torch.fx.Node, None] = {}
    for read in reads:
        chain = []
        while read not in bases:
            chain.append(read)
            if read.target not in VIEWS:
                break
            read = read.args[0]
        found.update(dict.fromkeys(reversed(chain)))
    return tuple(found)


class Impossible(Exception):
    """These nodes cannot be one kernel."""


class Region:
    """Nodes in the order of the graph. Axes that are found to be one are joined."""

    def __init__(self) -> None:
        self.nodes: List[torch.fx.Node] = []
        self.parents: List[int] = []
        self.sizes: List[Any] = []
        self.values: Dict[torch.fx.Node, Dims] = {}
        self.uses: List[Tuple[torch.fx.Node, Dims]] = []  # of what comes from outside: per dimension, an axis
        self.reads: Dict[Tuple[torch.fx.Node, int], Tuple[Any, Dims]] = {}  # what a node reads: a node, a use's number, a literal
        self.reductions: List[Tuple[torch.fx.Node, Tuple[int, ...]]] = []
        self.outside: Set[torch.fx.Node] = set()

    def find(self, axis: int) -> int:
        while self.parents[axis] != axis:
            axis = self.parents[axis]
        return axis

    def _new(self, size: Any) -> int:
        self.parents.append(len(self.parents))
        self.sizes.append(size)
        return len(self.parents) - 1

    def _join(self, a: int, b: int) -> int:
        a, b = self.find(a), self.find(b)
        if a != b:
            self.parents[max(a, b)] = min(a, b)
            if isinstance(self.sizes[max(a, b)], int):
                self.sizes[min(a, b)] = self.sizes[max(a, b)]
        return min(a, b)

    def _resolve(self, source: Source, type: str, again: bool) -> Tuple[Any, Dims]:
        """again: a tensor that is there already has the same axes as before."""
        if source.node is None:
            return literal(source.number, type), source.dims
        if source.node in self.values:
            own = self.values[source.node]
            return source.node, tuple(None if d is None else own[d] for d in source.dims)
        if again and source.node in self.outside:
            k = next(k for k, (node, _) in enumerate(self.uses) if node is source.node)
            return k, tuple(None if d is None else self.uses[k][1][d] for d in source.dims)
        own = tuple(None if is_one(size) else self._new(size) for size in value_of(source.node).shape)
        self.uses.append((source.node, own))
        self.outside.add(source.node)
        return len(self.uses) - 1, tuple(None if d is None else own[d] for d in source.dims)

    def add(self, node: torch.fx.Node, taken: Taken, whole: bool = True) -> None:
        """Impossible, and nothing has changed. A tensor and its transpose may be two operands."""
        try:
            self._try(node, taken, True, whole)
        except Impossible:
            if len({s.node for s in taken.sources} - {None}) == len(taken.sources) and not self.outside & {s.node for s in taken.sources}:
                raise
            self._try(node, taken, False, whole)

    def _try(self, node: torch.fx.Node, taken: Taken, again: bool, whole: bool) -> None:
        before = self.parents[:], self.sizes[:], len(self.uses), len(self.reductions), set(self.outside)
        try:
            self._add(node, taken, again)
            self._check(whole)
        except (Impossible, Refused) as why:
            self.parents, self.sizes = before[0], before[1]
            del self.uses[before[2]:], self.reductions[before[3]:]
            self.outside = before[4]
            self.values.pop(node, None)
            for k in range(len(taken.sources)):
                self.reads.pop((node, k), None)
            if self.nodes and self.nodes[-1] is node:
                self.nodes.pop()
            raise Impossible(str(why)) from None

    def _add(self, node: torch.fx.Node, taken: Taken, again: bool) -> None:
        self.nodes.append(node)
        seen: List[Dims] = []
        for k, source in enumerate(taken.sources):
            self.reads[node, k] = self._resolve(source, TYPES[value_of(taken.rule.reads[k]).dtype], again)
            seen.append(self.reads[node, k][1])
        if taken.rule.axes is None:
            self.values[node] = self._broadcast(node, seen)
        else:
            self.values[node] = self._reduce(node, taken, seen[0])

    def _broadcast(self, node: torch.fx.Node, seen: List[Dims]) -> Dims:
        shape, result = value_of(node).shape, []
        for d in range(len(shape)):
            axis: Optional[int] = None
            for dims in seen:
                k = d - len(shape) + len(dims)
                if k >= 0 and dims[k] is not None:
                    axis = dims[k] if axis is None else self._join(axis, dims[k])
            if axis is None and not is_one(shape[d]):
                raise Impossible("a result repeats along a dimension that no operand has")
            result.append(axis)
        return tuple(result)

    def _reduce(self, node: torch.fx.Node, taken: Taken, dims: Dims) -> Dims:
        shape = value_of(taken.rule.reads[0]).shape
        axes = taken.rule.axes
        for d in range(len(shape)):
            if dims[d] is None and not is_one(shape[d]) and (d in axes or taken.rule.keeps is None):
                raise Impossible("what is reduced repeats")
            if dims[d] is None and not is_one(shape[d]):
                raise Impossible("a result repeats along a dimension that no operand has")
        reduced = tuple(dims[d] for d in axes if dims[d] is not None)
        if reduced:
            self.reductions.append((node, reduced))
        if taken.rule.keeps is None:
            return dims
        if taken.rule.keeps:
            return tuple(None if d in axes else axis for d, axis in enumerate(dims))
        return tuple(axis for d, axis in enumerate(dims) if d not in axes)

    def axes(self) -> Set[int]:
        return {root for dims in [*self.values.values(), *(dims for _, dims in self.uses)] for root in self.roots(dims)}

    def elements(self) -> int:
        """About how many a value with all axes has."""
        return math.prod(hint(self.sizes[axis]) for axis in self.axes())

    def roots(self, dims: Dims) -> List[int]:
        return [self.find(axis) for axis in dims if axis is not None]

    def _check(self, whole: bool) -> None:
        everything: Set[int] = set()
        largest = 0
        for dims in list(self.values.values()) + [dims for _, dims in self.uses]:
            roots = self.roots(dims)
            axes = set(roots)
            if len(axes) != len(roots):
                raise Impossible("a value would run along one axis twice")
            everything |= axes
            largest = max(largest, len(axes))
        if whole and len(everything) > largest:
            raise Impossible("no value has all axes")
        if largest > MOST_AXES:
            raise Impossible("there are too many axes")
        if len({frozenset(map(self.find, axes)) for _, axes in self.reductions}) > 1:
            raise Impossible("different axes are reduced")
        if len(self.outside) > MOST_TENSORS or len(self.nodes) > MOST_NODES:
            raise Impossible("it would be too large")


def region_of(nodes: Sequence[torch.fx.Node], taken: Dict[torch.fx.Node, Taken]) -> Region:
    region = Region()
    for node in nodes:  # which need not hang together before the last one
        region.add(node, taken[node], node is nodes[-1])
    return region


# ---------------------------------------------------------------------------------------------------------------------
# The partition

class Partition:
    """Regions of a graph, grown along its edges. Nodes of the graph outside of regions are groups of their own."""

    def __init__(self, nodes: Sequence[torch.fx.Node], taken: Dict[torch.fx.Node, Taken],
                 before: Dict[torch.fx.Node, List[torch.fx.Node]]) -> None:
        """before: what a node stands behind besides what it reads."""
        self.index = {node: k for k, node in enumerate(nodes)}
        self.taken, self.before = taken, before
        self.regions: Dict[torch.fx.Node, Region] = {}
        self.reasons: Dict[torch.fx.Node, str] = {}
        for node in nodes:
            if node in taken:
                self._place(node)
        self._join_readers()

    def _join_readers(self) -> None:
        """Regions that read the same large tensor read it once."""
        readers: Dict[torch.fx.Node, Dict[int, Region]] = {}
        for region in self.regions.values():
            most = max(len(region.roots(dims)) for _, dims in region.uses) if region.uses else 0
            for node, dims in region.uses:
                if most > 1 and len(region.roots(dims)) == most:
                    readers.setdefault(node, {})[id(region)] = region
        for regions in readers.values():
            for other in list(regions.values())[1:]:
                first, other = self.regions[next(iter(regions.values())).nodes[0]], self.regions[other.nodes[0]]
                if first is not other:
                    self._merge(first, other, other.nodes[-1])

    def inputs(self, node: torch.fx.Node) -> List[torch.fx.Node]:
        if node in self.taken:  # views are followed
            return [s.node for s in self.taken[node].sources if s.node is not None] + list(self.taken[node].extras)
        return node.all_input_nodes + self.before.get(node, [])

    def _place(self, node: torch.fx.Node) -> None:
        own = Region()
        try:
            own.add(node, self.taken[node])
        except Impossible as why:
            self.reasons[node] = str(why)
            del self.taken[node]
            return
        self.regions[node] = own
        for producer in sorted(set(self.inputs(node)), key=self.index.__getitem__, reverse=True):
            other = self.regions.get(producer)
            if other is None or other is self.regions[node]:
                continue
            self._merge(other, self.regions[node], node)

    def _merge(self, a: Region, b: Region, node: torch.fx.Node) -> None:
        """b, which has the node, into a."""
        if self._between(a, b) or self._between(b, a):
            self.reasons[node] = "something else would stand between"
            return
        if self._repeats(a, b):
            self.reasons[node] = "what repeats is computed once"
            return
        try:
            if len(b.nodes) == 1 and self.index[node] > self.index[a.nodes[-1]]:
                a.add(node, self.taken[node])
                merged = a
            else:
                merged = region_of(sorted(a.nodes + b.nodes, key=self.index.__getitem__), self.taken)
        except Impossible as why:
            self.reasons[node] = str(why)
            return
        for member in merged.nodes:
            self.regions[member] = merged

    def _repeats(self, small: Region, large: Region) -> bool:
        """Whether values that repeat along the other region's axes would take long there."""
        long = len(small.nodes) > 1 or not all(self.taken[n].rule.light for n in small.nodes)
        return long and len(small.axes()) < len(large.axes()) and small.elements() * REPEATED <= large.elements()

    def _between(self, a: Region, b: Region) -> bool:
        """Whether b needs something outside of both that needs a."""
        first = self.index[a.nodes[0]]
        members = set(a.nodes)
        seen: Set[Any] = {id(b)}
        waiting = [n for member in b.nodes for n in self.inputs(member) if n not in members and self.regions.get(n) is not b]
        while waiting:
            node = waiting.pop()
            group = self.regions.get(node)
            if group is a:
                return True
            key = id(group) if group else node
            if key in seen:
                continue
            seen.add(key)
            for member in group.nodes if group else (node,):
                if group or self.index[member] > first:
                    waiting.extend(self.inputs(member))
        return False


# ---------------------------------------------------------------------------------------------------------------------
# Texts

class Operand(NamedTuple):
    node: torch.fx.Node
    axes: Tuple[int, ...]  # per axis of the kernel: the tensor's dimension, or -1


class Kernel(NamedTuple):
    """What a region computes, and how tensors come in and go out."""
    text: str
    apart: int  # axes, a bit each, whose sizes are never below 2
    operands: List[Operand]
    results: List[torch.fx.Node]
    layouts: List[Tuple[Tuple[int, ...], Tuple[int, ...], Tuple[int, ...], Tuple[int, ...]]]  # see region.c


def memory_order(value: torch.Tensor) -> List[int]:
    """Dimensions, the outermost in memory first."""
    strides = [hint(stride) for stride in value.stride()]
    return sorted(range(value.dim()), key=lambda d: (-strides[d], d))


def _order_axes(region: Region, results: Sequence[torch.fx.Node]) -> List[int]:
    """The axes of a value that has all of them, as they lie in memory: a result's, if there is one."""
    best: List[int] = []
    tensors = [(value_of(n), region.values[n]) for n in [*results, *region.nodes]] + [(value_of(n), d) for n, d in region.uses]
    for value, dims in tensors:
        order = [region.find(dims[d]) for d in memory_order(value) if dims[d] is not None]
        if len(order) > len(best):
            best = order
    return best


def write(region: Region, results: Sequence[torch.fx.Node], taken: Dict[torch.fx.Node, Taken]) -> Kernel:
    axes = _order_axes(region, results)
    place = {axis: k for k, axis in enumerate(axes)}

    def spread(dims: Dims) -> Tuple[int, ...]:
        at = [-1] * len(axes)
        for d, axis in enumerate(dims):
            if axis is not None:
                at[place[region.find(axis)]] = d
        return tuple(at)

    operands: List[Operand] = []
    names: Dict[int, str] = {}
    for k, (node, dims) in enumerate(region.uses):
        operand = Operand(node, spread(dims))
        if operand not in operands:
            operands.append(operand)
        names[k] = f"x{operands.index(operand)}"
    statements = Statements()
    texts: Dict[torch.fx.Node, str] = {}
    for node in region.nodes:
        rule = taken[node].rule
        given = []
        for k in range(len(rule.reads)):
            what, dims = region.reads[node, k]
            given.append(what if isinstance(what, str) else names[what] if isinstance(what, int) else texts[what])
        if rule.axes is None:
            texts[node] = rule.write(statements, *given)
        else:
            dims = region.reads[node, 0][1]
            kernel = sorted(place[region.find(dims[d])] for d in rule.axes if dims[d] is not None)
            texts[node] = rule.write(statements, *given, kernel)
    finals: List[str] = []
    for node in results:  # each by a name of its own, which nothing else reads
        finals.append(statements.name(f"identity({texts[node]})", texts[node], fresh=True))
    lines = statements.needed(finals)
    heads = []
    for k, operand in enumerate(operands):
        sizes = ["1" if d < 0 else str(region.sizes[a]) if isinstance(region.sizes[a], int) else "?"
                 for a, d in zip(axes, operand.axes)]
        heads.append(f"x{k}: {TYPES[value_of(operand.node).dtype]}[{','.join(sizes)}]")
    apart = sum(1 << k for k, axis in enumerate(axes) if at_least_two(region.sizes[axis]))
    layouts = []
    for node in results:
        dims = region.values[node]
        sizes = [(-1, 0)] * len(dims)
        for d, axis in enumerate(dims):
            if axis is not None:
                a = place[region.find(axis)]
                k = next(k for k, operand in enumerate(operands) if operand.axes[a] >= 0)
                sizes[d] = k, operands[k].axes[a]
        layouts.append((spread(dims), tuple(k for k, _ in sizes), tuple(d for _, d in sizes), tuple(memory_order(value_of(node)))))
    return Kernel(", ".join(heads) + "; " + "; ".join(lines), apart, operands, list(results), layouts)
