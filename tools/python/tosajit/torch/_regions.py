# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of a graph that become one kernel, and the kernel's text.

The library's partition divides the graph. Views and numbers are nodes of it that cost nothing: each
region that reads such a
node has a copy. This file decides whether a kernel may have an operation, and several together, and
writes the kernel's text.

A region has axes. Each dimension of each of its values is an axis of the region, or is 1 there.
An operation that works element by element joins axes of its operands. A view gives its operand's
axes in another
order, or cuts some of them.
A part has an axis of another size than the whole. So has each piece of a concatenation. Such axes
share a place, a dimension of the kernel.

Axes stay here, because a kernel's dimensions have to stand as its tensors lie in memory, which
PyTorch decides. A layer norm
of channels_last takes seven times as long if its text has the order of PyTorch's dimensions. Costs
stay here, too, because
they are made of sizes, which the library's graph does not have."""
from __future__ import annotations

import math
import operator
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

import torch

from .._graph import Node, partition
from ._indices import INDEXED
from ._ops import (ALONG, RULES, TYPES, Index, Refused, Rule, Statements, aten, is_number, literal,
                   rule_of, type_of, value_of, variance)

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


def is_tensor(node: Any) -> bool:
    return isinstance(node, torch.fx.Node) and isinstance(node.meta.get("val"), torch.Tensor)


def is_one(size: Any) -> bool:
    return isinstance(size, int) and size == 1


def usual(node: torch.fx.Node) -> bool:
    """True if kernels can have such a tensor."""
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
FILLED = {aten.full.default: 1, aten.new_full.default: 2, aten.full_like.default: 1,
          aten.scalar_tensor.default: 0}
FILLED_WITH = {aten.zeros_like.default: 0, aten.ones_like.default: 1, aten.zeros.default: 0,
               aten.ones.default: 1, aten.new_zeros.default: 0,
               aten.new_ones.default: 1}


def _ends(node: torch.fx.Node) -> Optional[Tuple[int, Any, Any, Any]]:
    """Dimension, begin, end, step of a node that is a part of its operand."""
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


def cut_of(node: torch.fx.Node) -> Optional[Tuple[int, Cut]]:
    """The dimension that a part cuts, and its indices. None: the part is not known now, or
    empty."""
    before = value_of(parent_of(node)).shape
    found = _ends(node)
    if found is None or not all(isinstance(number, int) for number in found):
        return None
    d = found[0] % len(before)
    cut = _ranged(before[d], 1 if is_dropping(node) else value_of(node).shape[d], *found[1:])
    return None if cut is None or cut.end > 0 and cut.begin >= cut.end else (d, cut)


LAST = 2 ** 63 - 1
SPLITS = (aten.split.Tensor, aten.split_with_sizes.default, aten.unbind.int)


def is_part(node: torch.fx.Node) -> bool:
    if node.target is operator.getitem:
        return isinstance(node.args[0], torch.fx.Node) and node.args[0].target in SPLITS
    return node.target in (aten.slice.Tensor, aten.select.int)


def is_dropping(node: torch.fx.Node) -> bool:
    """True if a part loses its dimension."""
    return (node.target is aten.select.int or node.target is operator.getitem
            and node.args[0].target is aten.unbind.int)


def parent_of(node: torch.fx.Node) -> torch.fx.Node:
    """The operand of a view."""
    return node.args[0].args[0] if node.target is operator.getitem else node.args[0]


def number_in(node: torch.fx.Node) -> Any:
    """The number in each of its elements; None: there is none, or it is not known now."""
    number = FILLED_WITH.get(node.target)
    if node.target in FILLED:
        number = node.args[FILLED[node.target]]
    return number if is_number(number) and usual(node) else None


