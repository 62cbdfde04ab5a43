# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operations of a graph become one kernel, and that kernel's text.

A region has axes. Each dimension of each of its values is an axis of the region, or is 1 there.
Operations that work element by element make axes of their operands one; views that move dimensions
need nothing else. So a transposed operand is one whose axes come in another order, and the kernel
gets it by its strides.

A part of an operand is an operand with another beginning. A part of a value that the region
computes, and values one behind the other, have axes of other sizes than the whole: these share a
place, a dimension of the kernel."""
from __future__ import annotations

import math
import operator
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import torch

from ._ops import TYPES, Refused, Rule, Statements, aten, is_number, literal, rule_of, value_of, variance

MOST_NODES = 96  # longer kernels gain nothing, and take longer to compile
MOST_TENSORS = 48
MOST_AXES = 12
SHORT = 64  # rows of fewer elements are not reduced while they are computed
REPEATED = 8  # a kernel more takes as long as a few hundred elements of one operation

# per dimension of a tensor: an axis of the region; None: it is 1 there
Dims = Tuple[Optional[int], ...]


class Cut(NamedTuple):
    """Of a dimension the indices from begin on, each step-th. end: behind the last one, or to be
    added to the size if it is not positive."""
    begin: int
    end: int
    step: int


Cuts = Tuple[Tuple[int, Cut], ...]  # dimensions of a node


class Source(NamedTuple):
    """Where a tensor comes from, behind views: a node, or a number in every element."""
    node: Optional[torch.fx.Node]
    number: Any
    dims: Tuple[Optional[int], ...]  # per dimension: the node's; None: it is 1 there
    cuts: Cuts = ()


def is_tensor(node: Any) -> bool:
    return isinstance(node, torch.fx.Node) and isinstance(node.meta.get("val"), torch.Tensor)


def is_one(size: Any) -> bool:
    return isinstance(size, int) and size == 1


def usual(node: torch.fx.Node) -> bool:
    """Whether kernels can have such a tensor."""
    value = value_of(node)
    return (value.device.type == "cpu" and value.layout is torch.strided and value.dtype in TYPES
            and
            not any(isinstance(size, int) and size == 0 for size in value.shape)
            and not value.is_neg() and not value.is_conj() and
            not getattr(value, "is_quantized", False))


def hint(size: Any) -> int:
    """A likely value of a size that calls decide; it decides nothing but an order."""
    if isinstance(size, int):
        return size
    try:
        return int(size.node.hint)
    except Exception:
        pass
    try:  # of an exported program nobody knows
        return int(size.node.expr.xreplace(dict.fromkeys(size.node.expr.free_symbols, 8)))
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


VIEWS = {aten.permute.default: _permuted, aten.transpose.int: _transposed,
         aten.t.default: lambda dims, node: dims[::-1],
         aten.view.default: _reshaped, aten._unsafe_view.default: _reshaped,
         aten.reshape.default: _reshaped,
         aten.unsqueeze.default: _reshaped, aten.squeeze.dim: _reshaped,
         aten.squeeze.dims: _reshaped,
         aten.squeeze.default: _reshaped, aten.expand.default: _expanded, aten.alias.default: _same,
         aten.detach.default: _same}
FILLED = {aten.full.default: 1, aten.full_like.default: 1, aten.scalar_tensor.default: 0}
FILLED_WITH = {aten.zeros_like.default: 0, aten.ones_like.default: 1, aten.zeros.default: 0,
               aten.ones.default: 1}


def _ends(node: torch.fx.Node) -> Optional[Tuple[int, Any, Any, Any]]:
    """Dimension, begin, end, step of a node that is a part of another one."""
    if node.target is aten.slice.Tensor:
        d, begin, end, step = (node.args[k] if len(node.args) > k else otherwise
                               for k, otherwise in ((1, 0), (2, None), (3, None), (4, 1)))
        return d, 0 if begin is None else begin, LAST if end is None else end, step
    if node.target is aten.select.int:
        index = node.args[2]
        return ((node.args[1], index, index + 1 if index != -1 else LAST, 1)
                if isinstance(index, int) else None)
    split, k = node.args
    d = split.args[2] if len(split.args) > 2 else split.kwargs.get("dim", 0)
    if split.target is aten.unbind.int:
        return split.args[1] if len(split.args) > 1 else split.kwargs.get("dim", 0), k, k + 1, 1
    sizes = split.args[1]
    if isinstance(sizes, int):
        return d, k * sizes, (k + 1) * sizes, 1
    known = isinstance(sizes, (list, tuple)) and all(isinstance(size, int) for size in sizes)
    return (d, sum(sizes[:k]), sum(sizes[:k + 1]), 1) if known else None


def _ranged(size: Any, part: Any, begin: int, end: int, step: int) -> Optional[Cut]:
    """part: the size that is left. None: it cannot be told now."""
    if isinstance(size, int):
        begin, end, step = slice(begin, end, step).indices(size)
        return Cut(begin, end, step)
    if begin < 0 or end <= begin and end >= 0:
        return None
    if isinstance(part, int):
        return Cut(begin, begin + (part - 1) * step + 1, step)
    if end >= LAST:
        return Cut(begin, 0, step)
    return Cut(begin, end, step) if end < 0 else None


def _within(old: Cut, new: Cut) -> Optional[Cut]:
    """The part of a part."""
    begin = old.begin + new.begin * old.step
    if new.end > 0:
        return Cut(begin, old.begin + (new.end - 1) * old.step + 1, old.step * new.step)
    return Cut(begin, old.end + new.end, new.step) if old.step == 1 and old.end <= 0 else None


def _cut(source: Source, node: torch.fx.Node) -> Optional[Source]:
    """None: the part is not known now, or empty."""
    before = value_of(parent_of(node)).shape
    found = _ends(node)
    if found is None or not all(isinstance(number, int) for number in found):
        return None
    d = found[0] % len(before)
    dropped = is_dropping(node)
    part = 1 if dropped else value_of(node).shape[d]
    cut = _ranged(before[d], part, *found[1:])
    if cut is None or cut.end > 0 and cut.begin >= cut.end:
        return None
    dims, cuts, base = list(source.dims), dict(source.cuts), source.dims[d]
    if (base is not None and (not isinstance(before[d], int) or cut != Cut(0, before[d], 1))
        and cut != Cut(0, 0, 1)):
        both = _within(cuts[base], cut) if base in cuts else cut
        if both is None:
            return None
        cuts[base] = both
    if base is not None and is_one(part):
        dims[d] = None
    if dropped:
        del dims[d]
    return Source(source.node, source.number, tuple(dims), tuple(sorted(cuts.items())))


LAST = 2 ** 63 - 1
SPLITS = (aten.split.Tensor, aten.split_with_sizes.default, aten.unbind.int)


def is_part(node: torch.fx.Node) -> bool:
    if node.target is operator.getitem:
        return isinstance(node.args[0], torch.fx.Node) and node.args[0].target in SPLITS
    return node.target in (aten.slice.Tensor, aten.select.int)


def is_dropping(node: torch.fx.Node) -> bool:
    """Whether the dimension of a part goes."""
    return (node.target is aten.select.int or node.target is operator.getitem
            and node.args[0].target is aten.unbind.int)


def parent_of(node: torch.fx.Node) -> torch.fx.Node:
    """What a view shows."""
    return node.args[0].args[0] if node.target is operator.getitem else node.args[0]


def is_followed(node: torch.fx.Node) -> bool:
    return (node.op == "call_function" and (node.target in VIEWS or is_part(node))
            and is_tensor(parent_of(node)))


def source_of(node: torch.fx.Node, inner: Set[torch.fx.Node]) -> Source:
    """Behind all views that a kernel can follow. Nodes of inner are taken as they are."""
    views: List[torch.fx.Node] = []
    base = node
    while base not in inner and is_followed(base):
        views.append(base)
        base = parent_of(base)
    number = None
    if base.op == "call_function" and base not in inner and usual(base):
        if base.target in FILLED:
            number = base.args[FILLED[base.target]]
        number = FILLED_WITH.get(base.target, number)
    rank = value_of(base).dim()
    dims: Dims = (None,) * rank if is_number(number) else tuple(
        None if is_one(size) else d for d, size in enumerate(value_of(base).shape))
    source = Source(None if is_number(number) else base, number if is_number(number) else None,
                    dims)
    while views:
        moved = _moved(source, views[-1])
        if moved is None or len(moved.dims) != value_of(views[-1]).dim():
            # what cannot be followed is where it begins
            return source_of_itself(node) if len(views) == 1 else _later(node, views[-1], inner)
        source = moved
        views.pop()
    return source


def _moved(source: Source, view: torch.fx.Node) -> Optional[Source]:
    if is_part(view):
        return _cut(source, view)
    dims = VIEWS[view.target](source.dims, view)
    return None if dims is None else source._replace(dims=dims)


def source_of_itself(node: torch.fx.Node) -> Source:
    return Source(node, None, tuple(None if is_one(size) else d
                                    for d, size in enumerate(value_of(node).shape)))


def _later(node: torch.fx.Node, stop: torch.fx.Node, inner: Set[torch.fx.Node]) -> Source:
    return source_of(node, inner | {stop})


# ---------------------------------------------------------------------------------------------------------------------
# What may be in a kernel

class Taken(NamedTuple):
    rule: Rule
    sources: Tuple[Source, ...]  # of what the rule reads
    between: Tuple[torch.fx.Node, ...]  # views and numbers that a kernel follows
    # sizes, and tensors that are not read, which only PyTorch's own computation needs
    extras: Tuple[torch.fx.Node, ...]


def _rule(node: torch.fx.Node) -> Rule:
    if node.target is operator.getitem:
        of, index = node.args
        if of.op == "call_function" and of.target is aten.var_mean.correction:
            return variance(node, of, index)
        raise Refused("it is a part of a result")
    return rule_of(node)


def take(node: torch.fx.Node, follows: bool = True) -> Taken:
    """Refused, if PyTorch keeps it. follows: behind parts of tensors, too."""
    if node.op != "call_function" or not is_tensor(node):
        raise Refused("it gives no tensor")
    if not usual(node):
        raise Refused(f"a kernel has no such tensor: {value_of(node).dtype}, "
                      f"{tuple(value_of(node).shape)}")
    rule = _rule(node)
    for read in rule.reads:
        if not is_tensor(read) or not usual(read):
            raise Refused(f"it reads {read}, which no kernel can")
    if len(set(rule.reads)) > MOST_TENSORS:
        raise Refused("it reads too many tensors")
    if not follows and rule.joins is not None:
        raise Refused("a kernel with pieces of results was refused")
    sources = tuple(_followed(read, follows) for read in rule.reads)
    between = between_of(rule.reads, {source.node for source in sources})
    inner = {node.args[0]} if node.target is operator.getitem else set()
    known = {*rule.reads, *between, *inner, *(source.node for source in sources)}
    extras = {a: None for n in (node, *between, *inner)
              for a in n.all_input_nodes if a not in known}
    return Taken(rule, sources, between, tuple(extras))


def _followed(read: torch.fx.Node, follows: bool) -> Source:
    base = read
    while not follows and is_followed(base) and not is_part(base):
        base = parent_of(base)
    return source_of(read, set() if follows else {base})


def between_of(reads: Sequence[torch.fx.Node],
               bases: Set[Optional[torch.fx.Node]]) -> Tuple[torch.fx.Node, ...]:
    """In an order in which they can be computed."""
    found: Dict[torch.fx.Node, None] = {}
    for read in reads:
        chain = []
        while read not in bases:
            chain.append(read)
            if not is_followed(read):
                break
            if read.target is operator.getitem:
                chain.append(read.args[0])
            read = parent_of(read)
        found.update(dict.fromkeys(reversed(chain)))
    return tuple(found)


class Impossible(Exception):
    """These nodes cannot be one kernel."""


class Use(NamedTuple):
    node: torch.fx.Node
    dims: Dims
    cuts: Cuts


class Read(NamedTuple):
    what: Any  # a node, a use's number, a literal
    dims: Dims
    cuts: Tuple[Tuple[int, Cut], ...] = ()  # axes of the node


class Region:
    """Nodes in the order of the graph. Axes that are found to be one are joined, and places of
    axes."""

    def __init__(self) -> None:
        self.nodes: List[torch.fx.Node] = []
        self.parents: List[int] = []
        self.sizes: List[Any] = []
        self.places: List[int] = []  # per axis: another one in the same place
        self.values: Dict[torch.fx.Node, Dims] = {}
        self.uses: List[Use] = []  # of what comes from outside
        self.reads: Dict[Tuple[torch.fx.Node, int], Read] = {}
        self.reductions: List[Tuple[torch.fx.Node, Tuple[int, ...]]] = []
        self.outside: Set[torch.fx.Node] = set()

    def find(self, axis: int) -> int:
        while self.parents[axis] != axis:
            axis = self.parents[axis]
        return axis

    def place(self, axis: int) -> int:
        while self.places[axis] != axis:
            axis = self.places[axis]
        return axis

    def _new(self, size: Any) -> int:
        self.parents.append(len(self.parents))
        self.places.append(len(self.places))
        self.sizes.append(size)
        return len(self.parents) - 1

    def _put(self, a: int, b: int) -> None:
        """Two axes in one place."""
        a, b = self.place(a), self.place(b)
        self.places[max(a, b)] = min(a, b)

    def _join(self, a: int, b: int) -> int:
        self._put(a, b)
        a, b = self.find(a), self.find(b)
        if a != b:
            self.parents[max(a, b)] = min(a, b)
            if isinstance(self.sizes[max(a, b)], int):
                self.sizes[min(a, b)] = self.sizes[max(a, b)]
        return min(a, b)

    def _resolve(self, source: Source, shape: Sequence[Any], type: str, again: bool) -> Read:
        """again: a tensor that is there already has the same axes as before."""
        if source.node is None:
            return Read(literal(source.number, type), source.dims)
        if source.node in self.values:
            return self._inner(source, shape)
        known = ([k for k, use in enumerate(self.uses) if use.node is source.node
                  and use.cuts == source.cuts] if again else [])
        if not known:
            self.uses.append(Use(source.node, self._outer(source, shape), source.cuts))
            self.outside.add(source.node)
        k = known[0] if known else len(self.uses) - 1
        own = self.uses[k].dims
        return Read(k, tuple(None if d is None else own[d] for d in source.dims))

    def _outer(self, source: Source, shape: Sequence[Any]) -> Dims:
        """A tensor's own axes, which are those of its parts where it is cut."""
        sizes = dict(enumerate(value_of(source.node).shape))
        cuts = dict(source.cuts)
        for d in cuts:
            sizes[d] = next((size for size, own in zip(shape, source.dims) if own == d), 1)
        return tuple(None if is_one(size) else self._new(size) for size in sizes.values())

    def _inner(self, source: Source, shape: Sequence[Any]) -> Read:
        """What the region computes, or a part of it."""
        own, cuts = self.values[source.node], dict(source.cuts)
        if any(own[d] is None for d in cuts):
            raise Impossible("a part of what repeats")
        dims = []
        for d, size in zip(source.dims, shape):
            dims.append(None if d is None else own[d] if d not in cuts else self._new(size))
            if d in cuts:
                self._put(dims[-1], own[d])
        return Read(source.node, tuple(dims), tuple((own[d], cut) for d, cut in cuts.items()))

    def add(self, node: torch.fx.Node, taken: Taken, whole: bool = True) -> None:
        """Impossible, and nothing has changed. A tensor and its transpose may be two operands."""
        try:
            self._try(node, taken, True, whole)
        except Impossible:
            if (len({s.node for s in taken.sources} - {None}) == len(taken.sources)
                and not self.outside & {s.node for s in taken.sources}):
                raise
            self._try(node, taken, False, whole)

    def _try(self, node: torch.fx.Node, taken: Taken, again: bool, whole: bool) -> None:
        before = (self.parents[:], self.sizes[:], len(self.uses), len(self.reductions),
                  set(self.outside), self.places[:])
        try:
            self._add(node, taken, again)
            self._check(whole)
        except (Impossible, Refused) as why:
            self.parents, self.sizes = before[0], before[1]
            del self.uses[before[2]:], self.reductions[before[3]:]
            self.outside, self.places = before[4:]
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
            read = value_of(taken.rule.reads[k])
            self.reads[node, k] = self._resolve(source, read.shape, TYPES[read.dtype], again)
            seen.append(self.reads[node, k].dims)
        if taken.rule.joins is not None:
            self.values[node] = self._concatenate(node, taken.rule, seen)
        elif taken.rule.axes is None:
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

    def _concatenate(self, node: torch.fx.Node, rule: Rule, seen: List[Dims]) -> Dims:
        shape, result = value_of(node).shape, []
        for d, size in enumerate(shape):
            axis: Optional[int] = self._new(size) if d == rule.joins else None
            for read, dims in zip(rule.reads, seen):
                if dims[d] is None and not is_one(value_of(read).shape[d]):
                    raise Impossible("a piece repeats")
                if d == rule.joins and dims[d] is not None:
                    self._put(axis, dims[d])
                elif dims[d] is not None:
                    axis = dims[d] if axis is None else self._join(axis, dims[d])
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
        """Places of axes."""
        return {place for dims in self.everything() for place in self.roots(dims)}

    def everything(self) -> List[Dims]:
        return list(self.values.values()) + [use.dims for use in self.uses]

    def elements(self) -> int:
        """About how many a value with all axes has."""
        return math.prod(max(hint(self.sizes[axis]) for axis in axes)
                         for axes in self.in_places().values())

    def in_places(self) -> Dict[int, Set[int]]:
        found: Dict[int, Set[int]] = {}
        for axis in {axis for dims in self.everything() for axis in dims} - {None}:
            found.setdefault(self.place(axis), set()).add(self.find(axis))
        return found

    def roots(self, dims: Dims) -> List[int]:
        return [self.place(axis) for axis in dims if axis is not None]

    def _check(self, whole: bool) -> None:
        everything: Set[int] = set()
        largest = 0
        for dims in self.everything():
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
        if len({frozenset(map(self.place, axes)) for _, axes in self.reductions}) > 1:
            raise Impossible("different axes are reduced")
        if self.reductions and any(len(axes) > 1 for axes in self.in_places().values()):
            raise Impossible("pieces are reduced")
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
    """Regions of a graph, grown along its edges. Nodes of the graph outside of regions are groups
    of their own."""

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
        self._part_reductions()
        self._join_readers()

    def _part_reductions(self) -> None:
        """A kernel computes twice what it gives and reduces, unless it has the rows one by one. So
        another one reduces it."""
        read = self._outside()
        for region in {id(region): region for region in self.regions.values()}.values():
            apart = [n for n in region.nodes if n in self._behind_reductions(region, read)]
            if not apart:
                continue
            try:
                parts = [region_of([n for n in region.nodes if n not in apart], self.taken),
                         region_of(apart, self.taken)]
            except Impossible:
                continue
            for part in parts:
                self.regions.update(dict.fromkeys(part.nodes, part))
            self.reasons.update(dict.fromkeys(apart, "what is reduced would be computed twice"))

    def _outside(self) -> Set[Tuple[torch.fx.Node, Optional[int]]]:
        """Values and who reads them: a region, or None."""
        read = set()
        for node in self.index:
            if is_followed(node) and all(user in self.taken for user in node.users):
                continue
            region = self.regions.get(node)
            read.update((value, id(region) if region else None) for value in self.inputs(node))
        return read

    def _behind_reductions(self, region: Region,
                           read: Set[Tuple[torch.fx.Node, Optional[int]]]) -> Set[torch.fx.Node]:
        given = {value for value, reader in read if value in region.values and reader != id(region)}
        found: Set[torch.fx.Node] = set()
        for node, axes in region.reductions:
            sizes = [region.sizes[region.find(axis)] for axis in axes]
            slow = len(axes) > 1 or hint(sizes[0]) < SHORT
            heavy = (not all(isinstance(size, int) for size in sizes)
                     or not all(self.taken[n].rule.light
                                for n in region.nodes[:-1] if n is not node))
            if not slow or not heavy or not given & {s.node for s in self.taken[node].sources}:
                continue
            behind = {node}
            for other in region.nodes:
                if behind & set(self.inputs(other)):
                    behind.add(other)
            if not any(set(map(region.place, axes)) & set(region.roots(region.values[n]))
                       for n in behind):
                found |= behind
        return found

    def _join_readers(self) -> None:
        """Regions that read the same large tensor read it once."""
        readers: Dict[torch.fx.Node, Dict[int, Region]] = {}
        for region in self.regions.values():
            most = max(len(region.roots(use.dims)) for use in region.uses) if region.uses else 0
            for use in region.uses:
                if most > 1 and len(region.roots(use.dims)) == most:
                    readers.setdefault(use.node, {})[id(region)] = region
        for regions in readers.values():
            for other in list(regions.values())[1:]:
                first, other = (self.regions[next(iter(regions.values())).nodes[0]],
                                self.regions[other.nodes[0]])
                if first is not other:
                    self._merge(first, other, other.nodes[-1])

    def inputs(self, node: torch.fx.Node) -> List[torch.fx.Node]:
        if node in self.taken:  # views are followed
            return [s.node for s in self.taken[node].sources
                    if s.node is not None] + list(self.taken[node].extras)
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
                merged = region_of(sorted(a.nodes + b.nodes, key=self.index.__getitem__),
                                   self.taken)
        except Impossible as why:
            self.reasons[node] = str(why)
            return
        for member in merged.nodes:
            self.regions[member] = merged

    def _repeats(self, small: Region, large: Region) -> bool:
        """Whether values that repeat along the other region's axes would take long there."""
        long = len(small.nodes) > 1 or not all(self.taken[n].rule.light for n in small.nodes)
        return (long and len(small.axes()) < len(large.axes())
                and small.elements() * REPEATED <= large.elements())

    def _between(self, a: Region, b: Region) -> bool:
        """Whether b needs something outside of both that needs a."""
        first = self.index[a.nodes[0]]
        members = set(a.nodes)
        seen: Set[Any] = {id(b)}
        waiting = [n for member in b.nodes for n in self.inputs(member) if n not in members
                   and self.regions.get(n) is not b]
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
    cuts: Cuts = ()


