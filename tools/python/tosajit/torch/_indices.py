# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's operations with an index, in the language of expressions.

A kernel looks at all indices before it writes a byte. If one is wrong, PyTorch's own operation runs
instead, and tells the error. So messages are those of eager mode."""
from __future__ import annotations

import enum
import math
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

import torch

from ._ops import (ALONG, FIRST, FLOATS, Index, Refused, Rule, Statements, argument, aten,
                   is_number, literal, nearest, type_of, value_of)

# Types in which elements are added, and compared.
ADDED = ("i32", "i64", *FLOATS)
COMPARED = ("u8", "i8", "i16", *ADDED)
# Of f16 and bf16 PyTorch adds in f32, and rounds once.
ADDED_WIDE = ("i32", "i64", "f32", "f64")
FAR = 1 << 31  # more than there are elements along a dimension


def same(a: Any, b: Any) -> bool:
    """True if two sizes are equal in each call."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    from torch.fx.experimental.symbolic_shapes import statically_known_true
    return statically_known_true(a == b)


def whole_numbers(index: Any) -> torch.fx.Node:
    if (not isinstance(index, torch.fx.Node)
        or value_of(index).dtype not in (torch.int32, torch.int64)):
        raise Refused("its index is a mask, or of bytes")
    return index


def as_one(operand: torch.fx.Node, dims: Sequence[int]) -> None:
    """Refused, if dimensions beside each other lie so that no stride goes through all of them."""
    value = value_of(operand)
    along = [d for d, place in enumerate(dims) if place == ALONG and not same(value.shape[d], 1)]
    for d, inner in zip(along, along[1:]):
        if not same(value.stride(d), value.stride(inner) * value.shape[inner]):
            raise Refused(f"dimensions of {operand} lie apart, which it would have as one")


def dimension(node: torch.fx.Node) -> int:
    """The one that operations name behind their first operand."""
    rank = value_of(node.args[0]).dim()
    if not rank:
        raise Refused("a number has no dimension")
    return node.args[1] % rank


def is_inner(node: torch.fx.Node, at: int) -> bool:
    """True if another dimension lies further apart in memory."""
    value = value_of(node)
    several = [d for d in range(value.dim())
               if not (isinstance(value.shape[d], int) and value.shape[d] == 1)]
    from torch.fx.experimental.symbolic_shapes import statically_known_true
    return any(statically_known_true(value.stride(d) > value.stride(at)) for d in several
               if at in several)


# -------------------------------------------------------------------------------------------------
# What an index takes

def taking(mode: str) -> Callable[..., str]:
    return lambda s, x, i: s.name(f"gather({x}, {i}, index_mode={mode})", x, i)


def of_rows(node: torch.fx.Node, x: torch.fx.Node, at: int, index: torch.fx.Node, mode: str,
            light: bool) -> Rule:
    """Dimension `at` of x becomes the dimensions of the index."""
    more = value_of(whole_numbers(index)).dim()
    table = tuple(d if d < at else ALONG if d == at else d + more - 1
                  for d in range(value_of(x).dim()))
    return Rule((x, index), taking(mode), light=light,
                index=Index(at, (table, tuple(range(at, at + more)))))


def by_tensors(node: torch.fx.Node) -> Rule:
    """x[i], x[:, i], x[i, j]. PyTorch computes where each element is, one by one."""
    x, indices = node.args
    given = [d for d, index in enumerate(indices) if index is not None]
    first, count = given[0], len(given)
    if given != list(range(first, first + count)):
        raise Refused("its indices are not beside each other")
    own = [whole_numbers(indices[d]) for d in given]
    if count == 1:
        return of_rows(node, x, first, own[0], "signed", False)
    sizes = value_of(x).shape[first:first + count]
    if not all(isinstance(size, int) for size in sizes[1:]) or math.prod(sizes[1:]) > FAR >> 8:
        raise Refused("calls decide how long the dimensions are that it indexes, or they are long")
    more = max(value_of(index).dim() for index in own)
    table = tuple(d if d < first else ALONG if d < first + count else d - count + more
                  for d in range(value_of(x).dim()))
    dims = [tuple(range(first + more - value_of(index).dim(), first + more)) for index in own]

    def write(s: Statements, name: str, *names: str) -> str:
        flat = flattened(s, [s.cast(i, type_of(index), "i64") for i, index in zip(names, own)],
                         sizes)
        return taking("signed")(s, name, flat)

    as_one(x, table)
    return Rule((x, *own), write, index=Index(first, (table, *dims)))