def is_view(node: torch.fx.Node) -> bool:
    """True if a kernel can have it for nothing: it is a number in every element, or a text can say
    how it shows its operand."""
    if node.op != "call_function" or not is_tensor(node):
        return False
    try:
        if number_in(node) is not None:
            return True
        if is_part(node):
            return is_tensor(parent_of(node)) and cut_of(node) is not None
        if node.target not in VIEWS or not is_tensor(parent_of(node)):
            return False
        dims = VIEWS[node.target](tuple(range(value_of(parent_of(node)).dim())), node)
    except Exception:  # of a form that nobody expects
        return False
    return dims is not None and len(dims) == value_of(node).dim()


# ---------------------------------------------------------------------------------------------------------------------
# What may be in a kernel

ALL = {**RULES, **INDEXED}


class Taken(NamedTuple):
    rule: Rule
    bases: Tuple[torch.fx.Node, ...]  # what the rule reads, behind views; no numbers
    # sizes and tensors that only PyTorch's own computation needs
    extras: Tuple[torch.fx.Node, ...]


def _rule(node: torch.fx.Node) -> Rule:
    if node.target is operator.getitem:
        of, index = node.args
        if of.op == "call_function" and of.target is aten.var_mean.correction:
            return variance(node, of, index)
        raise Refused("it is a part of a result")
    return rule_of(node, ALL)


def take(node: torch.fx.Node, views: Set[torch.fx.Node]) -> Taken:
    """Refused, if PyTorch keeps it. views: what kernels see through."""
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
    found = [(read, True) if is_whole_read(rule, k) else (base_of(read, views), False)
             for k, read in enumerate(rule.reads)]
    bases = dict.fromkeys(base for base, whole in found if whole or base not in views)
    needed = dict.fromkeys(leaf for own in node.all_input_nodes if own not in bases
                           for leaf in leaves_of(own, views))
    return Taken(rule, tuple(bases), tuple(leaf for leaf in needed if leaf not in bases))


def is_whole_read(rule: Rule, k: int) -> bool:
    """True if a kernel reads operand k as it lies in memory, not through views. Elements are taken
    of it, or several of its dimensions are one of the kernel's. Or it is one number in rows, of
    which calls decide how many there are."""
    index, read = rule.index, rule.reads[k]
    if index is None or k or index.base is not None:
        return index is not None and index.dims[k].count(ALONG) > 1
    return not index.changes or (number_in(read) is not None
                                 and not isinstance(value_of(read).shape[index.at], int))


def base_of(read: torch.fx.Node, views: Set[torch.fx.Node]) -> torch.fx.Node:
    """The node behind views: no view, or a number."""
    while read in views and number_in(read) is None:
        read = parent_of(read)
    return read


def parts_of(nodes: Sequence[torch.fx.Node], taken: Dict[torch.fx.Node, Taken],
             views: Set[torch.fx.Node]) -> Set[torch.fx.Node]:
    """Parts that a kernel of these nodes cuts itself."""
    found = set()
    for read in (read for node in nodes for read in taken[node].rule.reads):
        while read in views and number_in(read) is None:
            found |= {read} if is_part(read) else set()
            read = parent_of(read)
    return found


def leaves_of(node: torch.fx.Node, views: Set[torch.fx.Node]) -> List[torch.fx.Node]:
    """The nodes with which PyTorch's own computation of views begins."""
    if node not in views and not is_between(node):
        return [node]
    return [leaf for own in node.all_input_nodes for leaf in leaves_of(own, views)]


def is_between(node: torch.fx.Node) -> bool:
    """True if only its parts are tensors. They are seen as parts of its operand, or computed from
    the operand."""
    return node.op == "call_function" and node.target in (*SPLITS, aten.var_mean.correction)


class Impossible(Exception):
    """These nodes cannot be one kernel."""


class Use(NamedTuple):
    """What comes from outside. run: neighbouring dimensions that are one of the kernel's: the first
    one and how many. An indexed dimension stands in front of the kernel's."""
    node: torch.fx.Node
    dims: Dims
    run: Tuple[int, int] = (0, 0)
    indexed: bool = False