class Layout(NamedTuple):
    """Of a result, see region.c."""
    axes: Tuple[int, ...]
    operands: Tuple[int, ...]
    dims: Tuple[int, ...]
    known: Tuple[int, ...]
    order: Tuple[int, ...]


class Kernel(NamedTuple):
    """What a region computes, and how tensors come in and go out."""
    text: str
    apart: int  # axes, a bit each, whose sizes are never below 2
    operands: List[Operand]
    results: List[torch.fx.Node]
    layouts: List[Layout]


def memory_order(value: torch.Tensor) -> List[int]:
    """Dimensions, the outermost in memory first."""
    strides = [hint(stride) for stride in value.stride()]
    return sorted(range(value.dim()), key=lambda d: (-strides[d], d))


def _order_axes(region: Region, results: Sequence[torch.fx.Node]) -> List[int]:
    """The places of a value that has all of them, as they lie in memory: a result's, if there is
    one."""
    best: List[int] = []
    tensors = ([(value_of(n), region.values[n]) for n in [*results, *region.nodes]]
               + [(value_of(u.node), u.dims) for u in region.uses])
    for value, dims in tensors:
        order = [region.place(dims[d]) for d in memory_order(value) if dims[d] is not None]
        if len(order) > len(best):
            best = order
    return best