def flattened(s: Statements, names: Sequence[str], sizes: Sequence[Any]) -> str:
    """One index for all dimensions, and one beyond them where any is wrong. No number on the way
    wraps."""
    flat, wrong = s.name(f"minimum(maximum({names[0]}, i64({-FAR})), i64({FAR}))", names[0]), ""
    for name, size in zip(names[1:], sizes[1:]):
        outside = s.name(f"({name} < i64({-size})) | ({name} >= i64({size}))", name)
        wrong = s.name(f"{wrong} | {outside}", wrong, outside) if wrong else outside
        place = s.name(f"select({name} < 0, {name} + i64({size}), {name})", name)
        flat = s.name(f"{flat} * i64({size}) + {place}", flat, place)
    return s.name(f"select({wrong}, i64({FAR * FAR}), {flat})", wrong, flat)


def selected(node: torch.fx.Node) -> Rule:
    """Alone PyTorch copies rows as fast."""
    if value_of(node.args[2]).dim() != 1:
        raise Refused("its index is a number")
    return of_rows(node, node.args[0], dimension(node), node.args[2], "strict", True)


def embedded(node: torch.fx.Node) -> Rule:
    return of_rows(node, node.args[0], 0, node.args[1], "strict", True)


def beside(operand: torch.fx.Node, index: torch.fx.Node, at: int) -> Tuple[int, ...]:
    """The dimensions of what an index of the same rank takes elements of."""
    found = []
    for d, (size, own) in enumerate(zip(value_of(operand).shape, value_of(index).shape)):
        if d != at and not same(size, own) and not (isinstance(own, int) and own == 1):
            raise Refused("its index may be smaller than what it takes elements of")
        found.append(ALONG if d == at else d if same(size, own) else FIRST)
    return tuple(found)


def gathered(node: torch.fx.Node) -> Rule:
    """Elements along a dimension, at an index for each."""
    x, index, at = node.args[0], whole_numbers(node.args[2]), dimension(node)
    own = tuple(range(value_of(index).dim()))
    inner = is_inner(x, at)
    if inner and not same(value_of(index).shape[at], 1):
        raise Refused("along an inner dimension PyTorch is as fast")
    return Rule((x, index), taking("strict"), light=inner,
                index=Index(at, (beside(x, index, at), own)))


# -------------------------------------------------------------------------------------------------
# What an index changes

class Form(enum.Enum):
    """How an operation with an index for each update has it."""
    ROWS = 0  # it repeats along the other dimensions
    VECTOR = 1  # there is no other dimension
    ELEMENTS = 2


def form_of(index: torch.fx.Node, at: int) -> Form:
    value = value_of(index)
    others = [d for d in range(value.dim()) if d != at and not same(value.shape[d], 1)]
    if not others:
        return Form.VECTOR
    return Form.ROWS if all(same(value.stride(d), 0) for d in others) else Form.ELEMENTS


class Alone(enum.Enum):
    """How long an operation alone takes as a kernel, beside PyTorch's."""
    LESS = 0
    AS_LONG = 1
    LONGER = 2  # by more than one light operation gains