class Read(NamedTuple):
    """A value, an operand or a number, behind views."""
    what: Any  # a node of the region, a use's index, a number's text
    dims: Dims
    cuts: Tuple[Tuple[int, Cut], ...] = ()  # one behind the other, each of an axis


class Region:
    """Nodes in the order of the graph. Axes that prove equal are joined, and so are their
    places."""

    def __init__(self, views: Set[torch.fx.Node]) -> None:
        self.views = views  # what it sees through
        self.nodes: List[torch.fx.Node] = []
        self.parents: List[int] = []
        self.sizes: List[Any] = []
        self.places: List[int] = []  # per axis: another one in the same place
        # axes with sizes that calls decide: another axis, and the difference of sizes
        self.longer: Dict[int, Tuple[int, int]] = {}
        self.values: Dict[torch.fx.Node, Dims] = {}
        self.uses: List[Use] = []  # of what comes from outside
        self.seen: Dict[torch.fx.Node, Read] = {}  # views, and what comes from outside
        self.reads: Dict[Tuple[torch.fx.Node, int], Read] = {}
        self.reductions: List[Tuple[torch.fx.Node, Tuple[int, ...]]] = []
        self.updates: List[int] = []  # axes along which updates come
        self.pieces: List[int] = []  # axes of concatenations

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

    def _see(self, node: torch.fx.Node, seen: Dict[torch.fx.Node, Read]) -> Read:
        if node in self.values:
            return Read(node, self.values[node])
        if node not in seen:
            number = number_in(node) if node in self.views else None
            if number is not None:
                seen[node] = Read(literal(number, type_of(node)), (None,) * value_of(node).dim())
            elif node in self.views:
                seen[node] = self._view(node, self._see(parent_of(node), seen))
            else:
                dims = tuple(None if is_one(size) else self._new(size)
                             for size in value_of(node).shape)
                self.uses.append(Use(node, dims))
                seen[node] = Read(len(self.uses) - 1, dims)
        return seen[node]

    def _see_whole(self, node: torch.fx.Node, rule: Rule, k: int) -> Read:
        """An operand as it lies in memory, of which several dimensions may be one."""
        if base_of(node, self.views) in self.values:
            raise Impossible("an index takes elements of what is there as a whole")
        shape, places = value_of(node).shape, rule.index.dims[k]
        taken = k == 0 and not rule.index.changes
        first, count = places.index(ALONG) if ALONG in places else 0, places.count(ALONG)
        dims = [None if place < 0 or is_one(size) else self._new(size)
                for place, size in zip(places, shape)]
        length = math.prod(shape[first:first + count])
        if not taken and not is_one(length) and count:
            dims[first] = self._new(length)
        self.uses.append(Use(node, tuple(dims), (first, count), taken))
        return Read(len(self.uses) - 1, tuple(dims))

    def _view(self, node: torch.fx.Node, operand: Read) -> Read:
        return self._part(node, operand) if is_part(node) else operand._replace(
            dims=VIEWS[node.target](operand.dims, node))

    def _part(self, node: torch.fx.Node, operand: Read) -> Read:
        d, cut = cut_of(node)
        whole, size = value_of(
            parent_of(node)).shape[d], 1 if is_dropping(node) else value_of(node).shape[d]
        dims, cuts, own = list(operand.dims), operand.cuts, operand.dims[d]
        if own is not None and cut not in (Cut(0, 0, 1), Cut(0, whole, 1)):
            cuts = (*cuts, (own, cut))
            dims[d] = None if is_one(size) else self._new(size)
            if dims[d] is not None:
                self._put(dims[d], own)
                if cut.end <= 0 and cut.step == 1:
                    self.longer[dims[d]] = own, cut.end - cut.begin
        if is_dropping(node):
            del dims[d]
        return Read(operand.what, tuple(dims), cuts)

    def add(self, node: torch.fx.Node, taken: Taken, whole: bool = True) -> None:
        """Impossible, and nothing has changed. A tensor and its transpose may be two operands."""
        try:
            self._try(node, taken, True, whole)
        except Impossible:
            if len(taken.bases) == len(taken.rule.reads) and not any(base in self.seen
                                                                     for base in taken.bases):
                raise
            self._try(node, taken, False, whole)

    def _try(self, node: torch.fx.Node, taken: Taken, again: bool, whole: bool) -> None:
        before = self.parents[:], self.sizes[:], self.places[:], len(self.uses), len(
            self.reductions), len(self.seen), len(self.longer), len(self.updates), len(self.pieces)
        try:
            self._add(node, taken, again)
            self._check(whole)
        except (Impossible, Refused) as why:
            self.parents, self.sizes, self.places = before[:3]
            del self.uses[before[3]:], self.reductions[before[4]:]
            del self.updates[before[7]:], self.pieces[before[8]:]
            for found, count in ((self.seen, before[5]), (self.longer, before[6])):
                while len(found) > count:
                    found.popitem()
            self.values.pop(node, None)
            for k in range(len(taken.rule.reads)):
                self.reads.pop((node, k), None)
            if self.nodes and self.nodes[-1] is node:
                self.nodes.pop()
            raise Impossible(str(why)) from None

    def _add(self, node: torch.fx.Node, taken: Taken, again: bool) -> None:
        """again: a tensor that is there already has the same axes as before."""
        self.nodes.append(node)
        reads = [self._see_whole(read, taken.rule, k) if is_whole_read(taken.rule, k)
                 else self._see(read, self.seen if again else {})
                 for k, read in enumerate(taken.rule.reads)]
        self.reads.update(((node, k), read) for k, read in enumerate(reads))
        dims = [read.dims for read in reads]
        if taken.rule.joins is not None:
            self.values[node] = self._concatenate(node, taken.rule, dims)
        elif taken.rule.index is not None:
            self.values[node] = self._index(node, taken.rule.index, reads)
        elif taken.rule.axes is None:
            self.values[node] = self._broadcast(node, dims)
        else:
            self.values[node] = self._reduce(node, taken, dims[0])

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
            self.pieces += [axis] if d == rule.joins else []
            for read, dims in zip(rule.reads, seen):
                if dims[d] is None and not is_one(value_of(read).shape[d]):
                    raise Impossible("a piece repeats")
                if d == rule.joins and dims[d] is not None:
                    self._put(axis, dims[d])
                elif dims[d] is not None:
                    axis = dims[d] if axis is None else self._join(axis, dims[d])
            result.append(axis)
        return tuple(result)

    def _index(self, node: torch.fx.Node, index: Index, reads: List[Read]) -> Dims:
        shape, along = value_of(node).shape, None
        result: List[Optional[int]] = [None] * len(shape)
        for read, places in zip(reads, index.dims):
            for axis, place in zip(read.dims, places):
                if axis is None:
                    continue
                known = result[place] if place >= 0 else along
                axis = axis if known is None else self._join(known, axis)
                if place >= 0:
                    result[place] = axis
                else:
                    along = axis
        if isinstance(reads[index.base is None].what, str):
            raise Impossible("its index is a number")
        if index.changes:
            self._change(node, index, result, along)
        if any(axis is None and not is_one(size) for axis, size in zip(result, shape)):
            raise Impossible("a result repeats along a dimension that no operand has")
        return tuple(result)

    def _change(self, node: torch.fx.Node, index: Index, result: List[Optional[int]],
                along: Optional[int]) -> None:
        """The dimension that is indexed, and that of updates, are in one place."""
        size = value_of(node).shape[index.at]
        if along is None:
            raise Impossible("it has one update")
        if result[index.at] is None and isinstance(size, int) and size > 1:
            result[index.at] = self._new(size)
        if result[index.at] is not None:
            self._put(result[index.at], along)
        self.updates.append(along)

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

    def everything(self) -> Set[Dims]:
        """Of what it computes, and reads behind views."""
        return {*self.values.values(), *(read.dims for read in self.reads.values())}

    def elements(self, axes: Set[int]) -> int:
        """About how many a value with axes in these places has."""
        within = self.in_places(self.everything())
        return math.prod(max(hint(self.sizes[axis]) for axis in within[place]) for place in axes)

    def in_places(self, everything: Iterable[Dims]) -> Dict[int, Set[int]]:
        found: Dict[int, Set[int]] = {}
        for axis in {axis for dims in everything for axis in dims} - {None}:
            found.setdefault(self.place(axis), set()).add(self.find(axis))
        return found

    def roots(self, dims: Dims) -> List[int]:
        return [self.place(axis) for axis in dims if axis is not None]

    def _check(self, whole: bool) -> None:
        everything, of_operands = self.everything(), {use.dims for use in self.uses}
        axes = {dims: self.roots(dims) for dims in everything | of_operands}
        if any(len(set(roots)) != len(roots) for roots in axes.values()):
            raise Impossible("a value would run along one axis twice")
        if whole and len(self.axes()) > max(len(axes[dims]) for dims in everything):
            raise Impossible("no value has all axes")
        if len(set().union(*axes.values())) > MOST_AXES:
            raise Impossible("there are too many axes")
        if whole and len({frozenset(map(self.place, axes)) for _, axes in self.reductions}) > 1:
            raise Impossible("different axes are reduced")
        updated = {self.place(axis) for axis in self.updates}
        within = self.in_places(everything)
        if self.reductions and any(len(within[place]) > 1 for place in within.keys() - updated):
            raise Impossible("pieces are reduced")
        if any(self.place(axis) in updated for _, axes in self.reductions for axis in axes):
            raise Impossible("what comes in an index's order is reduced")
        if len(updated) > 1 or updated and self.pieces:
            raise Impossible("updates come in one order, and in one piece")
        if len(self.uses) > MOST_TENSORS:
            raise Impossible("it would be too large")