class Text:
    """A region's kernel, as it is written. Dimensions of the kernel are places of axes."""

    def __init__(self, region: Region, results: Sequence[torch.fx.Node],
                 taken: Dict[torch.fx.Node, Taken]) -> None:
        self.region, self.results, self.taken = region, results, taken
        self.axes = _order_axes(region, results)
        self.place = {axis: k for k, axis in enumerate(self.axes)}
        self.statements = Statements()
        self.operands: List[Operand] = []
        self.dims: List[Dims] = []  # of operands
        self.names: List[str] = []  # of uses
        for use in region.uses:
            operand = Operand(use.node, self.spread(use.dims), use.cuts)
            if operand not in self.operands:
                self.operands.append(operand)
                self.dims.append(use.dims)
            self.names.append(f"x{self.operands.index(operand)}")

    def at(self, axis: int) -> int:
        return self.place[self.region.place(axis)]

    def spread(self, dims: Dims) -> Tuple[int, ...]:
        found = [-1] * len(self.axes)
        for d, axis in enumerate(dims):
            if axis is not None:
                found[self.at(axis)] = d
        return tuple(found)

    def read(self, read: Read, texts: Dict[torch.fx.Node, str]) -> str:
        if isinstance(read.what, str):
            return read.what
        name = self.names[read.what] if isinstance(read.what, int) else texts[read.what]
        if not read.cuts:
            return name
        parts = [":"] * len(self.axes)
        for axis, cut in read.cuts:
            parts[self.at(axis)] = f"{cut.begin}:{cut.end or ''}{f':{cut.step}' if cut.step != 1 else ''}"
        return self.statements.name(f"{name}[{', '.join(parts)}]", name)

    def lines(self) -> List[str]:
        texts: Dict[torch.fx.Node, str] = {}
        for node in self.region.nodes:
            rule = self.taken[node].rule
            reads = [self.region.reads[node, k] for k in range(len(rule.reads))]
            given = [self.read(read, texts) for read in reads]
            if rule.joins is not None:
                axis = self.region.values[node][rule.joins]
                texts[node] = rule.write(self.statements, *given, self.at(axis))
            elif rule.axes is None:
                texts[node] = rule.write(self.statements, *given)
            else:
                kernel = sorted(self.at(reads[0].dims[d])
                                for d in rule.axes if reads[0].dims[d] is not None)
                texts[node] = rule.write(self.statements, *given, kernel)
        # each by a name of its own, which nothing else reads
        finals = [self.statements.name(f"identity({texts[node]})", texts[node], fresh=True)
                  for node in self.results]
        return self.statements.needed(finals)

    def heads(self) -> List[str]:
        heads = []
        for k, (operand, dims) in enumerate(zip(self.operands, self.dims)):
            sizes = ["1" if d < 0 else self.size(dims[d]) for d in operand.axes]
            heads.append(f"x{k}: {TYPES[value_of(operand.node).dtype]}[{','.join(sizes)}]")
        return heads

    def size(self, axis: int) -> str:
        size = self.region.sizes[self.region.find(axis)]
        return str(size) if isinstance(size, int) else "?"

    def apart(self) -> int:
        within = self.region.in_places()
        return sum(1 << k for k, place in enumerate(self.axes)
                   if all(at_least_two(self.region.sizes[a]) for a in within[place]))

    def layout(self, node: torch.fx.Node) -> Layout:
        dims = self.region.values[node]
        sizes = [(-1, 0, 1)] * len(dims)
        for d, axis in enumerate(dims):
            if axis is not None:
                sizes[d] = self.found(axis)
        return (Layout(self.spread(dims), *zip(*sizes), tuple(memory_order(value_of(node)))) if dims
                else Layout((-1,) * len(self.axes), (), (), (), ()))

    def found(self, axis: int) -> Tuple[int, int, int]:
        """An operand and its dimension that has the axis's size, or a known size."""
        root = self.region.find(axis)
        if isinstance(self.region.sizes[root], int):
            return -1, 0, self.region.sizes[root]
        for k, dims in enumerate(self.dims):
            for d, own in enumerate(dims):
                if own is not None and self.region.find(own) == root:
                    return k, d, 1
        raise Impossible("no operand has the size of a result")


def write(region: Region, results: Sequence[torch.fx.Node],
          taken: Dict[torch.fx.Node, Taken]) -> Kernel:
    text = Text(region, results, taken)
    lines = text.lines()
    return Kernel(", ".join(text.heads()) + "; " + "; ".join(lines), text.apart(), text.operands,
                  list(results),
                  [text.layout(node) for node in results])