# Those that are missing are no kernels. Beside them are times where eager mode takes 1, at 16 to a
# million updates on a Zen 4.
KERNELS: Dict[Tuple[str, Form], Alone] = {
    ("scatter", Form.ROWS): Alone.LESS,  # 0.06 to 0.4; vectors 1.6 to 3, elements 1.1 to 1.4
    ("scatter_add", Form.ROWS): Alone.LESS,  # 0.3 to 0.5
    ("scatter_add", Form.VECTOR): Alone.LONGER,  # 1.1 to 1.4; of an exponential 0.6 to 0.9
    ("scatter_add", Form.ELEMENTS): Alone.AS_LONG,  # 0.9 to 1.1
    ("scatter_max", Form.ROWS): Alone.LESS,  # 0.3 to 0.9; vectors 0.7 to 2, elements 0.6 to 1.3
    ("scatter_min", Form.ROWS): Alone.LESS,
}


def changing(node: torch.fx.Node, function: str, mode: str, at: int, reads: Sequence[Any],
             dims: Sequence[Tuple[int, ...]], *, value: Any = None, scale: Any = 1,
             left_out: Optional[int] = None, alone: Alone = Alone.LESS,
             base: Optional[str] = None) -> Rule:
    """reads: the base, unless it is a number, the index, and updates, unless `value` is each of
    them. left_out: an index that changes nothing."""
    result = type_of(node)
    types = {"scatter": None, "scatter_add": ADDED}.get(function, COMPARED)
    if types and result not in types:
        raise Refused(f"of {result} it is PyTorch's")
    if is_inner(node, at):
        raise Refused("it changes elements along an inner dimension, where PyTorch is faster")
    if any(type_of(read) != result for k, read in enumerate(reads) if k != (base is None)):
        raise Refused("its updates are of another type")
    for read, own in zip(reads, dims):
        as_one(read, own)
    number = None if value is None else literal(nearest(value, result), result)

    def write(s: Statements, x: str, i: str, u: Optional[str] = None) -> str:
        if number is not None:
            u = number
        elif scale != 1:
            u = s.name(f"{u} * {literal(scale, result)}", u)
        if left_out is not None:
            u = s.name(f"select({i} == {left_out}, {literal(0, result)}, {u})", i, u)
        return s.name(f"{function}({x}, {i}, {u}, index_mode={mode})", x, i, u)

    return Rule(tuple(reads), write, light=alone is not Alone.LESS, slow=alone is Alone.LONGER,
                index=Index(at, tuple(dims), True, base))


def of_elements(node: torch.fx.Node, function: str, updates: Any) -> Rule:
    """An index for each update. TOSA's scatter, with no index twice, is the only one that puts
    elements and refuses negative indices. Where an index comes again PyTorch runs."""
    base, index, at = node.args[0], whole_numbers(node.args[2]), dimension(node)
    kernel = KERNELS.get((function, form_of(index, at)))
    if kernel is None:
        raise Refused("of this form PyTorch is faster")
    own = tuple(ALONG if d == at else d for d in range(value_of(base).dim()))
    reads = [base, index]
    for d, size in enumerate(value_of(index).shape):
        if d != at and not same(size, value_of(base).shape[d]):
            raise Refused("its index may be smaller than what it changes")
        if isinstance(updates, torch.fx.Node) and not same(size, value_of(updates).shape[d]):
            raise Refused("its index may be smaller than its updates")
    if isinstance(updates, torch.fx.Node):
        reads.append(updates)
    elif not is_number(updates):
        raise Refused("it puts a number that is not known now")
    return changing(node, function, "strict", at, reads,
                    (tuple(range(len(own))), *[own] * (len(reads) - 1)), alone=kernel,
                    value=None if len(reads) == 3 else updates)


def put(node: torch.fx.Node) -> Rule:
    if node.target._overloadname not in ("src", "value"):
        raise Refused("there is no rule for it with a reduction")
    return of_elements(node, "scatter", node.args[3])


def added_at(node: torch.fx.Node) -> Rule:
    if type_of(node) not in ADDED_WIDE:
        raise Refused(f"of {type_of(node)} PyTorch rounds it once")
    return of_elements(node, "scatter_add", node.args[3])