def region_of(nodes: Sequence[torch.fx.Node], taken: Dict[torch.fx.Node, Taken],
              views: Set[torch.fx.Node]) -> Region:
    region = Region(views)
    for node in nodes:  # nodes need not hang together before the last node
        region.add(node, taken[node], node is nodes[-1])
    return region


# ---------------------------------------------------------------------------------------------------------------------
# The partition

def repeats(region: Region, taken: Dict[torch.fx.Node, Taken]) -> bool:
    """True if values of few axes would take long when they are computed along all axes."""
    whole = region.axes()
    # nodes of fewer axes than the whole: how many make it, and whether all are light
    behind: Dict[torch.fx.Node, Tuple[int, bool]] = {}
    for node in region.nodes:
        reads = [region.reads[node, k] for k in range(len(taken[node].rule.reads))]
        inner = {read.what for read in reads if isinstance(read.what, torch.fx.Node)}
        axes = {
            place
            for dims in (region.values[node], *(read.dims for read in reads))
            for place in region.roots(dims)
        }
        if axes == whole or not inner <= behind.keys():
            continue
        count = 1 + sum(behind[n][0] for n in inner)
        behind[node] = count, taken[node].rule.light and all(behind[n][1] for n in inner)
        if behind[node] != (1, True) and region.elements(axes) * REPEATED <= region.elements(whole):
            return True
    return False


class Partition:
    """Regions of a graph."""

    def __init__(self, nodes: Sequence[torch.fx.Node], taken: Dict[torch.fx.Node, Taken],
                 views: Set[torch.fx.Node], before: Dict[torch.fx.Node,
                                                         List[torch.fx.Node]]) -> None:
        """before: nodes that stand in front of a node besides its operands."""
        self.nodes, self.taken, self.views = nodes, taken, views
        self.reasons: Dict[torch.fx.Node, str] = {}
        self.known: Dict[Tuple[torch.fx.Node, ...], Optional[Region]] = {}
        for node in [n for n in nodes if n in taken]:
            if self._region([node]) is None:
                del taken[node]
        index = {node: k for k, node in enumerate(nodes)}
        graph = [
            Node(
                sorted(n.all_input_nodes, key=index.__getitem__, reverse=True) + before.get(n, []),
                [n], n in taken, False, n in views or is_between(n)) for n in nodes
        ]
        found = partition(graph,
                          kept=nodes[-1].all_input_nodes,
                          read_once=self._large(),
                          most_ops=MOST_NODES,
                          accepts=lambda ops: self._region([nodes[k] for k in ops]) is not None)
        self.regions: Dict[torch.fx.Node, Region] = {}
        for ops in found:
            self._set(self._region([nodes[k] for k in ops]))
        self._part_reductions()

    def _region(self, nodes: List[torch.fx.Node]) -> Optional[Region]:
        """None: it is no kernel, or would be slow."""
        key = tuple(nodes)
        if key not in self.known:
            try:
                region = region_of(nodes, self.taken, self.views)
                slow = len(nodes) > 1 and repeats(region, self.taken)
                why = "what repeats is computed once" if slow else ""
            except Impossible as impossible:
                why = str(impossible)
            self.known[key] = None if why else region
            if why:
                self.reasons[nodes[-1]] = why
        return self.known[key]

    def _set(self, region: Region) -> None:
        self.regions.update(dict.fromkeys(region.nodes, region))

    def _large(self) -> List[torch.fx.Node]:
        """Values of several dimensions, as many as all that is read and computed with them."""
        rank = lambda n: sum(not is_one(size) for size in value_of(n).shape)
        found: Dict[torch.fx.Node, bool] = {}
        for node in self.nodes:
            if node not in self.taken:
                continue
            most = max(map(rank, (node, *self.taken[node].rule.reads)))
            for base in self.taken[node].bases:
                found[base] = found.get(base, True) and 1 < most <= rank(base)
        return [base for base, large in found.items() if large]

    def _part_reductions(self) -> None:
        """Unless a kernel works row by row, it computes a value twice that it gives and reduces. So
        another kernel reduces the value."""
        for region in list({id(region): region for region in self.regions.values()}.values()):
            apart = self._behind_reductions(region)
            if not apart:
                continue
            try:
                parts = [
                    region_of([n for n in region.nodes if (n in apart) is late], self.taken,
                              self.views) for late in (False, True)
                ]
            except Impossible:
                continue
            for part in parts:
                self._set(part)
            self.reasons.update(dict.fromkeys(apart, "what is reduced would be computed twice"))

    def _is_given(self, node: torch.fx.Node, region: Region) -> bool:
        return any(
            self._is_given(user, region) if user in self.views or is_between(user) else self.
            regions.get(user) is not region for user in node.users)

    def _behind_reductions(self, region: Region) -> Set[torch.fx.Node]:
        found: Set[torch.fx.Node] = set()
        for node, axes in region.reductions:
            sizes = [region.sizes[region.find(axis)] for axis in axes]
            slow = len(axes) > 1 or hint(sizes[0]) < SHORT
            heavy = not all(isinstance(size, int) for size in sizes) or not all(
                self.taken[n].rule.light for n in region.nodes[:-1] if n is not node)
            if not slow or not heavy or not any(
                    base in region.values and self._is_given(base, region)
                    for base in self.taken[node].bases):
                continue
            behind = {node}
            for other in region.nodes:
                if behind.intersection(self.taken[other].bases):
                    behind.add(other)
            if not any(set(map(region.place, axes)) & set(region.roots(region.values[n]))
                       for n in behind):
                found |= behind
        return found