REDUCED = {"sum": "scatter_add", "amax": "scatter_max", "amin": "scatter_min"}


def reduced_at(node: torch.fx.Node) -> Rule:
    function = REDUCED.get(node.args[4])
    if function is None or not argument(node, 5, "include_self", True):
        raise Refused("there is no such reduction")
    if function == "scatter_add":
        return added_at(node)
    return of_elements(node, function, node.args[3])


def rows_added(node: torch.fx.Node) -> Rule:
    """index_add: an index for each row of updates."""
    at = dimension(node)
    base, index, updates = node.args[0], whole_numbers(node.args[2]), node.args[3]
    scale = node.kwargs.get("alpha", 1)
    if value_of(index).dim() != 1 or value_of(updates).dim() != value_of(base).dim():
        raise Refused("its index is a number")
    if not is_number(scale) or type_of(node) not in ADDED_WIDE:
        raise Refused("alpha is not known now, or PyTorch rounds it once")
    if any(d != at and not same(size, value_of(base).shape[d])
           for d, size in enumerate(value_of(updates).shape)):
        raise Refused("its updates may have other sizes")
    own = tuple(range(value_of(base).dim()))
    return changing(node, "scatter_add", "strict", at, (base, index, updates),
                    (own, (ALONG,), tuple(ALONG if d == at else d for d in own)), scale=scale)


def put_at(node: torch.fx.Node) -> Rule:
    """x[i] = y, and x[i] += y. Of an index of several dimensions all of them are as one."""
    base, indices, updates = node.args[:3]
    given = [d for d, index in enumerate(indices) if index is not None]
    if len(given) != 1:
        raise Refused("it has several indices")
    at, = given
    index, rank = whole_numbers(indices[at]), value_of(base).dim()
    more = value_of(index).dim()
    if not more:
        raise Refused("its index is a number")
    places = [d if d < at else ALONG if d < at + more else d - more + 1
              for d in range(rank + more - 1)]
    shape = value_of(updates).shape
    behind = len(places) - len(shape)
    sizes = [*value_of(base).shape[:at], *value_of(index).shape, *value_of(base).shape[at + 1:]]
    if behind and more > 1 or any(
            not same(size, own) and (more > 1 or not (isinstance(size, int) and size == 1))
            for size, own in zip(shape, sizes[behind:])):
        raise Refused("its updates repeat, or may have other sizes")
    adds = argument(node, 3, "accumulate", False)
    return changing(node, "scatter_add" if adds else "scatter", "signed", at,
                    (base, index, updates),
                    (tuple(range(rank)), (ALONG,) * more, tuple(places[behind:])))


def embedding_gradient(node: torch.fx.Node) -> Rule:
    """Gradients of rows, each added to the row that was read. The row of padding has none."""
    gradient, index, rows, padding, by_frequency = node.args
    if by_frequency or not isinstance(rows, int):
        raise Refused("it divides by how often an index comes, or calls decide its size")
    more = value_of(whole_numbers(index)).dim()
    if not more:
        raise Refused("its index is a number")
    return changing(node, "scatter_add", "strict", 0, (index, gradient),
                    ((ALONG,) * more, (*(ALONG,) * more, 1)), base=literal(0, type_of(node)),
                    left_out=padding if padding >= 0 else None)


INDEXED: Dict[Any, Callable[[torch.fx.Node], Rule]] = {
    aten.index: by_tensors, aten._unsafe_index: by_tensors, aten.index_select: selected,
    aten.embedding: embedded,
    aten.gather: gathered, aten.scatter: put, aten.scatter_add: added_at,
    aten.scatter_reduce: reduced_at, aten.index_add: rows_added, aten.index_put: put_at,
    aten._unsafe_index_put: put_at, aten.embedding_dense_backward: embedding_gradient,
}