# ---------------------------------------------------------------------------------------------------------------------
# Texts

class Operand(NamedTuple):
    node: torch.fx.Node
    # per axis of the kernel: the tensor's dimension, or -1; in front of these, what is indexed
    axes: Tuple[int, ...]
    runs: Tuple[int, ...]  # of how many dimensions of the tensor it is
    cut: bool  # the kernel reads parts of it
    indexed: bool


class Layout(NamedTuple):
    """Of a result, see region.c."""
    axes: Tuple[int, ...]
    operands: Tuple[int, ...]
    dims: Tuple[int, ...]
    sizes: Tuple[int, ...]
    order: Tuple[int, ...]


class Kernel(NamedTuple):
    """The text of a region, and the layout of its operands and results."""
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
    one. In front of them are places that only operands have: the region reads one index there. The
    place of updates is the first of all."""
    best: List[int] = []
    computed = region.axes()
    tensors = [(value_of(n), region.values[n])
               for n in [*results, *region.nodes]] + [(value_of(u.node), u.dims)
                                                      for u in region.uses]
    for value, dims in tensors:
        order = [
            region.place(dims[d]) for d in memory_order(value)
            if dims[d] is not None and region.place(dims[d]) in computed
        ]
        if len(order) > len(best):
            best = order
    first = sorted({region.place(axis) for axis in region.updates})
    outside = sorted({place for use in region.uses for place in region.roots(use.dims)} - computed)
    return first + outside + [place for place in best if place not in first]


class Text:
    """A region's kernel, as it is written. Dimensions of the kernel are places of axes."""

    def __init__(self, region: Region, results: Sequence[torch.fx.Node],
                 taken: Dict[torch.fx.Node, Taken]) -> None:
        self.region, self.results, self.taken = region, results, taken
        self.axes = _order_axes(region, results)
        self.place = {axis: k for k, axis in enumerate(self.axes)}
        self.statements = Statements()
        cut = {read.what for read in region.reads.values() if read.cuts}
        self.dims: List[Dims] = []  # of operands
        self.operands: List[Operand] = []
        self.names: List[str] = []  # of uses
        for k, use in enumerate(region.uses):
            own = self.operand(use)
            same = [o for o, operand in enumerate(self.operands)
                    if operand._replace(cut=False) == own]
            if not same:
                self.operands.append(own)
                self.dims.append(use.dims)
            at = same[0] if same else len(self.operands) - 1
            self.operands[at] = self.operands[at]._replace(cut=self.operands[at].cut or k in cut)
            self.names.append(f"x{at}")

    def at(self, axis: int) -> int:
        return self.place[self.region.place(axis)]

    def operand(self, use: Use) -> Operand:
        axes, (first, count) = self.spread(use.dims), use.run
        if use.indexed:
            axes = (first, *axes)
        runs = tuple(count if count and d == first else 1 for d in axes)
        return Operand(use.node, axes, runs, False, use.indexed)

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
        for axis, cut in read.cuts:
            parts = [":"] * len(self.axes)
            parts[self.at(axis)] = f"{cut.begin}:{cut.end or ''}{f':{cut.step}' if cut.step != 1 else ''}"
            name = self.statements.name(f"{name}[{', '.join(parts)}]", name)
        return name

    def lines(self) -> List[str]:
        texts: Dict[torch.fx.Node, str] = {}
        for node in self.region.nodes:
            rule = self.taken[node].rule
            reads = [self.region.reads[node, k] for k in range(len(rule.reads))]
            given = [self.read(read, texts) for read in reads]
            if rule.index is not None and rule.index.changes:
                given = self.based(node, rule.index, reads, given)
            if rule.joins is not None:
                axis = self.region.values[node][rule.joins]
                texts[node] = rule.write(self.statements, *given, self.at(axis))
            elif rule.axes is None:
                texts[node] = rule.write(self.statements, *given)
            else:
                kernel = sorted(self.at(reads[0].dims[d])
                                for d in rule.axes if reads[0].dims[d] is not None)
                texts[node] = rule.write(self.statements, *given, kernel)
        return self.statements.needed([self.final(node, texts) for node in self.results])

    def final(self, node: torch.fx.Node, texts: Dict[torch.fx.Node, str]) -> str:
        """A result by a name of its own, which nothing else reads. Elements that an index moves are
        written where they stay, if nothing else is made of them."""
        name = texts[node]
        if (self.taken[node].rule.index is not None and list(texts.values()).count(name) == 1
            and not any(name in reads for _, reads in self.statements.lines.values())):
            return name
        return self.statements.name(f"identity({name})", name, fresh=True)

    def based(self, node: torch.fx.Node, index: Index, reads: Sequence[Read],
              given: List[str]) -> List[str]:
        """What is changed as a tensor with the indexed dimension, and the other operands."""
        own = [index.base] if index.base is not None else given[:1]
        rest = given if index.base is not None else given[1:]
        size = value_of(node).shape[index.at]
        if index.base is None and reads[0].dims[index.at] is not None or is_one(size):
            return own + rest
        if index.base is None and not isinstance(reads[0].what, str):
            raise Impossible("what is changed repeats")
        sizes = ", ".join([str(size)] + ["1"] * (len(self.axes) - 1))
        return [self.statements.name(f"broadcast_to({own[0]}, ({sizes},))"), *rest]

    def heads(self) -> List[str]:
        heads = []
        for k, (operand, dims) in enumerate(zip(self.operands, self.dims)):
            sizes = ["1" if d < 0 else self.size(dims[d])
                     for d in operand.axes[operand.indexed:]]
            if operand.indexed:
                length = math.prod(value_of(operand.node).shape[operand.axes[0]:]
                                   [:operand.runs[0]])
                sizes.insert(0, str(length) if isinstance(length, int) else "?")
            heads.append(f"x{k}: {TYPES[value_of(operand.node).dtype]}[{','.join(sizes)}]")
        return heads

    def size(self, axis: int) -> str:
        size = self.region.sizes[self.region.find(axis)]
        return str(size) if isinstance(size, int) else "?"

    def apart(self) -> int:
        """Bits count from the last axis on, as an indexed dimension stands before the first."""
        within = self.region.in_places(self.region.everything() | set(self.dims))
        return sum(1 << k for k, place in enumerate(reversed(self.axes)) if all(
            at_least_two(self.region.sizes[a]) for a in within[place]))

    def layout(self, node: torch.fx.Node) -> Layout:
        dims = self.region.values[node]
        sizes = [(-1, 0, 1)] * len(dims)
        for d, axis in enumerate(dims):
            if axis is not None:
                sizes[d] = self.found(axis)
        return (Layout(self.spread(dims), *zip(*sizes), tuple(memory_order(value_of(node)))) if dims
                else Layout((-1,) * len(self.axes), (), (), (), ()))

    def is_single(self, operand: int, d: int) -> bool:
        own = self.operands[operand]
        return own.indexed or own.runs[own.axes.index(d)] == 1

    def found(self, axis: int) -> Tuple[int, int, int]:
        """An operand, its dimension, and how much longer the axis is; or a known size."""
        root = self.region.find(axis)
        if isinstance(self.region.sizes[root], int):
            return -1, 0, self.region.sizes[root]
        for k, dims in enumerate(self.dims):
            for d, own in enumerate(dims):
                if own is not None and self.region.find(own) == root and self.is_single(k, d):
                    return k, d, 0
        for shorter, (whole, more) in self.region.longer.items():
            if self.region.find(shorter) == root:
                k, d, longer = self.found(whole)
                return k, d, longer + more
        raise Impossible("no operand has the size of a result")


def write(region: Region, results: Sequence[torch.fx.Node],
          taken: Dict[torch.fx.Node, Taken]) -> Kernel:
    text = Text(region, results, taken)
    lines = text.lines()
    return Kernel(", ".join(text.heads()) + "; " + "; ".join(lines), text.apart(), text.operands,
                  list(results),
                  [text.layout(node) for node in results])
